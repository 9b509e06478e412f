"""The index in a database: what is equal is kept once, and still each folder is its own."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from pydantic import SecretStr

from cluster.world import command, machine
from rag.shelf import BEES, TIDES, configured, fill, found, ingested, running
from spyglass.kernel.database.database import Database, database_at
from spyglass.kernel.settings import Settings
from spyglass.rag.embed import StaticEmbedder
from spyglass.rag.retrieve import retrieve
from spyglass.rag.shared_texts import SharedTexts
from spyglass.rag.shared_vectors import LOOKED_AT, SharedVectors
from spyglass.rag.store import forget_index, shared_key

pytestmark = pytest.mark.cluster


@pytest.fixture
def shared(settings: Settings, database_url: str) -> Iterator[Settings]:
    yield settings.updated(database_url=SecretStr(database_url))
    database_at(database_url).close()


def counted(database: Database, *tables: str) -> dict[str, int]:
    def count(db: psycopg.Connection[Any]) -> dict[str, int]:
        return {table: len(db.execute(f"SELECT 1 FROM {table}".encode()).fetchall()) for table in tables}

    return database.use(count)


async def test_what_is_equal_is_kept_once_and_each_folder_finds_its_own(
    shared: Settings, database: Database, tmp_path: Path
) -> None:
    one = fill(tmp_path / "one", {"bees.md": BEES, "tides.md": TIDES})
    two = fill(tmp_path / "two", {"bees.md": BEES})
    await ingested(shared, one)
    assert (await ingested(shared, two)).embedded == 0, "its passage has a vector from the other folder"
    assert counted(database, "snapshot", "embedding", "chunk") == {"snapshot": 2, "embedding": 2, "chunk": 3}
    assert [hit.path for hit in await found(shared, one, "moon sea high water")][:1] == ["tides.md"]
    assert [hit.path for hit in await found(configured(shared), two, "moon sea high water")] == []
    assert {hit.base for hit in await found(shared, two, "queen of the bees")} == {str(two)}

    forget_index(shared, one)
    assert counted(database, "snapshot", "embedding", "chunk") == {"snapshot": 1, "embedding": 1, "chunk": 1}
    assert [hit.path for hit in await found(shared, two, "queen of the bees")] == ["bees.md"]
    forget_index(shared, two)
    left = counted(database, "snapshot", "embedding", "chunk", "file", "posting", "word", "folder")
    assert set(left.values()) == {0}


async def test_machines_that_read_a_folder_at_once_have_every_document_in_it_once(
    shared: Settings, database: Database, tmp_path: Path
) -> None:
    files = fill(tmp_path / "files", {f"{n}.md": f"# Note {n}\n\nThe river {n} flows by.\n" for n in range(90)})
    machines = [configured(shared, data_dir=tmp_path / name) for name in ("a", "b", "c")]
    for summary in await asyncio.gather(*(ingested(one, files) for one in machines)):
        assert (summary.files, summary.chunks) == (90, 90)
    assert counted(database, "file", "chunk", "snapshot") == {"file": 90, "chunk": 90, "snapshot": 90}
    query = "SELECT count(*) FROM word WHERE chunks <> (SELECT count(*) FROM posting WHERE posting.term = word.term)"
    assert database.use(lambda db: db.execute(query).fetchall()) == [(0,)], "what is counted is what there is"
    code, _, told = await command("forget", "--files", str(files), "--yes", **machine(tmp_path, url_of(shared)))
    assert (code, told) == (0, f"Deleted: the index of {files}.\n")
    assert counted(database, "file", "snapshot", "folder") == {"file": 0, "snapshot": 0, "folder": 0}


def url_of(settings: Settings) -> str:
    assert settings.database_url is not None
    return settings.database_url.get_secret_value()


async def test_a_text_that_a_run_holds_outlives_the_index(shared: Settings, database: Database, tmp_path: Path) -> None:
    files = fill(tmp_path / "files", {"bees.md": BEES})
    await ingested(configured(shared), files)
    database.use(lambda db: db.execute("INSERT INTO run (id) VALUES ('run')"))
    database.use(lambda db: db.execute("INSERT INTO held_snapshot SELECT 'run', hash FROM snapshot"))
    forget_index(shared, files)
    assert counted(database, "snapshot", "chunk") == {"snapshot": 1, "chunk": 0}


async def test_what_lies_in_the_folder_of_data_is_that_folders_alone(
    shared: Settings, database: Database, tmp_path: Path
) -> None:
    for name, text in (("here", BEES), ("there", TIDES)):
        data = tmp_path / name
        settings = configured(shared, data_dir=data)
        await ingested(settings, fill(data / "collections" / "own", {"a.md": text}))
    keys = database.use(lambda db: db.execute("SELECT key FROM folder").fetchall())
    assert len(set(keys)) == 2


async def test_what_postgresql_takes_in_no_text_is_indexed(shared: Settings, tmp_path: Path) -> None:
    files = fill(tmp_path / "files", {"a.md": "# A \x00 title\n\nThe glacier \x00 melts, it is 3.14 m thinner.\n"})
    await ingested(configured(shared), files)
    (hit,) = await found(configured(shared), files, "glacier 3.14")
    assert "glacier" in hit.passage.text


async def test_a_graph_finds_what_a_comparison_with_all_finds_and_nothing_of_another_folder(
    shared: Settings, database: Database, tmp_path: Path
) -> None:
    documents = {f"{n}.md": f"# Note {n}\n\nThe river {n} flows by the town {n * n}.\n" for n in range(30)}
    one = fill(tmp_path / "one", documents)
    await ingested(shared, one)
    await ingested(shared, fill(tmp_path / "two", {f"other {name}": text for name, text in documents.items()}))
    texts = SharedTexts(database, shared_key(shared, one), str(one))
    by_graph, by_all = SharedVectors(texts, exact=2), SharedVectors(texts)
    by_graph.sweep(StaticEmbedder.id)
    [data] = database.use(lambda db: db.execute("SELECT data::text FROM embedding ORDER BY vector LIMIT 1").fetchall())
    vector = json.loads(data[0])

    def look() -> None:
        found, right = (one.nearest(StaticEmbedder.id, vector, 10) for one in (by_graph, by_all))
        assert len(found) == 10
        assert [row for row, _ in found] == [row for row, _ in right]
        assert [cosine for _, cosine in found] == pytest.approx([cosine for _, cosine in right])

    with psycopg.connect(url_of(shared), autocommit=True, options="-c search_path=spyglass,public") as db:
        for setting in ("enable_seqscan = off", "enable_sort = off", "hnsw.max_scan_tuples = 1"):  # all is by the graph
            db.execute(f"ALTER DATABASE {db.info.dbname} SET {setting}".encode())
        database.close()
        look()
        nearer = "SELECT %s, 'other' || n, %s::vector FROM generate_series(1, %s) AS n"
        db.execute(f"INSERT INTO embedding {nearer}".encode(), (StaticEmbedder.id, data[0], 2 * LOOKED_AT))
        look()
        database.close()
        scans = "SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname ~ '^embedding_[0-9a-f]+$'"
        async with asyncio.timeout(20):  # it is counted when a connection is closed
            while db.execute(scans).fetchall() != [(2,)]:  # noqa: ASYNC110 nobody tells us
                await asyncio.sleep(0.1)
    assert by_graph.missing(StaticEmbedder.id) == 0


@pytest.fixture
def without_pgvector(database_url: str) -> Iterator[str]:
    """The address of the database for a user who may not add extensions to it."""
    with psycopg.connect(database_url, autocommit=True) as db:
        name = db.info.dbname
        db.execute(f"CREATE ROLE {name} LOGIN".encode())
        db.execute(f"GRANT CREATE ON DATABASE {name} TO {name}".encode())
    url = database_url.replace("//postgres:@", f"//{name}@")
    yield url
    database_at(url).close()
    with psycopg.connect(database_url, autocommit=True) as db:
        db.execute(f"DROP OWNED BY {name} CASCADE".encode())
        db.execute(f"DROP ROLE {name}".encode())


async def test_without_pgvector_words_find_and_it_is_told_what_to_do(
    settings: Settings, without_pgvector: str, tmp_path: Path
) -> None:
    files = fill(tmp_path / "files")
    settings = settings.updated(database_url=SecretStr(without_pgvector))
    summary = await ingested(settings, files)
    assert (summary.files, summary.embedded, summary.pending) == (3, 0, 3)
    async with running(settings.updated(retrieval__dense_weight=1.0)) as run:
        hits = await retrieve(run, [files], ["Wie viele Bienen, queen bees?"], 2)
        told = " ".join(map(str, run.notices))
    assert [hit.path for hit in hits] == ["animals/bees.md"]
    assert "CREATE EXTENSION vector" in told
