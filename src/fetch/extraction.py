"""Conversion of the bytes of a page to text, by the reader for their kind.

The text of a converted document is cached for later runs, as pages are.
"""

import asyncio
import hashlib
import re
from dataclasses import asdict, dataclass, fields
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote, urlsplit

from pydantic import TypeAdapter, ValidationError

from ..documents import HEAD, Document, converter_of, decode, kind_of, refuse, version
from ..documents.html import Extract, read_html
from ..kernel import errors
from ..kernel.cache import DAY, cache_of
from ..kernel.notice import Notice, NoticeOrText
from ..kernel.source import Recognized, digest
from ..kernel.thread import SingleThread, in_thread
from . import freshness

if TYPE_CHECKING:
    from ..kernel.run import Run
    from ..kernel.settings import Settings
    from .download import Download

HTML: Final = "html"  # the kind of a page that is not a document
CACHE_KIND: Final = "conversion"
"""The kind of documents in the cache; the key is a digest of their bytes, their name and the converter's version."""

LONGEST_AGE: Final = 30 * DAY
"""Seconds for which a document is cached: its text depends only on its bytes, not on its server."""

_LANE: Final = SingleThread("spyglass-html")  # the one thread of this process in which HTML is read
_HTML_TYPES: Final = ("text/html", "application/xhtml+xml")
_WITHOUT_TEXT: Final = {"image": "image", "audio": "recording", "video": "recording"}
_MARKUP: Final = re.compile(
    rb"\s*<(?:head|body|title|meta|link|script|style|div|main|article|section|h[1-6]|p|table|ul)[\s>]", re.IGNORECASE
)
_HEADING: Final = re.compile(r"#{1,6} ")
_CHARSET: Final = re.compile(r"""charset\s*=\s*["']?([\w.:-]{2,40})""", re.IGNORECASE)
_KIND_ERRORS: Final = (errors.UnsupportedError, errors.CorruptError, errors.EncryptedError)


@dataclass(frozen=True, slots=True)
class Content(Extract):
    """The text and metadata of a page of any kind; `pages`, `notices` and `ocr` are those of a document."""

    kind: str = HTML
    pages: tuple[int, ...] = ()
    notices: tuple[NoticeOrText, ...] = ()
    ocr: tuple[Recognized, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether there is no text; an HTML page with nothing but headings counts as empty."""
        return all(not line.strip() or (self.kind == HTML and _HEADING.match(line)) for line in self.text.split("\n"))


async def read_content(run: "Run", page: "Download", settings: "Settings", *, links: bool) -> Content:
    """Return the content of a page, with its links if `links`.

    Raises PageKindError, PageTooLargeError and NoPageTextError for a kind without text.
    """
    content_type = page.headers.get("content-type", "")
    name = _name(page.url)
    kind = page_kind(name, page.body[:HEAD], content_type)
    if kind == HTML:
        return await read_markup(page.body, page.url, content_type, links=links)
    try:
        refuse(PurePath(name), kind)
        data = page.body
        if kind == "text" and (declared := _CHARSET.search(content_type)):
            data = await asyncio.to_thread(_as_utf8, data, declared[1])
        keep = kind != "text" and settings.cache.page_hours > 0 and freshness.may_keep(page.headers)
        doc = await _convert(run, name, data, settings, keep=keep)
    except errors.DocumentError as error:
        raise _as_fetch_error(error, kind, page.url) from error
    return Content(doc.text, doc.title, kind=doc.kind, pages=doc.pages, notices=doc.skipped, ocr=doc.ocr)


async def read_markup(body: bytes, url: str, content_type: str, *, links: bool = False) -> Content:
    """Return the content of an HTML page, with its links if `links`."""
    extract = await _LANE.run(partial(read_html, body, url, content_type, links=links))
    values = {field.name: getattr(extract, field.name) for field in fields(extract)}
    return Content(**values, notices=(Notice("page_cut"),) if extract.cut else ())


def page_kind(name: str, head: bytes, content_type: str) -> str:
    """Return the kind of a page, by its first bytes; its name and declared type count only if these do not decide.

    Thus a PDF that is served as HTML is a PDF. Text is HTML if it begins like HTML, or if it is declared as HTML and
    contains a tag; its kind has no text if it is declared as an image or a recording (a drawing, a playlist).
    """
    kind = kind_of(PurePath(name), head)
    if kind != "text":
        return kind
    declared = content_type.partition(";")[0].strip().lower()
    if _MARKUP.match(head) or (declared in _HTML_TYPES and b"<" in head):
        return HTML
    return _WITHOUT_TEXT.get(declared.partition("/")[0], kind)


async def _convert(run: "Run", name: str, data: bytes, settings: "Settings", *, keep: bool) -> Document:
    """Return the text of a document from the web, from the cache or from a converter.

    With `keep` it is put into the cache, unless parts of it were skipped: other limits may allow more. Raises
    DocumentError.
    """
    key = await in_thread(lambda: digest(hashlib.sha256(data).hexdigest(), name, version())) if keep else ""
    if keep and (cached := await _from_cache(run, key)) is not None:
        return cached
    converter = await converter_of(run, settings)
    document = await converter.convert_bytes(name, data)
    if keep and not document.skipped:
        await _keep(run, key, document)
    return document


async def _from_cache(run: "Run", key: str) -> Document | None:
    try:
        entry = await (await cache_of(run)).get(CACHE_KIND, key)
        if entry is None:
            return None
        text = entry.data.decode("utf-8", "surrogatepass")
        return TypeAdapter(Document).validate_python({**entry.value, "text": text})
    except errors.CacheError:  # the page itself was not cached either, which is reported
        return None
    except (TypeError, UnicodeDecodeError, ValidationError):  # an entry that other code has written
        return None


async def _keep(run: "Run", key: str, document: Document) -> None:
    value = asdict(document)
    text = value.pop("text").encode("utf-8", "surrogatepass")
    try:
        await (await cache_of(run)).put(CACHE_KIND, key, value, text, lasts=LONGEST_AGE)
    except errors.CacheError as error:
        run.notice(Notice("documents_not_kept", why=error.message))


def _as_utf8(data: bytes, declared: str) -> bytes:
    return decode(data, declared).encode("utf-8", "replace")


def _name(url: str) -> str:
    return PurePath(unquote(urlsplit(url).path)).name or "page"


def _as_fetch_error(error: errors.DocumentError, kind: str, where: str) -> errors.FetchError:
    if isinstance(error, errors.TooLargeError):
        return errors.PageTooLargeError(error.bare_message, where=where)
    if isinstance(error, _KIND_ERRORS) or kind in ("image", "picture"):
        return errors.PageKindError(error.bare_message, where=where)
    return errors.NoPageTextError(error.bare_message, where=where)
