"""Finds pages on the web for queries, and reads the best of them."""

from .gathering import Found, Gathering, gathering_of
from .reading import Reading, read_pages
from .records import records

__all__ = ["Found", "Gathering", "Reading", "gathering_of", "read_pages", "records"]
