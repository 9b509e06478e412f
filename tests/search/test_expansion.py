"""A subtopic becomes three different queries, by a model or by rules."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spyglass.kernel.errors import ModelKeyError, QuestionError
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Settings
from spyglass.model.scripted import Scripted
from spyglass.search.expansion import (
    LONGEST_QUERY,
    QUERIES,
    Subtopic,
    by_rules,
    expand_queries,
    expanded_by_rules,
    sub_queries,
)
from spyglass.search.queries import normalised

GOOD = {
    "direct": "battery recycling Norway",
    "broader": "lithium-ion circular economy",
    "specific": "Hydrovolt tonnes 2025",
}
LIST = list(GOOD.values())
NORWAY = {"title": "Battery recycling in Norway"}


@pytest.mark.parametrize(
    "answer",
    [
        json.dumps(GOOD),
        json.dumps(LIST),
        json.dumps({"queries": LIST}),
        f"Here you are:\n```json\n{json.dumps(GOOD)}\n```",
    ],
)
async def test_a_model_makes_the_three_queries_in_one_call(run: Run, answer: str) -> None:
    model = Scripted([answer])
    assert await expand_queries(NORWAY | {"description": "Rates and companies"}, model, run=run) == LIST
    [prompt] = model.prompts
    assert "Battery recycling in Norway" in prompt.user
    assert "Rates and companies" in prompt.user


async def test_what_the_model_lacks_comes_from_the_rules(run: Run) -> None:
    same = {"direct": "Battery recycling", "broader": "battery  recycling?", "specific": "x" * (LONGEST_QUERY + 1)}
    made = await expand_queries(NORWAY | {"description": "Cost per tonne"}, Scripted([json.dumps(same)]), run=run)
    assert made[0] == "Battery recycling"
    assert len({normalised(query) for query in made}) == QUERIES
    assert made[1] == "Battery recycling in Norway"


async def test_a_model_that_answers_nonsense_is_replaced_by_the_rules(run: Run) -> None:
    model = Scripted(["I would rather not.", "No."])
    assert await expand_queries("Battery recycling", model, run=run) == by_rules("Battery recycling")[:QUERIES]
    assert run.failures == []


async def test_a_model_that_fails_is_told_of_and_replaced_by_the_rules(run: Run) -> None:
    model = Scripted([ModelKeyError("The key is refused")])
    assert await expand_queries("Battery recycling", model, run=run) == by_rules("Battery recycling")[:QUERIES]
    [failure] = run.failures
    assert (failure.who, failure.why) == ("search", "The key is refused.")


async def test_without_a_run_the_call_has_one_of_its_own(tmp_path: Path) -> None:
    model = Scripted([json.dumps(GOOD)])
    settings = Settings(data_dir=tmp_path)
    assert await expand_queries("Battery recycling", model, settings=settings) == LIST


async def test_a_subtopic_may_be_a_title_an_object_or_a_dict_and_must_say_something() -> None:
    made = await expand_queries("Battery recycling")
    assert made == await expand_queries({"title": "Battery recycling"})
    assert made == await expand_queries(Subtopic(title="Battery recycling"))
    with pytest.raises(QuestionError, match="A subtopic is not valid"):
        await expand_queries({"title": "?!"})


async def test_rules_make_a_direct_a_broader_and_a_specific_query() -> None:
    norway = {
        "title": "Battery recycling in northern Norway",
        "description": "Companies, and tonnes of lithium recovered",
    }
    assert await expand_queries(norway) == [
        "Battery recycling in northern Norway",
        "Battery recycling northern",
        "Battery recycling in northern Norway Companies, lithium recovered",
    ]


async def test_of_a_question_rules_make_its_topic_and_the_longest_words_of_that() -> None:
    assert await expand_queries("How does the Hubble space telescope work?") == [
        "How does the Hubble space telescope work?",
        "Hubble space telescope",
        "Hubble space telescope work",
    ]


async def test_a_subtopic_of_one_word_still_has_three_queries() -> None:
    assert await expand_queries("Rust") == ["Rust", "what is Rust", "Rust explained"]


async def test_a_subtopic_of_ten_thousand_characters_makes_bounded_queries() -> None:
    made = await expand_queries({"title": "very long topic " * 700, "description": "and a description " * 700})
    assert len(made) == QUERIES
    assert all(len(query) <= 2 * LONGEST_QUERY for query in made)


@given(st.text().filter(lambda title: bool(re.search("[a-z]", title))), st.text())
def test_rules_always_make_three_different_queries(title: str, description: str) -> None:
    made = expanded_by_rules(Subtopic(title=title, description=description))
    assert len({normalised(query) for query in made}) == len(made) == QUERIES


@pytest.mark.parametrize(
    ("topic", "depth", "queries"),
    [
        ("heat pumps", 1, ["heat pumps", "what is heat pumps"]),
        ("heat pumps", 2, ["heat pumps", "what is heat pumps", "heat pumps explained"]),
        (
            "SQLite vs PostgreSQL",
            2,
            [
                "SQLite vs PostgreSQL",
                "what is SQLite vs PostgreSQL",
                "SQLite",
                "PostgreSQL",
                "SQLite vs PostgreSQL explained",
            ],
        ),
        (
            "bees and wasps",
            2,
            ["bees and wasps", "what is bees and wasps", "bees", "wasps", "bees and wasps explained"],
        ),
        (
            "heat pumps",
            3,
            [
                "heat pumps",
                "what is heat pumps",
                "heat pumps explained",
                "how does heat pumps work",
                "why heat pumps",
                "heat pumps advantages disadvantages",
            ],
        ),
        ("What is a mole?", 1, ["What is a mole?", "what is mole"]),
    ],
)
def test_a_topic_is_decomposed_by_rules(topic: str, depth: int, queries: list[str]) -> None:
    assert sub_queries(topic, depth) == queries


@pytest.mark.parametrize(
    ("question", "queries"),
    [
        ("青岛港是什么时候建造的，2022年的货物吞吐量是多少？", ["青岛港 2022 货物吞吐量"]),
        ("Wann wurde der Hafen von Emden gebaut?", ["wurde Hafen gebaut"]),
    ],
)
def test_a_question_in_another_language_is_asked_by_its_words_and_by_no_english_ones(
    question: str, queries: list[str]
) -> None:
    assert by_rules(question) == [question, *queries]


def test_a_topic_is_asked_about_in_its_language() -> None:
    assert sub_queries("青岛港的历史", 2) == ["青岛港的历史", "什么是青岛港的历史", "青岛港的历史 介绍"]
    assert sub_queries("灯台の高さ", 2) == ["灯台の高さ", "灯台の高さとは", "灯台の高さ 解説"]
    assert sub_queries("Der Hafen von Emden", 1)[1] == "was ist Der Hafen von Emden"
