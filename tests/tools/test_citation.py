"""The marks of a model, in its many spellings, become citations; what it made up does not."""

from hypothesis import given
from hypothesis import strategies as st

from spyglass.tools.citation import with_labels

IDS = {number: f"S{number}" for number in range(1, 20)}


def test_a_mark_is_read_however_it_is_spelled() -> None:
    cases = {
        "It is blue <source_1>.": "It is blue [S1].",
        "It is blue <source_1><source_2>.": "It is blue [S1][S2].",
        "It is blue <source_1, source_2>.": "It is blue [S1, S2].",
        "It is blue <source_1, 3>.": "It is blue [S1, S3].",
        "It is blue <Source 2/>.": "It is blue [S2].",
        "It is blue [source_12].": "It is blue [S12].",
        "It is blue (source_1).": "It is blue [S1].",
        "It is blue 【source-1】.": "It is blue [S1].",
        "<source_1>It is blue.</source_1>": "It is blue.[S1]",
        "It is blue <source_1></source_1>.": "It is blue [S1].",
        "It is blue.</source_1>": "It is blue.",
        "The <source> tag of HTML and a[1] stay.": "The <source> tag of HTML and a[1] stay.",
    }
    assert {written: with_labels(written, IDS) for written in cases} == cases


@given(st.text(alphabet="<>/source_ 1,[]()S", max_size=200))
def test_any_text_is_read_without_trouble(text: str) -> None:
    assert "<source_1>" not in with_labels(text, IDS)


def test_a_long_hostile_text_is_read_in_no_time() -> None:
    for unit in ("<source_1", "<source_1>", "[source_1,", "</source_1", "<"):
        assert "<source_1>" not in with_labels(unit * 50_000, IDS)


def test_a_mark_names_a_source_by_its_rank() -> None:
    ids = {1: "S2", 4: "S1"}
    assert with_labels("Blue <source_1>, red <source_4, 2>.", ids) == "Blue [S2], red [S1, S0]."
