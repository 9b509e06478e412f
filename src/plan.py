"""What the Planner decided: the ordered tasks, the queries that serve each, and the sections of the report."""

from pydantic import BaseModel, ConfigDict


class Task(BaseModel):
    """One step of a plan: what to find out, which agent does it, and the queries that may serve it."""

    model_config = ConfigDict(frozen=True)

    task: str
    agent: str
    queries: tuple[str, ...] = ()


class Plan(BaseModel):
    """Ordered tasks, and section titles when the plan carries the outline."""

    model_config = ConfigDict(frozen=True)

    tasks: tuple[Task, ...]
    sections: tuple[str, ...] = ()
