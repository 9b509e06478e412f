"""The kind of a file is told from its bytes; its name decides only where bytes cannot."""

from pathlib import Path, PurePath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents import files
from spyglass.documents.file_kind import CAPS, HEAD, kind_of, refuse
from spyglass.kernel.errors import CorruptError, DocumentError, NoTextError, UnsupportedError

SOUND = [
    ("a.txt", b"plain words", "text"),
    ("a.py", b"#!/usr/bin/python\nprint()", "text"),
    ("a", b"no name says what it is", "text"),
    ("a.csv", "naïve,café".encode("cp1252"), "text"),
    ("a.txt", "sixteen bits".encode("utf-16"), "text"),
    ("a.txt", "sixteen bits without a mark".encode("utf-16-le"), "text"),
    ("a.pdf", files.pdf(files.paragraphs("words")), "pdf"),
    ("misnamed.txt", files.pdf(files.paragraphs("words")), "pdf"),
    ("late.pdf", b"\x00\x01junk\x02\n%PDF-1.4 ...", "pdf"),
    ("a.docx", files.docx(""), "docx"),
    ("a.zip", files.docx(""), "zip"),
    ("a.epub", files.epub("t"), "epub"),
    ("a.xls", files.xls("S", []), "xls"),
    ("a.msg", files.message("s", "b"), "msg"),
    ("a.doc", files.compound({"WordDocument": b""}), "office"),
    ("a.html", b"<p>a fragment</p>", "html"),
    ("really.pdf", b"<!DOCTYPE html><html><body>log in", "html"),
    ("page", b"<!-- saved -->\n<HTML lang='en'>", "html"),
    ("news.xml", b'<?xml version="1.0"?>\n<rss version="2.0">', "feed"),
    ("news.xml", b'<feed xmlns="http://www.w3.org/2005/Atom">', "feed"),
    ("data.xml", b'<?xml version="1.0"?><records>', "text"),
    ("goods.xml", b"<feed><product>", "text"),
    ("a.ipynb", b'{"cells": []}', "notebook"),
    ("a.eml", b"From: Ada <ada@pier.example>\nSubject: Lamps\n\nWords.\n", "mail"),
]

PICTURES = [
    ("a.png", files.png()),
    ("a.jpg", b"\xff\xd8\xff\xe0\x00\x10JFIF"),
    ("a.tif", b"II*\x00\x08\x00"),
    ("a.webp", b"RIFF\x00\x00\x00\x00WEBP"),
]

WITHOUT_TEXT = [
    ("a.heic", b"\x00\x00\x00\x18ftypheic", "image"),
    ("a.gif", b"GIF89a", "image"),
    ("a.svg", b"<svg xmlns='http://www.w3.org/2000/svg'>", "image"),
    ("a.mp3", b"ID3\x03\x00", "recording"),
    ("a.wav", b"RIFF\x00\x00\x00\x00WAVE", "recording"),
    ("a.mp4", b"\x00\x00\x00\x18ftypisom", "recording"),
    ("a.xz", b"\xfd7zXZ\x00", "archive"),
    ("a.tar", b"name".ljust(257, b"\x00") + b"ustar\x00", "archive"),
    ("a.rtf", b"{\\rtf1 words}", "rtf"),
    ("a.odt", files.zipped({"mimetype": "application/vnd.oasis.opendocument.text"}), "opendocument"),
    ("a.bin", bytes(range(256)) * 16, "binary"),
]


def test_a_kind_that_has_text_is_known(subtests: pytest.Subtests) -> None:
    for name, content, kind in SOUND:
        with subtests.test(name=name, kind=kind):
            assert kind_of(PurePath(name), content[:HEAD]) == kind
            assert kind in CAPS
            refuse(PurePath(name), kind)


@pytest.mark.ocr
def test_a_picture_that_ocr_may_read_is_not_refused() -> None:
    for name, content in PICTURES:
        kind = kind_of(PurePath(name), content)
        assert kind in CAPS
        refuse(PurePath(name), kind)


def test_without_ocr_a_picture_is_refused_and_told_what_would_read_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TESSDATA_PREFIX", str(tmp_path))
    for name, content in PICTURES:
        with pytest.raises(
            NoTextError, match=r"Text in this picture cannot be read.*`apt-get install tesseract-ocr-eng`"
        ):
            refuse(PurePath(name), kind_of(PurePath(name), content))


def test_a_kind_without_text_is_refused_with_a_reason(subtests: pytest.Subtests) -> None:
    for name, content, kind in WITHOUT_TEXT:
        with subtests.test(name=name, kind=kind):
            assert kind_of(PurePath(name), content[:HEAD]) == kind
            with pytest.raises((NoTextError, UnsupportedError)) as refused:
                refuse(PurePath(name), kind)
            assert refused.value.what


def test_random_bytes_under_the_name_of_a_document_are_told_as_damage() -> None:
    with pytest.raises(CorruptError, match=r"Its name ends in \.docx"):
        refuse(PurePath("a.DOCX"), "binary")


@given(st.binary(max_size=HEAD), st.sampled_from(["", ".txt", ".pdf", ".docx", ".html"]))
def test_whatever_the_bytes_the_kind_is_read_or_refused(head: bytes, suffix: str) -> None:
    name = PurePath(f"file{suffix}")
    kind = kind_of(name, head)
    if kind not in CAPS:
        with pytest.raises(DocumentError):
            refuse(name, kind)
