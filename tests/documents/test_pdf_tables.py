"""Tables are seen where words stand, and no word is lost or doubled by it."""

from collections import Counter
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from spyglass.documents.pdf_tables import Box, has_tables, rows, with_tables

PLACES = st.tuples(
    st.integers(0, 500), st.integers(0, 60), st.integers(1, 12), st.from_regex("[a-z]{1,12}", fullmatch=True)
)


def box(left: float, line: float, width: float, text: str) -> Box:
    return Box(left, 800 - 12 * line, left + 6 * width, 810 - 12 * line, text)


@given(st.lists(PLACES, max_size=60))
def test_no_letter_is_lost_or_doubled(places: list[tuple[int, int, int, str]]) -> None:
    boxes = [box(*place) for place in places]
    text = with_tables(boxes)
    assert (text is not None) <= has_tables(boxes)
    if text is not None:
        assert Counter(c for c in text if c.isalpha()) == Counter("".join(place[3] for place in places))


@given(st.lists(PLACES, max_size=60))
def test_rows_go_from_the_top_and_cells_from_the_left(places: list[tuple[int, int, int, str]]) -> None:
    found = rows([box(*place) for place in places])
    assert all(cell.left <= other.left for row in found for cell, other in pairwise(row))
    assert [row[0].middle for row in found] == sorted((row[0].middle for row in found), reverse=True)


@given(
    st.integers(3, 6),
    st.lists(st.lists(st.booleans(), min_size=6, max_size=6), min_size=2, max_size=10),
)
def test_a_grid_is_a_table_of_as_many_columns(columns: int, filled: list[list[bool]]) -> None:
    header = [box(90 * j, 0, 8, f"head {j}") for j in range(columns)]
    first = [box(90 * j, 1, 6, "1,871") for j in range(columns)]
    body = [box(90 * j, i, 6, "1,887") for i, row in enumerate(filled, 2) for j in range(columns) if row[j] or j < 2]
    text = with_tables([*header, *first, *body])
    assert text is not None
    assert text.startswith("|" + "".join(f" head {j} |" for j in range(columns)) + "\n|" + " --- |" * columns + "\n")
    assert text.count("\n") == len(filled) + 2
