"""Where in a document a quote stands."""

from typing import Any

from spyglass.kernel.notice import LANGUAGES
from spyglass.render.labels import labels_in
from spyglass.render.source_labels import place
from spyglass.report.report import Reference

WORDS = labels_in("en")


def entry(**more: Any) -> Reference:
    return Reference.model_validate({"number": 1, "source_id": "s", "title": "T", "quote": "q", **more})


def test_a_paged_document_has_pages() -> None:
    assert place(entry(page=3, line=40), WORDS) == "page 3"


def test_a_text_has_the_lines_of_its_passage() -> None:
    assert place(entry(line=3, last_line=9), WORDS) == "lines 3–9"
    assert place(entry(line=3, last_line=3), WORDS) == "line 3"


def test_with_the_stored_text_the_lines_are_those_of_the_quote() -> None:
    text = "one\ntwo\nthree\nfour\n"
    start = text.index("three")
    assert place(entry(line=1, last_line=4), WORDS, text, start, start + len("three")) == "line 3"
    assert place(entry(line=1, last_line=4), WORDS, text, start, start + len("three\nfour")) == "lines 3–4"


def test_a_sheet_has_its_name_and_the_row() -> None:
    text = "## Offers\n| Offer | Euros |\n| --- | --- |\n| 1 | **Deepwell** | 41,900 |\n"
    row = text.splitlines()[-1]
    start = text.index(row)
    assert place(entry(heading="Offers"), WORDS, text, start, start + len(row)) == "“Offers”, row “Deepwell”"


def test_a_row_of_numbers_has_no_name() -> None:
    assert place(entry(heading="T > Sheet"), WORDS, "| 1 | 2 |", 0, 9) == "“Sheet”"


def test_what_is_not_known_is_not_said() -> None:
    assert place(entry(), WORDS) == ""
    assert place(entry(heading="T"), WORDS) == ""


def test_a_row_is_named_in_each_language() -> None:
    places = {language: place(entry(), labels_in(language), "| Deepwell | 2 |", 0, 16) for language in LANGUAGES}
    assert [language for language, said in places.items() if "Deepwell" not in said] == []


def test_what_was_read_from_a_picture_says_how_sure_ocr_was() -> None:
    assert place(entry(page=3, ocr_confidence=91), WORDS) == "page 3, read by OCR, 91 % confidence"
    assert place(entry(ocr_confidence=70), WORDS) == "read by OCR, 70 % confidence"
