"""Finds pages on the web for queries, reads the best of them, and makes records of what they say."""

from .browsing import Browsing
from .found import Collected
from .gathering import Gathering, gathering_of
from .phases import Phases, Rated
from .reading import read_pages
from .records import of_snippet, passages, records, records_of

__all__ = [
    "Browsing",
    "Collected",
    "Gathering",
    "Phases",
    "Rated",
    "gathering_of",
    "of_snippet",
    "passages",
    "read_pages",
    "records",
    "records_of",
]
