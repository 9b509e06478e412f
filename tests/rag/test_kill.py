"""An ingest that is killed at any moment leaves an index that the next ingest makes equal to a fresh one."""

import array
import asyncio
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest

from rag.shelf import fill, ingested, running
from spyglass.kernel.settings import Settings
from spyglass.rag.embed import StaticEmbedder
from spyglass.rag.store import store_of

CHILD = """
import asyncio, os, signal, sys, threading
from pathlib import Path
from spyglass.kernel.journal import Journal
from spyglass.rag.ingest import ingest
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Settings

async def main():
    folder, data = Path(sys.argv[1]), Path(sys.argv[2])
    settings = Settings(db=[folder], data_dir=data)
    def tell(event):
        if sys.argv[3] == f"{getattr(event, 'step', '')} {getattr(event, 'done', '')}":
            threading.Timer(float(sys.argv[4]), os.kill, (os.getpid(), signal.SIGKILL)).start()
    async with Run("ingest", settings, on_event=tell, journal=Journal()) as run:
        await ingest(run, folder, embed=True)

asyncio.run(main())
"""

MOMENTS = (("convert 64", 0.0), ("embed 500", 0.01), ("embed 500", 0.02))
"""When a process is killed: so many seconds after it tells that it is there, while it is at the next part."""

WORDS = """river glacier harbour lamp bread violin copper teacher winter orange rocket needle forest ledger camel ink
valley engine prayer sugar mirror soldier cotton thunder market bishop ladder oyster candle treaty marble pepper shadow
saddle comet fever anchor beetle garden trumpet lawyer desert cabbage printer wool canyon piano diamond tunnel"""
"""Of these are texts that a graph of vectors tells apart; it takes one for another where all say nearly the same."""

LONGEST = 300  # seconds that a process may take until then


def killed_at(moment: str, after: float, folder: Path, settings: Settings) -> None:
    """Ingest in a process of its own, which is killed then."""
    arguments = [sys.executable, "-c", CHILD, str(folder), str(settings.data_dir), moment, str(after)]
    assert subprocess.run(arguments, timeout=LONGEST).returncode == -signal.SIGKILL, f"it never came to {moment}"


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
    folder = fill(
        tmp_path / "files", {f"{n:03}.txt": " ".join(Random(n).sample(WORDS.split(), 6)) for n in range(1_700)}
    )
    killed = settings.model_copy(update={"data_dir": tmp_path / "killed"})
    for moment, after in MOMENTS:
        await asyncio.to_thread(killed_at, moment, after, folder, killed)
    summary = await ingested(killed, folder)
    assert (summary.files, summary.pending) == (1_700, 0)
    assert 0 < summary.embedded < 1_700
    await ingested(settings, folder)
    after_kills, fresh = await state(killed, folder), await state(settings, folder)
    assert after_kills == fresh
    assert fresh["found by its own vector"] == [1.0] * 1_700
