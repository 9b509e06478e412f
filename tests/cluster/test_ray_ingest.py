"""Workers of a Ray cluster read documents: each is in the index once, whatever dies meanwhile."""

import asyncio
import os
import shutil
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from pydantic import SecretStr

from cluster.ray_nodes import Node
from cluster.world import command, machine
from fetch.processes import beneath
from loopback import KEY, ModelServer
from rag.shelf import BEES, configured, fill, found, ingested, running
from spyglass.cluster.ingest import MOST_FILES, ingest_on_cluster
from spyglass.cluster.ingest_rows import IngestState
from spyglass.kernel.database.database import Database, database_at
from spyglass.kernel.errors import FolderError
from spyglass.kernel.settings import Role, Settings
from spyglass.rag.ingest import IngestSummary
from spyglass.rag.store import shared_key

pytestmark = [pytest.mark.cluster, pytest.mark.slow]

DOCUMENTS = 100


@pytest.fixture
def shared(settings: Settings, database_url: str) -> Iterator[Settings]:
    yield settings.updated(database_url=SecretStr(database_url))
    database_at(database_url).close()


@pytest.fixture
def files(tmp_path: Path) -> Path:
    return fill(
        tmp_path / "files", {f"{n}.md": f"# Isle {n}\n\n{BEES} Isle{n} has {n} hives.\n" for n in range(DOCUMENTS)}
    )


async def read(settings: Settings, files: Path, address: str) -> IngestSummary:
    async with running(settings) as run:
        return await ingest_on_cluster(run, files, settings, address)


async def test_a_node_that_is_killed_in_the_midst_of_an_ingest_leaves_every_document_in_the_index_once(
    head: Node, shared: Settings, settings: Settings, database: Database, files: Path, tmp_path: Path
) -> None:
    words = configured(shared)
    key = shared_key(words, files)
    states = list[IngestState]()
    async with head.second(tmp_path) as second:
        reading = asyncio.create_task(read(words, files, head.address))
        while not reading.done():
            if state := await asyncio.to_thread(IngestState.of, database, key):
                states.append(state)
                if state.done and second.lives:
                    second.kill()
            await asyncio.sleep(0.02)
        summary = await reading
        assert not second.lives
    assert 0 < max(state.reading for state in states) <= 3 * MOST_FILES < DOCUMENTS
    assert [state.done for state in states] == sorted(state.done for state in states)
    assert any(state.seconds_left for state in states), "it is told how long it goes on"
    assert (summary.files, summary.skipped, summary.unread) == (DOCUMENTS, [], 0)
    alone = await ingested(configured(settings, data_dir=tmp_path / "alone"), files)
    assert summary.chunks == alone.chunks
    rows = database.use(lambda db: db.execute("SELECT count(*), count(DISTINCT path) FROM file").fetchall())
    assert rows == [(DOCUMENTS, DOCUMENTS)]
    assert [hit.path for hit in await found(words, files, "Isle7 hives", 1)] == ["7.md"]
    state = await asyncio.to_thread(IngestState.of, database, key)
    assert state is not None
    assert (state.total, state.done, state.reading) == (DOCUMENTS, DOCUMENTS, 0)
    assert (state.seconds_left, state.has_ended) == (0.0, True)
    assert (await read(words, files, head.address)).unchanged == DOCUMENTS


async def test_a_document_at_which_workers_die_is_set_aside_with_the_reason_and_the_rest_is_read(
    head: Node, shared: Settings, database_url: str, model_server: ModelServer, tmp_path: Path
) -> None:
    await head.ready()

    def vectors(texts: list[str]) -> list[list[float]]:
        for pid in beneath(head.pid) if any("poison" in text for text in texts) else []:
            with suppress(OSError):
                if Path(f"/proc/{pid}/cmdline").read_bytes().startswith(b"ray::Map(Reader"):
                    os.kill(pid, signal.SIGKILL)
        return [[1.0, 0.5] for _ in texts]

    model_server.vectors = vectors
    embedder = Role(provider="openai", model="m", base_url=model_server.base_url("openai"), key=KEY)
    settings = shared.updated(embedder=embedder, models__attempts=1)
    files = fill(tmp_path / "some", {"poison.md": "It is poison.", "bees.md": BEES, "none.bin": "\x00\x01" * 99})
    summary = await read(settings, files, head.address)
    assert summary.files == 1
    assert [path for path, _ in summary.skipped] == ["none.bin", "poison.md"]
    assert "Set aside: it crashed its worker's process" in str(summary.skipped[1][1])
    assert (await read(settings, files, head.address)).unchanged == 3, "it is not tried again until it changes"

    there = machine(tmp_path / "there", database_url)
    code, told, wrong = await command("ingest", str(files), "--progress", **there)
    assert code != 0
    assert told.startswith("3 of 3 documents, 0 at workers, 1 without text, 1 set aside"), wrong
    (files / "poison.md").write_text("It is harmless now.")
    code, told, wrong = await command(
        "ingest", str(files), "--ray", head.address, **there, SPYGLASS_RETRIEVAL__DENSE="false"
    )
    assert (code, told[:9]) == (0, "2 files, "), wrong


async def test_a_document_that_the_database_refuses_is_set_aside_and_those_read_with_it_are_not(
    head: Node, shared: Settings, model_server: ModelServer, tmp_path: Path
) -> None:
    await head.ready()
    model_server.vectors = lambda texts: [[1.0] * (20_000 if "poison" in text else 2) for text in texts]
    embedder = Role(provider="openai", model="m", base_url=model_server.base_url("openai"), key=KEY)
    files = fill(tmp_path / "some", {"bees.md": BEES, "poison.md": "It is poison.", "wasps.md": "Wasps sting."})
    summary = await read(shared.updated(embedder=embedder), files, head.address)
    assert (summary.files, summary.pending) == (2, 0)
    [(path, why)] = summary.skipped
    assert path == "poison.md"
    assert "Set aside: its worker failed" in str(why)
    assert "16000 dimensions" in str(why)


async def test_an_ingest_whose_folder_a_worker_has_not_ends_and_says_so(
    head: Node, shared: Settings, files: Path, model_server: ModelServer
) -> None:
    await head.ready()

    def vectors(texts: list[str]) -> list[list[float]]:
        shutil.rmtree(files, ignore_errors=True)
        return [[1.0, 0.5] for _ in texts]

    model_server.vectors = vectors
    embedder = Role(provider="openai", model="m", base_url=model_server.base_url("openai"), key=KEY)
    with pytest.raises(FolderError, match=rf"A worker does not have {files}"):
        await read(shared.updated(embedder=embedder), files, head.address)
