"""Fetching of web pages as text: `fetch` returns a `Page`, read over HTTP or in a browser.

All connections are checked by the guard of `spyglass.net`. To use the browser itself, import `browser`, `chromium`,
`crawl4ai` or `enclosure`.
"""

from typing import TYPE_CHECKING

from ..kernel.exports import lazy_exports

if TYPE_CHECKING:
    from .fetcher import fetch
    from .page import Page, PageLink
    from .rendition import Rendition, rendered

__all__ = ["Page", "PageLink", "Rendition", "fetch", "rendered"]

__getattr__ = lazy_exports(__name__, fetcher="fetch", page="Page PageLink", rendition="Rendition rendered")
