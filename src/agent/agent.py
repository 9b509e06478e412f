"""The base class of all agents."""

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
    """The message that built-in agents accept: a task, and records of the shared schema."""

    agent: str
    task: str
    data: list[Source]


class Sent(Received):
    """The answer of built-in research agents: the next agent, its task, and records of the shared schema."""


class Agent(ABC):
    """A member of the message loop, which answers a task with records or, if it gathers, with a report.

    `name` is the key of its router and its name in plans (`aliases` are accepted too); `description` goes into the
    Planner's prompt. An agent with `gathers` is dispatched alone, after all others have answered. An agent with
    `searches` gets a task in every plan, unless another agent that searches the same place has one. The Router calls
    `attach` before the first message. A subclass need not call `super().__init__`.
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
        """Do the task `response`; return the next agent, its task, and `data` followed by the new records."""

    @abstractmethod
    def get_recv_format(self) -> type[BaseModel] | None:
        """Return the pydantic model of an incoming message; None disables validation."""

    @abstractmethod
    def get_send_format(self) -> type[BaseModel] | None:
        """Return the pydantic model of the answer; None disables validation."""

    async def prepare(self, question: str) -> None:  # noqa: B027 most agents have nothing to prepare
        """Start work that every task of this agent needs, while the plan for `question` is being made.

        An error here is not reported, because it recurs in the task that needs the work.
        """

    async def conclude(self, data: list[Any]) -> None:  # noqa: B027 most agents have nothing to conclude
        """Finish the work shared by this agent's tasks after all have ended; `data` contains all agents' records."""

    def attach(self, run: Run) -> None:
        """Attach this agent to a run. Raises RunError while another run of this agent is open."""
        if self._context is not None and self._context is not run and self._context.is_open:
            raise RunError(
                f'The agent "{self.name}" is used by another run that has not ended', remedy="Create one for each run."
            )
        self._context = run

    @property
    def context(self) -> Run:
        """The run that this agent serves: its clock, journal, events and settings."""
        if self._context is None:
            raise RunError(
                f'The agent "{self.name}" is not used by a run yet',
                remedy="Send it tasks through a Router: await Router(agent).recv_response(task, []).",
            )
        return self._context

    def configure(self, settings: Settings) -> None:
        """Give this agent its own settings; without them it uses those of its run."""
        self.own_settings = settings

    @property
    def settings(self) -> Settings:
        """The settings of this agent: its own, or those of its run."""
        return self.own_settings or self.context.settings

    def _extract_response(self, text: str) -> Any:
        """Return the value of the JSON or Python literal in a model's raw text, or None; see `extract`."""
        return extract(text)


class BuiltIn(Agent):
    """An agent of this package; it receives records of the shared schema and, except the Reporter, returns them."""

    def get_recv_format(self) -> type[BaseModel] | None:
        """Return the format shared by the built-in agents."""
        return Received

    def get_send_format(self) -> type[BaseModel] | None:
        """Return the format shared by the built-in research agents."""
        return Sent
