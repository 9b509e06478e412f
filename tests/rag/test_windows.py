"""What windows of passages mean is kept with the index, as far as it is bounded."""

import asyncio
from pathlib import Path

import numpy as np
import pytest

from rag.shelf import fill, running
from spyglass.kernel.settings import Settings
from spyglass.rag.ingest import ingest
from spyglass.rag.local_comparer import LocalComparer
from spyglass.rag.retrieve import retrieve
from spyglass.rag.store import store_of
from spyglass.rag.tables import IndexTables
from spyglass.rag.window_reranking import in_context
from spyglass.rag.windows import MOST, WindowTable


def test_what_is_kept_comes_back_as_it_was_and_the_oldest_goes(tmp_path: Path) -> None:
    tables = IndexTables(tmp_path / "manifest.sqlite", writable=True)
    table = WindowTable(tables)
    rows = {str(number): np.full((2, 3), number % 100, np.int8) for number in range(MOST + 1)}
    table.keep("letters", rows)
    found = table.load("letters", ["0", "1", str(MOST), "never"])
    assert sorted(found) == ["1", str(MOST)]
    assert np.array_equal(found["1"], rows["1"])
    assert table.load("another", ["1"]) == {}
    tables.close()


def test_an_index_that_only_is_read_keeps_nothing_and_says_nothing(tmp_path: Path) -> None:
    IndexTables(tmp_path / "manifest.sqlite", writable=True).close()
    tables = IndexTables(tmp_path / "manifest.sqlite", writable=False)
    WindowTable(tables).keep("letters", {"a": np.ones(3, np.float16)})
    assert WindowTable(tables).load("letters", ["a"]) == {}
    tables.close()


@pytest.mark.slow
async def test_the_windows_of_a_search_are_kept(settings: Settings, tmp_path: Path) -> None:
    files = fill(tmp_path / "files")
    async with running(settings) as run:
        await ingest(run, files, embed=False)
        hits = await retrieve(run, [files], ["queen of the bees"], 3)
        store = await store_of(run, settings, files)
        windows = [in_context(hit, ["queen", "bee"]) for hit in hits]
        known = await asyncio.to_thread(store.windows.load, LocalComparer.id, windows)
    assert sorted(known) == sorted(windows)
