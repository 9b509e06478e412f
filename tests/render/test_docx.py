"""A report as a Word document, opened again by other programs."""

import io
import zipfile
from typing import Any

import pytest
from docx import Document
from docx.oxml.ns import qn
from hypothesis import given, settings
from hypothesis import strategies as st
from markitdown import MarkItDown

from report.sample import sample
from report.written import blocks_of
from spyglass.render.docx import docx
from spyglass.report import Report
from spyglass.report.report import Section


def opened(report: Report) -> Any:
    return Document(io.BytesIO(docx(report)))


def of(text: str, **more: Any) -> Report:
    """Return a report whose only section has that text."""
    return sample(sections=[Section(title="Only", blocks=blocks_of(text))], **more)


def styled(document: Any, style: str) -> list[str]:
    return [paragraph.text for paragraph in document.paragraphs if paragraph.style.name == style]


def test_headings_lists_and_tables_are_those_of_word() -> None:
    document = opened(sample())
    assert styled(document, "Title") == [sample().title]
    assert styled(document, "Heading 1")[:4] == [section.title for section in sample().sections]
    assert styled(document, "Heading 2") == ["Measured", "What can go wrong"]
    assert len(styled(document, "List Number")) == 3
    assert [cell.text for cell in document.tables[0].rows[1].cells] == [
        "Northern Heating",
        "23,400 €",
        "10 kW air source for 23,400 [9]",
    ]
    assert document.tables[0].rows[0].cells[0].paragraphs[0].runs[0].bold


def test_every_citation_leads_to_its_entry_and_tells_the_quote() -> None:
    report = sample()
    body = opened(report).element.body
    bookmarks = {mark.get(qn("w:name")) for mark in body.iter(qn("w:bookmarkStart"))}
    marks = [link for link in body.iter(qn("w:hyperlink")) if link.get(qn("w:anchor"))]
    assert [mark.get(qn("w:anchor")) for mark in marks] == [f"reference{one.number}" for one in report.citations]
    assert bookmarks == {f"reference{one.number}" for one in report.references}
    for mark, citation in zip(marks, report.citations, strict=True):
        assert mark.get(qn("w:tooltip"))[:8] == citation.quote.lstrip("| ")[:8]


def test_entries_of_web_pages_lead_to_the_sentence() -> None:
    report = sample()
    document = opened(report)
    targets = [one.target_ref for one in document.part.rels.values() if one.is_external]
    web = [one for one in report.references if one.url]
    assert len(targets) == len(web)
    assert all("#:~:text=" in target for target in targets)


def test_marks_contradictions_coverage_and_removed_sentences_are_kept() -> None:
    text = MarkItDown().convert_stream(io.BytesIO(docx(sample())), file_extension=".docx").text_content
    for said in (
        "*(partly supported)*",
        "# Where sources disagree",
        "| What would one cost at Mill Lane 4? | partly answered |",
        "~~Owners save 1,400 euros a year on average.~~",
        "blocked: too many requests",
        "17 of 19 supported",
        "أظهرت دراسة",
    ):
        assert said in text


def test_equal_reports_make_equal_bytes_without_a_time() -> None:
    first = docx(sample())
    assert first == docx(sample())
    with zipfile.ZipFile(io.BytesIO(first)) as archive:
        assert {part.date_time for part in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    properties = opened(sample()).core_properties
    assert properties.created.isoformat()[:10] == "2026-03-01"
    assert (properties.title, properties.author) == (sample().title, "Spyglass")


def test_emphasis_code_and_nested_lists_are_kept() -> None:
    document = opened(
        of("A **bold *both* word** and `code`.\n\n- one\n  - two\n\n> said\n\n```\na = 1\n  b = 2\n```\n")
    )
    runs = {run.text: run for paragraph in document.paragraphs for run in paragraph.runs}
    assert runs["both"].bold
    assert runs["both"].italic
    assert runs["code"].style.name == "Code Char"
    assert styled(document, "List Bullet")[0] == "one"
    assert styled(document, "List Bullet 2") == ["two"]
    assert styled(document, "Quote") == ["said"]
    assert styled(document, "Code") == ["a = 1\n  b = 2"]


def test_each_numbered_list_begins_anew() -> None:
    document = opened(of("1. a\n2. b\n\nThen:\n\n1. c\n\nAnd:\n\n7. d\n"))
    numbers = [one._p.pPr.numPr.numId.val for one in document.paragraphs if one.style.name == "List Number"]
    assert numbers[0] == numbers[1]
    assert len(set(numbers)) == 3
    overrides = [one.get(qn("w:val")) for one in document.part.numbering_part.element.iter(qn("w:startOverride"))]
    assert overrides == ["1", "1", "7"]


def test_text_from_right_to_left_runs_so() -> None:
    document = opened(of("أظهرت دراسة [1].\n\nPlain.\n"))
    directed = [one.text for one in document.paragraphs if one._p.pPr.find(qn("w:bidi")) is not None]
    assert directed[0] == "أظهرت دراسة [1]."
    assert "Plain." not in directed


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script> <img src=x onerror=alert(1)>",
        "[click](javascript:alert(1)) ![x](http://tracker.example/p.png)",
        "[a](file:///etc/passwd) <javascript:alert(1)> [b](https://evil.example/)",
        "a \x00\x0b\x1b[31m b \u202e c \ufffe \ud800",
        "[1]: https://evil.example/\n\n[1]",
    ],
)
def test_hostile_text_becomes_no_link_and_nothing_that_runs(text: str) -> None:
    report = of(text)
    document = opened(report)
    targets = [one.target_ref for one in document.part.rels.values() if one.is_external]
    assert all(any(target.startswith(one.url) for one in report.references if one.url) for target in targets)


def test_a_table_wider_than_word_allows_is_told_cell_by_cell() -> None:
    row = "|" + " x |" * 70
    text = f"{row}\n|{' --- |' * 70}\n{row}\n"
    document = opened(of(text, coverage=[], searches=[]))
    assert document.tables == []
    assert styled(document, "Normal").count("x") == 140


def test_a_text_of_another_reporter_is_written_with_its_links_into_the_web() -> None:
    document = opened(sample(given="# T\n\nSee [this](https://a.example/x) and [that](file:///etc/passwd) [1].\n"))
    assert [one.target_ref for one in document.part.rels.values() if one.is_external] == ["https://a.example/x"]
    assert styled(document, "Normal") == ["See this and [that](file:///etc/passwd) [1]."]


@settings(max_examples=10, deadline=None)
@given(st.text(alphabet=st.sampled_from("ab1 \n|-*_`[]()<>#~\\.0\t\x0c:é蜂ש"), max_size=120))
def test_any_markdown_makes_a_document_that_opens(text: str) -> None:
    assert opened(of(text)).paragraphs
