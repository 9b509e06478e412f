"""The journal keeps what it is given, in one spelling, and refuses what it cannot read."""

import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from threading import Timer

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from spyglass.kernel.errors import JournalError, ModelBusyError
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


def test_a_failure_comes_back_as_it_was() -> None:
    journal, error = Journal(), ModelBusyError("busy", where="there", retry_after=2.5).to_record()
    journal.record("key", "ask", {}, Answer(error=error))
    assert journal.find("key") == Answer(error=error)


def test_the_first_answer_stays() -> None:
    journal = Journal()
    journal.record("key", "ask", {}, Answer(value=1))
    journal.record("key", "ask", {}, Answer(value=2))
    assert journal.find("key") == Answer(value=1)


def test_the_order_of_keys_in_a_request_does_not_matter() -> None:
    assert effect_key("ask", {"a": 1, "b": [2]}) == effect_key("ask", {"b": [2], "a": 1})
    assert effect_key("ask", {"a": 1}) != effect_key("tell", {"a": 1})


def test_effects_messages_and_snapshots_are_listed(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "journal.sqlite"
    journal = Journal(path)
    journal.record("k1", "ask", {"q": 1}, Answer(value="a"))
    journal.log("planner", {"task": "t"})
    journal.keep_snapshot("hash", "text")
    journal.close()
    again = Journal(path)
    assert again.effects() == [("ask", {"q": 1}, Answer(value="a"))]
    assert again.messages() == [("planner", {"task": "t"})]
    assert (again.snapshot("hash"), again.snapshot("other")) == ("text", None)
    again.close()


def test_effects_are_listed_by_kind_and_requests_without_their_answers() -> None:
    journal = Journal()
    journal.record("k1", "ask", {"q": 1}, Answer(value="a"))
    journal.record("k2", "tell", {"q": 2}, Answer(error={"what": "no"}))
    assert journal.effects("tell", "sing") == [("tell", {"q": 2}, Answer(error={"what": "no"}))]
    assert journal.effects("tell", "ask") == journal.effects()
    assert journal.requests() == [("k1", "ask", {"q": 1}, None), ("k2", "tell", {"q": 2}, {"what": "no"})]


@pytest.mark.parametrize("number", [3, 99])
def test_a_journal_of_another_format_is_refused(tmp_path: Path, number: int) -> None:
    path = tmp_path / "journal.sqlite"
    journal = Journal(path)
    journal.put("format", number)
    journal.close()
    for opened in (Journal, Journal.copy_of):
        with pytest.raises(JournalError, match=f"has format {number}"):
            opened(path)


def test_a_journal_of_the_first_format_is_refused_too(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    old = sqlite3.connect(path)
    old.executescript(
        """
        CREATE TABLE run (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
        CREATE TABLE effect (seq INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, kind TEXT NOT NULL,
            request TEXT NOT NULL, answer TEXT, error TEXT);
        CREATE TABLE message (seq INTEGER PRIMARY KEY, sender TEXT NOT NULL, body TEXT NOT NULL);
        CREATE TABLE snapshot (hash TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID;
        INSERT INTO run VALUES ('format', '1'), ('question', '"Why?"');
        INSERT INTO effect VALUES (1, 'k', 'ask', '{}', '"because"', NULL);
        """
    )
    old.close()
    with pytest.raises(JournalError, match="has format 1"):
        Journal(path)


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


def test_what_came_from_a_step_on_is_forgotten() -> None:
    journal = Journal()
    for number in range(1, 5):
        journal.record(f"k{number}", "ask" if number < 4 else "tally", {}, Answer(value=number))
        journal.mark(f"P{number}", "started", 0.0)
    journal.forget(kind="tally")
    journal.forget(3)
    assert [answer.value for _, _, answer in journal.effects()] == [1, 2]
    assert [name for name, *_ in journal.phases()] == ["P1"]


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


def test_a_journal_that_is_closed_cannot_be_written() -> None:
    journal = Journal()
    journal.close()
    with pytest.raises(JournalError, match="cannot be written"):
        journal.put("name", 1)


def test_what_is_recorded_together_is_on_record_whole_or_not_at_all() -> None:
    def record(*keys: str) -> None:
        with journal.together():
            for key in keys:
                journal.record(key, "gather", {}, Answer(key))
            if len(keys) == 1:
                raise ValueError(keys)

    journal = Journal()
    with pytest.raises(ValueError, match="one"):
        record("one")
    assert journal.find("one") is None
    record("one", "other")
    assert [journal.find(key) for key in ("one", "other")] == [Answer("one"), Answer("other")]


def test_failures_are_forgotten_with_what_was_decided_for_want_of_them_and_no_success() -> None:
    journal, error = Journal(), Answer(error=ModelBusyError("busy").to_record())
    journal.take()
    gathered = {"pages": ["p"], "unanswered": {}, "limit": ""}
    for key, kind, request, answer in (
        ("written", "model", {}, Answer("text")),
        ("unwritten", "model", {}, error),
        ("slow", "late", {}, error),
        ("answered", "search", {"engine": "a", "query": "q"}, Answer([])),
        ("answered by another", "search", {"engine": "b", "query": "q"}, error),
        ("unanswered", "search", {"engine": "a", "query": "r"}, error),
        ("whole", "gather", {}, Answer(gathered)),
        ("without a query", "gather", {}, Answer(gathered | {"unanswered": {"r": "busy"}})),
        ("without a page", "read", {}, Answer({"pages": [], "failed": {"u": "busy"}, "limit": ""})),
        ("found", "retrieve", {}, Answer({"hits": [], "only_words": "busy"})),
    ):
        journal.record(key, kind, request, answer)
    journal.forget_failures()
    left = ["written", "answered", "answered by another", "whole", "found"]
    assert [key for key, *_ in journal.requests()] == left
    journal.record("vectors", "embed", {}, error)
    journal.forget_failures()
    assert [key for key, *_ in journal.requests()] == left[:-1]
