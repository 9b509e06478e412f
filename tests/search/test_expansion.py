"""A subtopic becomes three different queries, by a model or by rules."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spyglass.errors import ModelKeyError
from spyglass.model.scripted import Scripted
from spyglass.run import Run
from spyglass.search.expansion import LONGEST_QUERY, QUERIES, by_rules, expand_queries
from spyglass.search.queries import normalised

GOOD = {
    "direct": "battery recycling Norway",
    "broader": "lithium-ion circular economy",
    "specific": "Hydrovolt tonnes 2025",
}
LIST = list(GOOD.values())


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
    assert await expand_queries(run, "Battery recycling in Norway", "Rates and companies", model=model) == LIST
    [prompt] = model.prompts
    assert "Battery recycling in Norway" in prompt.user
    assert "Rates and companies" in prompt.user


async def test_what_the_model_lacks_comes_from_the_rules(run: Run) -> None:
    same = {"direct": "Battery recycling", "broader": "battery  recycling?", "specific": "x" * (LONGEST_QUERY + 1)}
    made = await expand_queries(
        run, "Battery recycling in Norway", "Cost per tonne", model=Scripted([json.dumps(same)])
    )
    assert made[0] == "Battery recycling"
    assert len({normalised(query) for query in made}) == QUERIES
    assert made[1] == "Battery recycling in Norway"


async def test_a_model_that_answers_nonsense_is_replaced_by_the_rules(run: Run) -> None:
    model = Scripted(["I would rather not.", "No."])
    assert await expand_queries(run, "Battery recycling", model=model) == by_rules("Battery recycling")[:QUERIES]
    assert run.failures == []


async def test_a_model_that_fails_is_told_of_and_replaced_by_the_rules(run: Run) -> None:
    model = Scripted([ModelKeyError("The key is refused")])
    assert await expand_queries(run, "Battery recycling", model=model) == by_rules("Battery recycling")[:QUERIES]
    [failure] = run.failures
    assert (failure.who, failure.why) == ("search", "The key is refused.")


async def test_rules_make_a_direct_a_broader_and_a_specific_query(run: Run) -> None:
    made = await expand_queries(
        run, "Battery recycling in northern Norway", "Companies, and tonnes of lithium recovered"
    )
    assert made == [
        "Battery recycling in northern Norway",
        "Battery recycling",
        "Battery recycling in northern Norway Companies, lithium recovered",
    ]


async def test_a_subtopic_of_one_word_still_has_three_queries(run: Run) -> None:
    assert await expand_queries(run, "Rust") == ["Rust", "what is Rust", "Rust explained"]


async def test_a_subtopic_of_ten_thousand_characters_makes_bounded_queries(run: Run) -> None:
    made = await expand_queries(run, "very long topic " * 700, "and a description " * 700)
    assert len(made) == QUERIES
    assert all(len(query) <= 2 * LONGEST_QUERY for query in made)


@given(st.text(), st.text())
def test_rules_always_make_three_different_queries(title: str, description: str) -> None:
    made = by_rules(title, description)
    assert len({normalised(query) for query in made}) == len(made) >= QUERIES
