"""The agents: the Planner, the research agents and the Reporter; and back ends that search and read pages.

Code that assembles runs also imports the module `effort`, which sets how much work a run does.
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
