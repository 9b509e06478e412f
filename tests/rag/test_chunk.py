"""Chunks are verbatim, bounded, complete, and cut where a reader would cut."""

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from spyglass.rag.chunk import Chunk, Sizes, chunks

SIZES = Sizes(1000, 1500, 100)

_prose = [
    "A sentence. ",
    "Another one, longer than the first! ",
    "word " * 60,
    "1. one\n",
    "- item\n",
    " ",
    "\n",
    "\n\n",
]
_marks = ["# Title\n", "## Part\n\n", "```\n", "| a | b |\n", "\r\n", "\x00", "\u2028", "e\u0301", "\U0001f600"]
_pieces = st.sampled_from([*_prose, *_marks, "漢字かな交じり文。", "x" * 300])
_texts = st.lists(_pieces, max_size=60).map("".join) | st.text(max_size=2000)
_sizes = st.builds(Sizes, st.integers(100, 1500), st.integers(200, 1500), st.integers(0, 400)).filter(
    lambda sizes: sizes.target <= sizes.most
)


def cut(text: str, sizes: Sizes = SIZES, pages: tuple[int, ...] = ()) -> list[Chunk]:
    return list(chunks(text, pages, sizes))


def words(text: str, chunk: Chunk) -> str:
    return text[chunk.start : chunk.end]


@given(_texts, _sizes, st.lists(st.integers(0, 2000), max_size=5))
@example("a" * 5000, Sizes(100, 200, 400), [])
@example("a\n" * 500, Sizes(200, 200, 0), [100, 100, 300])
def test_every_character_lies_in_a_chunk_and_no_chunk_is_too_long(text: str, sizes: Sizes, offsets: list[int]) -> None:
    pages = tuple(sorted(offset for offset in offsets if offset <= len(text)))
    found = cut(text, sizes, pages)
    covered: set[int] = set()
    for chunk in found:
        piece = words(text, chunk)
        assert piece == piece.strip() != ""
        assert len(piece) <= sizes.most
        assert not any(chunk.start < page < chunk.end for page in pages)
        covered.update(range(chunk.start, chunk.end))
    assert not [place for place, character in enumerate(text) if place not in covered and not character.isspace()]
    assert all(one.start < other.start and one.end < other.end for one, other in pairwise(found))


@given(_texts)
def test_lines_and_pages_are_where_the_chunk_is(text: str) -> None:
    pages = tuple(place for place in range(0, len(text), 400))
    for chunk in cut(text, SIZES, pages):
        assert chunk.line == text.count("\n", 0, chunk.start) + 1
        assert chunk.last_line == text.count("\n", 0, chunk.end) + 1
        assert chunk.page == chunk.start // 400 + 1


@given(_texts, _sizes)
def test_neighbours_share_no_more_than_the_overlap(text: str, sizes: Sizes) -> None:
    for one, other in pairwise(cut(text, sizes)):
        assert one.end - other.start <= sizes.overlap


def test_hostile_text_is_cut_to_its_end(subtests: pytest.Subtests) -> None:
    cases = [
        "x",
        "漢字",
        "漢字。",
        "a\n",
        "# H\n",
        "# H\ntext\n\n",
        ".",
        "```\n",
        "- a\n",
        "|a|b|\n",
        "a. ",
        "> ",
        "\t\n",
    ]
    for unit in cases:
        with subtests.test(unit=unit):
            text = (unit * 400_000)[:400_000]
            assert all(chunk.end - chunk.start <= SIZES.most for chunk in chunks(text, (), SIZES))


def test_without_lines_a_chunk_names_none() -> None:
    (chunk,) = chunks("Converted.\n\nText.", (), SIZES, lines=False)
    assert (chunk.line, chunk.last_line) == (None, None)


def test_a_heading_begins_a_chunk_and_names_it() -> None:
    body = "A sentence of some length about nothing in particular. " * 12
    text = f"# Guide\n\n{body}\n\n## Install\n\n{body}\n\n### Linux\n\n{body}\n\n## Use\n\n{body}\n"
    found = cut(text)
    assert [words(text, chunk).splitlines()[0] for chunk in found] == ["# Guide", "## Install", "### Linux", "## Use"]
    assert [chunk.heading for chunk in found] == [
        "Guide",
        "Guide > Install",
        "Guide > Install > Linux",
        "Guide > Use",
    ]


def test_a_line_that_is_underlined_or_opens_a_release_is_a_heading() -> None:
    news = "Changes in release 6.0 (2022-10-29)\n====\n\nImprovements\n------------\nAdded tips.\n" + "Word. " * 60
    debian = "strace (6.1-1) unstable; urgency=low\n\n  * New release.\n"
    found = cut(f"{news}\n\n{debian}\nA table\n---- ----\n1 2\n")
    assert [chunk.heading for chunk in found] == [
        "Changes in release 6.0 (2022-10-29) > Improvements",
        "strace (6.1-1) unstable; urgency=low",
    ]


def test_headings_with_nothing_between_them_stay_together() -> None:
    text = "# Guide\n## Install\n### Linux\n\nRun it."
    (chunk,) = cut(text)
    assert (words(text, chunk), chunk.heading) == (text, "Guide > Install > Linux")


def test_a_heading_is_named_without_its_marks() -> None:
    assert [chunk.heading for chunk in cut("## Class: `http.Server`\n\nIt listens.")] == ["Class: http.Server"]


def test_a_comment_in_code_is_no_heading() -> None:
    text = "# Guide\n\n```sh\n# not a heading\nls\n```\n"
    assert {chunk.heading for chunk in cut(text)} == {"Guide"}


def test_a_line_of_marks_is_no_heading() -> None:
    body = "A sentence of some length about nothing in particular. " * 12
    text = f"# Guide\n\n{body}\n\n# =========\n\n{body}"
    assert {chunk.heading for chunk in cut(text)} == {"Guide"}


def test_prose_is_cut_between_paragraphs_and_sentences() -> None:
    sentence = "The sea is wide and nobody has ever counted its waves, though many have tried. "
    text = "\n\n".join((sentence * 7).strip() for _ in range(6)) + "\n\n" + (sentence * 30).strip()
    found = cut(text)
    assert all(words(text, chunk).endswith(".") for chunk in found)
    assert all(words(text, chunk).startswith("The sea") for chunk in found)
    sizes = [chunk.end - chunk.start for chunk in found]
    assert min(sizes[:-1]) > 500
    assert sum(sizes) / len(sizes) > 650


def test_neighbours_in_one_paragraph_share_a_sentence() -> None:
    text = " ".join(f"Sentence number {number} says what it says." for number in range(80))
    for one, other in pairwise(cut(text)):
        shared = text[other.start : one.end]
        assert 40 <= len(shared) <= SIZES.overlap
        assert shared.startswith("Sentence number")


def test_a_last_crumb_goes_to_the_chunk_before() -> None:
    text = "Twenty characters... " * 48 + "The end."
    assert [chunk.end for chunk in cut(text)][-1] == len(text)
    assert all(chunk.end - chunk.start > 200 for chunk in cut(text))


@pytest.mark.parametrize(
    "row",
    [
        "| Item {0} | Nr. {0}. In the shed. | Moira |",
        'K-{0};"Notebook no. {0}. Blue; lined";4,50;Moira',
        "K-{0}\tNotebook no. {0}. Blue\t\tMoira",
    ],
)
def test_every_row_of_a_table_is_whole_in_a_chunk(row: str) -> None:
    rows = [row.format(number) for number in range(100)]
    text = "\n".join(["# Stock", "", row.format("name"), *rows[:50], "a, b", *rows[50:]])
    found = [words(text, chunk).splitlines() for chunk in cut(text)]
    assert len(found) > 2
    assert {line for lines in found for line in lines} == {"", *text.splitlines()}
    assert all(len(one) + len(other) > len({*one, *other}) for one, other in pairwise(found))
