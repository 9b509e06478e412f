"""A run as it is looked up while its process works on it."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest

from spyglass.kernel.journal import Journal
from spyglass.runs.stored import StoredRun

LOOKS = 1_500
"""Looks at a journal that ends again and again: some ten of them met a log that just went, far more a file that does
nothing but come and go."""


def comes_and_goes(file: Path) -> None:
    file.touch()
    file.unlink()


def opens_and_closes(file: Path) -> None:
    with Journal(file.with_name("journal.db")):
        pass


@pytest.mark.parametrize("happens", [comes_and_goes, opens_and_closes])
def test_a_run_is_looked_at_while_the_log_beside_its_journal_comes_and_goes(
    tmp_path: Path, happens: Callable[[Path], None]
) -> None:
    path, looked = tmp_path / "journal.db", Event()
    with Journal(path) as journal:
        journal.put("question", "How?")

    def ending() -> None:
        while not looked.is_set():
            happens(tmp_path / "journal.db-old")

    with ThreadPoolExecutor() as others:
        ends = others.submit(ending)
        try:
            seen = [StoredRun.at(path) for _ in range(LOOKS)]
        finally:
            looked.set()
        ends.result()
    assert {one.question for one in seen if not one.problem} == {"How?"}
    assert all("locked" in one.problem for one in seen if one.problem), "with so many ends, it may be for a moment"
