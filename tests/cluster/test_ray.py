"""Workers of a Ray cluster make runs: one whose node dies is gone on with on another, and nothing is asked twice."""

import asyncio
import multiprocessing
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import ray
from opentelemetry import trace

from cluster.ray_nodes import COMES, Node
from cluster.services import served
from cluster.world import command, halfway, machine, world
from fetch.processes import beneath
from loopback import ModelServer, PromptRequest, Say, WebServer
from serve.test_runs import call, streamed
from serve.test_runs import ended as over
from spyglass import Report, __version__, research
from spyglass.cli.report import report_on_cluster
from spyglass.cluster import research_many
from spyglass.cluster.connection import Cluster, ended
from spyglass.cluster.reading import Reader
from spyglass.cluster.workers import make, next_ones, unfit
from spyglass.kernel.database import database_of
from spyglass.kernel.database.database import database_at
from spyglass.kernel.errors import RunError, UsageError
from spyglass.kernel.settings import Settings
from spyglass.runs import Account
from spyglass.runs.detached import prepared
from spyglass.runs.shared_store import shared_store
from test_many_runs import answer

pytestmark = [pytest.mark.cluster, pytest.mark.slow]

RUNS = 5  # one more than the head makes at once, so that one is made by the other node
PASSWORD = "geheim"
THINKS = 0.4
"""Seconds that the model takes to answer."""

ASKING = trace.SpanContext(7, 8, is_remote=False, trace_flags=trace.TraceFlags(1))
"""The span in which runs are asked for."""


@pytest.fixture
def database_url(database_url: str) -> str:
    """The address of the test's database with a password, which this database does not ask for."""
    assert "postgres:@" in database_url
    return database_url.replace("postgres:@", f"postgres:{PASSWORD}@")


@pytest.fixture
def settings(database_url: str, web_server: WebServer, model_server: ModelServer, tmp_path: Path) -> Iterator[Settings]:
    given = {name.removeprefix("SPYGLASS_").lower(): value for name, value in world(web_server, model_server).items()}
    given.pop("network__allow_private")
    yield Settings(
        **given,
        network__allow_private=["127.0.0.0/8"],
        research__grace=60,  # or the pages that a report is made from depend on how busy the machine is
        data_dir=tmp_path / "data",
        database_url=database_url,
        observe__otel=True,
    )
    database_at(database_url).close()


async def made(isle: int, settings: Settings) -> Report:
    return await research(question(isle), settings=settings)


def taken(settings: Settings) -> list[int]:
    """Return how often each run was taken: once to keep its question, and once by each worker."""
    query = "SELECT token FROM run ORDER BY id"
    return [token for (token,) in database_of(settings).use(lambda db: db.execute(query).fetchall())]


def at_work(settings: Settings) -> set[int]:
    """Return the processes that hold a run."""
    query = "SELECT pid FROM run WHERE ends > clock_timestamp()"
    return {pid for (pid,) in database_of(settings).use(lambda db: db.execute(query).fetchall())}


def question(isle: int) -> str:
    return f"How did the harbour of isle{isle} develop, and who uses it?"


async def test_a_node_that_is_killed_in_the_midst_of_runs_loses_none_of_them_and_no_answer(
    head: Node,
    settings: Settings,
    database_url: str,
    web_server: WebServer,
    model_server: ModelServer,
    tmp_path: Path,
) -> None:
    alone = settings.updated(database_url=None, data_dir=tmp_path / "alone")
    undisturbed = [report.markdown for report in await asyncio.gather(*(made(isle, alone) for isle in range(RUNS)))]
    calls, model_server.most_at_once = len(model_server.requests), 0
    came: list[tuple[str, float]] = []
    half, second_is_at_work = asyncio.Event(), asyncio.Event()

    def slow(asked: PromptRequest) -> Say:
        came.append((asked.user, time.monotonic()))
        if len(came) < calls // 2:
            return Say(answer(asked), delay=THINKS)
        half.set()
        return Say(answer(asked), delay=THINKS, after=second_is_at_work)  # however long its worker takes to start

    model_server.play(slow)
    async with head.second(tmp_path) as second:
        with trace.use_span(trace.NonRecordingSpan(ASKING)):
            asking = research_many(map(question, range(RUNS)), settings=settings, ray=head.address)
            running = asyncio.create_task(asking)
        await half.wait()
        async with asyncio.timeout(COMES):
            while not {*beneath(second.pid)} & await asyncio.to_thread(at_work, settings):  # noqa: ASYNC110 a process tells us
                await asyncio.sleep(0.05)
        second_is_at_work.set()
    died = time.monotonic()
    reports = await running
    assert [report.markdown if isinstance(report, Report) else str(report) for report in reports] == undisturbed
    answered = {user for user, at in came[: calls // 2 - 1] if at < died - THINKS - 1}
    assert not answered & {user for user, at in came if at > died}, "what was answered is not asked again"
    assert model_server.most_at_once == 1, "its limit holds over all workers"
    at = await asyncio.to_thread(Cluster, settings, head.address)
    runs = await asyncio.to_thread(at.store.all)
    assert [run.outcome for run in runs] == ["complete"] * RUNS
    assert max(await asyncio.to_thread(taken, settings)) > 2, "another worker has gone on with one"

    # A run that a worker is at is stopped from here.
    hangs = asyncio.Event()

    def never(asked: PromptRequest) -> Say:
        hangs.set()
        return Say(answer(asked), delay=60)

    model_server.play(never)
    run_id = await asyncio.to_thread(prepared, question(RUNS), settings)
    await asyncio.to_thread(at.start, run_id)
    await hangs.wait()
    assert list(await asyncio.to_thread(at.at_work)) == [run_id]
    await asyncio.to_thread(at.store.ask_to_stop, run_id)
    assert isinstance(await ended(at, run_id), Report)
    assert (await asyncio.to_thread(at.store.status, run_id)).outcome == "cancelled"

    # The command has a worker make its report.
    environment = machine(tmp_path / "laptop", database_url, **world(web_server, model_server))
    code, report, told = await command("report", question(0), "--ray", head.address, **environment)
    assert (code, report) == (0, undisturbed[0]), told

    # A service has workers make its runs, and stop them.
    web_calls = environment | {"SPYGLASS_DATA_DIR": str(tmp_path / "service")}
    async with served("--ray", head.address, **web_calls) as service:
        _, began = await call(f"{service.address}/runs", {"q": question(1)})
        _, events, _ = await streamed(f"{service.address}/runs/{began['id']}/events")
        assert (events[-2].name, events[-1].data["outcome"]) == ("RunEnded", "complete")
        assert (await call(f"{service.address}/runs/{began['id']}/report.md"))[1] == undisturbed[1]
        model_server.play(never)
        _, began = await call(f"{service.address}/runs", {"q": question(RUNS + 1)})
        assert (await call(f"{service.address}/runs/{began['id']}/cancel", {}))[1]["outcome"] == "running"
        assert (await over(service.address, began["id"]))["outcome"] == "cancelled"

    # The doctor asks each node.
    doctor = environment | {"SPYGLASS_RUNS__RAY": head.address}
    code, report, told = await command("doctor", "--cluster", **doctor)
    assert (code, "1 nodes, each with this version" in report) == (0, True), report + told

    # One that no worker can begin says why.
    await asyncio.to_thread(at.store.database.use, lambda db: db.execute("INSERT INTO run (id) VALUES ('bare')"))
    await asyncio.to_thread(at.start, "bare")
    assert 'its worker failed: The run "bare" no longer exists' in str(await ended(at, "bare"))

    # Spans of workers belong to the trace of who asked. The password of the database is in no log.
    logs = await asyncio.to_thread(head.logs)
    assert sum(written.count(b'"parent_id": "0x%016x"' % ASKING.span_id) for written in logs.values()) >= RUNS
    assert not [path for path, written in logs.items() if PASSWORD.encode() in written]


def make_and_end_as_told(run_id: str, settings: Settings) -> None:
    """Make a run as Ray's worker does: SIGTERM raises SystemExit in its main thread."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    make(run_id, settings, __version__)


async def test_a_run_whose_worker_is_told_to_end_is_gone_on_with_and_one_that_was_to_stop_is_not(
    settings: Settings, model_server: ModelServer, tmp_path: Path
) -> None:
    settings = settings.updated(observe__otel=False)  # or the traces of this process would go where a worker's do
    undisturbed = await made(0, settings.updated(database_url=None, data_dir=tmp_path / "alone"))
    calls = len(model_server.requests)
    store = shared_store(settings)
    runs = []
    for _ in range(2):
        half = halfway(model_server, calls)
        runs.append(await asyncio.to_thread(prepared, question(0), settings))
        worker = multiprocessing.get_context("spawn").Process(target=make_and_end_as_told, args=(runs[-1], settings))
        worker.start()
        await half.wait()
        worker.terminate()
        await asyncio.to_thread(worker.join)
        assert await asyncio.to_thread(store.last_outcome, runs[-1]) == "cancelled"

    assert await asyncio.to_thread(make, runs[0], settings, __version__) == "complete"
    kept = await asyncio.to_thread(lambda: Account.of(store.fetch(store.status(runs[0]))).report)
    assert kept is not None
    assert kept.markdown == undisturbed.markdown

    await asyncio.to_thread(store.ask_to_stop, runs[1])
    asked = len(model_server.requests)
    assert await asyncio.to_thread(make, runs[1], settings, __version__) == "cancelled"
    assert len(model_server.requests) == asked


def test_the_next_run_is_one_of_the_owner_who_has_fewest_at_work() -> None:
    queued = [("a1", "ana"), ("a2", "ana"), ("a3", "ana"), ("b1", "ben"), ("a4", "ana"), ("b2", "ben")]
    assert next_ones(queued, {}, 4) == [("a1", "ana"), ("b1", "ben"), ("a2", "ana"), ("b2", "ben")]
    assert next_ones(queued, {"a1": "ana", "a2": "ana"}, 2) == [("b1", "ben"), ("b2", "ben")]
    assert next_ones(queued[:3], {"a1": "ana"}, 9) == [("a2", "ana"), ("a3", "ana")]
    assert next_ones(queued, {}, 0) == next_ones(queued, {}, -1) == []


async def test_a_worker_of_another_version_makes_and_reads_nothing_and_says_which_it_has(
    settings: Settings, tmp_path: Path
) -> None:
    run_id = await asyncio.to_thread(prepared, question(0), settings)
    for refused in (
        lambda: make(run_id, settings, "0.0.1"),
        lambda: Reader(tmp_path, settings, 0, "0.0.1").convert({"paths": ["a.md"]}),
    ):
        with pytest.raises(
            RunError,
            match=rf"This worker has Spyglass {__version__}, but the \w+ needs 0.0.1.*Install 0.0.1 on every node",
        ):
            await asyncio.to_thread(refused)
    assert unfit(settings, "0.0.1") == f"It has Spyglass {__version__}, not 0.0.1."
    assert await asyncio.to_thread(taken, settings) == [1], "nobody has begun with the run"


async def test_without_a_database_or_a_cluster_it_is_told_how_to_have_one(settings: Settings) -> None:
    ray.shutdown()  # a process that is in a cluster stays there
    with pytest.raises(UsageError, match="No shared database"):
        await research_many(["Why?"], settings=settings.updated(database_url=None))
    with pytest.raises(UsageError, match=r"No Ray cluster answers.*ray start --head"):
        await research_many(["Why?"], settings=settings, ray="127.0.0.1:1")
    with pytest.raises(UsageError, match=r"A worker of a cluster makes its own plan.*--ray"):
        report_on_cluster("Why?", settings.updated(research__ask=True), "auto", [], has_plan=False, quiet=True)
