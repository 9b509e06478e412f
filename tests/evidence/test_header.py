"""A row that is quoted alone has the names of its columns with it."""

from hypothesis import given
from hypothesis import strategies as st

from spyglass.evidence.header import columns
from spyglass.evidence.statement import shown

TABLE = "# Visits\n\n| Installer | Fan |\n|---|---|\n| Northern | three metres |\n| Deepwell | not needed |\n\nText.\n"
DATA = 'Offer,Pump,Price\nNorthern,air,23400\nDeepwell,"ground, deep",41900\n'


def told(text: str, quote: str) -> str:
    start = text.index(quote)
    return shown(quote, columns(text, start, start + len(quote)))


def test_a_row_is_shown_with_the_names_of_its_columns() -> None:
    cases = [
        (TABLE, "| Deepwell | not needed |", "Installer: Deepwell · Fan: not needed"),
        (TABLE, "| Installer | Fan |", "Installer · Fan"),
        (TABLE, "Text.", "Text."),
        (DATA, 'Deepwell,"ground, deep",41900', "Offer: Deepwell · Pump: ground, deep · Price: 41900"),
        (DATA.replace(",", ";"), "Northern;air;23400", "Offer: Northern · Pump: air · Price: 23400"),
        (DATA, "Offer,Pump,Price", "Offer,Pump,Price"),
        ("Dear all, hello\nWe met, again\nand, again.\n", "We met, again", "We met, again"),
        ("We met, and ate. Twice.\nWe left, late.\nWe slept, well.\n", "We left, late.", "We left, late."),
    ]
    assert [case for case in cases if told(case[0], case[1]) != case[2]] == []


@given(st.text('a1,;\t|"\r\n -', max_size=80), st.integers(0, 80), st.integers(0, 80))
def test_any_span_of_any_text_has_columns_or_none(text: str, start: int, length: int) -> None:
    end = min(len(text), start + length)
    assert all(isinstance(name, str) for name in columns(text, min(start, end), end))


def test_a_cell_of_a_million_characters_is_no_row() -> None:
    text = f"Name,Value\nlong,1\n{'x' * 1_000_000},2\n"
    assert columns(text, 18, len(text) - 1) == []


def test_the_title_of_a_text_names_no_columns() -> None:
    text = "# Altmere, Westland\n\nIt has 900 people, and a harbour.\n\nIt was founded in 1204, by sailors.\n"
    assert columns(text, text.index("It has"), text.index("harbour.") + 8) == []
