"""An ingest that is killed at any moment leaves an index that the next ingest makes equal to a fresh one."""

import array
import asyncio
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from rag.shelf import fill, ingested, running
from spyglass.kernel.settings import Settings
from spyglass.rag.embed import StaticEmbedder
from spyglass.rag.store import store_of

CHILD = """
import asyncio, sys
from pathlib import Path
from spyglass.kernel.journal import Journal
from spyglass.rag.ingest import ingest
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Settings

async def main():
    folder, data = Path(sys.argv[1]), Path(sys.argv[2])
    settings = Settings(db=[folder], data_dir=data)
    def tell(event):
        print(getattr(event, "step", ""), getattr(event, "done", ""), flush=True)
    async with Run("ingest", settings, on_event=tell, journal=Journal()) as run:
        await ingest(run, folder, embed=True)

asyncio.run(main())
"""

MOMENTS = ("convert 64", "embed 500", "embed 500")


def killed_at(moment: str, folder: Path, settings: Settings) -> None:
    """Ingest in a process of its own, and kill it when it tells that it is there."""
    arguments = [sys.executable, "-c", CHILD, str(folder), str(settings.data_dir)]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        reached = any(line.strip() == moment for line in child.stdout)
        child.kill()
    assert reached, f"it never came to {moment}"
    assert child.returncode == -signal.SIGKILL


async def state(settings: Settings, folder: Path) -> dict[str, Any]:
    """Return all that an index holds and finds, without the row numbers."""
    (manifest,) = settings.data_dir.rglob("manifest.sqlite")
    db = sqlite3.connect(manifest)
    try:
        db.execute("INSERT INTO words (words) VALUES ('integrity-check')")
        tables = {
            "files": "SELECT path, size, mtime_ns, sha256, key, title, kind, text_hash, reason FROM file ORDER BY path",
            "texts": "SELECT hash, text FROM text ORDER BY hash",
            "chunks": "SELECT path, start, end, heading, line, last_line, page, vector FROM chunk "
            "JOIN file ON file.id = chunk.file ORDER BY path, start",
            "made": "SELECT embedder, vector, data FROM made ORDER BY embedder, vector",
            "embedded": "SELECT embedder, vector FROM embedded ORDER BY embedder, vector",
            "words": "SELECT path, round(rank, 9) FROM words JOIN chunk ON chunk.id = words.rowid "
            "JOIN file ON file.id = chunk.file WHERE words MATCH 'river OR glacier' ORDER BY 2, 1",
        }
        content = {name: db.execute(query).fetchall() for name, query in tables.items()}
    finally:
        db.close()
    async with running(settings) as run:
        vectors = (await store_of(run, settings, folder)).vectors
        assert vectors is not None
        own = [array.array("f", data).tolist() for *_, data in content["made"]]
        near = [(await asyncio.to_thread(vectors.nearest, StaticEmbedder.id, vector, 1))[0] for vector in own]
    content["found by its own vector"] = [round(cosine, 4) for _, cosine in near]
    return content


@pytest.mark.kill
@pytest.mark.slow
async def test_a_killed_ingest_is_completed_by_the_next(settings: Settings, tmp_path: Path) -> None:
    folder = fill(tmp_path / "files", {f"{n:03}.txt": f"River {n} rises from glacier {n * n}." for n in range(1_200)})
    killed = settings.model_copy(update={"data_dir": tmp_path / "killed"})
    for moment in MOMENTS:
        await asyncio.to_thread(killed_at, moment, folder, killed)
    summary = await ingested(killed, folder)
    assert (summary.files, summary.pending) == (1_200, 0)
    assert 0 < summary.embedded < 1_200
    await ingested(settings, folder)
    after_kills, fresh = await state(killed, folder), await state(settings, folder)
    assert after_kills == fresh
    assert fresh["found by its own vector"] == [1.0] * 1_200
