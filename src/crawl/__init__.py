"""Crawling of a site: the best pages for a question first, within robots.txt and limits, and never outside the site."""

from .crawler import Crawled, crawl
from .site import Site

__all__ = ["Crawled", "Site", "crawl"]
