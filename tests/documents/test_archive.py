"""A container is opened only when that is safe, and is what it holds."""

import gzip
import io
import struct
import zipfile

import pytest

from documents import files
from spyglass.documents import archive
from spyglass.kernel.errors import CorruptError, EncryptedError, TooLargeError, UnsupportedError


def test_a_zip_bomb_is_not_opened() -> None:
    bomb = files.zipped({f"{i}.txt": bytes(30_000_000) for i in range(2)})
    with pytest.raises(TooLargeError, match="expand to 60,000,000"):
        archive.open_zip(bomb)


def test_a_small_zip_may_be_as_dense_as_it_likes() -> None:
    assert archive.open_zip(files.zipped({"a.txt": bytes(archive.FREE)})).namelist() == ["a.txt"]


def test_a_zip_of_too_many_entries_is_not_opened() -> None:
    with pytest.raises(TooLargeError, match="10,001 entries"):
        archive.open_zip(files.zipped({str(i): b"" for i in range(archive.MOST_ENTRIES + 1)}))


def test_an_entry_that_lies_about_its_size_gives_no_more_than_it_declares() -> None:
    honest = files.zipped({"a.txt": bytes(1_000_000)})
    lying = honest.replace(struct.pack("<I", 1_000_000), struct.pack("<I", 100))
    with archive.open_zip(lying) as opened, pytest.raises(zipfile.BadZipFile):
        opened.read("a.txt")


def test_a_zip_with_a_password_says_so() -> None:
    locked = bytearray(files.zipped({"a.txt": b"x"}))
    directory = locked.index(b"PK\x01\x02")
    locked[directory + 8] |= 1
    with pytest.raises(EncryptedError, match="password"):
        archive.open_zip(bytes(locked))


def test_a_zip_is_what_it_holds() -> None:
    cases = [
        (files.docx(""), "docx"),
        (files.xlsx({"S": {"A1": 1}}), "xlsx"),
        (files.slides(("a", "b")), "pptx"),
        (files.epub("t"), "epub"),
        (files.zipped({"mimetype": "application/vnd.oasis.opendocument.text"}), "opendocument"),
        (files.zipped({"word/notes.txt": "no document"}), "zip"),
        (files.zipped({}), "zip"),
    ]
    assert [archive.kind_in_zip(archive.open_zip(content)) for content, _ in cases] == [kind for _, kind in cases]


def test_an_old_container_is_what_it_holds() -> None:
    assert archive.kind_in_office(files.xls("S", [])) == "xls"
    assert archive.kind_in_office(files.message("s", "b")) == "msg"
    with pytest.raises(EncryptedError, match="password"):
        archive.kind_in_office(files.compound({"EncryptionInfo": b"", "EncryptedPackage": b""}))
    with pytest.raises(UnsupportedError, match="Old Word"):
        archive.kind_in_office(files.compound({"WordDocument": b""}))


def test_pictures_of_a_document_are_left_behind() -> None:
    heavy = files.docx(files.words("x"), picture=bytes(100_000))
    light = archive.without_pictures(archive.open_zip(heavy))
    assert zipfile.ZipFile(io.BytesIO(light)).read("word/media/picture.png") == b""
    assert zipfile.ZipFile(io.BytesIO(light)).read("word/document.xml") == archive.open_zip(heavy).read(
        "word/document.xml"
    )


def test_a_gzip_is_unpacked_within_bounds_or_refused_with_the_remedy() -> None:
    packed = gzip.compress(b"The harbour was built in 1871.")
    assert archive.unpacked(packed) == b"The harbour was built in 1871."
    assert archive.unpacked(packed, 11) == b"The harbour"
    with pytest.raises(TooLargeError, match="expand to > 20,000,000"):
        archive.unpacked(gzip.compress(bytes(archive.FREE + 1)))
    with pytest.raises(CorruptError, match="its end is missing"):
        archive.unpacked(packed[:-9])
    with pytest.raises(CorruptError, match="It is damaged: "):
        archive.unpacked(b"\x1f\x8b\x08" + bytes(40))
