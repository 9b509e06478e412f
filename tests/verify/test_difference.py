"""Two reports are compared claim by claim."""

import random

import pytest

from report.sample import sample
from spyglass.kernel.source import Citation, Support, Verdict
from spyglass.markup import Paragraph, Sentence
from spyglass.report import Report
from spyglass.report.report import Reference, Section
from spyglass.verify.difference import diff


def saying(*texts: str, verdict: Support = "supported", cites: tuple[tuple[str, str], ...] = ()) -> Report:
    """Return a report of these claims; `cites` are addresses and snapshots."""
    own = Verdict(verdict=verdict, score=1.0)
    sentences = [Sentence(parts=[text], asserts=True, verdict=own) for text in texts]
    sections = [Section(title="", blocks=[Paragraph(sentences=sentences)])]
    references = [
        Reference(number=n, source_id=url, title=url, url=url, quote="q") for n, (url, _) in enumerate(cites, 1)
    ]
    citations = [
        Citation(number=n, source_id=url, passage=0, snapshot=snapshot, start=0, end=1, quote="q")
        for n, (url, snapshot) in enumerate(cites, 1)
    ]
    return sample(sections=sections, references=references, citations=citations, coverage=[], contradictions=[])


def test_a_report_does_not_differ_from_itself() -> None:
    difference = diff(sample(), sample())
    assert difference.is_empty
    assert difference.same == len(sample().claims)


def test_claims_are_added_and_dropped() -> None:
    difference = diff(saying("Bees dance.", "Wasps sting people."), saying("Bees dance.", "The queen lays many eggs."))
    assert [told.text for told in difference.added] == ["The queen lays many eggs."]
    assert [told.text for told in difference.dropped] == ["Wasps sting people."]
    assert (difference.changed, difference.same, difference.is_empty) == ([], 1, False)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("The harbour was built in 1871 by Anna Berg.", "The harbour was built in 1872 by Anna Berg."),
        ("The basin is eleven metres deep at low water.", "At low water the basin has a depth of eleven metres."),
        ("The grant covers 30 percent of the cost.", "The grant covers no more than 25 percent of the cost."),
    ],
)
def test_another_number_or_wording_of_one_subject_is_a_change(before: str, after: str) -> None:
    difference = diff(saying(before, "Bees dance."), saying("Bees dance.", after))
    assert [(change.before.text, change.after.text) for change in difference.changed] == [(before, after)]
    assert 0.5 <= difference.changed[0].likeness < 1
    assert (difference.added, difference.dropped) == ([], [])


def test_of_several_candidates_the_most_alike_are_paired() -> None:
    old = saying("The north mole is 412 metres long.", "The south mole is 388 metres long.")
    new = saying("The south mole is 390 metres long.", "The north mole is 415 metres long.")
    pairs = {(change.before.text[4:9], change.after.text[4:9]) for change in diff(old, new).changed}
    assert pairs == {("north", "north"), ("south", "south")}


def test_another_verdict_on_the_same_words_is_told() -> None:
    (change,) = diff(saying("Bees dance."), saying("bees  dance.", verdict="partial")).verdicts
    assert (change.before.verdict, change.after.verdict, change.likeness) == ("supported", "partial", 1.0)


def test_sources_are_known_by_their_address_whatever_its_spelling() -> None:
    old = saying(
        "A b c.", cites=(("https://a.example/x", "1"), ("https://b.example/", "2"), ("https://c.example/", "3"))
    )
    new = saying(
        "A b c.",
        cites=(("HTTPS://A.example/x/?utm_source=y", "1"), ("https://b.example", "9"), ("https://d.example/", "4")),
    )
    difference = diff(old, new)
    assert [cited.place for cited in difference.sources_added] == ["https://d.example/"]
    assert [cited.place for cited in difference.sources_dropped] == ["https://c.example/"]
    assert [cited.place for cited in difference.sources_updated] == ["https://b.example"]


def test_texts_without_claims_are_compared_by_their_sentences() -> None:
    old, new = (saying().model_copy(update={"given": text}) for text in ("Bees dance. Wasps sting.", "Bees dance."))
    assert [told.text for told in diff(old, new).dropped] == ["Wasps sting."]


def test_the_order_of_equal_claims_makes_no_difference() -> None:
    texts = [f"House number {n} has {n * 7} windows and a door." for n in range(60)]
    shuffled = random.Random(3).sample(texts, len(texts))
    assert diff(saying(*texts), saying(*shuffled)).is_empty


def test_thousands_of_claims_are_compared() -> None:
    chance = random.Random(5)
    words = [f"word{n}" for n in range(4_000)]
    old = [f"The {' '.join(chance.sample(words, 10))} is here." for _ in range(3_000)]
    new = [text.replace("here", "there").replace("The", "All") for text in old]
    difference = diff(saying(*old), saying(*new))
    assert len(difference.changed) == 3_000 - difference.same
