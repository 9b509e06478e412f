"""Claims that are surer than their source, and the words that somebody else said."""

import pytest

from spyglass import support
from spyglass.evidence.facts import facts, mismatches


def test_more_certainty_than_the_source_has_is_not_supported() -> None:
    cases = [
        ("Tenants must keep a copy of the lease.", "Tenants may keep a copy of the lease."),
        ("The fund always pays in June.", "The fund can pay in June."),
        ("Every pupil learned to swim.", "Pupils learned to swim."),
        ("It is the largest quarry in the valley.", "It is a quarry in the valley."),
        ("It is the most popular beach of the island.", "It is a popular beach of the island."),
        ("The ferry crosses the fjord in the autumn of 2031.", "The ferry is expected to cross the fjord in 2031."),
        ("The line reopened in 2031.", "The council plans that the line will have reopened in 2031."),
    ]
    assert [case for case in cases if not mismatches(*map(facts, case))] == []
    assert [case for case in cases if support(case[0], [case[1]]).verdict == "supported"] == []


def test_as_much_certainty_in_other_words_is_fine() -> None:
    cases = [
        ("Tenants must keep a copy of the lease.", "Tenants are required to keep a copy of the lease."),
        ("All pupils learned to swim.", "Each of the pupils learned to swim."),
        ("Their most recent win was in 1973.", "They last won in 1973."),
        ("At most four cars fit on the ferry.", "Up to four cars fit on the ferry."),
        ("The ferry will cross the fjord in 2031.", "The ferry is expected to cross the fjord in 2031."),
    ]
    assert [case for case in cases if mismatches(*map(facts, case))] == []


@pytest.mark.parametrize("period", ["month", "day"])
def test_what_is_paid_a_year_is_not_paid_in_each_other_period(period: str) -> None:
    verdict = support(f"Members pay 40 euros a {period}.", ["Members pay 40 euros a year."])
    assert verdict.verdict == "contradicted"


def test_words_that_somebody_else_said_are_a_contradiction() -> None:
    span = 'Mayor Ines Duarte left early. "There was no money left for the bridge," Paul Ibsen told the council.'
    claim = '"There was no money left for the bridge," said {}.'
    assert support(claim.format("Paul Ibsen"), [span]).verdict == "supported"
    assert support(claim.format("Ines Duarte"), [span]).verdict == "contradicted"


def test_a_phrase_of_which_no_source_has_a_word_leaves_a_claim_partly_supported() -> None:
    span = "The mill closed in 1931. It was opened again as a museum by the town in 1978."
    verdict = support("The mill closed in 1931, because imported flour had become cheaper.", [span])
    assert verdict.verdict == "partial"
    assert any("imported flour" in str(reason) for reason in verdict.reasons)
