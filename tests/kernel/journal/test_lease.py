"""One process at a time writes to a journal: who has lost it stops, and a dead one holds nobody up."""

import asyncio
import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from loopback.clock import in_no_time
from spyglass.kernel.errors import LeaseError, StoppedError
from spyglass.kernel.host import birth_of, is_gone, machine
from spyglass.kernel.journal import Answer, Journal
from spyglass.kernel.journal.lease import LASTS, MARGIN, RENEWED, Lease, hold_lease
from spyglass.kernel.journal.tables import prepare
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Settings


class Clock:
    """Says what time it is told to say."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def leases(path: Path, clock: Clock, number: int) -> list[Lease]:
    found = []
    for _ in range(number):
        db = sqlite3.connect(path, isolation_level=None)
        prepare(db, path)
        found.append(Lease(db, str(path), clock))
    return found


def elsewhere(path: Path) -> None:
    """Have the lease be that of a process of another machine."""
    db = sqlite3.connect(path)
    db.execute("UPDATE lease SET machine = 'another'")
    db.commit()
    db.close()


def test_the_second_is_told_who_has_it(tmp_path: Path) -> None:
    first, second = leases(tmp_path / "journal", Clock(), 2)
    first.take()
    with pytest.raises(LeaseError, match=f"Process {os.getpid()} is working on this run"):
        second.take()
    first.release()
    second.take()
    assert (first.renew(), second.renew()) == (False, True)


def test_who_comes_while_another_process_writes_is_told_so(tmp_path: Path) -> None:
    with Journal(tmp_path / "journal") as first, Journal(tmp_path / "journal") as second:
        with first.together(), pytest.raises(LeaseError, match="Another process is working on this run"):
            second.take()
        second.take()


def test_one_that_is_renewed_goes_on_and_one_that_is_not_runs_out(tmp_path: Path) -> None:
    clock = Clock()
    first, second = leases(tmp_path / "journal", clock, 2)
    first.take()
    elsewhere(tmp_path / "journal")
    for _ in range(10):
        clock.now += RENEWED
        assert first.renew()
    with pytest.raises(LeaseError):
        second.take()
    clock.now += LASTS + MARGIN + 0.1
    second.take()
    assert not first.renew()


def test_a_clock_that_is_set_back_holds_nobody_up_for_hours(tmp_path: Path) -> None:
    clock = Clock()
    first, second = leases(tmp_path / "journal", clock, 2)
    first.take()
    elsewhere(tmp_path / "journal")
    clock.now -= 3_600
    second.take()
    assert (first.renew(), second.renew()) == (False, True)


TAKER = """
import os, signal, sys
from pathlib import Path
from spyglass.kernel.journal import Journal
journal = Journal(Path(sys.argv[1]))
journal.take()
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.kill
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the lease of a dead process has to run out")
def test_that_of_a_process_which_was_killed_is_taken_at_once(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    subprocess.run([sys.executable, "-c", TAKER, str(path)], env=os.environ, check=False)
    journal = Journal(path)
    assert journal.holder() is None
    journal.take()
    assert journal.holder() == os.getpid()
    journal.close()


def test_a_process_is_known_by_its_number_and_its_birth() -> None:
    birth = birth_of(os.getpid())
    assert birth is not None
    assert not is_gone(os.getpid(), birth)
    assert machine() == machine()
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    assert is_gone(ended.pid, "")


def test_who_has_lost_it_writes_nothing_any_more(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    first, second = Journal(path), Journal(path)
    first.take()
    first.record("one", "ask", {}, Answer(value=1))
    with pytest.raises(LeaseError):
        second.record("two", "ask", {}, Answer(value=2))
    first.release()
    second.take()
    writes: list[Callable[[], object]] = [
        lambda: first.record("three", "ask", {}, Answer(value=3)),
        lambda: first.put("name", 1),
        lambda: first.keep_snapshot("hash", "text"),
        lambda: first.log("planner", {}),
        lambda: first.mark("WRITING", "started", 0.0),
        lambda: first.forget(kind="ask"),
    ]
    for write in writes:
        with pytest.raises(LeaseError, match="taken over this run"):
            write()
    second.record("one", "ask", {}, Answer(value=4))
    assert [answer.value for _, _, answer in second.effects()] == [1]
    first.close()
    second.close()


async def test_a_run_that_is_taken_over_stops_and_records_nothing_more(settings: Settings, tmp_path: Path) -> None:
    path, asked = tmp_path / "journal.sqlite", []

    async def call() -> str:
        asked.append(1)
        return "answer"

    async with Run("Why?", settings, journal=Journal(path)) as first:
        with pytest.raises(LeaseError, match="is working on this run"):
            await Run("Why?", settings, journal=Journal(path)).__aenter__()
        db = sqlite3.connect(path)
        db.execute("UPDATE lease SET ends = 0")
        db.commit()
        db.close()
        async with Run("Why?", settings, journal=Journal(path)) as second:
            with pytest.raises(LeaseError, match="taken over this run"):
                await first.effect("ask", {"q": 1}, call)
            assert await second.effect("ask", {"q": 1}, call) == "answer"
            first.stop()  # as its renewal does
            with pytest.raises(StoppedError):
                await first.effect("ask", {"q": 2}, call)
    assert len(asked) == 2


def test_it_stays_ours_while_another_thread_keeps_what_is_kept_already(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.sqlite")
    journal.take()
    journal.keep_snapshot("hash", "text")

    def keep() -> None:
        for _ in range(3_000):
            journal.keep_snapshot("hash", "text")

    keeping = threading.Thread(target=keep)
    keeping.start()
    renewed = [journal.renew() for _ in range(1_000)]
    keeping.join()
    journal.close()
    assert all(renewed)


@in_no_time
async def test_the_lease_is_renewed_as_long_as_a_run_lasts_and_its_loss_is_noticed(tmp_path: Path) -> None:
    path, lost = tmp_path / "journal.sqlite", asyncio.Event()
    first, second = Journal(path), Journal(path)

    def ends() -> float:
        db = sqlite3.connect(path)
        [(until,)] = db.execute("SELECT ends FROM lease").fetchall()
        db.close()
        return float(until)

    async with hold_lease(first, lost.set):
        until = ends()
        await asyncio.sleep(RENEWED + 0.5)
        assert ends() > until
        first.release()
        second.take()
        async with asyncio.timeout(2 * RENEWED):
            await lost.wait()
    assert second.holder() == os.getpid()
    first.close()
    second.close()
