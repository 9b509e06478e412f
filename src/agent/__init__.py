"""The agents: a Planner, those that research, and the Reporter."""

from .agent import Agent
from .planner import Planner
from .quick_searcher import Quick_searcher
from .reporter import Reporter
from .retrival import RAG_agent
from .search import Search_agent

__all__ = ["Agent", "Planner", "Quick_searcher", "RAG_agent", "Reporter", "Search_agent"]
