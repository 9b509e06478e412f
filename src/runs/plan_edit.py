"""A user's changes to a plan: tasks removed, added or reworded."""

from pathlib import Path

from pydantic import BaseModel, Field, ValidationError

from ..kernel.bounded_json import read_json
from ..kernel.errors import UsageError
from ..kernel.journal import Journal
from ..kernel.journal.approval import proposed
from ..kernel.plan import Plan, Proposal, Task

MOST_TASKS = 40
LONGEST = 1_000  # characters of a task or a query
AS_PROPOSED = Path("-")

LARGEST = 200_000  # bytes of a file with a plan


class EditedTask(BaseModel, extra="ignore"):
    """A task as a user writes it; without an `agent` it goes to every research agent."""

    task: str = Field(min_length=1, max_length=LONGEST)
    agent: str = Field(default="", max_length=LONGEST)
    queries: list[str] = Field(default=[], max_length=MOST_TASKS)


class PlanEdit(BaseModel, extra="ignore"):
    """A plan as a user approves it: the tasks, if empty the proposed ones, and the titles of the report's sections."""

    tasks: list[EditedTask] = Field(max_length=MOST_TASKS)
    sections: list[str] = Field(default=[], max_length=MOST_TASKS)

    def applied(self, proposal: Proposal) -> Plan:
        """Return the changed plan; a proposed task keeps its queries unless the user gives others."""
        if not self.tasks:
            return proposal.plan.model_copy(update={"sections": tuple(self.sections)} if self.sections else {})
        proposed_tasks = {(task.task, task.agent): task for task in proposal.plan.tasks}
        tasks = []
        for edited in self.tasks:
            for agent in [edited.agent] if edited.agent else proposal.agents:
                same = proposed_tasks.get((edited.task, agent))
                queries = tuple(edited.queries) or (same.queries if same else (edited.task,))
                tasks.append(Task(task=edited.task, agent=agent, queries=queries))
        return Plan(tasks=tuple(tasks), sections=tuple(self.sections))


def plan_edit(path: Path) -> PlanEdit:
    """Read a plan from a JSON file: `tasks`, each with `task` and optional `agent` and `queries`, or a list of tasks.

    The file `-` means the plan as proposed. Raises UsageError.
    """
    if path == AS_PROPOSED:
        return PlanEdit(tasks=[])
    try:
        with path.open("rb") as file:
            [value] = read_json([file.read(LARGEST).decode()])
        return PlanEdit.model_validate({"tasks": value} if isinstance(value, list) else value)
    except (OSError, ValueError, ValidationError) as error:
        why = error.errors()[0]["msg"] if isinstance(error, ValidationError) else str(error)
        raise UsageError(
            f"The plan cannot be read: {why}",
            where=str(path),
            remedy='Write {"tasks": [{"task": "What to find out"}]}.',
        ) from error


def proposal_of(journal: Path) -> Proposal | None:
    """Return the plan of a run as it was made, None if there is none. Blocks. Raises JournalError."""
    with Journal(journal, readonly=True) as opened:
        return proposed(opened)
