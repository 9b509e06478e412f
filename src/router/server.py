"""The message loop: dispatches messages of (agent, task, data) until one says TERMINATE."""

import asyncio
from collections import deque
from collections.abc import Awaitable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from pydantic import ValidationError

from ..agent.effort import effort_notice
from ..kernel.cleanup import cancel_and_wait
from ..kernel.errors import DispatchLimitError, MessageError, RoutingError, SpyglassError, UsageError
from ..kernel.events import TaskEnded, TaskStarted
from ..kernel.message import TERMINATE, Message, terminate
from ..kernel.notice import Notice
from ..kernel.plan import AgentCard
from ..kernel.run import Run
from ..kernel.settings import Settings
from ..kernel.source import Source
from ..kernel.thread import in_thread
from .agents_run import beginning_of, kept_report, run_of
from .router import Router


@dataclass(slots=True)
class _RunningTask:
    """A running task: the number of records that it started with, and its last answer."""

    started_from: int
    answer: Message
    task: "asyncio.Task[None] | None" = None


class Server:
    """Dispatches messages between named routers, and collects their data.

    The planner (`initial_router`) returns one message per call. A gathering agent, such as the reporter, works on the
    records of all others. Tasks of other agents start immediately and run concurrently; their records are merged in
    plan order. Before a task of a gathering agent, the server waits for all others, merges, and calls the planner
    again, which may insert tasks.

    A server without a run opens one for each question, with `settings`, else those of an agent, else `Settings.load`,
    and closes it when the question is answered. `max_dispatches` is by default that of the settings.
    """

    def __init__(
        self, run: Run | None = None, *, settings: Settings | None = None, max_dispatches: int | None = None
    ) -> None:
        self.run = run
        self.settings = settings
        self.max_dispatches = max_dispatches
        self.routers: dict[str, Router] = {}
        self.initial_router = ""
        self.next_router = ""
        self._begin()

    def _begin(self) -> None:
        """Reset the state for a new question."""
        self.data: list[Any] = []
        self._dispatches = 0
        self._has_begun = self._reported = self._concluded = False
        self._running: list[_RunningTask] = []
        self._preparing: list[asyncio.Task[None]] = []
        self._waiting: deque[Message] = deque()

    def add(self, router: Router) -> None:
        """Register a router under its agent's name; the planner, else the first one, is the initial router.

        Set `initial_router` to choose another. Raises UsageError if the name is taken.
        """
        if router.name.lower() in (name.lower() for name in self.routers):
            raise UsageError(f'There are two agents called "{router.name}"', remedy="Give each agent a unique name.")
        self.routers[router.name] = router
        if not self.initial_router or router.name == "planner":
            self.initial_router = router.name

    async def start(self, query: str) -> list[Any] | str:
        """Dispatch messages, beginning with `query` to the initial router, until one says TERMINATE; return its data.

        The data is the finished report or, if no agent gathers, the list of records. If the planner terminates without
        having called a gathering agent, that agent is called at the end. The failure of an agent is noted on the run.
        Raises RoutingError, DispatchLimitError, errors of the planner's first call, and errors of a gathering agent;
        `data` then contains the records so far.
        """
        self._begin()
        self._initial = self._router_of(self.initial_router or next(iter(self.routers), ""))
        if run := self.run or next((router.run for router in self.routers.values() if router.run), None):
            return await self._serve(run, query)
        agents = [router.agent for router in self.routers.values()]
        async with run_of(agents, beginning_of(query, agents, self.settings)) as run:
            try:
                answer = await self._serve(run, query)
            finally:
                for router in self.routers.values():
                    router.serve(None)
            if isinstance(answer, str):
                return kept_report(run, answer).markdown
            run.conclude(has_result=bool(answer))
            return answer

    async def _serve(self, run: Run, query: str) -> list[Any] | str:
        self._serving = run
        for router in self.routers.values():
            router.serve(run)
        if effort := effort_notice(run.settings):
            run.notice(effort)
        self._introduce()
        await in_thread(import_module, "numpy")  # fails if several preparations first import it at the same time
        self._prepare(query)
        try:
            answer = await self._loop(query)
            await self._conclude()
            return answer
        finally:
            await self._cancel()

    async def _loop(self, query: str) -> list[Any] | str:
        message, router = await self._next(query)
        while True:
            if router is not None and not router.gathers:
                self._start_task(message)
            elif router is not None:
                self._waiting.append(message)
            if router is None or router.gathers:
                if self._running:
                    final = await self._join()
                elif gathering := self._next_gathering(query):
                    final = message = await self._gather(gathering)
                    router = None if self.check_response(message) else self.query_handler(message)[0]
                    if router is not None and router is not self._initial:
                        continue
                else:
                    final = message
                if final is not None and self.check_response(final):
                    self._keep_data(final)
                    data: list[Any] | str = final["data"]
                    return data
            message, router = await self._next(query)

    def _next_gathering(self, query: str) -> Message | None:
        """Return the next message to a gathering agent, created here if the plan had none."""
        if self._waiting:
            return self._waiting.popleft()
        name = next((router.name for router in self.routers.values() if router.gathers), None)
        return None if name is None or self._reported else {"agent": name, "task": query, "data": self.data}

    async def _next(self, query: str) -> tuple[Message, Router | None]:
        """Return the planner's next message and its router, None if the planner terminates.

        If the planner fails after its first message, the results of its tasks still go to the gathering agent.
        """
        try:
            self._count_dispatch()
            message = await self._dispatch(self._initial, query, self.data)
            self._keep_data(message)
            router = None if self.check_response(message) else self.query_handler(message)[0]
            if router is not None and not router.gathers:
                self._count_dispatch()  # counted at planning, so that the limit drops no planned task
            self._has_begun = True
            return message, router
        except SpyglassError as error:
            if not self._has_begun or not any(router.gathers for router in self.routers.values()):
                raise
            self._note(self._initial.name, query, error)
            return terminate(self.data), None

    def check_response(self, message: Message) -> bool:
        """Return whether a message ends the run."""
        return message["agent"] == TERMINATE

    def query_handler(self, message: Message) -> tuple[Router, str, list[Any]]:
        """Return the next router, its task and its data. Raises RoutingError, which lists the known names."""
        router = self._router_of(message["agent"])
        self.next_router = router.name
        return router, message["task"], message["data"]

    def _router_of(self, name: str) -> Router:
        """Return the router of that name or alias. Raises RoutingError."""
        key = name.strip().lower()
        for registered, router in self.routers.items():
            if key in (alias.lower() for alias in (registered, router.name, *router.agent.aliases)):
                return router
        known = Notice("known_agents", known=", ".join(self.routers) or "–")
        raise RoutingError(Notice("no_such_agent", agent=name), remedy=known)

    def _introduce(self) -> None:
        self._serving.agents = {
            router.name: AgentCard(router.name, router.agent.description, router.gathers, router.agent.searches)
            for router in self.routers.values()
            if router is not self._initial
        }

    def _prepare(self, query: str) -> None:
        """Start the agents' preparations, which run during planning."""
        self._preparing = [
            asyncio.create_task(self._guard(router, Notice("of_preparing"), router.agent.prepare(query)))
            for router in self.routers.values()
        ]

    async def _conclude(self) -> None:
        """Have each agent conclude, once, after all tasks have ended."""
        if not self._concluded:
            self._concluded = True
            for router in self.routers.values():
                await self._guard(router, Notice("of_concluding"), router.agent.conclude(self.data))

    async def _guard(self, router: Router, stage: Notice, work: Awaitable[None]) -> None:
        """Await an agent's preparation or conclusion; a SpyglassError is ignored, because a task raises it again."""
        try:
            await work
        except SpyglassError:
            pass
        except Exception as error:  # noqa: BLE001 the outer edge: an agent may raise anything
            self._serving.fail(router.name, stage, f"{type(error).__name__}: {error}")

    def _keep_data(self, message: Message) -> None:
        """Store the records of a message, unless it is a report."""
        if isinstance(message["data"], list):
            self.data = message["data"]

    def _count_dispatch(self) -> None:
        """Count a dispatch. Those to gathering agents do not count: a run at its limit still ends with a report."""
        most = self._serving.settings.research.max_dispatches if self.max_dispatches is None else self.max_dispatches
        if self._dispatches == most:
            remedy = Notice("raise_or_ask_less", setting="research.max_dispatches")
            raise DispatchLimitError(Notice("too_many_dispatches", most=most), remedy=remedy)
        self._dispatches += 1

    async def _dispatch(self, router: Router, task: str, data: list[Any]) -> Message:
        name = router.name
        with self._serving.observer.agent(name, task):
            answer = await router.recv_response(task, data)
        added = answer["data"]
        if isinstance(added, list):
            added = self._usable(name, task, added[len(data) :])
            answer = {**answer, "data": [*data, *added]}
        self._serving.journal.log(name, {"agent": answer["agent"], "task": answer["task"], "added": added})
        return answer

    def _usable(self, name: str, task: str, added: list[Any]) -> list[Any]:
        """Return the added records that match the shared schema, each with its task; note the others on the run."""
        usable = []
        for record in added:
            try:
                Source.model_validate(record)
            except ValidationError as error:
                first = error.errors(include_url=False)[0]
                field = ".".join(map(str, first["loc"])) or "record"
                what = Notice("record_left_out", field=field, why=first["msg"])
                self._note(name, task, MessageError(what))
            else:
                usable.append({**record, "task": record.get("task") or task})
        return usable

    def _start_task(self, message: Message) -> None:
        """Start a research task with the current data."""
        running = _RunningTask(len(self.data), {**message, "data": self.data})
        running.task = asyncio.create_task(self._follow(running))
        self._running.append(running)

    async def _follow(self, running: _RunningTask) -> None:
        """Pass a message from agent to agent, until the next is the planner or gathers, the run ends, or one fails."""
        while True:
            router, task, data = self.query_handler(running.answer)
            self._serving.emit(TaskStarted(router.name, task))
            try:
                running.answer = await self._dispatch(router, task, data)
                self._serving.emit(TaskEnded(router.name, task, _added(running.answer, data)))
                data = running.answer["data"]
                following = None if self.check_response(running.answer) else self.query_handler(running.answer)[0]
                if following is None or following.gathers or following is self._initial:
                    return
                self._count_dispatch()
            except SpyglassError as error:
                running.answer = {"agent": self._initial.name, "task": task, "data": data}
                self._note(router.name, task, error)
                return

    async def _join(self) -> Message | None:
        """Wait for all running tasks and merge their records in plan order; return an answer that ends the run."""
        final: Message | None = None
        await asyncio.gather(*(running.task for running in self._running if running.task))
        ended, self._running = self._running, []
        for running in ended:
            answer = running.answer
            if isinstance(answer["data"], list):
                self.data = [*self.data, *answer["data"][running.started_from :]]
            if self.check_response(answer):
                final = final or answer
            elif self.query_handler(answer)[0].gathers:
                self._waiting.append(answer)
        if final is not None and isinstance(final["data"], list):
            return {**final, "data": self.data}
        return final

    async def _gather(self, message: Message) -> Message:
        await self._conclude()
        self._reported = True
        self._serving.budget.begin_writing()
        router, task, _ = self.query_handler(message)
        self._serving.emit(TaskStarted(router.name, task))
        answer = await self._dispatch(router, task, self.data)
        self._serving.emit(TaskEnded(router.name, task, _added(answer, self.data)))
        self._keep_data(answer)
        return answer

    async def _cancel(self) -> None:
        """Cancel all tasks, however the run ends."""
        tasks = [*self._preparing, *(running.task for running in self._running if running.task)]
        await cancel_and_wait(*tasks)  # ends in time: a Router gives up on its agent after GRACE

    def _note(self, who: str, task: str, error: SpyglassError) -> None:
        """Record a failure that does not end the run."""
        self._serving.emit(TaskEnded(who, task, 0, str(error)))
        self._serving.fail(who, task, error.message)


def _added(answer: Message, data: list[Any]) -> int:
    """Return how many records an answer adds; a report adds none."""
    return len(answer["data"]) - len(data) if isinstance(answer["data"], list) else 0
