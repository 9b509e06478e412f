"""A disk that is full, the database's or a machine's: it is said, and with room the run goes on where it was."""

import asyncio
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest
from pydantic import SecretStr

from cluster.world import QUESTION, command, machine, slow_world
from loopback import ModelServer, WebServer
from rag.shelf import BEES, fill, found, ingested
from spyglass.kernel.database.database import database_at
from spyglass.kernel.errors import DatabaseError
from spyglass.kernel.settings import Settings

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


@pytest.fixture(scope="module")
def small_server(postgres: Any) -> Iterator[Path]:
    """The folder of a server that has a disk of 16 MB for databases."""
    folder = Path(tempfile.mkdtemp(prefix="sgfull"))
    with subprocess.Popen([*ALONE, "sh", "-c", SERVER, "sh", str(folder), str(postgres.bin_path)]) as process:
        try:
            for _ in range(1_000):
                try:
                    tell(folder, f"CREATE TABLESPACE small LOCATION '{folder}/small/space'")
                    break
                except psycopg.OperationalError:
                    time.sleep(0.1)
            yield folder
        finally:
            process.terminate()
    shutil.rmtree(folder)


@pytest.fixture
def small_database(small_server: Path) -> Iterator[str]:
    """The address of a database on a disk of 16 MB."""
    tell(small_server, "CREATE DATABASE small TABLESPACE small")
    yield f"postgresql://postgres@/small?host={small_server}"
    tell(small_server, "DROP DATABASE small WITH (FORCE)")


def tell(server: Path, statement: str) -> None:
    with psycopg.connect(f"postgresql://postgres@/postgres?host={server}", autocommit=True) as db:
        db.execute(statement.encode())


@asynccontextmanager
async def full(url: str) -> AsyncIterator[None]:
    """Have a database without room within the block."""
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as db:
        await db.execute("CREATE TABLE filler (bytes text)")
        await db.execute("ALTER TABLE filler ALTER bytes SET STORAGE PLAIN")
        with suppress(psycopg.errors.DiskFull):
            while True:
                await db.execute("INSERT INTO filler SELECT repeat('x', 4000) FROM generate_series(1, 8)")
        yield
        await db.execute("DROP TABLE filler")


async def test_a_run_whose_database_has_no_room_says_so_and_goes_on_when_there_is_some(
    small_database: str, web_server: WebServer, model_server: ModelServer, tmp_path: Path
) -> None:
    given, whole, half = await slow_world(web_server, model_server, tmp_path)
    here = machine(tmp_path / "here", small_database, **given, SPYGLASS_RUNS__DATABASE_WAIT="1")
    making = asyncio.create_task(command("report", QUESTION, **here))
    await half.wait()
    async with full(small_database):
        code, out, told = await making
    assert (code, out) == (1, ""), told
    assert "No space left on device" in told
    answered = {asked.user for asked in model_server.requests[:-1]}
    model_server.requests.clear()
    code, report, told = await command("resume", "last", **here)
    assert (code, report) == (0, whole), told
    assert not answered & {asked.user for asked in model_server.requests}


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
    assert b"Check that the disk is not full." in told
    assert model_server.requests
    code, report, wrong = await command("resume", "last", **there)
    assert (code, report) == (0, whole), wrong
    users = [asked.user for asked in model_server.requests]
    assert len(users) - len(set(users)) <= 1, "but for the one whose answer had no room, nothing is asked again"


async def test_an_ingest_whose_database_has_no_room_says_so_and_leaves_no_document_half_written(
    small_database: str, tmp_path: Path
) -> None:
    address = SecretStr(small_database)
    settings = Settings(
        data_dir=tmp_path / "data", database_url=address, runs__database_wait=1.0, retrieval__dense=False
    )
    files = fill(tmp_path / "files", {"bees.md": BEES})
    await ingested(settings, files)
    long = {f"{n}.md": " ".join(f"word{n}x{m}" for m in range(1_000)) for n in range(4)}
    async with full(small_database):
        with pytest.raises(DatabaseError, match="No space left on device"):
            await ingested(settings, fill(files, long))
    database = database_at(small_database)
    wrong = (
        "SELECT folder.chunks - (SELECT count(*) FROM chunk), folder.files - (SELECT count(*) FROM file),"
        " (SELECT count(*) FROM word WHERE chunks <> (SELECT count(*) FROM posting WHERE posting.term = word.term))"
        " FROM folder"
    )
    assert await asyncio.to_thread(database.rows, wrong) == [(0, 0, 0)], "what is counted is what there is"
    assert [hit.path for hit in await found(settings, files, "queen bees", 1)] == ["bees.md"]
    summary = await ingested(settings, files)
    assert (summary.files, summary.unread) == (5, 0)
    await asyncio.to_thread(database.close)
