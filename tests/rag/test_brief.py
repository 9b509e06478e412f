"""Passages of one text are one where nothing but space parts them."""

from spyglass.kernel.source import Passage
from spyglass.rag.brief import MOST_JOINED, joined

TEXT = "The basin is deep.\n\nIt lies in the north.\n\n## Fees\n\nA boat pays."


def passage(start: int, end: int, **more: object) -> Passage:
    return Passage.model_validate({"text": TEXT[start:end], "start": start, "end": end, **more})


def spans(*passages: Passage) -> list[tuple[int, int]]:
    found = joined(list(passages), TEXT)
    assert all(one.text == TEXT[one.start : one.end] for one in found)
    return [(one.start, one.end) for one in found]


def test_what_shares_characters_or_has_only_space_between_is_one_passage() -> None:
    first, second, third = (0, 18), (20, 41), (52, 64)
    assert spans(passage(*second), passage(*first)) == [(0, 41)]
    assert spans(passage(0, 30), passage(*second)) == [(0, 41)]
    assert spans(passage(*second), passage(*third)) == [second, third]


def test_passages_of_two_headings_or_pages_stay_apart() -> None:
    assert spans(passage(0, 18), passage(20, 41, heading="Fees")) == [(0, 18), (20, 41)]
    assert spans(passage(0, 18, page=1), passage(20, 41, page=2)) == [(0, 18), (20, 41)]


def test_what_only_touches_does_not_grow_without_end() -> None:
    text = "word " * MOST_JOINED
    parts = [Passage(text=text[at : at + 1_000], start=at, end=at + 1_000) for at in range(0, 4_000, 1_000)]
    assert [(one.start, one.end) for one in joined(parts, text)] == [(0, 2_000), (2_000, 4_000)]
