"""A table keeps every cell in its row and column, and nothing in a cell can leave it."""

from hypothesis import given
from hypothesis import strategies as st

from spyglass.documents.table import Row, table, with_heads

ROWS = st.lists(
    st.dictionaries(st.integers(0, 30), st.text(st.characters(exclude_characters="\\\x00")), max_size=6), max_size=8
)


@given(ROWS)
def test_each_row_has_the_same_cells_in_the_same_columns(rows: list[Row]) -> None:
    expected = [{i: " ".join(text.split()) for i, text in row.items() if text.strip()} for row in rows]
    columns = sorted({i for row in expected for i in row})
    lines = table(rows).split("\n") if columns else []
    found = [_cells(line) for line in lines if line != lines[1]] if lines else []
    assert found == [[row.get(i, "") for i in columns] for row in expected if row]


def _cells(line: str) -> list[str]:
    return [cell.strip(" ").replace("\x00", "|") for cell in line.replace("\\|", "\x00").split("|")[1:-1]]


def test_a_table_has_a_header_and_no_empty_rows_and_columns() -> None:
    rows: list[Row] = [{}, {0: "Name", 9: "Sum"}, {5: "  "}, {0: "a|b", 9: "1\n2"}]
    assert table(rows) == "| Name | Sum |\n| --- | --- |\n| a\\|b | 1 2 |"


def test_no_cells_are_no_table() -> None:
    assert table([]) == table([{}, {1: " "}]) == ""


def test_a_table_without_a_header_gets_one_only_if_its_column_names_are_certain() -> None:
    empty = "Fees\n\n|  |  |  |\n| --- | --- | --- |\n"
    fees = "| Boat | 2023 (€) | 2024 (€) |\n{}| Skiff | 12 | 14 |\n| Yawl | 30 |  |\n"
    ruler = "| --- | --- | --- |\n"
    assert with_heads(empty + fees.format("") + "\nPaid in May.\n") == f"Fees\n\n{fees.format(ruler)}\nPaid in May.\n"
    crew = "| Role | Name | Boat |\n| Master | Ada | Skiff |\n"
    assert with_heads(empty + crew) == empty + crew
