"""A run in PostgreSQL has one writer, whatever clocks say, and outlives its machine and an outage of the database."""

import asyncio
import os
import secrets
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from postgres import a_database, crash, server_of, start
from spyglass.kernel.database.database import Database
from spyglass.kernel.database.schema import STEPS, migrate
from spyglass.kernel.errors import DatabaseError, LeaseError
from spyglass.kernel.journal import Answer
from spyglass.kernel.journal.shared import SharedJournal

pytestmark = pytest.mark.cluster


def journal_in(folder: Path, database: Database) -> SharedJournal:
    """Open the journal of the one run as on a machine whose data lie in that folder."""
    return SharedJournal(folder / "runs" / "r1" / "journal.sqlite", database)


def elsewhere(database: Database) -> None:
    """Have the lease be that of a process of another machine, of which nobody here knows whether it is alive."""
    database.use(lambda db: db.execute("UPDATE run SET machine = 'another'"))


def run_out(database: Database) -> None:
    """Have the lease end by the clock of the database."""
    database.use(lambda db: db.execute("UPDATE run SET ends = clock_timestamp() - interval '1 ms'"))


@contextmanager
def owner(url: str, folder: Path, skew: float) -> Iterator["subprocess.Popen[str]"]:
    """Run a process that owns the run and has recorded one effect."""
    journal = folder / "runs" / "r1" / "journal.sqlite"
    command = [sys.executable, str(Path(__file__).with_name("owner.py")), url, str(journal), str(skew)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "kept one\n"
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.kill
@pytest.mark.parametrize("skew", [-60.0, 60.0])
async def test_one_that_is_paused_and_wakes_after_its_lease_writes_nothing_whatever_its_clock_says(
    database: Database, database_url: str, tmp_path: Path, skew: float
) -> None:
    mine = journal_in(tmp_path / "b", database)
    with owner(database_url, tmp_path / "a", skew) as paused:
        assert paused.stdin is not None
        assert paused.stdout is not None
        elsewhere(database)
        with pytest.raises(LeaseError, match="is working on this run"):
            await mine.take_async()  # its lease holds, by the one clock that counts
        os.kill(paused.pid, signal.SIGSTOP)
        run_out(database)
        await mine.take_async()
        mine.record("mine", "ask", {}, Answer(value="mine"))
        await mine.flush()
        os.kill(paused.pid, signal.SIGCONT)
        paused.stdin.write("\n")
        paused.stdin.flush()
        assert "refused two: Another process has taken over this run" in paused.stdout.readline()
    third = journal_in(tmp_path / "c", database)
    mine.release()
    await mine.flush()
    await third.take_async()
    assert [key for key, *_ in third.requests()] == ["one", "mine"]
    mine.close()
    third.close()


async def test_who_falls_asleep_in_a_transaction_keeps_nobody_waiting_and_makes_it_anew_once_awake(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    mine = journal_in(tmp_path / "a", database)
    await mine.take_async()
    sleeper, begun, awake = Database(database_url, asleep=0.5), threading.Event(), threading.Event()
    tries: list[int] = []

    def write(db: psycopg.Connection[Any]) -> int:
        [(version,)] = db.execute("UPDATE run SET version = version + 10 RETURNING version").fetchall()
        tries.append(version)
        begun.set()
        awake.wait(60)
        db.execute("UPDATE run SET trouble = 'was asleep'")
        return int(version)

    sleeping = asyncio.create_task(asyncio.to_thread(sleeper.use, write))
    await asyncio.to_thread(begun.wait, 60)
    mine.record("mine", "ask", {}, Answer(value="mine"))
    await mine.flush()  # the row of its run was locked
    assert not sleeping.done()
    awake.set()
    assert await sleeping == tries[-1]
    assert len(tries) == 2
    assert database.rows("SELECT version, trouble FROM run") == [(tries[-1], "was asleep")]
    sleeper.close()
    mine.close()


@pytest.mark.kill
async def test_one_that_is_killed_is_gone_on_with_at_once_on_its_machine(
    database: Database, database_url: str, tmp_path: Path
) -> None:
    with owner(database_url, tmp_path / "a", 0.0) as killed:
        killed.send_signal(signal.SIGKILL)
        killed.wait()
        with closing(journal_in(tmp_path / "b", database)) as mine:
            await mine.take_async()
            assert mine.find("one") == Answer(value=0.0)


@pytest.fixture
def outage() -> Iterator[tuple[Any, Database]]:
    """A server that may go away, and a database of it whose users do not wait for long."""
    server = server_of(secrets.token_hex(8))
    with a_database(server) as url:
        database = Database(url, patience=20)
        yield server, database
        database.close()
    server.cleanup()


@pytest.mark.kill
async def test_while_the_database_is_away_a_run_waits_and_nothing_is_lost(
    outage: tuple[Any, Database], tmp_path: Path
) -> None:
    server, database = outage
    journal = journal_in(tmp_path / "a", database)
    await journal.take_async()
    journal.record("before", "ask", {}, Answer(value=1))
    await journal.flush()
    await asyncio.to_thread(crash, server)
    journal.record("during", "ask", {}, Answer(value=2))
    journal.keep_snapshot("hash", "text")
    waiting = asyncio.create_task(journal.flush())
    await asyncio.sleep(1)
    assert not waiting.done()
    await asyncio.to_thread(start, server)
    await waiting
    journal.release()
    with closing(journal_in(tmp_path / "b", database)) as other:
        await journal.flush()
        await other.take_async()
        assert [answer.value for _, _, answer in other.effects()] == [1, 2]
        assert other.snapshot("hash") == "text"
        other.release()
    journal.close()

    database.patience = 1.0
    lost = journal_in(tmp_path / "a", database)
    await lost.take_async()
    await asyncio.to_thread(server.stop)
    lost.record("answered", "ask", {}, Answer(value=3))
    with pytest.raises(DatabaseError, match="cannot be used"):
        await lost.flush()
    with pytest.raises(DatabaseError):
        lost.record("more", "ask", {}, Answer(value=4))
    lost.close()
    await asyncio.to_thread(start, server)
    elsewhere(database)
    run_out(database)
    again = journal_in(tmp_path / "a", database)
    await again.take_async()
    again.release()
    again.close()
    with closing(journal_in(tmp_path / "b", database)) as other:
        await other.take_async()
        assert [answer.value for _, _, answer in other.effects()] == [1, 2, 3]


def test_a_newer_schema_is_refused_and_an_older_one_is_brought_up_to_date_with_what_it_has(
    database: Database, database_url: str
) -> None:
    with psycopg.connect(database_url, autocommit=True, options="-c search_path=spyglass") as db:
        migrate(db, "", STEPS[:1])
        db.execute("INSERT INTO run (id) VALUES ('old')")
        found = database.use(lambda one: one.execute("SELECT id, queued FROM run").fetchall())
        assert found == [("old", None)]
        db.execute("INSERT INTO schema_step VALUES (99)")
    newer = Database(database_url)
    with pytest.raises(
        DatabaseError, match=f"has schema version 99, this version of Spyglass supports {len(STEPS)}.*Update"
    ):
        newer.use(lambda db: db.execute("SELECT 1"))
    newer.close()


def test_a_database_that_keeps_no_unicode_is_refused_and_gets_no_table(postgres: Any) -> None:
    with a_database(postgres, "ENCODING 'SQL_ASCII' TEMPLATE template0 LOCALE 'C'") as url:
        with pytest.raises(DatabaseError, match=r"encoding of the database is SQL_ASCII.*ENCODING 'UTF8'"):
            Database(url).use(lambda db: db.execute("SELECT 1"))
        with psycopg.connect(url) as db:
            assert not db.execute("SELECT 1 FROM pg_namespace WHERE nspname = 'spyglass'").fetchall()


@pytest.mark.parametrize(
    "url",
    [
        "mysql://user:geheim@host/name",
        "postgresql://user:geheim@127.0.0.1:1/name",
        "postgresql://user:geheim@127.0.0.1:port/name",
        "postgresql://user:geheim@/name?host=/nowhere&bad=1",
    ],
)
def test_an_address_at_which_no_database_is_found_is_told_without_its_password(
    url: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(0)
    with pytest.raises(DatabaseError) as told:
        Database(url).use(lambda db: db.execute("SELECT 1"))
    assert "geheim" not in str(told.value)
    assert "geheim" not in str(told.value.to_record())
    assert "geheim" not in caplog.text
