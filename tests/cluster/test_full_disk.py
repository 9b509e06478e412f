"""A disk that is full, the database's or a machine's: it is said, and with room the run goes on where it was."""

import asyncio
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest

from cluster.world import QUESTION, command, machine, slow_world
from loopback import ModelServer, WebServer

pytestmark = [pytest.mark.cluster, pytest.mark.kill]

SERVER = """
set -e
mkdir "$1/small"
mount -t tmpfs -o size=16m none "$1/small"
exec unshare --user --map-user=1000 --map-group=1000 sh -ec '
    "$2/initdb" --pgdata "$1/data" --username=postgres --auth=trust --no-sync > "$1/log"
    mkdir "$1/small/space"
    exec "$2/postgres" -D "$1/data" -k "$1" -c listen_addresses= -c fsync=off >> "$1/log" 2>&1
' sh "$@"
"""
"""Starts a server in the folder `$1`, beside a small file system that is only its own, by the programs in `$2`."""

SMALL = """
set -e
mkdir --parents "$SPYGLASS_DATA_DIR"
mount -t tmpfs -o size=320k none "$SPYGLASS_DATA_DIR"
exec "$@"
"""
"""Runs a command whose machine has a small disk."""

ALONE = ("unshare", "--user", "--map-root-user", "--mount")


@pytest.fixture
async def small_database(postgres: Any) -> AsyncIterator[str]:
    """The address of a database on a disk of 16 MB."""
    folder = Path(tempfile.mkdtemp(prefix="sgfull"))
    process = await asyncio.create_subprocess_exec(
        *ALONE, "sh", "-c", SERVER, "sh", str(folder), str(postgres.bin_path)
    )
    try:
        db = await connected(f"postgresql://postgres@/postgres?host={folder}")
        await db.execute(f"CREATE TABLESPACE small LOCATION '{folder}/small/space'".encode())
        await db.execute("CREATE DATABASE small TABLESPACE small")
        await db.close()
        yield f"postgresql://postgres@/small?host={folder}"
    finally:
        process.terminate()
        await process.wait()
        shutil.rmtree(folder)


async def connected(url: str) -> "psycopg.AsyncConnection[object]":
    async with asyncio.timeout(120):
        while True:
            try:
                return await psycopg.AsyncConnection.connect(url, autocommit=True)
            except psycopg.OperationalError:
                await asyncio.sleep(0.1)


async def test_a_run_whose_database_has_no_room_says_so_and_goes_on_when_there_is_some(
    small_database: str, web_server: WebServer, model_server: ModelServer, tmp_path: Path
) -> None:
    given, whole, half = await slow_world(web_server, model_server, tmp_path)
    here = machine(tmp_path / "here", small_database, **given, SPYGLASS_RUNS__DATABASE_WAIT="1")
    making = asyncio.create_task(command("report", QUESTION, **here))
    await half.wait()
    db = await connected(small_database)
    await db.execute("CREATE TABLE filler (bytes text)")
    await db.execute("ALTER TABLE filler ALTER bytes SET STORAGE PLAIN")
    with suppress(psycopg.errors.DiskFull):
        while True:
            await db.execute("INSERT INTO filler SELECT repeat('x', 4000) FROM generate_series(1, 8)")
    code, out, told = await making
    assert (code, out) == (1, ""), told
    assert "No space left on device" in told
    answered = {asked.user for asked in model_server.asked[:-1]}
    model_server.asked.clear()
    await db.execute("DROP TABLE filler")
    await db.close()
    code, report, told = await command("resume", "last", **here)
    assert (code, report) == (0, whole), told
    assert not answered & {asked.user for asked in model_server.asked}


async def test_a_machine_without_room_says_so_and_another_makes_the_report(
    small_database: str, web_server: WebServer, model_server: ModelServer, tmp_path: Path
) -> None:
    given, whole, _ = await slow_world(web_server, model_server, tmp_path)
    here, there = (machine(tmp_path / name, small_database, **given) for name in ("here", "there"))
    process = await asyncio.create_subprocess_exec(
        *(*ALONE, "sh", "-c", SMALL, "sh", sys.executable, "-m", "spyglass", "report", QUESTION),
        env=here,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, told = await process.communicate()
    assert (process.returncode, out) == (1, b""), told
    assert b"Is the disk full?" in told
    assert model_server.asked
    code, report, wrong = await command("resume", "last", **there)
    assert (code, report) == (0, whole), wrong
    users = [asked.user for asked in model_server.asked]
    assert len(users) - len(set(users)) <= 1, "but for the one whose answer had no room, nothing is asked again"
