"""Lines of data are told from prose, and divided into their cells."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spyglass.kernel.cells import are_rows, separated


def test_a_line_is_divided_at_the_separator_that_gives_it_its_width() -> None:
    assert separated("Ann;3,50;Tea, no milk") == ("Ann", "3,50", "Tea, no milk")
    assert separated('Ann,"3,50"') == ("Ann", "3,50")
    assert separated("Ann, or Ben; later,5", 3) == ("Ann", "or Ben; later", "5")
    assert separated("Ann") == ("Ann",)


@pytest.mark.parametrize("lines", ["a,b,c\nd,e,f\ng,h,i", "| a |\n| b |\n| c |", "a;b\n" * 9 + "c"])
def test_lines_with_as_many_cells_are_rows(lines: str) -> None:
    assert are_rows(lines.splitlines())


@pytest.mark.parametrize(
    "lines",
    ["a,b\nc,d\ne,f", "a;b\nc;d", "one\ntwo\nthree", "Tea, milk\nand sugar,\nall, of, it", "a;b\nc\nd;e"],
)
def test_prose_and_two_lines_are_none(lines: str) -> None:
    assert not are_rows(lines.splitlines())


@given(st.text('ab,;\t"\n', max_size=80), st.integers(0, 4))
def test_every_line_has_cells(text: str, width: int) -> None:
    assert all(separated(line, width) for line in text.split("\n") if line)
