"""The plan of a run: ordered tasks, the queries of each, and the sections of the report."""

from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel

Searched = Literal["", "web", "files"]  # where an agent searches: the web, the user's files, or neither


class Task(BaseModel, frozen=True):
    """One step of a plan: what to find out, the agent for it, and suggested queries.

    `serves` is the sub-question of a task that was added later; it is empty for the first tasks, which are
    sub-questions themselves.
    """

    task: str
    agent: str
    queries: tuple[str, ...] = ()
    serves: str = ""

    @property
    def sub_question(self) -> str:
        """The sub-question that the task serves."""
        return self.serves or self.task


class Plan(BaseModel, frozen=True):
    """Ordered tasks, and the section titles if the plan contains the outline."""

    tasks: tuple[Task, ...]
    sections: tuple[str, ...] = ()


class Proposal(BaseModel, frozen=True):
    """The plan as first made, who made it (`by`), and the names of the agents for research."""

    plan: Plan
    by: Literal["model", "rules"]
    agents: list[str]


@dataclass(frozen=True, slots=True)
class AgentCard:
    """What a Planner knows about an agent; `searches` is that of the Agent."""

    name: str
    description: str
    gathers: bool
    searches: Searched = ""
