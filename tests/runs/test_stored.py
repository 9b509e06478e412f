"""A run as it is looked up while its process works on it."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

from spyglass.kernel.journal import Journal
from spyglass.runs.stored import StoredRun

LOOKS = 1_500
"""Looks at a journal that ends again and again: some ten of them met a log that just went."""


def test_a_run_is_looked_at_while_the_log_beside_its_journal_comes_and_goes(tmp_path: Path) -> None:
    path, looked = tmp_path / "journal.db", Event()
    with Journal(path) as journal:
        journal.put("question", "How?")

    def ending() -> None:
        while not looked.is_set():
            with Journal(path):
                pass

    with ThreadPoolExecutor() as others:
        ends = others.submit(ending)
        try:
            seen = [StoredRun.at(path) for _ in range(LOOKS)]
        finally:
            looked.set()
        ends.result()
    assert {one.question for one in seen if not one.problem} == {"How?"}
    assert all("locked" in one.problem for one in seen if one.problem), "with so many ends, it may be for a moment"
