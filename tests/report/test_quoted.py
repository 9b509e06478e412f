"""What a report quotes next says something new."""

from report.shelf import record
from spyglass.evidence import Relevance
from spyglass.kernel.journal import Journal
from spyglass.report.quotable import Quotable, quotable
from spyglass.report.quoted import QuotedSoFar
from spyglass.report.source_index import SourceIndex

TOLD = """The keeper lights the lamp of the harbour at dusk.

Every evening at dusk the keeper lights the lamp of the harbour.

The keeper lights the lamp of the harbour not at dusk.

Boats pay a fee of six crowns.
"""


def statements() -> list[Quotable]:
    journal = Journal()
    return quotable(SourceIndex.of([record(journal, "harbour.md", TOLD)], journal))


def test_a_repetition_is_not_chosen_beside_what_it_repeats_but_a_denial_is() -> None:
    told = statements()
    quoted = QuotedSoFar(Relevance(quote.roots for quote in told))
    lights, _, denies, fee = told
    fits = {quote.order: odds for quote, odds in zip(told, (1.0, 0.9, 0.8, 0.05), strict=True)}
    assert quoted.chosen(fits, told, 0.1) == [lights, denies]
    assert list(quoted) == [lights, denies]
    assert quoted.has(told[1])
    assert not quoted.has(fee)


def test_the_choice_ends_with_the_number_or_the_words_wanted() -> None:
    told = statements()
    fits = dict.fromkeys((quote.order for quote in told), 1.0)
    for limits in ({"most": 1}, {"words": 5}):
        assert len(QuotedSoFar(Relevance(quote.roots for quote in told)).chosen(fits, told, 0.1, **limits)) == 1
