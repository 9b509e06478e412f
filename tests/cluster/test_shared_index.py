"""The index in a database: what is equal is kept once, and still each folder is its own."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from pydantic import SecretStr

from rag.shelf import BEES, TIDES, configured, fill, found, ingested, running
from spyglass.kernel.database.database import Database, database_at
from spyglass.kernel.settings import Settings
from spyglass.rag.retrieve import retrieve
from spyglass.rag.store import forget_index

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
