"""Conversion of a file's bytes to a document by the reader of its kind, or to an error that explains missing text."""

import json
import re
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import PurePath
from zipfile import BadZipFile, ZipFile

from ..kernel.errors import CorruptError, DocumentError, NoTextError, UnsupportedError
from ..kernel.notice import Notice, NoticeOrText
from ..kernel.source import Recognized
from . import (
    archive,
    comments,
    line_breaks,
    mail,
    manpage,
    markdown,
    ocr,
    pdf,
    picture,
    plain_headings,
    plain_tables,
    sheet,
    texinfo,
)
from .document import Document
from .file_kind import HEAD, kind_of, refuse
from .text import clean, decode, first_heading, first_line

_NO_TITLE = re.compile(
    r"\W*(untitled|anonymous|unspecified|unknown|title|((word|pdf) )?document|(powerpoint )?presentation)\W*\d*"
    r"|.*\.[a-z]\w{1,3}",
    re.IGNORECASE,
)
"""Useless titles that programs write: a placeholder, or the name of a file."""

_HIDDEN = re.compile(r"(?:^|/)(?:\.|__MACOSX/)")

LINKED = "html with links"
"""The kind for HTML whose links are kept, such as a report that links to its sources. The reader of the kind `html`
drops links, menus and markup."""

_OBJECT = re.compile(r"\s*<[^<>]* object at 0x[0-9a-fA-F]+>")
"""The `repr` of an object in error messages of libraries."""

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')

_LIBRARIES = {"pdf": "pypdfium2", "xlsx": "openpyxl", "xls": "xlrd"}
MOST_TOLD = 20  # files without text in an archive that are named; further ones are counted


def load(kind: str) -> None:
    """Import the libraries for reading this kind, so that the deadline of a conversion does not include the import."""
    if kind in _LIBRARIES:
        import_module(_LIBRARIES[kind])
    if kind in ("pdf", "picture"):
        ocr.load()
    elif kind == "restructured":
        from . import restructured  # noqa: F401
    elif kind in ("html", "mail"):
        from .html import article, reader  # noqa: F401

        article.load()
    elif kind not in ("text", "json", *_LIBRARIES, *_SOURCES):
        markdown.load()


def read(kind: str, name: PurePath, data: bytes, tell: pdf.Tell = pdf.silent) -> Document:
    """Return the text of a file; call `tell` with the progress. Raises DocumentError with the reason for no text."""
    try:
        document = _read(kind, name, data, tell)
    except (DocumentError, MemoryError):
        raise
    except Exception as error:  # a damaged file may raise anything, in any of the many libraries that read it
        reason = _OBJECT.sub("", f"{type(error).__name__}: {error}").strip(" .:")[:300]
        raise CorruptError(Notice("file_damaged", reason=reason), remedy=Notice("restore_it")) from error
    if not document.text.strip():
        raise NoTextError(Notice("without_text"), remedy=Notice("recognise_its_text"))
    return replace(document, title=_usable(document.title) or _SUFFIX.sub("", name.name))


_TITLE_OF: Mapping[str, Callable[[str], str]] = {
    **dict.fromkeys((".md", ".markdown"), first_heading),
    **dict.fromkeys(("", ".txt", ".text"), first_line),
}
"""The function that finds the title of a text, by the suffix of its file; code and data have no title."""

_DATA = (".csv", ".tsv", ".dat")
"""The suffixes of data whose rows stay as they are, whatever comments are above them."""


def _restructured(source: str) -> Document:
    from . import restructured

    return restructured.read(source)


_SOURCES: Mapping[str, Callable[[str], Document]] = {
    "restructured": _restructured,
    "texinfo": texinfo.read,
    "info": texinfo.read_info,
    "manpage": manpage.read,
}
"""The readers of source formats of manuals, by kind."""

_SUFFIX = re.compile(r"(?<=.)\.[a-zA-Z]\w{0,9}$")
"""The suffix of a file name; ".23-notes" of "v2.23-notes" is not a suffix."""


def _usable(title: str) -> str:
    title = " ".join(title.split())
    return "" if _NO_TITLE.fullmatch(title) else title


def _read(kind: str, name: PurePath, data: bytes, tell: pdf.Tell) -> Document:
    refuse(name, kind)
    match kind:
        case "text":
            return _plain(name, clean(decode(data)))
        case "json":
            return Document(clean(_STRING.sub(_unescaped, decode(data))), "", kind)
        case _ if kind in _SOURCES:
            return _SOURCES[kind](decode(data))
        case "pdf":
            return pdf.read(data, tell)
        case "html" | "mail" | "picture":
            return {"html": _page, "mail": _mail, "picture": picture.read}[kind](data)
        case "docx" | "pptx" | "xlsx" | "epub" | "zip":
            with archive.open_zip(data) as container:
                return _read_zipped(archive.kind_in_zip(container), name, data, container)
        case "xls" | "msg" | "office":
            inner = archive.kind_in_office(data)
            return sheet.read(inner, data) if inner == "xls" else markdown.read(inner, data)
        case "gzip":
            unzipped_name = name.with_suffix("") if name.suffix.lower() == ".gz" else name
            refuse(unzipped_name, kind_of(unzipped_name, archive.unpacked(data, HEAD)))
            return _member(unzipped_name, archive.unpacked(data))
    return markdown.read("html" if kind == LINKED else kind, data)


def _plain(name: PurePath, text: str) -> Document:
    """Return the document of a plain text.

    In prose, words that are hyphenated at line ends are joined, and headings and rows in columns marked; comments are
    read without their marks, except in data.
    """
    if page := line_breaks.read_page(text):
        return page
    suffix = name.suffix.lower()
    title_of = _TITLE_OF.get(suffix)
    if title_of is not first_heading and suffix not in _DATA:
        text = comments.uncommented(text)
    if title_of is first_line:
        text = line_breaks.joined(text)
    title = title_of(text) if title_of else ""
    marked = plain_tables.marked(plain_headings.marked(text, title)) if title_of is first_line else text
    return Document(marked, title, "text")


def _unescaped(literal: re.Match[str]) -> str:
    """Return a string literal of JSON with its escapes decoded, so that escaped line ends become line ends."""
    try:
        return f'"{json.loads(literal[0], strict=False)}"'
    except ValueError:
        return literal[0]


def _page(data: bytes) -> Document:
    from .html import read_html

    extract = read_html(data, "")
    return Document(clean(extract.text), extract.title, "html", skipped=(Notice("page_cut"),) if extract.cut else ())


def _read_zipped(kind: str, name: PurePath, data: bytes, container: ZipFile) -> Document:
    """Return the document in a zip, with the title from its properties."""
    refuse(name, kind)
    if kind == "zip":
        return _read_members(container)
    if kind == "xlsx":
        document = sheet.read(kind, data)
    else:
        document = markdown.read(kind, archive.without_pictures(container) if kind == "docx" else data)
    return replace(document, title=_usable(archive.title_in_zip(container)) or document.title)


def _mail(data: bytes) -> Document:
    """Return a message, its subject the title, with the files attached to it below it."""
    message = mail.read(data)
    own = Document(message.text, message.subject, "mail")
    files = [(name, partial(bytes, content)) for name, content in message.attached]
    return _joined(files, own) if files else own


def _read_members(container: ZipFile) -> Document:
    """Return the files of an archive as one text; nested archives are not opened."""
    names = ((" ".join(entry.filename.split()), entry) for entry in container.infolist() if not entry.is_dir())
    files = [(name, partial(container.read, entry)) for name, entry in names if not _HIDDEN.search(name)]
    return _joined(files, Document("", "", "zip"))


def _joined(files: Iterable[tuple[str, Callable[[], bytes]]], whole: Document) -> Document:
    """Return the text of a document followed by that of files, each under its name as heading.

    Raises NoTextError if none has text.
    """
    texts = [whole.text.rstrip()] if whole.text else []
    skipped: list[NoticeOrText] = []
    recognized: list[Recognized] = []
    at = sum(len(text) + 2 for text in texts)
    for name, content in files:
        try:
            document = _member(PurePath(name), content())
        except DocumentError as error:
            skipped.append(Notice("of_member", name=name, why=error.message))
            continue
        except (BadZipFile, EOFError, NotImplementedError, zlib.error) as error:
            skipped.append(Notice("of_member", name=name, why=str(error)))
            continue
        text = document.text.lstrip()
        texts.append(f"# {name}\n\n{text.rstrip()}")
        shift = at + len(f"# {name}\n\n") - (len(document.text) - len(text))
        recognized += [replace(part, start=part.start + shift, end=part.end + shift) for part in document.ocr]
        skipped += [Notice("of_member", name=name, why=note) for note in document.skipped]
        at += len(texts[-1]) + 2
    if not texts:
        raise NoTextError(
            Notice("archive_without_text", why=skipped[0] if skipped else "–"), remedy=Notice("unpack_it")
        )
    if len(skipped) > MOST_TOLD:
        skipped[MOST_TOLD:] = [Notice("further_members", number=len(skipped) - MOST_TOLD)]
    return replace(whole, text=clean("\n\n".join(texts)), skipped=tuple(skipped), ocr=tuple(recognized))


def _member(name: PurePath, data: bytes) -> Document:
    kind = kind_of(name, data[:HEAD])
    if kind in ("zip", "gzip"):
        raise UnsupportedError(Notice("archive_in_archive"), remedy=Notice("unpack_it"))
    return read(kind, name, data)
