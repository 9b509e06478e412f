"""The page that `fetch` returns."""

from typing import Literal

from pydantic import BaseModel

from ..kernel.notice import NoticeOrText
from ..kernel.source import Recognized


class PageLink(BaseModel, frozen=True):
    """A link of a page: an absolute address without fragment, and the text of the link."""

    url: str
    text: str = ""


class Page(BaseModel, frozen=True):
    """A page as text, plain or Markdown, and the data that a citation needs.

    `url` is the address after redirects, `asked` the requested address. All offsets refer to `text`, in code points;
    `snapshot` is its SHA-256, under which the run's journal stores it. `pages` holds the start of each page of a paged
    document, `ocr` the parts of the text that were read from pictures. `published` is an ISO date, `language` a
    two-letter code; both are empty if unknown. `how` is how the page was read, `extractor` the name and version of the
    library that extracted its text; `kind` is html, or a kind of document. `size` is the decompressed body in bytes.
    `exposed` is the reason why only the browser's own flags isolated it from the network; it is empty if an enclosure
    (a network namespace) did, or if no browser was used. `links` are those of an HTML page, on request.
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
    notices: tuple[NoticeOrText, ...] = ()
    ocr: tuple[Recognized, ...] = ()
    exposed: str = ""
    links: tuple[PageLink, ...] = ()
