"""The base class of the agents that find sources."""

from collections.abc import Sequence
from typing import Any

from ..kernel.message import Message
from ..kernel.run import Run
from ..kernel.source import Passage, Source
from ..model import Model
from .agent import BuiltIn
from .summary import summary


class ResearchAgent(BuiltIn):
    """An agent that answers a task with records of sources.

    `db` contains every record of the run. With a model and the setting `summarise`, the model writes each record's
    summary; otherwise the summary is the passages themselves.
    """

    def __init__(self, model: Model | None = None) -> None:
        self.model = model
        self.db: list[dict[str, Any]] = []

    def attach(self, run: Run) -> None:
        """Attach a new run and clear the records of the previous one."""
        super().attach(run)
        self.db = []

    def planned(self, task: str) -> list[str]:
        """Return the queries in the run's plan for a task of this agent."""
        tasks = (planned for planned in self.context.plan.tasks if planned.task == task and planned.agent == self.name)
        return [query for planned in tasks for query in planned.queries]

    async def summary_of(self, task: str, title: str, passages: Sequence[Passage]) -> str:
        """Return the summary of a source: the model's, or its passages."""
        return await summary(
            self.context, self.model, self.settings, who=self.name, task=task, title=title, passages=passages
        )

    def answer(self, task: str, data: list[Any] | None, sources: Sequence[Source]) -> Message:
        """Add the records of the sources to `db`, and return the message that answers `data` followed by them."""
        records = [source.model_dump(mode="json") for source in sources]
        self.db += records
        return {"agent": "planner", "task": task, "data": [*(data or []), *records]}
