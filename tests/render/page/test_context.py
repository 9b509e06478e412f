"""A quote is shown among the words around it, as a reader sees them."""

from hypothesis import given
from hypothesis import strategies as st

from spyglass.render.page.context import LONGEST, ROOM, WINDOW, context, cut, readable


def of(text: str, quote: str) -> tuple[str, str, str]:
    start = text.index(quote)
    return context(text, start, start + len(quote))


def test_a_quote_stands_between_the_words_around_it() -> None:
    assert of("It rained. The bus was late. We walked.", "The bus was late.") == (
        "It rained. ",
        "The bus was late.",
        " We walked.",
    )


def test_both_sides_are_cut_at_words_and_say_so() -> None:
    text = "early " * 200 + "The bus was late." + " later" * 200
    before, _, after = of(text, "The bus was late.")
    assert before.startswith("… early early")
    assert before.endswith("early ")
    assert after.startswith(" later later")
    assert after.endswith("later …")
    assert ROOM - 10 < len(before) <= ROOM + 4
    assert ROOM - 10 < len(after) <= ROOM + 4


def test_markup_is_not_shown_and_paragraphs_stay_apart() -> None:
    text = (
        "## Weather\n\nIt **rained**, see [the log](https://example.org/log).\n\nThe bus\nwas late.\n\n- We walked.\n"
    )
    before, quote, after = of(text, "The bus\nwas late.")
    assert before == "Weather\nIt rained, see the log.\n"
    assert quote == "The bus was late."
    assert after == "\n- We walked."


def test_a_table_row_stands_among_rows() -> None:
    text = "| Line | Minutes |\n| --- | --- |\n| 4 | 12 |\n| 7 | 3 |\n"
    assert of(text, "| 4 | 12 |") == ("Line · Minutes\n", "4 · 12", "\n7 · 3")


def test_text_without_words_is_cut_between_characters() -> None:
    text = "雨" * 600 + "。" + "e\u0301" * 600
    before, _, after = context(text, 600, 601)
    assert before == "… " + "雨" * ROOM
    assert after.removesuffix(" …").endswith("e\u0301")


def test_a_quote_that_has_no_end_is_shown_in_part() -> None:
    quote = context("word " * 100_000, 0, 500_000).quote
    assert len(quote) <= LONGEST + 2
    assert quote.endswith("word …")


def test_a_quote_is_found_amid_millions_of_characters() -> None:
    text = "-" * 1_000_000 + "The bus was late." + "|" * 1_000_000
    assert of(text, "The bus was late.")[1] == "The bus was late."


@given(st.text(alphabet="ab .|-*[]()<>`#\n\u0301雨", max_size=400), st.integers(0, 400), st.integers(0, 400))
def test_any_span_of_any_text_has_a_context(text: str, one: int, other: int) -> None:
    start, end = sorted((min(one, len(text)), min(other, len(text))))
    before, quote, after = context(text, start, end)
    assert len(before) <= ROOM + 3 and len(after) <= ROOM + 3  # noqa: PT018 both have the same bound
    assert quote == cut(readable(text[start:end]), LONGEST)
    assert start <= WINDOW or before.startswith("…") or not before.strip()
