"""Web research: searches for queries, reads the best pages, and makes records of their passages."""

from .browsing import Browsing
from .collected import Collected
from .phases import Phases, Rated
from .reading import read_pages
from .records import SNIPPET, of_page, of_snippet, passages, records, records_of
from .researcher import WebResearcher, researcher_of

__all__ = [
    "SNIPPET",
    "Browsing",
    "Collected",
    "Phases",
    "Rated",
    "WebResearcher",
    "of_page",
    "of_snippet",
    "passages",
    "read_pages",
    "records",
    "records_of",
    "researcher_of",
]
