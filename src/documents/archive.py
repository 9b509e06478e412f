"""Containers: what a zip or an OLE file really holds, and whether opening it is safe."""

import html
import io
import re
import zipfile
import zlib
from typing import Final

from ..kernel.errors import CorruptError, EncryptedError, TooLargeError, UnsupportedError
from ..kernel.notice import Notice

MOST_ENTRIES: Final = 10_000
MOST_EXPANDED: Final = 500_000_000  # bytes that the entries of a zip may come to together
MOST_RATIO: Final = 200
"""How many times its own size a zip may expand to, once it expands to more than FREE bytes; documents stay below 50."""

FREE: Final = 20_000_000

_TARGET: Final = re.compile(rb'\sTarget="([^"]{1,2000})"')
_TITLE: Final = re.compile(rb"<dc:title>([^<]{1,1000})</dc:title>")
_PARTS: Final = {"word/": "docx", "ppt/": "pptx", "xl/": "xlsx"}


def open_zip(data: bytes) -> zipfile.ZipFile:
    """Return a zip that is safe to read.

    `zipfile` reads no more of an entry than its directory declares, so the declared sizes bound what comes out. Raises
    EncryptedError, TooLargeError for one that expands beyond all measure, and what `zipfile` does for a damaged one.
    """
    archive = zipfile.ZipFile(io.BytesIO(data))
    entries = archive.infolist()
    if any(entry.flag_bits & 1 for entry in entries):
        raise EncryptedError(Notice("file_locked"), remedy=Notice("unlock_it"))
    expanded = sum(entry.file_size for entry in entries)
    if len(entries) > MOST_ENTRIES:
        many = Notice("archive_too_full", entries=f"{len(entries):,}", most=f"{MOST_ENTRIES:,}")
        raise TooLargeError(many, remedy=Notice("unpack_it"))
    if expanded > max(FREE, min(MOST_EXPANDED, MOST_RATIO * len(data))):
        raise _expanding(len(data), f"{expanded:,}")
    return archive


def _expanding(size: int, expanded: str) -> TooLargeError:
    what = Notice("archive_expands", size=f"{size:,}", expanded=expanded, times=MOST_RATIO, most=f"{MOST_EXPANDED:,}")
    return TooLargeError(what, remedy=Notice("unpack_it"))


def unpacked(data: bytes, most: int | None = None) -> bytes:
    """Return what a gzip holds, or its first `most` bytes. Raises TooLargeError, and CorruptError for a damaged one."""
    bound = max(FREE, min(MOST_EXPANDED, MOST_RATIO * len(data)))
    stream = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    try:
        found = stream.decompress(data, most or bound)
    except zlib.error as error:
        raise CorruptError(Notice("file_damaged", reason=str(error)), remedy=Notice("unpack_it")) from error
    if most is None and stream.unconsumed_tail:
        raise _expanding(len(data), f"> {bound:,}")
    if most is None and not stream.eof:
        raise CorruptError(Notice("file_cut_off"), remedy=Notice("restore_it"))
    return found


def kind_in_zip(archive: zipfile.ZipFile) -> str:
    """Return the kind of document that a zip is: docx, pptx, xlsx, epub, opendocument, or a plain zip."""
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
    """Return the title in the properties of a docx, pptx or xlsx, or nothing."""
    if "docProps/core.xml" not in archive.namelist():
        return ""
    match = _TITLE.search(_start(archive, "docProps/core.xml", 100_000))
    return html.unescape(match[1].decode("utf-8", "replace")) if match else ""


def without_pictures(archive: zipfile.ZipFile) -> bytes:
    """Return a docx whose pictures are empty files, those too that it names and does not have.

    A converter would carry each picture along as text, a third longer, and give up the document for a missing one.
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
    """Return the kind of document in the container of Microsoft's older programs: xls or msg.

    Raises EncryptedError for a newer document with a password, UnsupportedError for what is not read, CorruptError, and
    what `olefile` raises for a damaged container.
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
