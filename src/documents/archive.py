"""Containers (zip, gzip, OLE): safe unpacking, and the kind of the document inside."""

import html
import io
import re
import zipfile
import zlib
from typing import Final

from ..kernel.errors import CorruptError, EncryptedError, TooLargeError, UnsupportedError
from ..kernel.notice import Notice

MOST_ENTRIES: Final = 10_000
MOST_EXPANDED: Final = 500_000_000  # most bytes of all entries of a zip together, unpacked
MOST_RATIO: Final = 200
"""Largest ratio of unpacked to packed size, for a zip of more than FREE bytes unpacked; documents stay below 50."""

FREE: Final = 20_000_000

_TARGET: Final = re.compile(rb'\sTarget="([^"]{1,2000})"')
_TITLE: Final = re.compile(rb"<dc:title>([^<]{1,1000})</dc:title>")
_PARTS: Final = {"word/": "docx", "ppt/": "pptx", "xl/": "xlsx"}


def open_zip(data: bytes) -> zipfile.ZipFile:
    """Return a zip that is safe to read.

    `zipfile` reads no more of an entry than its directory declares, so the declared sizes limit the output. Raises
    EncryptedError, TooLargeError for a zip that expands too much, and the errors of `zipfile` for a damaged zip.
    """
    archive = zipfile.ZipFile(io.BytesIO(data))
    entries = archive.infolist()
    if any(entry.flag_bits & 1 for entry in entries):
        raise EncryptedError(Notice("file_locked"), remedy=Notice("unlock_it"))
    expanded = sum(entry.file_size for entry in entries)
    if len(entries) > MOST_ENTRIES:
        too_full = Notice("archive_too_full", entries=f"{len(entries):,}", most=f"{MOST_ENTRIES:,}")
        raise TooLargeError(too_full, remedy=Notice("unpack_it"))
    if expanded > max(FREE, min(MOST_EXPANDED, MOST_RATIO * len(data))):
        raise _expanding(len(data), f"{expanded:,}")
    return archive


def _expanding(size: int, expanded: str) -> TooLargeError:
    note = Notice("archive_expands", size=f"{size:,}", expanded=expanded, times=MOST_RATIO, most=f"{MOST_EXPANDED:,}")
    return TooLargeError(note, remedy=Notice("unpack_it"))


def unpacked(data: bytes, most: int | None = None) -> bytes:
    """Return the content of a gzip, or its first `most` bytes. Raises TooLargeError, or CorruptError if damaged."""
    bound = max(FREE, min(MOST_EXPANDED, MOST_RATIO * len(data)))
    stream = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    try:
        content = stream.decompress(data, most or bound)
    except zlib.error as error:
        raise CorruptError(Notice("file_damaged", reason=str(error)), remedy=Notice("unpack_it")) from error
    if most is None and stream.unconsumed_tail:
        raise _expanding(len(data), f"> {bound:,}")
    if most is None and not stream.eof:
        raise CorruptError(Notice("file_cut_off"), remedy=Notice("restore_it"))
    return content


def kind_in_zip(archive: zipfile.ZipFile) -> str:
    """Return the kind of document in a zip: docx, pptx, xlsx, epub, opendocument, or zip for none of these."""
    names = archive.namelist()
    if "mimetype" in names:
        mimetype = _start(archive, "mimetype", 100)
        if mimetype.startswith(b"application/epub"):
            return "epub"
        if mimetype.startswith(b"application/vnd.oasis"):
            return "opendocument"
    if "[Content_Types].xml" in names:
        for folder, kind in _PARTS.items():
            if any(name.startswith(folder) for name in names):
                return kind
    return "zip"


def title_in_zip(archive: zipfile.ZipFile) -> str:
    """Return the title in the properties of a docx, pptx or xlsx, or ""."""
    if "docProps/core.xml" not in archive.namelist():
        return ""
    match = _TITLE.search(_start(archive, "docProps/core.xml", 100_000))
    return html.unescape(match[1].decode("utf-8", "replace")) if match else ""


def without_pictures(archive: zipfile.ZipFile) -> bytes:
    """Return a docx with empty files in place of its pictures, including missing pictures that it refers to.

    The converter would include each picture as base64 text, a third longer, and fail for a missing picture.
    """
    copy = io.BytesIO()
    with zipfile.ZipFile(copy, "w") as target:
        missing = set()
        for entry in archive.infolist():
            content = b"" if "/media/" in entry.filename else archive.read(entry)
            target.writestr(entry.filename, content)
            if entry.filename.endswith(".rels"):
                missing |= {f"word/{html.unescape(name.decode())}" for name in _TARGET.findall(content)}
        for name in sorted(missing - set(archive.namelist())):
            target.writestr(name, b"")
    return copy.getvalue()


def _start(archive: zipfile.ZipFile, name: str, length: int) -> bytes:
    with archive.open(name) as entry:
        return entry.read(length)


def kind_in_office(data: bytes) -> str:
    """Return the kind of document in the OLE container of older Microsoft programs: xls or msg.

    Raises EncryptedError for a newer document with a password, UnsupportedError for other kinds, CorruptError, and the
    errors of `olefile` for a damaged container.
    """
    import olefile

    with olefile.OleFileIO(io.BytesIO(data)) as container:
        entries = container.listdir()
        if sum(container.get_size(entry) for entry in entries) > len(data):
            raise CorruptError(Notice("file_cut_off"), remedy=Notice("restore_it"))
    names = {entry[0] for entry in entries}
    if "EncryptedPackage" in names:
        raise EncryptedError(Notice("file_locked"), remedy=Notice("unlock_it"))
    if "__properties_version1.0" in names:
        return "msg"
    if not names.isdisjoint(("Workbook", "Book")):
        return "xls"
    raise UnsupportedError(Notice("office_too_old"), remedy=Notice("save_it_as", kinds=".docx, .pptx, .pdf"))
