"""What the Planner decided: the ordered tasks, the queries that serve each, and the sections of the report."""

from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel

Searched = Literal["", "web", "files"]  # where an agent searches: the web, the user's files, or neither


class Task(BaseModel, frozen=True):
    """One step of a plan: what to find out, which agent does it, and the queries that may serve it.

    `serves` is the sub-question that a further task was made for; the others are sub-questions themselves.
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
    """Ordered tasks, and section titles when the plan carries the outline."""

    tasks: tuple[Task, ...]
    sections: tuple[str, ...] = ()


class Proposal(BaseModel, frozen=True):
    """A plan as it was made: by whom, and which agents there are for research."""

    plan: Plan
    by: Literal["model", "rules"]
    agents: list[str]


@dataclass(frozen=True, slots=True)
class AgentCard:
    """What a Planner knows of an agent; `searches` as in Agent."""

    name: str
    description: str
    gathers: bool
    searches: Searched = ""
