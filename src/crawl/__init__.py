"""Reads a site page by page: best first by a question, politely, within bounds, and never beyond the site."""

from .crawler import Crawled, crawl
from .site import Site

__all__ = ["Crawled", "Site", "crawl"]
