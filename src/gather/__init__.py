"""Finds pages on the web for queries, reads the best of them, and makes records of what they say."""

from .found import Found
from .gathering import Gathering, gathering_of
from .reading import read_pages
from .records import of_snippet, passages, records, records_of

__all__ = [
    "Found",
    "Gathering",
    "gathering_of",
    "of_snippet",
    "passages",
    "read_pages",
    "records",
    "records_of",
]
