"""The agents: a Planner, those that research, and the Reporter; and the back ends of searching and reading pages.

How much a run does is in `effort`, which those that assemble runs import by name.
"""

from .agent import Agent
from .crawl import Crawl
from .duck_search import DuckSearch
from .planner import Planner
from .quick_searcher import Quick_searcher
from .reporter import Reporter
from .retrival import RAG_agent
from .search import Search_agent

__all__ = ["Agent", "Crawl", "DuckSearch", "Planner", "Quick_searcher", "RAG_agent", "Reporter", "Search_agent"]
