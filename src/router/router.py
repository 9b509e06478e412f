"""One agent behind its checks: formats in both directions, a deadline, and a named error for whatever goes wrong."""

import asyncio
import copy
import marshal
from typing import Any

from pydantic import BaseModel, ValidationError

from ..agent.agent import Agent
from ..errors import AgentError, DeadlineError, MessageError, SpyglassError
from ..message import Message, MessageFormat
from ..run import Run

LONGEST_VALUE = 200
"""Characters of an offending value that an error shows."""


def gathers(agent: Agent) -> bool:
    """Say whether an agent is dispatched alone, after all others; whoever is called `reporter` is."""
    return agent.gathers or agent.name.lower() == "reporter"


class Router:
    """Wraps one agent, and hands it its run before the first message. `deadline` is in seconds; None is unbounded."""

    def __init__(self, agent: Agent, run: Run | None = None, *, deadline: float | None = None) -> None:
        self.agent = agent
        self.name = agent.name
        self.gathers = gathers(agent)
        self.deadline = deadline
        self._formats = (agent.get_recv_format(), agent.get_send_format())
        if run is not None:
            agent.attach(run)

    async def recv_response(self, message: str, data: list[Any]) -> Message:
        """Run the agent on the task `message` with a copy of `data`, and return its checked answer.

        The answer's data begin with `data`, unaltered; what follows was added. Raises MessageError for a message of
        the wrong shape, DeadlineError, AgentError for an exception that is not of the house, and the agent's own
        SpyglassErrors.
        """
        receive, send = self._formats
        self._check(receive, {"agent": self.name, "task": message, "data": data}, "was given")
        answer = await self._run(message, _copied(data))
        self._check(MessageFormat, answer, "answered")
        self._check(send, answer, "answered")
        added_to = answer["data"]
        if isinstance(added_to, list) and added_to[: len(data)] != data:
            raise MessageError(
                f'The agent "{self.name}" altered the data that it was given',
                remedy="An agent adds its records behind those it was given.",
            )
        return answer

    async def _run(self, message: str, data: list[Any]) -> Message:
        try:
            async with asyncio.timeout(self.deadline) as bound:
                return await self.agent.run(message, data)
        except SpyglassError:
            raise
        except Exception as error:  # the edge of the dispatch loop: any agent may raise anything
            if isinstance(error, TimeoutError) and bound.expired():
                raise DeadlineError(
                    f'The agent "{self.name}" took longer than {self.deadline:g} s',
                    remedy="Raise agent_deadline, or ask for less.",
                ) from error
            raise AgentError(f'The agent "{self.name}" raised {type(error).__name__}: {error}') from error

    def _check(self, wanted: type[BaseModel] | None, message: Any, verb: str) -> None:
        """Raise MessageError, naming agent, field and value, unless the message fits."""
        if wanted is None:
            return
        try:
            wanted.model_validate(message)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            field = ".".join(str(part) for part in first["loc"]) or "message"
            value = repr(first["input"])
            shown = value if len(value) <= LONGEST_VALUE else f"{value[:LONGEST_VALUE]}…"
            raise MessageError(
                f'The agent "{self.name}" {verb} a message whose "{field}" is wrong: {first["msg"]}, not {shown}',
                where=f"format {wanted.__name__}",
            ) from error


def _copied(data: list[Any]) -> list[Any]:
    """Copy records to any depth: JSON-like ones through bytes, in under half the time of walking, others by walking."""
    try:
        copied: list[Any] = marshal.loads(marshal.dumps(data))  # noqa: S302 the bytes never leave this line
    except ValueError:
        copied = copy.deepcopy(data)
    return copied
