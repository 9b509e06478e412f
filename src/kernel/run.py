"""A run, which answers one question: its clock, journal, counters, events, clients and effects (external calls)."""

import asyncio
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Hashable, Iterable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, aclosing, asynccontextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar

from . import errors
from .argument import validated
from .attempts import call_with_retries
from .budget import Budget, Spending
from .database import database_of
from .events import LEFT, Event, Noticed, Retrying, RunEnded, RunStarted, mark_of
from .in_flight import InFlight
from .journal import Answer, Journal, canonical, effect_key
from .journal.journal import journal_at
from .journal.lease import hold_lease
from .ledger import Ledger
from .notice import Notice, NoticeOrText, mapped
from .observe import observer_of
from .one_line import shortened
from .outcome import Outcome, outcome_of
from .plan import AgentCard, Plan
from .pool import Pool
from .settings import Settings
from .url import cleaned

if TYPE_CHECKING:
    from ..report import Report

EventSink = Callable[[Event], None]
Client = TypeVar("Client")
Result = TypeVar("Result")

TRACEPARENT: Final = "traceparent"
"""The journal key of the trace that a run belongs to when another process started it."""

LONGEST_SHOWN = 160  # characters of a request that an error shows


@dataclass(frozen=True, slots=True)
class Failure:
    """A failure that the run survived; the report lists it."""

    who: str
    what: NoticeOrText
    why: NoticeOrText

    def to_record(self) -> dict[str, str]:
        """Return a JSON-able record, in English."""
        return {"who": self.who, "what": str(self.what), "why": str(self.why)}


@validated
class Run:
    """The run of one question. Use it as `async with Run(question, settings) as run:`.

    An effect is an external call whose answer the journal records. All go through `effect`, which answers recorded
    requests from the journal. Clients opened by `client` are closed with the run, those opened by `shared` with the
    `pool`. An `offline` run makes no calls: requests that its journal lacks are listed in `unrecorded`. A run holds the
    journal's lease, and stops when another process takes it. `has_retryable_failure` is set when a call failed that may
    succeed later.
    """

    def __init__(
        self,
        question: str,
        settings: Settings,
        *,
        on_event: EventSink | None = None,
        journal: Journal | None = None,
        offline: bool = False,
        pool: Pool | None = None,
    ) -> None:
        self.question = question
        self.settings = settings
        self.plan = Plan(tasks=())
        self.agents: dict[str, AgentCard] = {}
        self.spending = Spending()
        self.ledger = Ledger()
        self.failures: list[Failure] = []
        self.notices: list[NoticeOrText] = []
        self.id = ""
        self.outcome: Outcome = "cancelled"
        self.report: Report | None = None
        self.offline = offline
        self.has_retryable_failure = False
        self.unrecorded: list[str] = []
        self.observer = observer_of(settings)
        self._on_event = on_event
        self._emitted: set[Event] = set()
        self._journal = journal
        self.pool = pool or Pool()
        self._owns_pool = pool is None
        self._in_flight = InFlight()
        self.is_open = False  # the run has begun and not ended
        self._clients: dict[Hashable, Any] = {}
        self._opening: dict[Hashable, asyncio.Lock] = {}
        self._exits = AsyncExitStack()
        self._began = time.monotonic()

    async def __aenter__(self) -> Self:
        try:
            await self._begin()
        except BaseException:
            self.is_open = False
            await self._exits.aclose()
            if self._journal is not None:
                self._journal.close()
            raise
        return self

    async def _begin(self) -> None:
        self.is_open = True
        if self._owns_pool:
            await self._exits.enter_async_context(self.pool)
        self.pool.require_open()
        new_id = secrets.token_hex(6)
        if self._journal is None:
            self._journal = journal_at(self.settings.data_dir / "runs" / new_id / "journal.sqlite", self.settings)
        await self._exits.enter_async_context(hold_lease(self._journal, self.stop))
        self.id = str(self.fact("id", new_id))
        self.question = str(self.fact("question", self.question))
        self.budget = self._budget()
        self.started = datetime.fromisoformat(await self.effect("clock", {"reading": "start"}, _read_clock))
        self.fact("began", self.started.isoformat())
        self.observer.under(self.journal.get(TRACEPARENT))
        self.emit(RunStarted(self.id, self.question))
        if file := (self.journal.get("from") or {}).get("file"):
            self.notice(Notice("run_taken_over", file=str(file)))

    async def __aexit__(self, kind: type[BaseException] | None, *_exception: object) -> None:
        self.is_open = False
        if kind is not None and issubclass(kind, Exception):
            self.outcome = "cancelled" if self.stopped and issubclass(kind, errors.StoppedError) else "failed"
            self.outcome = "planned" if issubclass(kind, errors.PlanWaitsError) else self.outcome
        ended = RunEnded(self.id, self.outcome, self.seconds, **self.spending.totals())
        # Another process has taken the run, or the disk is full: the report is not lost.
        with suppress(errors.JournalError):
            self.journal.put("ended", {"at": time.time(), **asdict(ended)})
            self.journal.put("ledger", [asdict(record) for record in self.ledger.records])
            self.journal.mark(*LEFT, time.time())
        self._exits.push_async_callback(self._in_flight.settle)
        try:
            await self._exits.aclose()
        finally:
            self.emit(ended)
            self.journal.close()

    @property
    def journal(self) -> Journal:
        """The journal of this run's effects."""
        if self._journal is None:
            raise RuntimeError("the run is not open; use `async with Run(…) as run`")
        return self._journal

    @property
    def today(self) -> date:
        """The day on which the run started, by its recorded clock (UTC)."""
        return self.started.date()

    @property
    def seconds(self) -> float:
        """Wall-clock seconds since the run was opened; not for reports, which must replay byte for byte."""
        return time.monotonic() - self._began

    def emit(self, event: Event, *, once: bool = False) -> None:
        """Send an event to the log, the journal and `on_event`; with `once`, only if no equal event was sent before.

        An `on_event` that raises gets no more events, and a notice is added to the run.
        """
        if once and event in self._emitted:
            return
        if once:
            self._emitted.add(event)
        if self.is_open and (mark := mark_of(event)):
            self.journal.mark(*mark, time.time())
        self.observer.record_event(self.id, event)
        if self._journal is not None:
            self._journal.publish(event)
        if self._on_event is None:
            return
        try:
            self._on_event(event)
        except Exception as error:  # noqa: BLE001 a callback may raise anything, and must not end the run
            self._on_event = None
            self.notice(Notice("progress_lost", why=f"{type(error).__name__}: {error}"))

    def notice(self, notice: NoticeOrText, *, emitted: bool = False) -> None:
        """Add a notice to the report unless it has it, and emit it unless another event has already `emitted` it."""
        notice = mapped(notice, cleaned)
        if notice not in self.notices:
            self.notices.append(notice)
            if not emitted:
                self.emit(Noticed(notice))

    def fail(self, who: str, what: NoticeOrText, why: NoticeOrText) -> None:
        """Record a failure that the run survives; the report lists it."""
        failure = Failure(who, mapped(what, cleaned), mapped(why, cleaned))
        if failure not in self.failures:
            self.failures.append(failure)

    def fact(self, name: str, value: Any) -> Any:
        """Return the JSON value under a name in the journal; if there is none, store and return `value`."""
        stored = self.journal.get(name)
        if stored is None:
            self.journal.put(name, value)
        return value if stored is None else stored

    def stop(self) -> None:
        """Start no new effects and cancel the running ones: their callers get StoppedError.

        Recorded effects are still answered. The cancelled calls are not recorded, so the run can be resumed.
        """
        self._in_flight.stop()

    @property
    def stopped(self) -> bool:
        """Whether the user stopped this run."""
        return self._in_flight.stopped

    def conclude(self, *, has_result: bool, failed: bool = False) -> Outcome:
        """Set and return the outcome for whether there is a result and whether anything failed."""
        self.outcome = outcome_of(has_result=has_result, failed=failed or bool(self.failures), stopped=self.stopped)
        return self.outcome

    def slot(self, name: Hashable, most: int) -> AbstractAsyncContextManager[None]:
        """Return a context manager that holds one of the slots that the pool's runs share, and waits for it.

        This run holds at most `most` slots, all runs together at most the largest `most` of any. Runs take turns.
        """
        return self.pool.slot(name, self, most)

    @asynccontextmanager
    async def global_slot(
        self, name: str, most: int, *, pause: float = 0.0, per_minute: int = 0
    ) -> AsyncIterator[None]:
        """Hold one of the slots that the runs of all processes on a database share, and wait for it.

        The slot is released `pause` seconds after the block; at most `per_minute` are taken in a minute, if that is not
        0. Does nothing without a database. Raises DatabaseError if the database stays unreachable.
        """
        if self.settings.database_url is None:
            yield
            return
        database = database_of(self.settings)
        from .database.slots import SharedSlots, turn

        slots = await self.client(("slots", name), lambda: aclosing(SharedSlots(database, name, self.id, most)))
        if per_minute:
            await turn(database, name, per_minute)
        async with slots.slot(pause):
            yield

    async def client(self, name: Hashable, opener: Callable[[], AbstractAsyncContextManager[Client]]) -> Client:
        """Return the run's client of that name, opened at first use and closed with the run."""
        async with self._opening.setdefault(name, asyncio.Lock()):
            if name not in self._clients:
                self._clients[name] = await self._exits.enter_async_context(opener())
        client: Client = self._clients[name]
        return client

    async def shared(
        self, name: Hashable, opener: Callable[[], AbstractAsyncContextManager[Client]], *, keeps: bool = True
    ) -> Client:
        """Return the pool's client of that name, which stays open at least as long as the run.

        Runs that use the same name share it, so the name must contain everything that configures the client.
        """
        return await self.client(name, lambda: self.pool.client(name, opener, keeps=keeps))

    async def effect(
        self,
        kind: str,
        request: Any,
        call: Callable[[], Awaitable[Any]],
        *,
        deadline: float | None = None,
        attempts: int = 1,
    ) -> Any:
        """Make an external call once and record it; `request` and the answer are JSON values.

        A recorded request is answered from the journal, and a running one is joined. `deadline` limits each attempt, in
        seconds; retryable errors are retried, up to `attempts` attempts in all. A failure is recorded too, and raised
        again. Raises what `call` raises, DeadlineError, and StoppedError if the run was stopped.
        """
        key = effect_key(kind, request)
        with self.observer.effect(kind, request) as observe:
            await self._in_flight.join(key)
            answer = recorded = self.journal.find(key)
            if answer is None:
                await self._ask(key, kind, request, lambda: self._answer(call, kind, deadline, attempts))
                answer = self.journal.find(key)
            assert answer is not None
            observe(answer, recorded is not None)
        if answer.error is not None:
            raise errors.from_record(answer.error)
        return answer.value

    def decide(self, decisions: Iterable[tuple[str, Any, Any]]) -> None:
        """Record decisions, as (kind, request, answer), as effects in one transaction; a stopped run records none."""
        if not self.stopped:
            with self.journal.together():
                for kind, request, value in decisions:
                    self.journal.record(effect_key(kind, request), kind, request, Answer(value=value))

    async def within(
        self, seconds: float, work: Coroutine[Any, Any, Result], late: errors.SpyglassError, **what: str
    ) -> Result:
        """Await `work`, or raise `late` after `seconds`.

        The timeout is recorded under `what`: a resumed or replayed run raises `late` without waiting.
        """
        try:
            self.require_in_time(**what)
        except errors.SpyglassError:
            work.close()
            raise
        try:
            async with asyncio.timeout(seconds) as bound:
                return await work
        except TimeoutError as error:
            if not bound.expired():
                raise
            self.record_late(late, **what)
            raise late from error

    def require_in_time(self, **what: str) -> None:
        """Raise the error that `record_late` recorded under `what`, if any."""
        answer = self.journal.find(effect_key("late", what))
        if answer is not None and answer.error is not None:
            raise errors.from_record(answer.error)

    def record_late(self, late: errors.SpyglassError, **what: str) -> None:
        """Record under `what` that a deadline was missed."""
        self.journal.record(effect_key("late", what), "late", what, Answer(error=late.to_record()))

    async def _ask(self, key: str, kind: str, request: Any, answering: Callable[[], Awaitable[Answer]]) -> None:
        """Make a call that others may join, and record its answer, which all then read from the journal."""
        if self.offline:
            call = f"the {kind} call {shortened(canonical(request), LONGEST_SHOWN)}"
            self.unrecorded.append(call)
            raise errors.NotRecordedError(Notice("not_in_journal", call=call))
        if self.stopped or not self.is_open:
            raise errors.StoppedError(Notice("run_stopped" if self.stopped else "run_has_ended"))

        async def recorded() -> None:
            began, clock = time.time(), asyncio.get_running_loop().time
            start = clock()
            answer = await self._in_flight.unless_stopped(answering())
            self.journal.record(key, kind, request, answer, began=began, ended=began + clock() - start)
            await self.journal.flush()

        await self._in_flight.start_call(key, recorded())

    async def _answer(
        self, call: Callable[[], Awaitable[Any]], kind: str, deadline: float | None, attempts: int
    ) -> Answer:
        """Make the call with its retries, and return its value or error; raises StoppedError and JournalError."""
        try:
            async with self.budget.in_time(kind):
                work = call_with_retries(call, deadline, attempts, lambda error: self.emit(Retrying(kind, str(error))))
                return Answer(value=await work)
        except errors.BudgetError as error:
            self.emit(Noticed(error.message), once=True)
            return Answer(error=error.to_record())
        except (errors.JournalError, errors.StoppedError):
            raise
        except errors.SpyglassError as error:
            self.has_retryable_failure |= error.retryable or isinstance(
                error, errors.ModelKeyError | errors.SearchKeyError
            )
            return Answer(error=error.to_record())

    def _budget(self) -> Budget:
        """Return the budget; an offline run makes no calls, so its budget has no limits."""
        if self.offline:
            return Budget({}, {}, 0.0, clock=lambda: 0.0)
        spent = self.journal.get("spent")
        return Budget.of(self.settings, clock=lambda: self.seconds, spent=spent, keep=self._keep_spent)

    def _keep_spent(self, record: dict[str, Any]) -> None:
        if self.is_open:
            self.journal.put("spent", record)


async def _read_clock() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
