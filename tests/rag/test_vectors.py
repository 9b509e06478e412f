"""Vectors follow the text: every chunk gets one, none is made twice, and a crash of Chroma's costs only a refill."""

import asyncio
import math
from collections.abc import Sequence
from pathlib import Path

import pytest

from rag.shelf import DOCUMENTS, fill, found, ingested, running
from spyglass.kernel.errors import EmbedderError
from spyglass.kernel.events import Event, IngestProgress
from spyglass.kernel.journal import Journal
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Settings
from spyglass.rag.embed import static_embedder
from spyglass.rag.fill import fill as fill_vectors
from spyglass.rag.index import VectorIndex
from spyglass.rag.ingest import ingest
from spyglass.rag.local_vectors import LocalVectors
from spyglass.rag.retrieve import retrieve
from spyglass.rag.store import store_of

ONLY_WORDS = "The search used words only, not meaning."


@pytest.fixture
def files(tmp_path: Path) -> Path:
    return fill(tmp_path / "files")


class Counting:
    """An embedder that makes vectors from letters, and counts."""

    def __init__(self, name: str = "letters", dimension: int = 4) -> None:
        self.id = name
        self.english = False
        self.before_query = ""
        self.unrelated = 0.0
        self.near = 0.5
        self.batch = 2
        self.immediate = True
        self.dimension = dimension
        self.texts: list[str] = []

    async def embed(self, _run: Run, texts: Sequence[str]) -> list[list[float]]:
        self.texts += texts
        return [[1.0 + text.count(chr(97 + place)) for place in range(self.dimension)] for text in texts]


async def filled(settings: Settings, folder: Path, embedder: Counting) -> int:
    """Bring text and vectors up to date with this embedder; return how many texts it was given."""
    before = len(embedder.texts)
    async with running(settings.updated(retrieval__dense=False)) as run:
        await ingest(run, folder, embed=False)
        await fill_vectors(run, await store_of(run, settings, folder), embedder)
    return len(embedder.texts) - before


async def vectors_of(run: Run, folder: Path) -> VectorIndex:
    vectors = (await store_of(run, run.settings, folder)).vectors
    assert vectors is not None
    return vectors


async def ids(settings: Settings, folder: Path, embedder: Counting) -> list[tuple[int, float]]:
    """Return what is nearest to a vector, after checking that nothing is missing."""
    async with running(settings) as run:
        vectors = await vectors_of(run, folder)
        assert await asyncio.to_thread(vectors.missing, embedder.id) == 0
        return await asyncio.to_thread(vectors.nearest, embedder.id, [1.0] * embedder.dimension, 10)


@pytest.mark.slow
async def test_both_legs_find_and_the_meaning_finds_what_has_no_word(anywhere: Settings, files: Path) -> None:
    summary = await ingested(anywhere, files)
    assert (summary.embedded, summary.pending) == (3, 0)
    hits = await found(anywhere, files, "insects that live in a hive and collect sweet liquid", 1)
    assert [(hit.path, hit.lexical, hit.dense) for hit in hits] == [("animals/bees.md", None, None)]
    hits = await found(anywhere, files, "When is high water at the coast?", 1)
    assert [(hit.path, hit.lexical, hit.dense) for hit in hits] == [("tides.md", 1, 1)]
    assert await found(anywhere, files, "the fiscal policy of a central bank") == []


async def test_passages_of_the_local_embedder_have_their_vectors_when_they_are_read(
    settings: Settings, files: Path
) -> None:
    events: list[Event] = []
    async with Run("What?", settings, on_event=events.append, journal=Journal()) as run:
        summary = await ingest(run, files, embed=False)
        assert (summary.embedded, summary.pending) == (3, 0)
        (hit,) = await retrieve(run, [files], ["insects that live in a hive and collect sweet liquid"], 1)
        assert (hit.path, run.notices) == ("animals/bees.md", [])
    (told,) = [event for event in events if isinstance(event, IngestProgress) and event.step == "embed"]
    assert (told.done, told.total, told.seconds_left) == (3, 3, 0.0)


async def test_what_shares_no_word_with_the_question_is_proposed_in_a_folder_of_any_size(
    settings: Settings, files: Path
) -> None:
    fill(files, {f"{number}.txt": f"Note {number} about glaciers that live long." for number in range(200)})
    async with running(settings) as run:
        await ingest(run, files, embed=False)
        (hit, *_) = await retrieve(run, [files], ["insects that live in a hive and collect sweet liquid"], 30)
        assert (hit.path, hit.lexical, hit.dense) == ("animals/bees.md", None, 1)
        assert await retrieve(run, [files], ["the fiscal policy of a central bank"], 2) == []
        assert run.notices == []
        (hit, *_) = await retrieve(run, [files], ["Wie viele Königinnen hat ein Volk, queen?"], 30)
        assert (hit.path, hit.dense) == ("animals/bees.md", None), "in another language the best by words are compared"
        assert run.notices == []


async def test_what_did_not_change_is_not_embedded_again(anywhere: Settings, files: Path) -> None:
    embedder = Counting()
    assert await filled(anywhere, files, embedder) == 3
    assert await filled(anywhere, files, embedder) == 0
    (files / "tides.md").write_text("# Tides\n\nAnother text.\n")
    fill(files, {"long.md": "".join(f"# Part {n}\n\n{'A sentence about part. ' * 40}{n}\n\n" for n in range(5))})
    assert await filled(anywhere, files, embedder) == 6
    changed = (files / "long.md").read_text().replace("# Part 3\n", "# Part 3\n\nA line that is new.\n")
    (files / "long.md").write_text(changed)
    assert await filled(anywhere, files, embedder) == 1


async def test_vectors_of_what_is_gone_are_swept(settings: Settings, files: Path) -> None:
    embedder = Counting()
    await filled(settings, files, embedder)
    (files / "tides.md").unlink()
    await filled(settings, files, embedder)
    assert len(await ids(settings, files, embedder)) == 2
    async with running(settings) as run:
        vectors = await vectors_of(run, files)
        assert isinstance(vectors, LocalVectors)
        assert await asyncio.to_thread(vectors.stale, embedder.id) == []


async def test_a_hit_of_an_older_version_is_dropped(anywhere: Settings, files: Path) -> None:
    embedder = Counting()
    await filled(anywhere, files, embedder)
    async with running(anywhere.updated(retrieval__dense=False)) as run:
        (files / "tides.md").unlink()
        await ingest(run, files, embed=False)
        vectors = await vectors_of(run, files)
        assert len(await asyncio.to_thread(vectors.nearest, embedder.id, [1.0] * 4, 10)) == 2


async def test_switching_the_embedder_there_and_back_breaks_nothing(anywhere: Settings, files: Path) -> None:
    small, large = Counting("small", 4), Counting("large", 9)
    assert await filled(anywhere, files, small) == 3
    assert await filled(anywhere, files, large) == 3
    assert await filled(anywhere, files, small) == 0
    assert len(await ids(anywhere, files, small)) == len(await ids(anywhere, files, large)) == 3


async def test_an_embedder_that_changed_its_dimension_is_noticed(anywhere: Settings, files: Path) -> None:
    await filled(anywhere, files, Counting("same", 4))
    changed = Counting("same", 6)
    async with running(anywhere) as run:
        vectors = await vectors_of(run, files)
        with pytest.raises(EmbedderError, match="different dimension"):
            await asyncio.to_thread(vectors.nearest, "same", [1.0] * 6, 10)
    assert await filled(anywhere, files, changed) == 3
    assert len(await ids(anywhere, files, changed)) == 3


async def test_equal_chunks_of_a_file_share_a_vector(anywhere: Settings, files: Path) -> None:
    paragraph = "The same sentence again and again. " * 26
    fill(files, {"same.md": f"# A\n\n{paragraph}\n\n# A\n\n{paragraph}\n"})
    embedder = Counting()
    await filled(anywhere, files, embedder)
    assert len(await ids(anywhere, files, embedder)) == 4


# What a crash leaves


def chroma_of(settings: Settings) -> Path:
    (folder,) = settings.data_dir.rglob("vectors")
    return folder


async def test_a_crash_inside_chroma_is_mended_without_embedding_again(settings: Settings, files: Path) -> None:
    embedder = Counting()
    await filled(settings, files, embedder)
    folder = chroma_of(settings)
    for damaged in folder.rglob("*.bin"):
        damaged.write_bytes(b"\xff" * 1000)
    folder.with_name("vectors.in-use").touch()
    assert await filled(settings, files, embedder) == 0
    assert len(await ids(settings, files, embedder)) == 3
    assert not folder.with_name("vectors.in-use").exists()


async def test_a_search_after_such_a_crash_goes_on_by_words(settings: Settings, files: Path) -> None:
    await ingested(settings, files)
    chroma_of(settings).with_name("vectors.in-use").touch()
    async with running(settings) as run:
        assert [hit.dense for hit in await retrieve(run, [files], ["queen of the bees"], 1)] == [None]
    assert (await ingested(settings, files)).embedded == 3
    assert [hit.dense for hit in await found(settings, files, "queen of the bees", 1)] == [1]


@pytest.mark.parametrize("content", [b"no database" * 1000, None], ids=["damaged", "deleted"])
async def test_chromas_own_database_may_be_lost(settings: Settings, files: Path, content: bytes | None) -> None:
    embedder = Counting()
    await filled(settings, files, embedder)
    database = chroma_of(settings) / "chroma.sqlite3"
    database.unlink() if content is None else database.write_bytes(content)
    fill(files, {"new.md": "One more."})
    try:
        await filled(settings, files, embedder)
    except EmbedderError as error:
        assert "rebuilds them" in str(error)  # noqa: PT017 (either is right: mended at once, or told and mended next time)
        await filled(settings, files, embedder)
    assert len(embedder.texts) == 4
    assert len(await ids(settings, files, embedder)) == 4


# The embedder


async def test_the_end_of_a_long_chunk_counts(settings: Settings) -> None:
    start = "A plain sentence that says very little about anything. " * 24
    async with running(settings) as run:
        one, other = await static_embedder().embed(run, [start + "Volcanoes erupt.", start + "Tax law is dull."])
    assert one != other


async def test_static_vectors_have_length_1_and_are_nearer_for_like_texts(settings: Settings) -> None:
    texts = ["A cat sleeps.", "A kitten is asleep.", "Interest rates rose.", ""]
    async with running(settings) as run:
        one, like, other, empty = await static_embedder().embed(run, texts)
    assert len(one) == len(empty) == 256
    assert math.isclose(cosine(one, one), 1, rel_tol=1e-5)
    assert cosine(one, like) > 2 * cosine(one, other)


def cosine(one: list[float], other: list[float]) -> float:
    return sum(x * y for x, y in zip(one, other, strict=True))


async def test_in_another_language_the_best_by_words_are_compared_by_meaning(
    settings: Settings, tmp_path: Path
) -> None:
    garage = "# Werkstatt\n\nFür die Instandsetzung unseres Wagens zahlten wir 800 Euro.\n"
    files = fill(tmp_path / "files", {**DOCUMENTS, "werkstatt.md": garage})
    await ingested(settings, files)
    async with running(settings) as run:
        hits = await retrieve(run, [files], ["Was kostet die Reparatur des Autos?"], 1)
        assert [(hit.path, hit.lexical, hit.dense) for hit in hits] == [("werkstatt.md", None, None)], (
            "no word is the same"
        )
        assert run.notices == []
    weighted = settings.updated(retrieval__dense_weight=2.0)
    (hit,) = await found(weighted, files, "Wie teuer war die Instandsetzung unseres Wagens?", 1)
    assert hit.dense is not None


async def test_whoever_does_not_hold_the_index_searches_words(settings: Settings, files: Path) -> None:
    await ingested(settings, files)
    async with running(settings) as holder, running(settings) as second:
        await ingest(holder, files, embed=False)
        (hit,) = await retrieve(second, [files], ["queen of the bees"], 1)
        assert (hit.path, hit.dense) == ("animals/bees.md", None)


@pytest.mark.parametrize("is_embedded", [False, True])
async def test_what_words_find_is_there_when_no_time_is_left_for_meaning(
    settings: Settings, files: Path, *, is_embedded: bool
) -> None:
    async with running(settings) as run:
        await ingest(run, files, embed=is_embedded)
    async with running(settings.updated(budget__max_time=0.001)) as run:
        (hit,) = await retrieve(run, [files], ["nectar and pollen"], 1)
        assert hit.path == "animals/bees.md"
        assert "There was no time left for it: max_time = 0.001 s." in " ".join(map(str, run.notices))
