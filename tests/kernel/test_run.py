"""A run asks the world once, remembers what it said, and keeps what it opened no longer than itself."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from spyglass.kernel.errors import DeadlineError, ModelBusyError, ModelUnknownError, StoppedError
from spyglass.kernel.events import Event, RunEnded, RunStarted
from spyglass.kernel.journal import Journal
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Settings


class Oracle:
    """Counts how often it was asked; fails as often as it is told to."""

    def __init__(self, *failures: Exception) -> None:
        self.asked = 0
        self.failures = list(failures)

    async def __call__(self) -> str:
        self.asked += 1
        await asyncio.sleep(0)
        if self.failures:
            raise self.failures.pop(0)
        return f"answer {self.asked}"


async def test_equal_requests_are_made_once(run: Run) -> None:
    oracle = Oracle()
    answers = await asyncio.gather(*(run.effect("ask", {"q": "x"}, oracle) for _ in range(5)))
    assert set(answers) == {"answer 1"}
    assert await run.effect("ask", {"q": "x"}, oracle) == "answer 1"
    assert oracle.asked == 1


async def test_different_requests_are_different_effects(run: Run) -> None:
    oracle = Oracle()
    assert await run.effect("ask", {"q": "x"}, oracle) != await run.effect("ask", {"q": "y"}, oracle)


async def test_a_failure_is_remembered_and_raised_again(run: Run) -> None:
    oracle = Oracle(ModelUnknownError("no such model", remedy="Choose another."))
    for _ in range(2):
        with pytest.raises(ModelUnknownError, match=r"no such model\. Choose another\."):
            await run.effect("ask", {}, oracle)
    assert oracle.asked == 1


async def test_a_retryable_failure_is_tried_again_after_the_pause_that_the_server_asked_for(run: Run) -> None:
    oracle = Oracle(ModelBusyError("busy", retry_after=0.01), ModelBusyError("busy", retry_after=0.01))
    assert await run.effect("ask", {}, oracle, attempts=3) == "answer 3"


async def test_attempts_are_bounded(run: Run) -> None:
    oracle = Oracle(*(ModelBusyError("busy", retry_after=0.0) for _ in range(5)))
    with pytest.raises(ModelBusyError):
        await run.effect("ask", {}, oracle, attempts=2)
    assert oracle.asked == 2


async def test_a_call_that_hangs_ends_at_its_deadline(run: Run) -> None:
    with pytest.raises(DeadlineError, match=r"longer than 0\.01 s"):
        await run.effect("ask", {}, asyncio.Event().wait, deadline=0.01)


async def test_when_the_caller_is_cancelled_those_who_joined_make_the_call_themselves(run: Run) -> None:
    started = asyncio.Event()

    async def slow() -> str:
        started.set()
        await asyncio.sleep(30)
        return "slow"

    oracle = Oracle()
    first = asyncio.create_task(run.effect("ask", {}, slow))
    await started.wait()
    joined = asyncio.create_task(run.effect("ask", {}, oracle))
    await asyncio.sleep(0)
    first.cancel()
    assert await joined == "answer 1"


async def test_callers_that_are_cancelled_together_stay_cancelled(run: Run) -> None:
    calls, started = list[int](), asyncio.Event()

    async def slow() -> None:
        calls.append(1)
        started.set()
        await asyncio.sleep(30)

    callers = [asyncio.create_task(run.effect("ask", {}, slow)) for _ in range(3)]
    await started.wait()
    for caller in callers:
        caller.cancel()
    ends = await asyncio.gather(*callers, return_exceptions=True)
    assert [type(end) for end in ends] == [asyncio.CancelledError] * 3
    assert len(calls) == 1


async def test_everybody_has_an_answer_of_his_own_and_as_a_replay_will_have_it(run: Run) -> None:
    async def call() -> dict[str, tuple[int, int]]:
        await asyncio.sleep(0)
        return {"pair": (1, 2)}

    first, joined = await asyncio.gather(run.effect("ask", {}, call), run.effect("ask", {}, call))
    assert first == joined == {"pair": [1, 2]}
    first["pair"].append(3)
    assert await run.effect("ask", {}, call) == joined == {"pair": [1, 2]}


async def test_an_answer_that_is_no_json_is_a_bug_that_all_callers_see(run: Run) -> None:
    oracle = Oracle()

    async def call() -> object:
        await oracle()
        return object()

    ends = await asyncio.gather(*(run.effect("ask", {}, call) for _ in range(3)), return_exceptions=True)
    assert [type(end) for end in ends] == [TypeError] * 3
    assert oracle.asked == 1


async def test_a_stopped_run_begins_nothing_and_still_answers_what_it_knows(run: Run) -> None:
    oracle = Oracle()
    await run.effect("ask", {"q": "known"}, oracle)
    started = asyncio.Event()

    async def slow() -> None:
        started.set()
        await asyncio.Event().wait()

    waiting = asyncio.create_task(run.effect("ask", {"q": "slow"}, slow))
    await started.wait()
    run.stop()
    run.stop()
    with pytest.raises(StoppedError):
        await waiting
    with pytest.raises(StoppedError):
        await run.effect("ask", {"q": "new"}, oracle)
    assert await run.effect("ask", {"q": "known"}, oracle) == "answer 1"
    assert [request["q"] for _, request, _ in run.journal.effects() if "q" in request] == ["known"]


async def test_what_was_decided_is_an_answer_and_a_stopped_run_decides_nothing(run: Run) -> None:
    oracle = Oracle()
    run.decide([("read", {"urls": ["a"]}, ["page"]), ("read", {"urls": []}, [])])
    assert await run.effect("read", {"urls": ["a"]}, oracle) == ["page"]
    run.stop()
    run.decide([("read", {"urls": ["b"]}, ["page"])])
    with pytest.raises(StoppedError):
        await run.effect("read", {"urls": ["b"]}, oracle)
    assert not oracle.asked


async def test_a_watcher_that_raises_ends_no_run(settings: Settings) -> None:
    def broken(event: Event) -> None:
        raise BrokenPipeError("nobody reads")

    async with Run("Why?", settings, on_event=broken, journal=Journal()) as run:
        assert await run.effect("ask", {}, Oracle()) == "answer 1"
        assert "nobody reads" in str(run.notices[0])


async def test_a_run_that_an_error_ends_has_failed(settings: Settings) -> None:
    seen: list[Event] = []
    with pytest.raises(ZeroDivisionError):
        await failing(Run("Why?", settings, on_event=seen.append, journal=Journal()))
    assert isinstance(seen[-1], RunEnded)
    assert seen[-1].outcome == "failed"


async def failing(run: Run) -> None:
    async with run:
        raise ZeroDivisionError


async def test_a_run_on_an_old_journal_repeats_nothing(settings: Settings, tmp_path: Path) -> None:
    oracle, path = Oracle(), tmp_path / "journal.sqlite"
    async with Run("Why?", settings, journal=Journal(path)) as first:
        said = await first.effect("ask", {"q": "x"}, oracle)
    async with Run("other", settings, journal=Journal(path)) as again:
        assert await again.effect("ask", {"q": "x"}, oracle) == said
        assert (again.id, again.question, again.started) == (first.id, "Why?", first.started)
    assert oracle.asked == 1


async def test_clients_are_opened_once_and_closed_with_the_run(settings: Settings) -> None:
    log: list[str] = []

    @asynccontextmanager
    async def opener() -> AsyncIterator[str]:
        log.append("open")
        yield "client"
        log.append("close")

    async with Run("Why?", settings, journal=Journal()) as run:
        assert await run.client("c", opener) == await run.client("c", opener) == "client"
        assert log == ["open"]
    assert log == ["open", "close"]


async def test_a_run_says_when_it_starts_and_ends(settings: Settings) -> None:
    seen: list[Event] = []
    async with Run("Why?", settings, on_event=seen.append, journal=Journal()) as run:
        run.spending.add("a", 10, 5, 0.25)
        run.spending.add("a", 10, 5, 0.25)
        run.outcome = "complete"
    assert seen[0] == RunStarted(run.id, "Why?")
    assert isinstance(seen[-1], RunEnded)
    assert (seen[-1].calls, seen[-1].prompt_tokens, seen[-1].cost) == (1, 10, 0.25)


async def test_a_cost_with_an_unknown_part_is_unknown(run: Run) -> None:
    run.spending.add("a", 1, 1, 0.25)
    run.spending.add("b", 1, 1, None)
    assert run.spending.known_cost is None
