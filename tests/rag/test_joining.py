"""Passages of one text are one where nothing but space parts them."""

import pytest

from spyglass.kernel.source import Passage
from spyglass.rag.joining import MOST_COMPLETED, MOST_JOINED, joined

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


STEPS = "# Leave\n\n1. Stop the engine.\n2. Close the valve.\n\n   1. Turn it left.\n\n3. Lock the cabin."
AFTER = "\n\nThen go home.\n\n# Come\n\n4. Ring the bell.\n"


@pytest.mark.parametrize("end", ["engine.", "Close", "valve.", "left."])
def test_a_numbered_list_that_breaks_off_has_its_further_items(end: str) -> None:
    text = STEPS + AFTER
    first = text[: text.index(end) + len(end)]
    [found] = joined([Passage(text=first, start=0, end=len(first), line=1, last_line=first.count("\n") + 1)], text)
    assert found.text == STEPS, "the items below its heading only"
    assert found.last_line == found.text.count("\n") + 1


@pytest.mark.parametrize("begin", ["2. Close", "the valve", "3. Lock"])
def test_one_that_begins_in_the_middle_has_the_items_before(begin: str) -> None:
    text = f"# Come\n\n1. Ring the bell.\n\n{STEPS}{AFTER}"
    start, end = text.index(begin), text.index(AFTER)
    last_line = text.count("\n", 0, end) + 1
    line = text.count("\n", 0, start) + 1
    [found] = joined([Passage(text=text[start:end], start=start, end=end, line=line, last_line=last_line)], text)
    assert found.text == STEPS.removeprefix("# Leave\n\n")
    assert (found.line, found.last_line) == (7, last_line)


def whole(text: str, end: str) -> str:
    """Return what the beginning of a text, up to `end`, becomes."""
    first = text[: text.index(end) + len(end)]
    [found] = joined([Passage(text=first, start=0, end=len(first))], text)
    return text[found.start : found.end]


def test_an_item_is_whole_up_to_its_last_line() -> None:
    wrapped = "1. Stop the engine\n   at once.\n2. Close the\n   valve.\n3. Never open\n   the cabin."
    assert whole(f"{wrapped}\n\nGo home.", "once.") == wrapped
    block = "1. Begin.\n2. Run\n\n       COMMIT;"
    assert whole(f"{block}\n\nGo home.", "Begin.") == block
    cautioned = "1. Begin.\n\nCaution: hot.\n\n2. Run."
    assert whole(f"{cautioned}\n\nGo home.", "Begin.") == cautioned
    wide = " 8. Run.\n 9. Wait.\n10. Look.\n11. Stop."
    assert whole(wide, "Run.") == wide


@pytest.mark.parametrize(
    "text",
    [
        "1. Apples\n2. Pears\n\n" + "These are fruits. " * 50 + "\n\n3. March 2020 was cold.",
        "1. Apples\n2. Pears\n\n## Other\n\n3. March 2020 was cold.",
        "1. Apples\n2. Pears\n\nOther\n=====\n\n3. March 2020 was cold.",
        "1. Apples\n2. Pears\n\n4. March 2020 was cold.",
        "1. Apples\n2. Pears\n\n1. Bread\n2. Cake\n3. Tea",
    ],
)
def test_what_belongs_to_another_list_or_to_none_is_no_item(text: str) -> None:
    assert whole(text, "Pears") == "1. Apples\n2. Pears"


def test_it_does_not_grow_without_end_nor_over_a_page() -> None:
    text = "1. Start.\n" + "".join(f"{number}. {'Go on. ' * 60}\n" for number in range(2, 20))
    first = Passage(text=text[:9], start=0, end=9)
    [found] = joined([first], text)
    assert len(text[:9]) < len(found.text) <= 9 + MOST_COMPLETED
    assert found.text == text[: found.end]
    assert text[found.end] == "\n"
    assert joined([first.model_copy(update={"page": 1})], text)[0].end == first.end


def test_an_item_that_does_not_end_is_left_as_it_is() -> None:
    text = "1. Apples\n2. " + " " * 200_000 + "x"
    assert whole(text, "Apples") == "1. Apples"
