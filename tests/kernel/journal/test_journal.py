"""The journal keeps what it is given, in one spelling, and refuses what it cannot read."""

import os
import signal
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from threading import Timer

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from spyglass.kernel.errors import JournalError
from spyglass.kernel.journal import Answer, Journal, effect_key
from spyglass.kernel.journal.journal import LONGEST_WAIT
from spyglass.kernel.settings import Settings

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(JSON)
@example({"half a pair": "\ud800"})
def test_an_answer_comes_back_as_it_was(value: object) -> None:
    journal = Journal()
    journal.record("key", "ask", {"q": 1}, Answer(value=value))
    assert journal.find("key") == Answer(value=value)
    journal.close()


def test_the_order_of_keys_in_a_request_does_not_matter() -> None:
    assert effect_key("ask", {"a": 1, "b": [2]}) == effect_key("ask", {"b": [2], "a": 1})
    assert effect_key("ask", {"a": 1}) != effect_key("tell", {"a": 1})


@pytest.mark.parametrize("number", [3, 99])
def test_a_journal_of_another_format_is_refused(tmp_path: Path, number: int) -> None:
    path = tmp_path / "journal.sqlite"
    journal = Journal(path)
    journal.put("format", number)
    journal.close()
    for opened in (Journal, Journal.copy_of):
        with pytest.raises(JournalError, match=f"has format {number}"):
            opened(path)


def test_a_long_fact_is_kept_small_and_comes_back_as_it_was(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.sqlite")
    fact = {"report": "The same words again and again. " * 10_000}
    journal.put("report", fact)
    journal.log("finder", fact)
    assert (journal.get("report"), journal.messages()) == (fact, [("finder", fact)])
    journal.close()
    assert (tmp_path / "journal.sqlite").stat().st_size < 100_000


def test_a_journal_that_was_closed_is_one_file(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.sqlite")
    journal.put("name", 1)
    journal.close()
    reader = Journal(tmp_path / "journal.sqlite", readonly=True)
    assert reader.get("name") == 1
    reader.close()
    assert [file.name for file in tmp_path.iterdir()] == ["journal.sqlite"]


def test_who_reads_waits_while_nobody_may(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    with closing(Journal(path)) as journal:
        journal.put("name", 1)
    with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as owner:
        owner.execute("BEGIN EXCLUSIVE")
        later = Timer(4 * LONGEST_WAIT, owner.execute, ["COMMIT"])
        later.start()
        with closing(Journal(path, readonly=True)) as reader:
            assert reader.get("name") == 1
        later.join()


def test_with_durability_power_a_write_is_on_the_disk(tmp_path: Path) -> None:
    for durability, synchronous in (("process", 1), ("power", 2)):
        settings = Settings.load(data_dir=tmp_path, runs__durability=durability)
        journal = Journal(tmp_path / durability, durability=settings.runs.durability)
        assert journal.synchronous == synchronous
        journal.close()


def test_a_file_that_is_no_journal_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    path.write_bytes(b"not a database, but long enough to be taken for one" * 100)
    with pytest.raises(JournalError, match="cannot be opened"):
        Journal(path)


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(JournalError, match="data_dir"):
        Journal(tmp_path / "file" / "journal.sqlite")


WRITER = """
import os, signal, sys
from pathlib import Path
from spyglass.kernel.journal import Answer, Journal
journal = Journal(Path(sys.argv[1]))
for number in range(100):
    journal.record(str(number), "ask", {}, Answer(value=number))
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_was_recorded_survives_kill_9(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    died = subprocess.run([sys.executable, "-c", WRITER, str(path)], env=os.environ, check=False)
    assert died.returncode == -signal.SIGKILL
    journal = Journal(path)
    assert [answer.value for _, _, answer in journal.effects()] == list(range(100))
    journal.close()


def test_what_another_thread_records_is_not_undone_with_a_group(tmp_path: Path) -> None:
    with Journal(tmp_path / "run.db") as journal, ThreadPoolExecutor() as threads:
        journal.take()
        with suppress(RuntimeError), journal.together():
            journal.put("ours", 1)
            recording = threads.submit(journal.put, "theirs", 2)
            with suppress(TimeoutError):
                recording.result(timeout=0.2)
            raise RuntimeError
        recording.result()
        assert (journal.get("ours"), journal.get("theirs")) == (None, 2)


def test_a_journal_that_is_closed_cannot_be_written() -> None:
    journal = Journal()
    journal.close()
    with pytest.raises(JournalError, match="cannot be written"):
        journal.put("name", 1)
