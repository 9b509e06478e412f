"""Whatever a small model of one's own gets wrong, there is a whole report, and none of it is the prompt said back."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from loopback import SECTIONS as WRITTEN
from loopback import ModelServer, PromptRequest, Say, SmolLM2
from report.shelf import HONEY, WASPS
from report.written import texts_of
from spyglass import Report, research
from spyglass.kernel.settings import Settings
from spyglass.prompts import render

QUESTION = "How do bees dance, and how do wasps build their nests?"
TASKS = [
    {"task": "how bees dance", "agent": "local-retrieval", "queries": ["dance of bees"]},
    {"task": "how wasps build", "agent": "local-retrieval", "queries": ["nests of wasps"]},
]
PLAN = json.dumps({"tasks": TASKS, "sections": ["Bees", "Wasps"]})
EXAMPLE = render("planner", question="", today="", language="", agents="").user.splitlines()[-1]
ECHO = {"task": QUESTION, "agent": "local-retrieval", "queries": [QUESTION]}

PLANS = {
    "the example": EXAMPLE,
    "the example's agent": json.dumps({"tasks": [{**task, "agent": "name of an agent"} for task in TASKS]}),
    "the question": json.dumps({"tasks": [ECHO] * 4}),
    "a task dozens of times": json.dumps({"tasks": TASKS * 40}),
    "cut": Say(json.dumps({"tasks": TASKS * 40})[:-150], finish="length"),
    "empty": "",
    "prose": "Sure, I will plan the research for you.",
}


def first(asked: PromptRequest) -> str:
    """Return the first sentence of the first passage, cited."""
    found = re.search(r'<source id="(S[\d.]+)"[^>]*>\s*(?:#[^\n]*\n+)?([^.<]{10,300})\.', asked.user)
    assert found is not None
    return f"{found[2].strip()} [{found[1]}]."


SECTIONS: dict[str, Callable[[PromptRequest], str | Say]] = {
    "a sentence over and over": lambda asked: " ".join([first(asked)] * 40),
    "an item over and over": lambda asked: "\n".join([f"- {first(asked)}"] * 40),
    "a loop that is cut": lambda asked: Say(" ".join([first(asked)] * 4) + " " + first(asked)[:30], finish="length"),
    "the request": lambda asked: asked.user,
    "the instructions": lambda asked: asked.system,
    "all of the prompt": lambda asked: f"{asked.system}\n{asked.user}",
    "the instructions and a sentence": lambda asked: f"{asked.system}\n\n{first(asked)}",
    "labels": lambda _: "[S1.1] [S2.1]",
    "the question": lambda _: QUESTION,
    "an offer": lambda _: "I am ready to help you with that. Please give me the passages.",
    "nothing": lambda _: "",
}


@pytest.fixture
def settings(tmp_path: Path, model_server: ModelServer) -> Settings:
    files = tmp_path / "files"
    files.mkdir()
    for name, text in (("bees.md", HONEY), ("wasps.md", WASPS)):
        (files / name).write_text(text, encoding="utf-8")
    model = {"provider": "ollama", "model": "small", "base_url": model_server.base_url("ollama")}
    return Settings(db=[files], data_dir=tmp_path / "data", retrieval__dense=False, **model)


def unlabelled(text: str) -> str:
    """Return a quoted sentence without the name of its place, or the brackets of one that is quoted out of order."""
    aside = text.removeprefix("(Just before: ")
    return aside.removesuffix(")") if aside != text else text.removeprefix("Honey bees: ")


def require_whole(report: Report) -> None:
    """Check that every section says something that is cited, once, and nothing that the prompt says."""
    said = texts_of(report)
    assert said
    assert all(re.search(r"\[\d+\]", text) for text in said)
    for section in report.sections:
        once = [unit.text for unit in section.units]
        assert len(once) == len(set(once))
    whole = "\n".join(said)
    titles = {section.title.casefold() for section in report.sections}
    assert not titles & {"heading", "s1", "s2", "what to find out", QUESTION.casefold()}
    for scrap in ("Write only", "Write the section", "Section:", "Passages:", "source>", "what to find out", "heading"):
        assert scrap not in whole


@pytest.mark.parametrize("plan", PLANS.values(), ids=list(PLANS))
async def test_a_plan_that_is_none_is_made_by_rules_and_nothing_is_missing(
    settings: Settings, model_server: ModelServer, plan: str | Say
) -> None:
    model_server.play(lambda asked: plan if asked.schema else first(asked))
    report = await research(QUESTION, settings=settings)
    require_whole(report)
    assert (report.outcome, report.failures) == ("complete", [])


@pytest.mark.parametrize("policy", ["strict", "mark", "off"])
@pytest.mark.parametrize("section", SECTIONS.values(), ids=list(SECTIONS))
async def test_a_section_that_says_nothing_of_its_own_is_not_in_the_report(
    settings: Settings, model_server: ModelServer, section: Callable[[PromptRequest], str | Say], policy: str
) -> None:
    model_server.play(lambda asked: PLAN if asked.schema else section(asked))
    report = await research(QUESTION, settings=settings.updated(report__policy=policy))
    require_whole(report)
    said = [unlabelled(unit.text) for section in report.sections for unit in section.units]
    assert [text for text in said if text.rstrip(".") not in HONEY + WASPS] == []


@pytest.mark.parametrize("first", range(len(WRITTEN)))
async def test_whatever_smollm2_wrote_the_report_is_whole_and_answers(
    settings: Settings, model_server: ModelServer, first: int
) -> None:
    model_server.play(SmolLM2(first))
    report = await research(QUESTION, settings=settings.model_copy(update={"context_window": 4_096}))
    require_whole(report)
    assert (report.outcome, report.failures) == ("complete", [])
    said = " ".join(texts_of(report))
    assert "waggle dance" in said
    assert "Wasps chew wood into paper" in said
    assert "Debian" not in said
