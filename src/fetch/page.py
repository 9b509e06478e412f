"""A page that was read."""

from typing import Literal

from pydantic import BaseModel

from ..kernel.notice import Told
from ..kernel.source import Recognized


class PageLink(BaseModel, frozen=True):
    """Where a page leads, as an absolute address without fragment, and the words of the link."""

    url: str
    text: str = ""


class Page(BaseModel, frozen=True):
    """A page as text, plain or Markdown, and what a citation needs to name it.

    `url` is the address after redirects, `asked` the one that was asked for. `text` is what every offset refers to, in
    code points; `snapshot` is its SHA-256 and the run's journal keeps it. `pages` holds the start of each page of a
    paged document, `ocr` the parts of the text that were read from pictures. `published` is an ISO date, `language` a
    two-letter code; both are empty when unknown. `how` says how it was read, `extractor` what made text of it, with its
    version; `kind` what it was: html, or a kind of document. `size` is bytes over the wire, decompressed. `exposed`
    says why only its own flags kept the browser that rendered it from the network; it is empty when more kept it, or no
    browser was needed. `links` are those of an HTML page, where they were asked for.
    """

    asked: str
    url: str
    title: str
    text: str
    snapshot: str
    kind: str = "html"
    extractor: str = ""
    how: Literal["http", "browser", "cache"] = "http"
    author: str = ""
    published: str = ""
    language: str = ""
    site: str = ""
    retrieved_at: str
    size: int = 0
    pages: tuple[int, ...] = ()
    notices: tuple[Told, ...] = ()
    ocr: tuple[Recognized, ...] = ()
    exposed: str = ""
    links: tuple[PageLink, ...] = ()
