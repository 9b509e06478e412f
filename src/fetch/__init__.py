"""Turns pages into text, always through the guard: `fetch` returns a `Page`, read over HTTP or in a browser.

To use the browser itself, import `browser`, `chromium`, `crawl4ai` or `enclosure`.
"""

from typing import TYPE_CHECKING

from ..kernel.exports import lazy_exports

if TYPE_CHECKING:
    from .fetcher import fetch
    from .page import Page, PageLink
    from .rendition import Rendition, rendered

__all__ = ["Page", "PageLink", "Rendition", "fetch", "rendered"]

__getattr__ = lazy_exports(__name__, fetcher="fetch", page="Page PageLink", rendition="Rendition rendered")
