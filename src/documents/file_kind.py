"""Detection of a file's kind: from its bytes, and from its name only if the bytes do not decide."""

import re
from pathlib import PurePath
from typing import Final

from ..kernel.errors import CorruptError, DocumentError, NoTextError, UnsupportedError
from ..kernel.notice import Notice, NoticeOrText
from . import ocr
from .text import OVERSTRUCK

HEAD: Final = 4096  # first bytes of a file that suffice to determine its kind

CAPS: Final[dict[str, float]] = {
    "text": 20,
    "html": 20,
    "json": 20,
    "texinfo": 20,
    "restructured": 20,
    "manpage": 20,
    "info": 20,
    "feed": 20,
    "notebook": 50,
    "pdf": 100,
    "docx": 100,
    "pptx": 200,
    "xlsx": 50,
    "xls": 50,
    "msg": 50,
    "mail": 50,
    "office": 50,
    "epub": 100,
    "zip": 100,
    "gzip": 50,
    "picture": 50,
}
"""The kinds that have text, and their default size limits in megabytes (10^6 bytes).

`office` is the OLE container of older Microsoft programs, before its content is known. A `picture` has text if OCR is
installed.
"""

_SAVE_AS = Notice("save_it_as", kinds=".docx, .xlsx, .pptx, .pdf")
_REFUSED: Final[dict[str, tuple[type[DocumentError], Notice, NoticeOrText]]] = {
    "image": (NoTextError, Notice("picture_unread"), Notice("save_it_as", kinds=".png, .jpg, .tiff, .webp")),
    "recording": (UnsupportedError, Notice("recording_unread"), Notice("keep_a_transcript")),
    "archive": (UnsupportedError, Notice("archive_unread"), Notice("unpack_it")),
    "rtf": (UnsupportedError, Notice("format_unread", format="Rich Text Format"), _SAVE_AS),
    "opendocument": (UnsupportedError, Notice("format_unread", format="OpenDocument"), _SAVE_AS),
    "postscript": (UnsupportedError, Notice("format_unread", format="PostScript"), Notice("save_it_as", kinds=".pdf")),
    "binary": (UnsupportedError, Notice("file_of_unknown_kind"), ""),
}

_STARTS: Final[dict[str, tuple[bytes, ...]]] = {
    "pdf": (b"%PDF-",),
    "zip": (b"PK\x03\x04", b"PK\x05\x06"),
    "office": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",),
    "rtf": (b"{\\rtf",),
    "postscript": (b"%!PS",),
    "picture": (b"\x89PNG\r\n", b"\xff\xd8\xff", b"II*\x00", b"MM\x00*"),
    "image": (b"GIF8", b"8BPS", b"\x00\x00\x01\x00", b"\x00\x00\x00\x0cJXL ", b"\x00\x00\x00\x0cjP  "),
    "recording": (
        *(b"ID3", b"\xff\xfb", b"\xff\xf3", b"\xff\xf2", b"\xff\xf1", b"fLaC", b"OggS", b"MThd", b"#!AMR"),
        *(b"\x1aE\xdf\xa3", b"\x00\x00\x01\xba", b"\x30\x26\xb2\x75\x8e\x66\xcf\x11"),
    ),
    "gzip": (b"\x1f\x8b",),
    "archive": (b"BZh", b"\xfd7zXZ\x00", b"7z\xbc\xaf\x27\x1c", b"Rar!\x1a\x07", b"\x28\xb5\x2f\xfd"),
    "binary": (b"\x7fELF", b"SQLite format 3\x00"),
}
"""The first bytes of the formats of each kind, from their specifications."""

_NAMED: Final[dict[str, dict[str, str]]] = {
    "zip": {".docx": "docx", ".docm": "docx", ".pptx": "pptx", ".pptm": "pptx", ".xlsx": "xlsx", ".xlsm": "xlsx"}
    | {".epub": "epub", ".odt": "opendocument", ".ods": "opendocument", ".odp": "opendocument"},
    "office": {".xls": "xls", ".msg": "msg"},
    "text": {".html": "html", ".htm": "html", ".xhtml": "html", ".ipynb": "notebook", ".svg": "image"}
    | {".rss": "feed", ".atom": "feed", ".json": "json", ".texi": "texinfo", ".texinfo": "texinfo", ".txi": "texinfo"}
    | {".rst": "restructured", ".rest": "restructured", ".eml": "mail"},
}
"""Kinds by the kind of the bytes and the suffix of the name; containers are inspected again during conversion."""

_PICTURE_BRANDS: Final = (b"heic", b"heix", b"mif1", b"avif")
_RECORDING_CHUNKS: Final = (b"WAVE", b"AVI ", b"AIFF", b"AIFC")
_BOMS: Final = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")
_PROLOGUE: Final = rb"(?:<\?[^>]{0,300}>|<!--.{0,1000}?-->|\s)*"
_HTML: Final = re.compile(_PROLOGUE + rb"<(?:!doctype\s+html|html)[\s>]", re.IGNORECASE | re.DOTALL)
_FEED: Final = re.compile(_PROLOGUE + rb"<(?:rss[\s>]|feed[^>]{1,500}2005/Atom)", re.DOTALL)
_ROFF: Final = re.compile(rb"(?:[.'][ \t]*\\[\"#]|[.'][ \t]*(?:TH|Dd|SH|so|de|ds|ig|if|ie|nr|nh|ad|tr)[ \t])")
_RESTRUCTURED: Final = re.compile(rb"^\.\. [a-z][a-z:-]*::(?:[ \t].*)?\r?$", re.MULTILINE)
"""A directive, by which reStructuredText is recognised in a file named like a plain text."""

_INFO: Final = re.compile(rb"This is [^\n]{1,200}?,? produced by (?:makeinfo|texi2any|GNU)")
_CONTROL: Final = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


def kind_of(path: PurePath, head: bytes) -> str:
    """Return the kind of a file: a key of CAPS, or a kind without text, which is `binary` if no other matches.

    `head` is the file's first HEAD bytes, or all of them.
    """
    kind = _by_bytes(head)
    if kind == "binary" and path.suffix.lower() == ".pdf" and b"%PDF-" in head[:1024]:
        return "pdf"  # the standard lets other bytes precede the header
    suffix = path.suffix.lower()
    if kind == "text" and suffix in ("", ".txt") and _RESTRUCTURED.search(head):
        return "restructured"
    return _NAMED.get(kind, {}).get(suffix, kind)


def _by_bytes(head: bytes) -> str:
    for kind, starts in _STARTS.items():
        if head.startswith(starts):
            return kind
    if head[:4] in (b"RIFF", b"FORM"):
        return "recording" if head[8:12] in _RECORDING_CHUNKS else "picture" if head[8:12] == b"WEBP" else "binary"
    if head[4:8] == b"ftyp":
        return "image" if head[8:12] in _PICTURE_BRANDS else "recording"
    if head[257:262] == b"ustar":
        return "archive"
    if head.startswith(_BOMS):
        return "text"
    return _by_text(head.lstrip()) if _is_text(head) else "binary"


def _by_text(head: bytes) -> str:
    if head.startswith(b"<"):
        if _HTML.match(head):
            return "html"
        if _FEED.match(head):
            return "feed"
    if _ROFF.match(head):
        return "manpage"
    if _INFO.match(head):
        return "info"
    return "pdf" if head.startswith(b"%PDF-") else "text"


def _is_text(head: bytes) -> bool:
    """Whether bytes may be text: few control characters, or every other byte zero as in UTF-16."""
    zeros = (head[::2].count(0), head[1::2].count(0))
    if max(zeros) > len(head) // 8 and min(zeros) * 20 < max(zeros):
        return True
    return len(_CONTROL.findall(OVERSTRUCK.sub("", head.decode("latin-1")))) * 20 <= len(head)


def refuse(path: PurePath, kind: str) -> None:
    """Raise the DocumentError for a kind of file that has no text; do nothing for the others."""
    if kind == "picture" and (missing := ocr.missing()):
        raise NoTextError(Notice("picture_unread"), remedy=missing)
    if kind == "binary" and path.suffix.lower() in (".pdf", ".docx", ".pptx", ".xlsx", ".xls", ".msg", ".epub", ".zip"):
        raise CorruptError(Notice("file_misnamed", suffix=path.suffix.lower()), remedy=Notice("restore_it"))
    if kind in _REFUSED:
        error, reason, remedy = _REFUSED[kind]
        raise error(reason, remedy=remedy)
