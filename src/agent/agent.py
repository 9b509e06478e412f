"""The base of all agents."""

from abc import ABC, abstractmethod
from typing import Any

from pydantic import BaseModel

from ..kernel.errors import RunError
from ..kernel.message import Message
from ..kernel.plan import Searched
from ..kernel.run import Run
from ..kernel.settings import Settings
from ..kernel.source import Source
from ..model.extract import extract


class Received(BaseModel, extra="forbid"):
    """What the house's own agents accept: a task, and records of the shared schema."""

    agent: str
    task: str
    data: list[Source]


class Sent(BaseModel, extra="forbid"):
    """What the house's own research agents promise: the next agent, its task, and records of the shared schema."""

    agent: str
    task: str
    data: list[Source]


class Agent(ABC):
    """One member of the message loop.

    `name` is the key of its router and its name in plans (`aliases` are taken too); `description` goes into the
    Planner's prompt. An agent that `gathers` is dispatched alone, when all others have answered. One that says where it
    `searches` gets a task in every plan, unless another that searches there has one. The Router calls `attach` before
    the first message.
    A subclass need not call `super().__init__`.
    """

    name: str = ""
    description: str = ""
    aliases: tuple[str, ...] = ()
    gathers: bool = False
    searches: Searched = ""
    _context: Run | None = None
    own_settings: Settings | None = None

    @abstractmethod
    async def run(self, response: str, data: list[Any] | None = None) -> Message:
        """Do the task `response`; answer the next agent, its task, and `data` with what was found behind it."""

    @abstractmethod
    def get_recv_format(self) -> type[BaseModel] | None:
        """Return the model that an incoming message must fit; None is not checked."""

    @abstractmethod
    def get_send_format(self) -> type[BaseModel] | None:
        """Return the model that the answer must fit; None is not checked."""

    async def prepare(self, question: str) -> None:  # noqa: B027 most agents have nothing to begin
        """Begin what every task of this agent will need, while the plan for `question` is being made.

        What fails here fails again, and is told, in the task that needs it.
        """

    async def conclude(self, data: list[Any]) -> None:  # noqa: B027 most agents have nothing to end
        """End what the tasks of this agent had in common: all have ended, and `data` is what all agents found."""

    def attach(self, run: Run) -> None:
        """Take the run that this agent now serves, one at a time. Raises RunError while another one is open."""
        if self._context is not None and self._context is not run and self._context.is_open:
            raise RunError(
                f'The agent "{self.name}" serves another run that has not ended', remedy="Make an agent for each run."
            )
        self._context = run

    @property
    def context(self) -> Run:
        """The run that this agent serves: its clock, journal, events and settings."""
        if self._context is None:
            raise RunError(
                f'The agent "{self.name}" serves no run yet',
                remedy="Give it its tasks through a Router: await Router(agent).recv_response(task, []).",
            )
        return self._context

    def configure(self, settings: Settings) -> None:
        """Give this agent settings of its own; without them it has those of its run."""
        self.own_settings = settings

    @property
    def settings(self) -> Settings:
        """The settings that this agent goes by."""
        return self.own_settings or self.context.settings

    def _extract_response(self, text: str) -> Any:
        """Return the JSON or Python literal in a model's raw text, or None; see `extract`."""
        return extract(text)
