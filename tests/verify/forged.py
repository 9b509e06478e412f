"""A report with all that one can have, and the same report with one field forged, each field in turn."""

import json
import re
from collections.abc import Iterator
from typing import Any, get_args

from pydantic import ValidationError

from report.shelf import HIVES, HONEY, WASPS, record
from spyglass.agent.reporter import Reporter
from spyglass.kernel.journal import Journal
from spyglass.kernel.outcome import Outcome
from spyglass.kernel.plan import Plan, Task
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Policy, Settings
from spyglass.kernel.source import Support
from spyglass.model.scripted import Scripted
from spyglass.report import Report
from spyglass.report.report import Level

ASKED = "How do bees and wasps live?"
OTHER = "# Queens\n\nThe queen lays up to 3,000 eggs a day. She is fed by the workers around her.\n"
WRITTEN = """A honey bee colony holds about 50,000 workers in summer [{bees}].
The queen lays up to 2,000 eggs a day [{bees}].
Workers live for nine weeks when they forage [{bees}].
Wasps chew wood into paper and build their nests from it [{wasps}].
A strong colony of bees gives 20 kilograms of honey in a year [{hives}].

| Hive | Frames |
| --- | --- |
| Langstroth | 10 [{hives}] |
"""
OF_A_SECTION = {
    "Section: How many eggs": "The dance gives direction and distance [{bees}].",
    "Section: How do wasps": "A wasp colony dies in autumn, and only young queens survive the winter [{wasps}].",
}
"""What the model writes in the sections behind the summary: nothing is told twice."""

CHOICES = [*get_args(Outcome), *get_args(Level), *get_args(Policy), *get_args(Support)]
CHOICES += ["unchecked", "verbatim", "words", "unsettled", "model", "web", "file", "searched", "given", "no"]
CHOICES += ["first", "second", "answered", "partly", "not found", "7", "2020-01-01"]


def _text(prompt: str) -> str:
    return next((text for section, text in OF_A_SECTION.items() if section in prompt), WRITTEN)


async def whole(settings: Settings) -> Report:
    """Return a report with all that one can have: copies, a contradiction, what was removed, failures, a search log."""
    own = settings.updated(report__policy="strict", retrieval__dense=False)
    tasks = (
        Task(task="How many eggs does the queen lay?", agent="files"),
        Task(task="How do wasps build their nests?", agent="files", queries=("wasp nests",)),
    )
    async with Run(ASKED, own, journal=Journal()) as run:
        eggs, nests = (task.task for task in tasks)
        run.plan = Plan(tasks=tasks, sections=(eggs, nests))
        copy = f"{HONEY}\nRead more about bees here.\n"
        page = {"kind": "web", "url": "https://bees.example/queens", "domain": "bees.example"}
        records = [
            record(run.journal, "bees.md", HONEY, task=eggs),
            record(run.journal, "copy.md", copy, task=eggs),
            record(run.journal, "queens.md", OTHER, task=eggs, **page, published="2025-03-01", credibility_score=40),
            record(run.journal, "wasps.md", WASPS, task=nests),
            record(run.journal, "hives.md", HIVES, task=nests, author="A. Keeper", site="Hives"),
        ]
        await run.effect("search", {"engine": "searxng", "query": "wasp nests"}, _some_hits)
        run.notice("One page was not read.")
        run.fail("search", "the query “bees”", "It was refused.")
        reporter = Reporter(Scripted(lambda prompt: _text(prompt.user).format_map(_labels(prompt.user))))
        reporter.attach(run)
        await reporter.run(ASKED, records)
        assert run.report is not None
        return run.report


async def _some_hits() -> list[dict[str, str]]:
    return [{"url": "https://bees.example/queens", "title": "Queens"}]


def _labels(prompt: str) -> dict[str, str]:
    blocks = re.findall(r'<source id="([^"]+)"[^>]*>\n(.*?)\n</source>', prompt, re.DOTALL)
    names = {"A honey bee": "bees", "wasp": "wasps", "Beekeepers": "hives"}
    found = {name: label for label, text in blocks for word, name in names.items() if word in text[:60]}
    return {"bees": "S1", "wasps": "S2", "hives": "S3", **found}


def _places(value: Any, pattern: str = "") -> Iterator[tuple[Any, Any, str]]:
    """Yield each container within a JSON value with each key, the first and last of a list, and its pattern."""
    for key in list(value) if isinstance(value, dict) else sorted({0, len(value) - 1} & {*range(len(value))}):
        inner = f"{pattern}.{key}".lstrip(".") if isinstance(value, dict) else f"{pattern}[]"
        yield value, key, inner
        if isinstance(value[key], dict | list):
            yield from _places(value[key], inner)


def _others(value: Any) -> list[Any]:
    """Return other values of the same kind, empty ones and shorter ones among them."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int | float):
        return [value + 1 if isinstance(value, int) else round(value - 0.1, 3)]
    if isinstance(value, str):
        return CHOICES if value in CHOICES else [f"{value}x", ""]
    if isinstance(value, list):
        return [[], value[:-1]] if value else [["x"], [{"code": "beside", "values": {}}]]
    return [7, "7"]


_IN_NOTICE = re.compile(r"[.](code|values([.].*)?)$")


def forged(report: Report) -> Iterator[tuple[str, Report]]:
    """Yield reports of which one field is another one, and the pattern of that field; the checksum is made anew.

    A notice counts as one field, with its code and values.
    """
    data = json.loads(report.model_dump_json(exclude={"checksum"}))
    for holder, key, pattern in _places(data):
        before = holder[key]
        for other in _others(before):
            holder[key] = other
            try:
                changed = Report.model_validate_json(json.dumps(data), strict=True)
            except ValidationError:
                continue
            finally:
                holder[key] = before
            if changed != report:
                yield _IN_NOTICE.sub("", pattern), changed
