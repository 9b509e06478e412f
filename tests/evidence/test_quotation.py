"""Code stands in a text whole, or not at all."""

from hypothesis import given
from hypothesis import strategies as st

from spyglass.evidence.quotation import find


def test_code_is_found_whatever_its_white_space() -> None:
    text = 'Run it:\n\n    pip install  bees\n    bees --dance\n\nor `bees --sting`, "x = 1".'
    cases = {
        "pip install bees\nbees --dance": "pip install  bees\n    bees --dance",
        "bees --sting": "bees --sting",
        "x = 1": "x = 1",
        "Run it:": "Run it:",
    }
    found = {code: find(code, text) for code in cases}
    assert {code: text[slice(*span)] if span else "" for code, span in found.items()} == cases


def test_a_piece_of_a_longer_word_and_lines_that_stand_apart_are_not_found() -> None:
    text = "rm -r a/b\npip install bees\n\nThen:\n\nbees --dance-on\n"
    assert [find(code, text) for code in ("rm -r a", "-r a", "bees --dance", "pip install bees bees", "", "\n")] == [
        None
    ] * 6


@given(st.text(alphabet="ab `\n", max_size=30), st.text(alphabet="ab `\n", max_size=6))
def test_what_is_found_has_the_words_of_the_code(text: str, code: str) -> None:
    if span := find(code, text):
        assert text[slice(*span)].split() == code.split()
