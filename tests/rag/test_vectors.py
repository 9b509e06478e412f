"""Vectors follow the text: every chunk gets one, none is made twice, and no crash of Chroma's costs more than a refill."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest
from rag.shelf import fill, found, ingested, running

from spyglass.rag.fill import fill as fill_vectors
from spyglass.rag.ingest import ingest
from spyglass.rag.retrieve import retrieve
from spyglass.rag.store import store_of
from spyglass.run import Run
from spyglass.settings import Settings

ONLY_WORDS = "Only words were searched, not meaning."


@pytest.fixture
def files(tmp_path: Path) -> Path:
    return fill(tmp_path / "files")


class Counting:
    """An embedder that makes vectors from letters, and counts."""

    def __init__(self, name: str = "letters", dimension: int = 4) -> None:
        self.id = name
        self.english = False
        self.near = 0.5
        self.batch = 2
        self.dimension = dimension
        self.texts: list[str] = []

    async def embed(self, _run: Run, texts: Sequence[str]) -> list[list[float]]:
        self.texts += texts
        return [[1.0 + text.count(chr(97 + place)) for place in range(self.dimension)] for text in texts]


async def filled(settings: Settings, folder: Path, embedder: Counting) -> int:
    """Bring text and vectors up to date with this embedder; return how many texts it was given."""
    before = len(embedder.texts)
    async with running(settings.model_copy(update={"dense": False})) as run:
        await ingest(run, folder, embed=False)
        await fill_vectors(run, await store_of(run, settings, folder), embedder)
    return len(embedder.texts) - before


async def ids(settings: Settings, folder: Path, embedder: Counting) -> list[tuple[int, float]]:
    """Return what is nearest to a vector, after checking that nothing is missing."""
    async with running(settings) as run:
        vectors = (await store_of(run, settings, folder)).vectors
        assert vectors is not None
        assert vectors.missing(embedder.id) == 0
        return vectors.nearest(embedder.id, [1.0] * embedder.dimension, 10)


async def test_both_legs_find_and_the_meaning_finds_what_has_no_word(settings: Settings, files: Path) -> None:
    summary = await ingested(settings, files)
    assert (summary.embedded, summary.pending) == (3, 0)
    hits = await found(settings, files, "insects that live in a hive and collect sweet liquid", 1)
    assert [(hit.path, hit.lexical, hit.dense) for hit in hits] == [("animals/bees.md", None, 1)]
    hits = await found(settings, files, "When is high water at the coast?", 1)
    assert [(hit.path, hit.lexical, hit.dense, hit.passage.score) for hit in hits] == [("tides.md", 1, 1, 1.0)]
    assert await found(settings, files, "the fiscal policy of a central bank") == []


async def test_a_report_does_not_wait_and_says_that_only_words_were_searched(settings: Settings, files: Path) -> None:
    async with running(settings) as run:
        summary = await ingest(run, files, embed=False)
        hits = await retrieve(run, [files], ["queen of the bees"], 2)
        assert (summary.embedded, summary.pending) == (0, 3)
        assert [(hit.path, hit.dense) for hit in hits] == [("animals/bees.md", None)]
        (notice,) = run.notices
    assert notice.startswith(ONLY_WORDS)
    assert f"`spyglass ingest {files}` completes them" in notice


async def test_vectors_are_made_beside_a_run_that_lasts(settings: Settings, files: Path) -> None:
    async with running(settings) as run:
        await ingest(run, files, embed=False)
        async with asyncio.timeout(30):
            while not (hits := await retrieve(run, [files], ["sweet liquid of insects"], 1)):
                await asyncio.sleep(0.2)
                run.journal.forget() if hasattr(run.journal, "forget") else None
    assert hits[0].dense == 1
