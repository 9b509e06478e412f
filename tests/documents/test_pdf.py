"""A PDF becomes the text of its pages, each from a known place, with the tables that it shows."""

import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from documents import files
from documents.files import Placed, paragraphs
from spyglass.documents import pdf
from spyglass.evidence.rows import columns
from spyglass.kernel.errors import EncryptedError, NoTextError
from spyglass.kernel.notice import text_of


def test_each_page_starts_where_it_says() -> None:
    found = pdf.read(
        files.pdf(paragraphs("The first page", "has two lines"), [], paragraphs("The third"), title="A book")
    )
    assert found.text == "The first page\nhas two lines\n\n\n\nThe third"
    assert [found.text[start:end].strip() for start, end in pairwise([*found.pages, len(found.text)])] == [
        "The first page\nhas two lines",
        "",
        "The third",
    ]
    assert found.title == "A book"


def test_the_lines_that_the_outline_names_are_headings_and_comments_of_listings_are_not() -> None:
    told = [
        paragraphs("Chapter 2", "The moorings"),
        paragraphs(
            "The moorings are many, as told.",
            "2.1 Berths",
            "for boats",
            "# stern first",
            "of the rope",
            "Rope",
            "goes here",
        ),
    ]
    outline = [("The  Moorings", 0), ("berths for boats", 1), ("Nowhere", 1), ("Rope", 1), ("Berths for boats", 1)]
    found = pdf.read(files.pdf(*told, outline=outline))
    assert found.text == (
        "## Chapter 2 The moorings\n\n"
        "The moorings are many, as told.\n\n## 2.1 Berths for boats\n\n\\# stern first\nof the rope\n\n"
        "## Rope\n\ngoes here"
    )
    assert found.text[found.pages[1] :].startswith("The moorings are many")


def test_paragraphs_stand_apart_as_on_the_page_and_a_name_above_what_is_told_farther_in() -> None:
    lines = [
        (83, 700, "hold time"),
        (108, 688, "The seconds that the pilot waits for an answer of the other"),
        (108, 676, "harbour before the line is taken down."),
        (83, 656, "1. A step of which so much is told that it reaches the margin"),
        (97, 644, "goes on farther in, below its own first line, and ends"),
        (97, 632, "here."),
        (83, 612, "Two words"),
        (83, 600, "below which nothing stands farther in."),
    ]
    assert pdf.read(files.pdf(lines)).text == (
        "hold time\n\n"
        "The seconds that the pilot waits for an answer of the other\nharbour before the line is taken down.\n\n"
        "1. A step of which so much is told that it reaches the margin\n"
        "goes on farther in, below its own first line, and ends\nhere.\n\n"
        "Two words\nbelow which nothing stands farther in."
    )


def test_a_paragraph_goes_on_below_a_hyphenated_line() -> None:
    lines = ["It is high.", "The tide was mea-", "sured at the quay and", "noted every hour in the", "book."]
    page = [(72, 700 - 14 * number, line) for number, line in enumerate(lines)] + [(72, 620, "Nobody read it.")]
    assert pdf.read(files.pdf(page)).text == (
        "It is high.\nThe tide was measured at the quay and\nnoted every hour in the\nbook.\n\nNobody read it."
    )


@settings(max_examples=25)
@given(
    st.lists(
        st.lists(st.from_regex(r"[A-Za-z(][a-z(),. ]{0,40}[a-z]", fullmatch=True), max_size=3), min_size=1, max_size=4
    )
)
def test_every_word_is_on_its_page(pages: list[list[str]]) -> None:
    if not any(pages):
        pages[0] = ["some words"]
    found = pdf.read(files.pdf(*(paragraphs(*lines) for lines in pages)))
    texts = [found.text[start:end] for start, end in pairwise([*found.pages, len(found.text)])]
    assert [text.split() for text in texts] == [" ".join(lines).split() for lines in pages]


@pytest.fixture
def _without_ocr(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TESSDATA_PREFIX", str(tmp_path))


@pytest.mark.usefixtures("_without_ocr")
def test_without_ocr_a_scan_has_no_text_and_says_so() -> None:
    with pytest.raises(NoTextError, match=r"layer \(pages: 3\): it is a scan\. To read it by OCR.*tesseract-ocr-eng"):
        pdf.read(files.scan(["A page that was scanned."], ["Another one."], ["The third."]))


@pytest.mark.usefixtures("_without_ocr")
def test_without_ocr_a_scan_with_a_stamp_says_how_many_pages_are_empty() -> None:
    found = pdf.read(files.pdf(paragraphs("Received on Monday"), [], []))
    (note,) = found.skipped
    assert text_of(note).startswith("2 of 3 pages contain no text; they may be scans. To read it by OCR")
    assert (found.kind, found.ocr) == ("pdf", ())


@pytest.mark.ocr
def test_a_scan_becomes_the_text_of_its_pages_with_the_confidence_of_each() -> None:
    found = pdf.read(files.scan(["The harbour was built in 1871."], [], ["A storm broke the pier in 1904."]))
    pages = [found.text[start:end].strip() for start, end in pairwise([*found.pages, len(found.text)])]
    assert pages == ["The harbour was built in 1871.", "", "A storm broke the pier in 1904."]
    assert found.kind == "scan"
    assert [found.text[part.start : part.end] for part in found.ocr] == [pages[0], pages[2]]
    assert all(80 <= part.confidence <= 100 for part in found.ocr)


@pytest.mark.ocr
def test_a_page_with_a_text_layer_is_not_read_by_ocr() -> None:
    found = pdf.read(files.joined(files.pdf(paragraphs("Received on Monday")), files.scan(["A letter from Lisbon."])))
    assert found.text == "Received on Monday\n\nA letter from Lisbon."
    (part,) = found.ocr
    assert found.text[part.start : part.end] == "A letter from Lisbon."


@pytest.mark.ocr
def test_a_scan_of_blank_pages_says_that_ocr_found_nothing() -> None:
    with pytest.raises(
        NoTextError, match=r"a scan or a picture \(pages: 2\), and OCR recognises no text in it reliably"
    ):
        pdf.read(files.scan([], []))


@pytest.mark.ocr
def test_a_page_as_large_as_a_field_is_looked_at_in_less_detail() -> None:
    found = pdf.read(files.scan(["The harbour was built in 1871."], dots=10))  # four metres by six
    assert found.text == "The harbour was built in 1871."


def test_a_password_is_told() -> None:
    with pytest.raises(EncryptedError, match="password"):
        pdf.read(files.pdf(paragraphs("secret"), password="open sesame"))


def grid(rows: list[list[str]], columns: list[float], top: float = 600) -> list[Placed]:
    return [(columns[j], top - 18 * i, text) for i, row in enumerate(rows) for j, text in enumerate(row) if text]


def test_a_table_without_borders_keeps_its_empty_cells() -> None:
    rows = [
        ["Code", "Place", "Expected", "Actual"],
        ["K-1", "A-12", "450", ""],
        ["", "B-07", "", "289"],
        ["K-2", "", "780", "778"],
    ]
    page = [*paragraphs("Stock on Monday"), *grid(rows, [72, 150, 250, 350]), (72, 300, "Counted by hand.")]
    assert pdf.read(files.pdf(page)).text == (
        "Stock on Monday\n\n"
        "| Code | Place | Expected | Actual |\n| --- | --- | --- | --- |\n"
        "| K-1 | A-12 | 450 |  |\n|  | B-07 |  | 289 |\n| K-2 |  | 780 | 778 |\n\n"
        "Counted by hand."
    )


def test_two_tables_of_different_columns_stay_apart() -> None:
    first = grid([["a", "b", "c"], ["1", "2", "3"]], [72, 150, 250], top=700)
    second = grid([["d", "e", "f", "g"], ["4", "5", "6", "7"]], [100, 200, 300, 400], top=600)
    text = pdf.read(files.pdf([*first, (72, 640, "The second one"), *second])).text
    assert text == (
        "| a | b | c |\n| --- | --- | --- |\n| 1 | 2 | 3 |\n\nThe second one\n\n"
        "| d | e | f | g |\n| --- | --- | --- | --- |\n| 4 | 5 | 6 | 7 |"
    )


def test_what_stands_side_by_side_is_not_headed_by_its_first_row() -> None:
    people = [
        ["Tracey White", "Damien Bird", "Damon Wright"],
        ["+61 3 9226 9028", "+61 3 9226 9070", "+1 224 313 7141"],
        ["tracey@amcor.example", "damien@amcor.example", "damon@amcor.example"],
        ["James Strong", "Ernesto Duran", "Julie Liedtke"],
        ["james@media.example", "ernesto@amcor.example", "julie@amcor.example"],
    ]
    text = pdf.read(files.pdf(grid(people, [60, 220, 380]))).text
    assert text.startswith("|  |  |  |\n| --- | --- | --- |\n| Tracey White | Damien Bird | Damon Wright |\n")
    assert not any(columns(text, *span(text, "julie@amcor.example")))


def span(text: str, words: str) -> tuple[int, int]:
    start = text.index(words)
    return start, start + len(words)


def test_a_row_of_values_heads_nothing() -> None:
    rows = [["Casino", "$ 554", "$ 541"], ["Rooms", "813", "557"], ["Food", "375", "333"]]
    text = pdf.read(files.pdf(grid(rows, [60, 220, 320]))).text
    assert text == "|  |  |  |\n| --- | --- | --- |\n" + "\n".join(f"| {' | '.join(row)} |" for row in rows)


def test_a_second_row_of_names_begins_a_table_of_its_own() -> None:
    first = [["Rooms", "2022", "2021"], ["Sold", "813", "557"], ["Empty", "91", "86"]]
    second = [["Staff", "Nights", "Days"], ["Cooks", "12", "14"], ["Porters", "3", "5"]]
    text = pdf.read(files.pdf(grid(first + second, [60, 220, 320]))).text
    assert columns(text, *span(text, "86")) == ["Rooms", "2022", "2021"]
    assert columns(text, *span(text, "Porters")) == ["Staff", "Nights", "Days"]


def test_a_head_in_several_lines_is_one_where_they_stand_above_each_other() -> None:
    rows = [["", "Rooms", "Beds"], ["House", "sold", "sold"], ["North", "813", "1,557"], ["South", "91", "186"]]
    text = pdf.read(files.pdf(grid(rows, [60, 220, 320]))).text
    assert columns(text, *span(text, "South")) == ["House", "Rooms sold", "Beds sold"]


def test_a_name_above_several_columns_that_repeat_names_leaves_them_without_a_head() -> None:
    rows = [
        ["", "", "", "", ""],
        ["Sales", "2022", "2021", "2022", "2021"],
        ["North", "813", "557", "3,391", "2,871"],
        ["South", "91", "86", "405", "371"],
    ]
    above = [(250, 600, "Three months"), (450, 600, "Twelve months")]
    text = pdf.read(files.pdf([*above, *grid(rows, [60, 220, 320, 420, 520])])).text
    assert "| North | 813 | 557 | 3,391 | 2,871 |" in text
    assert not any(columns(text, *span(text, "South")))


def test_a_column_that_is_filled_line_after_line_is_one_of_a_table_beside_short_cells() -> None:
    trees = [[f"Species {i:03} Quercus no. {i:03}", f"{1700 + i}", f"{i}.37", "Kew"] for i in range(1, 13)]
    text = pdf.read(files.pdf(grid([["Tree", "Planted", "Height", "From"], *trees], [60, 200, 250, 300]))).text
    assert columns(text, *span(text, "Species 012")) == ["Tree", "Planted", "Height", "From"]


def test_the_sign_of_a_currency_stands_with_its_value_under_the_name_of_both() -> None:
    rows = [["Sales", "", "2022", "", "2021"], ["North", "$", "813", "$", "557"], ["South", "", "91", "", "86"]]
    text = pdf.read(files.pdf(grid(rows, [60, 200, 225, 300, 325]))).text
    assert text == ("| Sales | 2022 | 2021 |\n| --- | --- | --- |\n| North | $ 813 | $ 557 |\n| South | 91 | 86 |")


def letter_by_letter(rows: int) -> list[Placed]:
    """Return a table in which each letter is drawn by itself, as some programs do."""
    return [
        (40 + 90 * column + 5.6 * place, 800 - 12 * row, letter)
        for row in range(rows)
        for column in range(6)
        for place, letter in enumerate("1,234,567")
    ]


def test_a_table_drawn_letter_by_letter_is_a_table() -> None:
    text = pdf.read(files.pdf(letter_by_letter(60))).text.replace(" ", "")
    assert text.count("1,234,567") == 6 * 60


def test_columns_of_a_newspaper_are_read_one_after_the_other() -> None:
    line = "words of a story that fill its column well"
    columns = [
        [(x, 700 - 12 * i, f"{name} {i} {line}") for i in range(12)] for name, x in (("left", 40), ("right", 310))
    ]
    text = pdf.read(files.pdf([*columns[0], *columns[1]])).text
    assert "|" not in text
    assert text.index("left 11") < text.index("right 0")


def test_a_list_of_names_and_values_stays_lines() -> None:
    text = pdf.read(files.pdf(grid([["Name:", "Ada"], ["Born:", "1815"]], [72, 150]))).text
    assert text == "Name: Ada\nBorn: 1815"


WRAPPED = [
    *((72, 700, "Item"), (172, 700, "What was found"), (322, 700, "Risk")),
    *((72, 680, "Roundabout"), (172, 680, "Bearing worn, 8 mm of"), (322, 680, "10")),
    *((172, 668, "vertical play."), (322, 668, "Medium")),
    *((72, 648, "Self-closing gate,"), (172, 648, "Closes in 2 seconds."), (322, 648, "9")),
    *((72, 636, "Mill Lane side"), (322, 636, "Medium")),
]
LINES = files.ruled([70, 170, 320, 380], [712, 692, 660, 630])
FINDINGS = (
    "| Item | What was found | Risk |\n| --- | --- | --- |\n"
    "| Roundabout | Bearing worn, 8 mm of vertical play. | 10 Medium |\n"
    "| Self-closing gate, Mill Lane side | Closes in 2 seconds. | 9 Medium |"
)


def test_the_lines_of_a_wrapped_cell_are_one_cell_where_lines_are_drawn_around_it() -> None:
    page = [(72.0, 740.0, "Findings"), *WRAPPED, (72.0, 600.0, "Two are of medium risk.")]
    coloured = files.pdf(page, lines=LINES, areas=[(70, 692, 310, 20)])
    assert pdf.read(coloured).text == f"Findings\n\n{FINDINGS}\n\nTwo are of medium risk."
    rows = "\n".join(FINDINGS.splitlines()[2:])
    assert rows in pdf.read(files.pdf(page, lines=LINES)).text, "nothing marks the first row as a head"


def test_two_columns_are_a_table_where_lines_are_drawn_around_them() -> None:
    rows = grid([["Offence", "Fine"], ["Speeding", "500"], ["Noise", "200"]], [72, 172], top=700)
    text = pdf.read(files.pdf(rows, lines=files.ruled([70, 170, 300], [712, 694, 676, 658]))).text
    assert text == "| Offence | Fine |\n| --- | --- |\n| Speeding | 500 |\n| Noise | 200 |"


def test_a_cell_of_several_columns_stands_in_the_first_of_them() -> None:
    rows = [(72.0, 700.0, "All in pounds of the year"), *grid([["Rent", "48"], ["Water", "27"]], [72, 172], top=682)]
    lines = [
        (x, y, to_x, min(to_y, 694.0) if x == to_x == 170 else to_y)
        for x, y, to_x, to_y in files.ruled([70, 170, 300], [712, 694, 676, 658])
    ]
    text = pdf.read(files.pdf(rows, lines=lines)).text
    assert text.endswith("| All in pounds of the year |  |\n| Rent | 48 |\n| Water | 27 |")


def test_the_last_letter_of_a_word_that_had_no_room_in_its_cell_is_joined_to_it() -> None:
    rows = [
        (72.0, 700.0, "Pri"),
        (72.0, 688.0, "o"),
        (172.0, 700.0, "Costs"),
        (72.0, 668.0, "A"),
        (172.0, 668.0, "500"),
    ]
    text = pdf.read(files.pdf(rows, lines=files.ruled([70, 170, 300], [712, 682, 660]))).text
    assert text == "| Prio | Costs |\n| --- | --- |\n| A | 500 |"


def test_a_frame_with_text_beside_it_is_no_table() -> None:
    assert FINDINGS not in pdf.read(files.pdf([*WRAPPED, (420.0, 668.0, "See the plan.")], lines=LINES)).text


SHORT_OF_TIME = """
import sys
from spyglass.kernel import host
from spyglass.documents import ocr, pdf

host.limit_time(ocr.RESERVE)
found = pdf.read(sys.stdin.buffer.read())
print(found.kind, found.text, *map(str, found.skipped), sep="|")
"""


@pytest.mark.ocr
def test_without_time_for_ocr_the_pages_with_text_stay_and_the_others_are_told() -> None:
    whole = files.joined(files.pdf(paragraphs("Received on Monday")), files.scan(["A letter."], ["Another."]))
    ran = subprocess.run([sys.executable, "-c", SHORT_OF_TIME], input=whole, capture_output=True, check=True)
    told = "2 scanned pages from page 2 on were not read because their OCR takes too long; raise documents.deadline"
    assert ran.stdout.decode().strip().replace("\n", "") == f"pdf|Received on Monday|{told}"
    scan = files.scan(["A letter."])
    failed = subprocess.run([sys.executable, "-c", SHORT_OF_TIME], input=scan, capture_output=True, check=False)
    assert (
        b"ConversionError: Its OCR takes longer than the time allowed for a conversion. Raise documents.deadline."
        in failed.stderr
    )
