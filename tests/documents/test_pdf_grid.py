"""Tables are seen where lines are drawn around cells, however the lines are drawn."""

from hypothesis import given
from hypothesis import strategies as st

from documents.files import ruled
from spyglass.documents.pdf_grid import MOST, Rule, RuledTable, ruled_tables
from spyglass.documents.pdf_tables import Box, with_tables

PLACE = st.floats(0, 800, allow_nan=False)
CELLS = [(x, y) for x in (70.0, 170.0) for y in (700.0, 680.0)]


def drawn(*lines: tuple[float, float, float, float]) -> list[Rule]:
    return [(min(x, to_x), min(y, to_y), max(x, to_x), max(y, to_y)) for x, y, to_x, to_y in lines]


def test_lines_that_meet_are_a_table_whether_drawn_whole_or_around_each_cell() -> None:
    whole = drawn(*ruled([70, 170, 270], [700, 680, 660]))
    by_cell = drawn(*(line for x, y in CELLS for line in ruled([x, x + 100], [y, y - 20])))
    table = RuledTable((70, 170, 270), (700, 680, 660))
    assert ruled_tables(whole) == ruled_tables(by_cell) == [table]
    assert table.cell(75, 695) == (0, 0)
    assert table.cell(200, 662) == (1, 1)
    assert table.cell(75, 655) is None
    assert table.cell(300, 690) is None


def test_lines_apart_are_tables_apart_from_the_top_and_a_frame_or_rules_alone_are_none() -> None:
    low, high = (drawn(*ruled([70, 170, 270], [top, top - 20, top - 40])) for top in (400, 700))
    assert [grid.rows[0] for grid in ruled_tables([*low, *high])] == [700, 400]
    assert ruled_tables(drawn(*ruled([70, 270], [700, 660]))) == []
    assert ruled_tables(drawn(*((70, y, 270, y) for y in (700, 680, 660, 640)))) == []


def test_on_a_drawing_of_many_lines_no_table_is_looked_for() -> None:
    hatched = drawn(*((n / 10, 100, n / 10, 90) for n in range(MOST)))
    assert ruled_tables([*drawn(*ruled([70, 170, 270], [700, 680, 660])), *hatched]) == []


def test_a_first_row_with_a_colour_of_its_own_is_a_head() -> None:
    table = drawn(*ruled([70, 170, 270], [700, 680, 660, 640]))
    first, second, third = ((70, top - 20, 270, top) for top in (700, 680, 660))
    assert [grid.headed for grid in ruled_tables([*table, first])] == [True]
    by_cell = [(70, 680, 170, 700), (170, 680, 270, 700)]
    assert [grid.headed for grid in ruled_tables([*table, *by_cell])] == [True]
    for others in ([second], [first, third], [first, second, third], [(60, 630, 280, 710)], []):
        assert [grid.headed for grid in ruled_tables([*table, *others])] == [False]


@given(st.lists(st.tuples(PLACE, PLACE, PLACE, PLACE), max_size=40))
def test_any_lines_give_tables_with_edges_in_order(lines: list[tuple[float, float, float, float]]) -> None:
    for grid in ruled_tables([*drawn(*lines), *drawn(*ruled([10, 110, 210], [700, 650, 600]))]):
        assert list(grid.columns) == sorted(grid.columns)
        assert list(grid.rows) == sorted(grid.rows, reverse=True)


@given(
    st.lists(st.tuples(st.integers(0, 500), st.integers(0, 60), st.text("abc", min_size=1, max_size=9)), max_size=40)
)
def test_no_letter_is_lost_or_doubled_by_lines(places: list[tuple[int, int, str]]) -> None:
    boxes = [Box(left, 800 - 12 * line, left + 6 * len(text), 810 - 12 * line, text) for left, line, text in places]
    text = with_tables(boxes, ruled_tables(drawn(*ruled([100, 200, 300, 400], [700, 650, 600, 500, 400]))))
    if text is not None:
        assert sorted(filter(str.isalpha, text)) == sorted("".join(text for _, _, text in places))
