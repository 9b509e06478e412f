"""A machine that sleeps in the midst of a run, and wakes when another has gone on with it: only that one writes."""

import asyncio
import signal
import sys
from pathlib import Path

import pytest

from cluster.world import QUESTION, command, machine, slow_world
from loopback import ModelServer, WebServer
from spyglass.kernel.database.database import Database

pytestmark = [pytest.mark.cluster, pytest.mark.kill]

SKEW = "-60"
"""Seconds by which the clock of who is asleep is wrong: by it, its lease holds."""

SKEWED = Path(__file__).with_name("skewed.py")


async def test_a_run_that_was_asleep_longer_than_its_lease_stops_and_says_who_has_it_and_nothing_of_it_is_written(
    database: Database, database_url: str, web_server: WebServer, model_server: ModelServer, tmp_path: Path
) -> None:
    given, whole, half = await slow_world(web_server, model_server, tmp_path)
    here, there = (machine(tmp_path / name, database_url, **given) for name in ("here", "there"))
    asleep = await asyncio.create_subprocess_exec(
        *(sys.executable, str(SKEWED), SKEW, "report", QUESTION),
        env=here,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    await half.wait()
    asleep.send_signal(signal.SIGSTOP)
    # Nobody there knows that it is asleep, and however slow this machine is, its lease holds until it is said not to.
    lasting = "UPDATE run SET machine = 'another', ends = clock_timestamp() + interval '1 hour'"
    database.use(lambda db: db.execute(lasting))
    code, _, told = await command("resume", "last", **there)
    assert (code, "is working on this run" in told) == (1, True), "its lease holds, by the clock of the database"
    database.use(lambda db: db.execute("UPDATE run SET ends = clock_timestamp() - interval '1 ms'"))
    code, report, told = await command("resume", "last", **there)
    assert (code, report) == (0, whole), told
    written, asked = rows(database), len(model_server.requests)
    asleep.send_signal(signal.SIGCONT)
    out, told_late = await asleep.communicate()
    assert (asleep.returncode, out.decode()) == (1, "")
    assert "Another process has taken over this run" in told_late.decode()
    assert rows(database) == written
    assert len(model_server.requests) == asked, "who wakes asks nobody any more"
    code, report, _ = await command("replay", "last", **machine(tmp_path / "third", database_url))
    assert (code, report) == (0, whole)


def rows(database: Database) -> list[tuple[object, ...]]:
    """Return what the database has of the run."""
    query = (
        "SELECT token, version, (SELECT count(*) FROM effect), (SELECT count(*) FROM event),"
        " (SELECT string_agg(name || md5(value), ',' ORDER BY name) FROM fact) FROM run"
    )
    return database.use(lambda db: db.execute(query).fetchall())
