"""Research tools as functions, each with a `schema` for a model that calls it.

The types of their answers are in `answers` and `crawl_site`; commands and service also import `recorded_tool`,
`researching` and `tool_event`.
"""

from ..kernel.tool import tool
from .crawl_site import crawl_site
from .find_in_files import find_in_files
from .tavily_search import tavily_search
from .web_research import web_research
from .web_search import stream_web_search, web_search

__all__ = [
    "crawl_site",
    "find_in_files",
    "stream_web_search",
    "tavily_search",
    "tool",
    "web_research",
    "web_search",
]
