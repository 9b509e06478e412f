"""A journal is the same wherever it is kept: in a file, or in PostgreSQL, where another machine finds all of it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kernel.journal.conftest import Open
from spyglass.kernel.errors import LeaseError, ModelBusyError
from spyglass.kernel.journal import Answer, Journal

Later = Callable[[], Journal]
"""Opens the journal again where it can be, once whoever had it has given it back."""


@pytest.fixture
def journal(kept: Open, tmp_path: Path) -> Iterator[Journal]:
    journal = kept(tmp_path / "here" / "run" / "journal.sqlite")
    journal.take()
    yield journal
    journal.close()


@pytest.fixture
def later(journal: Journal, kept: Open, tmp_path: Path) -> Iterator[Later]:
    opened: list[Journal] = []

    def again() -> Journal:
        journal.release()
        journal.close()
        folder = tmp_path / ("here" if type(journal) is Journal else "another machine")
        opened.append(kept(folder / "run" / "journal.sqlite"))
        opened[0].take()
        return opened[0]

    yield again
    for one in opened:
        one.close()


def test_what_a_run_keeps_is_found_again_in_its_order(journal: Journal, later: Later) -> None:
    long = {"report": "The same words again and again. " * 1_000}
    journal.put("report", long)
    journal.record("k1", "ask", {"q": 1, "zero": "\x00"}, Answer(value="a\x00b"), began=1.5, ended=2.5)
    journal.mark("WRITING", "started", 3.5)
    journal.record("k2", "tell", {"q": 2}, Answer(error=ModelBusyError("busy", retry_after=2.5).to_record()))
    journal.charge("k2", 10, 20, None)
    journal.log("planner", {"task": "t"})
    journal.keep_snapshot("hash", "text \x00 of a page")
    again = later()
    assert again.get("report") == long
    assert again.effects("ask") == [("ask", {"q": 1, "zero": "\x00"}, Answer(value="a\x00b"))]
    assert [(one.kind, one.began, one.error, one.charge) for one in again.timed()] == [
        ("ask", 1.5, "", None),
        ("tell", 0.0, "ModelBusyError", (10, 20, None)),
    ]
    assert (again.marks(), again.messages()) == ([("WRITING", "started", 1, 3.5)], [("planner", {"task": "t"})])
    assert again.snapshot("hash") == "text \x00 of a page"


def test_the_first_answer_stays(journal: Journal, later: Later) -> None:
    journal.record("key", "ask", {}, Answer(value=1))
    journal.record("key", "ask", {}, Answer(value=2))
    again = later()
    again.record("key", "ask", {}, Answer(value=3))
    assert again.find("key") == Answer(value=1)


def test_effects_are_listed_by_kind_and_requests_without_their_answers(journal: Journal, later: Later) -> None:
    journal.record("k1", "ask", {"q": 1}, Answer(value="a"))
    journal.record("k2", "tell", {"q": 2}, Answer(error={"what": "no"}))
    journal = later()
    assert journal.effects("tell", "sing") == [("tell", {"q": 2}, Answer(error={"what": "no"}))]
    assert journal.effects("tell", "ask") == journal.effects()
    assert journal.requests() == [("k1", "ask", {"q": 1}, None), ("k2", "tell", {"q": 2}, {"what": "no"})]


def test_what_came_from_a_step_on_is_forgotten(journal: Journal, later: Later) -> None:
    for number in range(1, 5):
        journal.record(f"k{number}", "ask" if number < 4 else "tally", {}, Answer(value=number))
        journal.mark(f"P{number}", "started", 0.0)
    journal.forget(kind="tally")
    journal.forget(3)
    journal.record("k5", "ask", {}, Answer(value=5))
    again = later()
    assert [answer.value for _, _, answer in again.effects()] == [1, 2, 5]
    assert [name for name, *_ in again.marks()] == ["P1"]


def test_what_is_recorded_together_is_on_record_whole_or_not_at_all(journal: Journal, later: Later) -> None:
    def record(*keys: str) -> None:
        with journal.together():
            for key in keys:
                journal.record(key, "gather", {}, Answer(key))
            if len(keys) == 1:
                raise ValueError(keys)

    with pytest.raises(ValueError, match="one"):
        record("one")
    record("two", "three")
    again = later()
    assert [again.find(key) for key in ("one", "two", "three")] == [None, Answer("two"), Answer("three")]


def test_failures_are_forgotten_with_what_was_decided_for_want_of_them_and_no_success(
    journal: Journal, later: Later
) -> None:
    error = Answer(error=ModelBusyError("busy").to_record())
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
    journal = later()
    journal.forget_failures()
    left = ["written", "answered", "answered by another", "whole", "found"]
    assert [key for key, *_ in journal.requests()] == left
    journal.record("vectors", "embed", {}, error)
    journal.forget_failures()
    assert [key for key, *_ in journal.requests()] == left[:-1]


def test_a_failure_comes_back_as_it_was(journal: Journal, later: Later) -> None:
    error = ModelBusyError("busy", where="there", retry_after=2.5).to_record()
    journal.record("key", "ask", {}, Answer(error=error))
    assert later().find("key") == Answer(error=error)


async def test_one_process_at_a_time_writes_and_who_has_lost_the_lease_is_told(
    kept: Open, journal: Journal, tmp_path: Path
) -> None:
    assert journal.path is not None
    journal.record("one", "ask", {}, Answer(value=1))
    await journal.flush()
    second = kept(journal.path)
    with pytest.raises(LeaseError, match="is working on this run"):
        await second.take_async()
    journal.release()
    await journal.flush()
    await second.take_async()
    with pytest.raises(LeaseError, match="taken over this run"):
        journal.record("two", "ask", {}, Answer(value=2))
    second.record("one", "ask", {}, Answer(value=4))
    second.release()
    await second.flush()
    assert [answer.value for _, _, answer in second.effects()] == [1]
    second.close()
