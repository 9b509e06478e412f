"""Sentences of a source that a claim repeats but for a word."""

import pytest

from spyglass import support
from spyglass.evidence.facts import facts, mismatches
from spyglass.evidence.reason import FactMismatch

BAKER = (
    "The bakery in Lund was bought by the Ekman family in 1974. "
    "Anna Ekman still bakes the rye bread there every morning."
)


def found(claim: str, span: str) -> list[FactMismatch]:
    return mismatches(facts(claim), facts(span))


@pytest.mark.parametrize(
    ("claim", "what", "said"),
    [
        ("The brewery in Lund was bought by the Ekman family in 1974.", "brewery", "bakery"),
        ("Anna Ekman still bakes the wheat bread there every morning.", "wheat", "rye"),
        ("Anna Ekman still bakes the rye bread there every evening.", "evening", "morning"),
    ],
)
def test_a_thing_put_in_the_place_of_another_is_told_with_what_the_source_says(
    claim: str, what: str, said: str
) -> None:
    assert [(one.what, one.found) for one in found(claim, BAKER)] == [(what, said)]
    verdict = support(claim, [BAKER])
    assert verdict.verdict == "partial"
    assert any(what in str(reason) and said in str(reason) for reason in verdict.reasons)


def test_what_is_added_to_a_repeated_sentence_is_told() -> None:
    claim = "Anna Ekman still bakes the rye bread there every morning and teaches chemistry."
    assert [one.what for one in found(claim, BAKER)] == ["teaches chemistry"]


@pytest.mark.parametrize(
    "claim",
    [
        "The bakery in Lund was acquired by the Ekman family in 1974.",
        "The Ekman family purchased the bakery in Lund in 1974.",
        "The Lund bakery was bought by the Ekman family in 1974.",
        "Every morning Anna Ekman still bakes the rye bread there.",
    ],
)
def test_a_synonym_or_another_order_is_no_change(claim: str) -> None:
    assert found(claim, BAKER) == []


def test_who_writes_freely_is_not_held_to_the_words() -> None:
    assert found("Rye loaves leave Anna's oven at dawn, as the town of Lund knows well.", BAKER) == []


def test_a_pronoun_may_be_resolved() -> None:
    span = "It reached the Kara Sea in August 2012."
    assert mismatches(facts("Polar Star reached the Kara Sea in August 2012."), facts(span), facts("Polar Star")) == []


def test_a_hyphen_makes_no_other_word() -> None:
    assert found("The e-mail server stopped at noon.", "The email server stopped at noon.") == []


def test_a_small_word_at_the_end_that_says_the_opposite_is_a_contradiction() -> None:
    cases = [
        ("The default is off.", "The default is on."),
        ("By default compression is off.", "By default compression is on."),
    ]
    assert [case for case in cases if support(case[0], [case[1]]).verdict != "contradicted"] == []
    assert support("The heating was turned on.", ["The heating was turned on and later off."]).verdict == "supported"
