"""The agents: a Planner, those that research, and the Reporter."""

from .agent import Agent
from .planner import Planner
from .reporter import Reporter
from .retrival import RAG_agent

__all__ = ["Agent", "Planner", "RAG_agent", "Reporter"]
