"""What changed is decided by what sources say, not by what a report quotes or how a model puts it."""

import pytest

from report.sample import sample
from spyglass.markup import Paragraph, Sentence
from spyglass.report.report import Section
from spyglass.watch.changes import _value, changes


def test_another_choice_of_sentences_from_unchanged_sources_is_no_change() -> None:
    old = sample()
    units = [unit for section in old.sections for unit in section.units if unit.asserts]
    reworded = [
        Sentence(parts=[f"It is said that {unit.text}", unit.cites[0]], asserts=True, verdict=unit.verdict)
        for unit in reversed(units)
    ]
    section = Section(title="All", blocks=[Paragraph(sentences=reworded)])
    citations = [old.citations[claim.citations[0]] for claim in reversed(old.claims)]
    new = old.model_copy(update={"sections": [section], "citations": citations})
    texts = {source.path or source.url: text.text for source in old.sources for text in old.snapshots}
    assert changes(old, new, {}) == []
    assert changes(old, old, texts) == []


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        ("The fee is 12 euros.", "The fee is 14 euros.", "number"),
        ("It weighs 3 kg.", "It weighs 3 tonnes.", "number"),
        ("The deal closed on 2 May 2024.", "The deal closed in June 2024.", "date"),
        ("The contract went to Siemens.", "The contract went to Alstom.", "name"),
        ("The harbour is open on Sundays.", "The harbour is closed on Sundays.", "negation"),
        ("Dogs are allowed.", "Dogs are not allowed.", "negation"),
    ],
)
def test_another_value_is_a_change_whichever_way(before: str, after: str, kind: str) -> None:
    for one, other in ((before, after), (after, before)):
        found = _value(one, other)
        assert found is not None
        assert found.kind in (kind, "unit")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("The fee is 12 euros.", "A fee of 12 euros is charged."),
        ("The deal closed on 2 May 2024.", "On May 2, 2024 the deal was closed."),
        ("The director is Anna Berg.", "Anna Berg is the director."),
        ("Some 5,000 people came.", "5000 people or so came."),
        ("Dogs are allowed.", "You may bring dogs."),
    ],
)
def test_other_words_are_none(before: str, after: str) -> None:
    assert (_value(before, after), _value(after, before)) == (None, None)
