"""Every kind of file becomes text with a title, or an error that names the reason."""

import gzip
import json
from contextlib import suppress
from pathlib import Path, PurePath

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from documents import files
from spyglass.documents import extractor, reader, version
from spyglass.documents.file_kind import CAPS, HEAD, kind_of, refuse
from spyglass.documents.html.reader import read_html
from spyglass.kernel.errors import CorruptError, DocumentError, NoTextError, UnsupportedError
from spyglass.kernel.notice import text_of


def read(name: str, content: bytes) -> tuple[str, str, str]:
    found = reader.read(kind_of(PurePath(name), content[:HEAD]), PurePath(name), content)
    return found.kind, found.title, found.text


CELL = "<w:tc><w:p><w:r><w:t>%s</w:t></w:r></w:p></w:tc>"
TABLE = f"<w:tbl><w:tr>{CELL % 'a'}{CELL % 'b'}</w:tr></w:tbl>"
HEADING = '<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Found</w:t></w:r></w:p>'
PAGE = "<html><head><title>A page</title><script>alert(1)</script></head><body><h1>Über</h1><p>Text</p></body></html>"
FEED = """<?xml version="1.0"?>
<rss><channel><title>News</title><item><title>One</title><description>It rained.</description></item></channel></rss>"""
NOTEBOOK = json.dumps(
    {
        "nbformat": 4,
        "cells": [{"cell_type": "markdown", "source": ["# Study\n"]}, {"cell_type": "code", "source": ["1 + 1"]}],
    }
)


def test_a_file_becomes_its_text(subtests: pytest.Subtests) -> None:
    cases = [
        ("a note.txt", b"Words.\r\nMore.", ("text", "a note", "Words.\nMore.")),
        ("HOWTO", b"Postfix Howto\n=============\n\nWords.", ("text", "Postfix Howto", "Words.")),
        (
            "a.rst",
            b"\n**********\n The Tool\n**********\n\nWords.",
            ("restructured", "The Tool", "# The Tool\n\nWords."),
        ),
        ("a.txt", b"Dear Anna,\n\nWords.", ("text", "a", "Words.")),
        ("a.txt", b"It is de-\nfined, as defined.", ("text", "a", "It is\ndefined, as defined.")),
        ("a.py", b"# It is de-\nfined, as defined.", ("text", "a", "de-\nfined")),
        ("a", b"LS(1)   LS(1)\n\nNAME\n   ls - list files\n", ("text", "ls(1)", "## NAME\n   ls")),
        ("a.txt", b"zlib (1.2) unstable\n\n  * Words.", ("text", "a", "Words.")),
        ("a.md", b"# Notes\n\nWords.", ("text", "Notes", "# Notes\n\nWords.")),
        ("a.py", b"# Notes\n", ("text", "a", "# Notes\n")),
        ("a.docx", files.docx(HEADING + files.words("Words.") + TABLE), ("docx", "Found", "| a | b |")),
        ("a.docx", files.docx(HEADING.replace("Heading1", "Title")), ("docx", "Found", "# Found")),
        ("a.docx", files.docx(files.words("Words."), title="Tea &amp; toast"), ("docx", "Tea & toast", "Words.")),
        ("a.docx", files.docx(files.words("Words."), title="Document1"), ("docx", "a", "Words.")),
        ("a.docx", files.docx(files.words("Words."), title="Release 2.10"), ("docx", "Release 2.10", "Words.")),
        ("README", b"P\bPo\bos\bst\btf\bfi\bix\bx _\bi_\bs a mailer.", ("text", "README", "Postfix is a mailer.")),
        ("a.json", rb'{"desc": "One\nline, \u00fc."}', ("json", "a", '{"desc": "One\nline, ü."}')),
        ("a.epub", files.epub("A book", "<p>Words.</p>"), ("epub", "A book", "Words.")),
        ("a.msg", files.message("Hello", "Words."), ("msg", "Hello", "Words.")),
        ("a.eml", b"From: Ada\nSubject: Lamps\n\nWords.\n", ("mail", "Lamps", "# Ada\n\n- From: Ada\n\nWords.")),
        ("a.html", PAGE.encode(), ("html", "A page", "# Über\n\nText")),
        (
            "a.html",
            PAGE.replace("<head>", "<head><meta charset=macintosh>").encode("mac-roman"),
            ("html", "A page", "# Über"),
        ),
        ("a.xml", FEED.encode(), ("feed", "News", "It rained.")),
        ("a.ipynb", NOTEBOOK.encode(), ("notebook", "Study", "```python\n1 + 1\n```")),
        ("renamed.docx", files.xlsx({"S": {"A1": "cell"}}), ("xlsx", "renamed", "| cell |")),
        ("a.xls", files.xls("Tab", [["cell"]]), ("xls", "a", "| cell |")),
        ("Scan.PDF", files.pdf(files.paragraphs("Words."), title="scan.docx"), ("pdf", "Scan", "Words.")),
    ]
    for name, content, expected in cases:
        with subtests.test(name=name):
            kind, title, text = read(name, content)
            assert (kind, title) == expected[:2]
            assert expected[2] in text
            assert "alert" not in text


ON_DISK = """<html><head><title>git-stow</title></head><body><div id="header"><h1>git-stow(1)</h1><h2>NAME</h2>
<div class="sectionbody"><p>git-stow - Stow a branch away</p></div></div>
<nav><a href="a.html">Up</a> <a href="b.html">Next</a></nav><div id="content"><div class="sect1"><h2>OPTIONS</h2>
<div class="sectionbody"><p>Moves &lt;upstream&gt; by at most 2<sup>64</sup> steps, see <a href="git-x.html">git-x</a>.
%s</p></div></div></div></body></html>""" % ("It never touches what is not a branch. " * 9)


TEXINFO = r"""\input texinfo
@settitle tool
@set VERSION 2.1
@titlepage
@title The Tool Manual
@end titlepage
@node Top
@top Tool
@c A comment.
Version @value{VERSION}, see @ref{Options, , all options}; mail @email{a@@b.org}.
@menu
* Options::  What there is.
@end menu
@chapter Options
@table @code
@cindex history
@item -v <n>
@itemx --verbose
Says @emph{more @code{loudly}}, as in ``one''.
@item -q
Is silent.
@end table
@example
tool @{ -v @dots{} @}
@end example
@itemize @bullet
@item
First.
@end itemize
@bye
"""


def test_a_manual_in_texinfo_is_read_without_its_commands() -> None:
    assert read("tool.texi", TEXINFO.encode()) == (
        "texinfo",
        "The Tool Manual",
        "# Tool\n\nVersion 2.1, see Options; mail a@b.org.\n\n# Options\n\n-v \\<n>\n\n--verbose\n\n"
        "Says more loudly, as in “one”.\n\n-q\n\nIs silent.\n\n```\ntool { -v … }\n```\n\n- First.",
    )


INFO = (
    "This is tool.info, produced by makeinfo version 6.8.\n\n\x1f\nFile: tool.info,  Node: Top,  Up: (dir)\n\n"
    "The Tool\n********\n\nRead it (*note Options::) first.\n\n* Menu:\n\n* Options::  What there is.\n"
    "                and more of it\n\n   Told below the menu.\n\n"
    "\x1f\nFile: tool.info,  Node: Options,  Up: Top\n\n1 Options\n=========\n\nAs in *note Top: Top. all is.\n"
    "\x1f\nTag Table:\nNode: Top\x7f10\n\x1f\nEnd Tag Table\n"
)


def test_an_info_file_is_read_without_the_lines_that_lead_through_it() -> None:
    assert read("tool.info", INFO.encode()) == (
        "info",
        "The Tool",
        "# The Tool\n\nRead it (see Options) first.\n\n   Told below the menu.\n\n## 1 Options\n\nAs in Top. all is.",
    )


def test_quoted_terms_of_an_info_file_are_lines_of_their_own_above_their_explanation() -> None:
    table = "‘-o FILE’\n‘--output=FILE’\n     Write to FILE.\n‘quiet’, ‘silent’\n     Say nothing.\n\n"
    code = "Run\n'tool'\n   and see.\n"
    _, _, text = read("tool.info", INFO.replace("Read it", f"{table}{code}\nRead it").encode())
    assert f"-o FILE, --output=FILE\n\n     Write to FILE.\n\nquiet, silent\n\n     Say nothing.\n\n{code}" in text


def test_a_page_on_disk_reads_as_one_of_the_web() -> None:
    kind, title, text = read("git-stow.html", ON_DISK.encode())
    assert (kind, title) == ("html", "git-stow")
    assert text == read_html(ON_DISK.encode(), "https://example.com/").text
    assert text.startswith("# git-stow(1)\n\ngit-stow - Stow a branch away\n\n## OPTIONS\n\n")
    assert "Moves \\<upstream> by at most 2⁶⁴ steps, see git-x. It" in text, "Markdown that shows what the page shows"
    assert "Next" not in text
    assert extractor("html") in version()


def test_a_name_is_cut_at_its_suffix_only() -> None:
    assert [read(name, b"One line.")[1] for name in ("v2.23-notes", "v2.23-notes.txt", "notes")] == [
        "v2.23-notes",
        "v2.23-notes",
        "notes",
    ]


def test_slides_start_where_they_say() -> None:
    found = reader.read("pptx", PurePath("a.pptx"), files.slides(("First", "alpha"), ("Second", "beta")))
    assert [found.text[start:].split("\n")[0] for start in found.pages] == ["# First", "# Second"]
    assert "Slide number" not in found.text
    assert found.title == "First"


def test_an_archive_is_the_text_of_its_files_and_says_what_it_left_out() -> None:
    inner = files.zipped({"deep.txt": "unseen"})
    content: dict[str, bytes | str] = {
        "notes/a.txt": "Words.",
        "b.docx": files.docx(files.words("More.")),
        "c.png": files.png(),
        "d.zip": inner,
    }
    found = reader.read("zip", PurePath("all.zip"), files.zipped({**content, "e.pdf": b"%PDF-1.4 broken"}))
    assert found.text == "# notes/a.txt\n\nWords.\n\n# b.docx\n\nMore."
    assert [text_of(note).partition(":")[0] for note in found.skipped] == ["c.png", "d.zip", "e.pdf"]
    assert "Archives within archives are not opened" in text_of(found.skipped[1])


def test_a_gzip_is_read_as_the_file_that_it_holds_and_an_archive_in_it_stays_closed() -> None:
    text = b"# Questions\n\nNo. It does not."
    found = reader.read("gzip", PurePath("FAQ.md.gz"), gzip.compress(text))
    assert (found.text, found.title, found.kind) == (text.decode(), "Questions", "text")
    for inner in (b"name".ljust(257, b"\x00") + b"ustar\x00", files.zipped({"a.txt": b"text"})):
        with pytest.raises(UnsupportedError, match="archive"):
            reader.read("gzip", PurePath("a.tar.gz"), gzip.compress(inner))


def test_hidden_files_of_an_archive_are_passed_over_and_many_refusals_are_told_together() -> None:
    hidden: dict[str, bytes | str] = {".DS_Store": b"\0\1", "__MACOSX/._a.txt": b"\0\5", "b/.git/config": "secret"}
    pictures = {f"{i}.png": files.png() for i in range(23)}
    found = reader.read("zip", PurePath("all.zip"), files.zipped({**hidden, **pictures, "a.txt": "Words."}))
    assert found.text == "# a.txt\n\nWords."
    assert len(found.skipped) == 21
    assert text_of(found.skipped[-1]) == "further files without text: 3"


def test_an_archive_that_gives_nothing_says_why() -> None:
    with pytest.raises(NoTextError, match=r"d\.zip: Archives within archives are not opened"):
        reader.read("zip", PurePath("all.zip"), files.zipped({"d.zip": files.zipped({})}))


def test_a_damaged_entry_does_not_lose_the_others() -> None:
    content = bytearray(files.zipped({"a.txt": "Words, words, words.", "b.txt": "More."}))
    content[content.index(b"a.txt") + 8] ^= 0xFF
    found = reader.read("zip", PurePath("all.zip"), bytes(content))
    assert found.text == "# b.txt\n\nMore."
    assert text_of(found.skipped[0]).startswith("a.txt: ")


def test_half_a_file_is_told_as_damage(subtests: pytest.Subtests) -> None:
    cases = ["a.docx", "a.xlsx", "a.pptx", "a.epub", "a.pdf", "a.msg", "a.xls", "a.zip"]
    for name in cases:
        with subtests.test(name=name):
            whole = {
                "a.docx": files.docx(files.words("Words.")),
                "a.xlsx": files.xlsx({"S": {"A1": 1}}),
                "a.pptx": files.slides(("a", "b")),
                "a.epub": files.epub("t", "<p>x</p>"),
                "a.pdf": files.pdf(files.paragraphs("Words.")),
                "a.msg": files.message("s", "b"),
                "a.xls": files.xls("S", [["a"]]),
                "a.zip": files.zipped({"a.txt": "Words."}),
            }[name]
            with pytest.raises(CorruptError, match="It is damaged"):
                read(name, whole[: len(whole) // 2])


@pytest.mark.parametrize(
    ("name", "content"),
    [("a.docx", files.docx("")), ("a.html", b"<html><body></body></html>"), ("a.xlsx", files.xlsx({"S": {}}))],
)
def test_a_file_without_text_says_so(name: str, content: bytes) -> None:
    with pytest.raises(NoTextError, match="It contains no text"):
        read(name, content)


OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
DRAWN = """<w:p><w:r><w:drawing><wp:inline xmlns:wp="w"><wp:docPr id="1" name="p"/><a:graphic xmlns:a=
"http://schemas.openxmlformats.org/drawingml/2006/main"><a:graphicData><pic:pic xmlns:pic=
"http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:blipFill><a:blip xmlns:r="%s" r:%s="linked"/>
</pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>"""


@pytest.mark.parametrize("how", ["link", "embed"])
def test_a_picture_outside_the_document_is_not_fetched_and_not_missed(how: str, tmp_path: Path) -> None:
    secret = tmp_path / "secret.png"
    secret.write_bytes(files.png())
    drawn = DRAWN.replace('"w"', '"http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"')
    content = files.docx(files.words("Words.") + drawn % (OFFICE, how), linked=secret.as_uri())
    assert read("a.docx", content)[2].strip() == "Words."


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(sorted(CAPS)),
    st.binary(max_size=300),
    st.sampled_from([b"", b"PK\x03\x04", b"%PDF-1.4\n", b"<rss>"]),
)
def test_whatever_the_bytes_there_is_text_or_a_reason(kind: str, content: bytes, start: bytes) -> None:
    with suppress(DocumentError):
        refuse(PurePath("a"), kind)
        found = reader.read(kind, PurePath("a"), start + content)
        assert found.text.strip()
        assert found.title


@pytest.mark.ocr
def test_what_was_read_from_a_picture_in_an_archive_is_known_as_such() -> None:
    letters = files.scan([], ["A letter from Lisbon."])
    box: dict[str, bytes | str] = {
        "a.txt": "\n\nOne.",
        "b.pdf": letters,
        "c.png": files.saved(files.drawn("A view of Porto.")),
        "d.txt": "Two.",
    }
    found = reader.read("zip", PurePath("box.zip"), files.zipped(box))
    assert [found.text[part.start : part.end] for part in found.ocr] == ["A letter from Lisbon.", "A view of Porto."]


@pytest.mark.ocr
def test_a_recognised_text_names_both_who_drew_the_page_and_who_read_it() -> None:
    assert extractor("scan").startswith(f"{extractor('pdf')}, tesserocr ")
    assert extractor("picture").startswith("tesserocr ")
    assert "tesserocr-" in version()


def test_what_is_wrong_with_a_damaged_picture_is_told_without_its_place_in_memory() -> None:
    with pytest.raises(CorruptError, match=r"UnidentifiedImageError: cannot identify image file\. Restore"):
        reader.read("picture", PurePath("a.png"), b"\x89PNG\r\n\x1a\nabc")
