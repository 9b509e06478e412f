"""First rows name the columns of a table where that is certain, and else nothing does."""

from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from spyglass.kernel.table_head import head_of, head_of_figures, marked_head

Case = tuple[str, str, int, list[str] | None]

UNMARKED: list[Case] = [
    ("names above numbers", "Hive|Frames|Site / North|10|Hill / South|8|Quay", 0, ["Hive", "Frames", "Site"]),
    ("a number", "Ilse|4411|Room 2 / Omar|4427|Room 5", 0, None),
    ("nothing but words", "Ilse|harbour|blue / Omar|hill|green", 0, None),
    ("a code that goes on below", "Anna|K-17|12 / Tom|K-22|14", 0, None),
    ("a word that stands below again", "Anna|Roof|none / Tom|Roof|3 / Lea|Roof|4", 0, None),
    ("years above numbers", "Station|2021|2022 / Brora|803|790", 0, ["Station", "2021", "2022"]),
    ("days above numbers", "Index|12/31/2019|12/31/2020 / S&P|477.9|1,662", 0, ["Index", "12/31/2019", "12/31/2020"]),
    ("a year above years", "Hill line|1911|open|2 / Forest line|1926|shut|3", 0, None),
    ("names above years", "Line|Opened|State / Hill|1911|open / Forest|1926|shut", 0, ["Line", "Opened", "State"]),
    ("names above one year", "Line|Opened|State / Hill|1911|open", 0, None),
    ("a column of values without a name", "Line||State / Hill|5|open", 0, None),
    ("two columns of values", "Fruit|Price / Apple|2 / Pear|3", 0, ["Fruit", "Price"]),
    ("properties", "Owner|Ann / Employees|5 / Town|Leeds", 0, None),
    ("one property", "Context|server / Default|5", 0, None),
    ("a title", "Sales / Region|Units|Sum / North|4|8", 0, ["Region", "Units", "Sum"]),
    (
        "a remark",
        "Sales / By: Ann|||in May / Region|Units|Sum|Rest / North|4|8|9",
        0,
        ["Region", "Units", "Sum", "Rest"],
    ),
    ("a name over others below a title", "Sales / Region|Spring|| / Town|Units|Sum|Rest / North|1|2|3", 0, None),
    ("what is no title", "By|Ann / Region|Units|Sum / North|4|8", 0, None),
    ("names that repeat", "Region|Units|Units / North|4|8", 0, None),
    (
        "names over others",
        "Region|2023||2024| / |Units|Sum|Units|Sum / North|1|2|3|4",
        0,
        ["Region", "2023 Units", "2023 Sum", "2024 Units", "2024 Sum"],
    ),
    (
        "names over others, repeated",
        "Region|Spring|Spring|Autumn|Autumn / |Units|Sum|Units|Sum / North|1|2|3|4",
        0,
        ["Region", "Spring Units", "Spring Sum", "Autumn Units", "Autumn Sum"],
    ),
    ("names over others that all have a name", "Region|Spring|| / Town|Units|Sum|Rest / North|1|2|3", 0, None),
    ("marked words", "Ilse|harbour|blue / Omar|hill|green", 1, ["Ilse", "harbour", "blue"]),
    ("marked units", "Star|Mass / |kg / Sun|2", 2, ["Star", "Mass kg"]),
    ("a marked title", "Sales / Region|Units|Sum / North|4|8", 1, ["Region", "Units", "Sum"]),
]
SITE = ["Site", "Gas Day", "Gas Night", "Oil Day", "Oil Night"]
IN_MARKDOWN: list[Case] = [
    ("words", "Hive|Site / North|Hill", 1, ["Hive", "Site"]),
    ("a row of data", "Dunbar|577|560 / Elgin|690|655", 1, None),
    ("a row that goes on", "Anna|K-17|Roof / Tom|K-22|Cellar", 1, None),
    ("names over others", "Site|Gas||Oil| / |Day|Night|Day|Night / B|1|2|3|4", 1, SITE),
    ("a name that may be over others", "Region|2023| / |Units|Sum / North|1|2", 1, ["Region", "2023"]),
    ("a note in the first row", "Name|Phone| / |see Bob|mobile / Ann|4411|4412", 1, ["Name", "Phone"]),
]


OF_LINES: list[Case] = [
    (
        "times, and names that recur",
        "Day|Time|Who / Mon|08:00-09:00|Ada / Tue|9 to 10|Ben / Wed|8 to 9|Ada",
        0,
        ["Day", "Time", "Who"],
    ),
    (
        "codes and quantities",
        "Ref|Salt|Left / B1|Iron|500 g / B2|Ether|1.5 litres / C3|Zinc|8 g",
        0,
        ["Ref", "Salt", "Left"],
    ),
    ("nothing but words", "Day|Duty|Who / Mon|lamps|Ada / Tue|locks|Ben / Wed|oars|Ada", 0, None),
    ("a number in the first row", "Mon|8-9|Ada / Tue|9-10|Ben / Wed|8-10|Eva / Thu|8-9|Ben", 0, None),
    ("a row without a number", "Day|Time|Who / Mon|8-9|Ada / Tue|noon|Ben / Wed|8-9|Ada", 0, None),
    ("a word that stands below again", "Mon|all day|Ada / Tue|8-9|Ben / Wed|9-10|Ada / Thu|8-9|Ben", 0, None),
    ("data of which one lacks a number", "Mon|all day|Ada / Tue|8-9|Ben / Wed|9-10|Eva / Thu|8-9|Kim", 0, None),
    ("a column without a name", "Day|Time / Mon|8-9|Ada / Tue|9-10|Ben / Wed|8-9|Ada", 0, None),
    ("two rows below", "Day|Time|Who / Mon|8-9|Ada / Tue|9-10|Ada", 0, None),
]


def rows(text: str) -> list[dict[int, str]]:
    return [{i: cell.strip() for i, cell in enumerate(row.split("|")) if cell.strip()} for row in text.split(" / ")]


def names(found: Mapping[int, str]) -> list[str] | None:
    return [found[column] for column in sorted(found)] or None


def test_a_first_row_names_columns_only_where_that_is_certain() -> None:
    found = [(*case, names(head_of(rows(case[1]), case[2]).names)) for case in UNMARKED]
    assert [case for case in found if case[3] != case[4]] == []


def test_the_first_of_lines_of_data_names_columns_of_which_one_has_figures_in_all_lines_below() -> None:
    found = [(*case, names(head_of_figures(rows(case[1])).names)) for case in OF_LINES]
    assert [case for case in found if case[3] != case[4]] == []


def test_the_first_row_of_a_table_of_markdown_may_be_data() -> None:
    found = [(*case, names(marked_head(rows(case[1])).names)) for case in IN_MARKDOWN]
    assert [case for case in found if case[3] != case[4]] == []


CELLS = st.sampled_from(["", "Name", "2023", "12", "K-17", "1911-04-01", "kg"])


@given(st.lists(st.lists(CELLS, min_size=4, max_size=4), max_size=6), st.integers(0, 2))
def test_a_head_is_some_of_the_first_rows_and_names_no_column_that_they_do_not(
    table: list[list[str]], marked: int
) -> None:
    found = [{i: text for i, text in enumerate(row) if text} for row in table]
    head = head_of(found, min(marked, len(found)))
    assert head.about <= head.size <= len(found)
    assert head.names.keys() <= {column for row in found[: head.size] for column in row}
