"""The wrapper of one agent: checks messages in both directions, applies a deadline, and converts exceptions."""

import asyncio
import copy
import json
import marshal
from collections import Counter
from dataclasses import replace
from typing import Any

from pydantic import BaseModel, ValidationError

from ..agent import Agent
from ..kernel.cleanup import consume_exception
from ..kernel.errors import AgentError, DeadlineError, MessageError, SpyglassError
from ..kernel.journal import Journal
from ..kernel.message import TERMINATE, Message, MessageFormat
from ..kernel.notice import Notice
from ..kernel.one_line import shortened
from ..kernel.run import Run
from .agents_run import beginning_of, run_of

GRACE = 1.0  # seconds that a cancelled agent has to clean up
LONGEST_VALUE = 200  # characters of an invalid value that an error shows


def gathers(agent: Agent) -> bool:
    """Return whether an agent is dispatched alone, after all others; an agent named `reporter` always is."""
    return agent.gathers or agent.name.lower() == "reporter"


class Router:
    """Wraps one agent, and attaches it to the run of its Server before the first message.

    A router without a run opens one in memory for each message. `deadline` is in seconds, by default the setting
    `research.agent_deadline`.
    """

    def __init__(self, agent: Agent, run: Run | None = None, *, deadline: float | None = None) -> None:
        self.agent = agent
        self.name = agent.name
        self.gathers = gathers(agent)
        self.run: Run | None = None
        self._deadline = deadline
        self._dispatch_counts: Counter[str] = Counter()
        self._formats = (agent.get_recv_format(), agent.get_send_format())
        self.serve(run)

    def serve(self, run: Run | None) -> None:
        """Set the run for the next messages. Raises RunError while the agent serves another run."""
        if run is not None and run is not self.run:
            self.agent.attach(run)
        self.run = run

    async def recv_response(self, message: str, data: list[Any]) -> Message:
        """Run the agent on the task `message` with a copy of `data`, and return its checked answer.

        The answer's data must begin with `data`, unaltered; only the added records, which must be JSON, are checked by
        the send format. Raises MessageError for an invalid message, DeadlineError, BudgetError, AgentError for other
        exceptions, and the agent's own SpyglassErrors.
        """
        if self.run is not None:
            return await self._answer(self.run, message, data)
        start = beginning_of(message, [self.agent])
        async with run_of([self.agent], replace(start, journal=Journal)) as run:
            self.serve(run)
            try:
                return await self._answer(run, message, data)
            finally:
                self.serve(None)

    async def _answer(self, run: Run, message: str, data: list[Any]) -> Message:
        receive, send = self._formats
        self._check(receive, {"agent": self.name, "task": message, "data": data}, "agent_given_wrong")
        answer = await self._in_time(run, message, data)
        self._check(MessageFormat, answer, "agent_answered_wrong")
        self._check(send, {**answer, "data": self._added(answer, data)}, "agent_answered_wrong")
        return answer

    def _added(self, answer: Message, data: list[Any]) -> list[Any] | str:
        """Return what the answer adds to the data. Raises MessageError for altered data, non-JSON or stray text."""
        answered = answer["data"]
        if isinstance(answered, str):
            if answer["agent"] != TERMINATE:
                raise MessageError(Notice("agent_text_as_data", agent=self.name))
            return answered
        if answered[: len(data)] != data:
            what = Notice("agent_altered_data", agent=self.name)
            raise MessageError(what, remedy=Notice("add_records_behind"))
        added: list[Any] = answered[len(data) :]
        try:
            json.dumps(added)
        except (TypeError, ValueError, RecursionError) as error:
            raise MessageError(Notice("agent_data_not_json", agent=self.name, error=str(error))) from error
        return added

    async def _in_time(self, run: Run, message: str, data: list[Any]) -> Message:
        """Wait for the agent until its deadline, even if it cannot be cancelled, and record a missed deadline."""
        self._dispatch_counts[message] += 1
        what = {"agent": self.name, "task": message, "time": str(self._dispatch_counts[message])}
        run.require_in_time(**what)
        longest = self._deadline if self._deadline is not None else run.settings.research.agent_deadline
        deadline = run.budget.at_most(longest)
        task = asyncio.ensure_future(self.agent.run(message, _copied(data)))
        try:
            await asyncio.wait({task}, timeout=deadline)
        finally:
            late = not task.done()
            if late:
                task.cancel()
                await asyncio.wait({task}, timeout=GRACE)
                task.add_done_callback(consume_exception)
        if late:
            error = run.budget.no_time() if deadline != longest else self._late(longest)
            run.record_late(error, **what)
            raise error
        try:
            return task.result()
        except SpyglassError:
            raise
        except (Exception, asyncio.CancelledError) as error:  # the outer edge: an agent may raise anything
            words = f"{type(error).__name__}: {error}"
            raise AgentError(Notice("agent_raised", agent=self.name, error=words)) from error

    def _late(self, deadline: float) -> SpyglassError:
        remedy = Notice("raise_or_ask_less", setting="research.agent_deadline")
        return DeadlineError(Notice("took_too_long", seconds=deadline), remedy=remedy)

    def _check(self, model: type[BaseModel] | None, message: Any, code: str) -> None:
        """Raise MessageError, naming agent, field and value, unless the message is valid; `code` is the notice's."""
        if model is None:
            return
        try:
            model.model_validate(message)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            field = ".".join(str(part) for part in first["loc"]) or "message"
            shown = shortened(repr(first["input"]), LONGEST_VALUE)
            what = Notice(code, agent=self.name, field=field, why=f"{first['msg']}, not {shown}")
            raise MessageError(what, where=f"format {model.__name__}") from error


def _copied(data: list[Any]) -> list[Any]:
    """Return a deep copy; for JSON-like records `marshal` takes less than half the time of `deepcopy`."""
    try:
        copied: list[Any] = marshal.loads(marshal.dumps(data))  # noqa: S302 the bytes never leave this line
    except ValueError:
        copied = copy.deepcopy(data)
    return copied
