"""A run's events as log records: of the standard library, silent until somebody listens, without a page's words."""

import io
import json
import logging
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spyglass.kernel.events import (
    AnswerRead,
    Event,
    Noticed,
    PageRead,
    PhaseChanged,
    Retrying,
    RunEnded,
    Searched,
    SectionWritten,
    TextDelta,
)
from spyglass.kernel.journal import Journal
from spyglass.kernel.observe.logs import LOG, Lines, Observer
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Settings


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    """What an application's handler writes that wants all of it."""
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    handler.setFormatter(Lines())
    LOG.addHandler(handler)
    LOG.setLevel(logging.DEBUG)
    yield written
    LOG.setLevel(logging.NOTSET)
    LOG.removeHandler(handler)


def records(written: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in written.getvalue().splitlines()]


async def test_each_event_of_a_run_is_a_line_of_json(settings: Settings, lines: io.StringIO) -> None:
    async with Run("What is known?", settings, journal=Journal()) as run:
        run.emit(Searched("bees", "searxng", 3))
        run.notice("The search used words only.")
    start, search, notice, end = records(lines)
    assert (start["event"], start["question"]) == ("RunStarted", "What is known?")
    assert search == {
        "time": search["time"],
        "level": "INFO",
        "run": run.id,
        "event": "Searched",
        "query": "bees",
        "engine": "searxng",
        "results": 3,
        "error": "",
    }
    assert (notice["level"], notice["text"]) == ("WARNING", "The search used words only.")
    assert (end["event"], end["outcome"]) == ("RunEnded", "cancelled")
    assert {line["run"] for line in records(lines)} == {run.id}
    assert datetime.fromisoformat(start["time"]).tzinfo == UTC


def test_a_level_says_how_much_an_event_matters(lines: io.StringIO) -> None:
    cases: list[tuple[Event, str]] = [
        (Retrying("model", "status 503"), "WARNING"),
        (PageRead("https://a.example/", "", 0, error="status 404"), "WARNING"),
        (PageRead("https://a.example/", "A", 10), "INFO"),
        (AnswerRead("planner", "repaired"), "DEBUG"),
        (RunEnded("r", "failed", 1.0, 0, 0, 0, 0.0), "ERROR"),
    ]
    for event, _ in cases:
        Observer().record_event("r", event)
    assert [line["level"] for line in records(lines)] == [level for _, level in cases]


@pytest.mark.parametrize(
    "event",
    [
        TextDelta("writer", "WORDS"),
        PageRead("https://a.example/b?key=WORDS#WORDS", "WORDS", 10),
        PhaseChanged("CHECKING", "completed", {"said": "WORDS"}),
        AnswerRead("planner", "repaired", "no JSON: WORDS"),
        SectionWritten("WORDS", 1, 0),
    ],
)
def test_no_line_has_the_words_of_a_page_or_a_model(lines: io.StringIO, event: Event) -> None:
    Observer().record_event("r", event)
    assert "WORDS" not in lines.getvalue()


def test_a_library_says_nothing_by_itself(capsys: pytest.CaptureFixture[str]) -> None:
    Observer().record_event("r", RunEnded("r", "failed", 1.0, 0, 0, 0, 0.0))
    assert capsys.readouterr() == ("", "")


def test_a_formatter_of_ones_own_has_name_and_fields_in_the_message(caplog: pytest.LogCaptureFixture) -> None:
    Observer().record_event("r", Noticed("Mind this."))
    assert caplog.messages == ["Noticed {'text': 'Mind this.'}"]


def test_an_application_may_take_only_what_matters(lines: io.StringIO) -> None:
    LOG.setLevel(logging.WARNING)
    Observer().record_event("r", Searched("bees", "searxng", 3))
    Observer().record_event("r", Noticed("Mind this."))
    assert [line["event"] for line in records(lines)] == ["Noticed"]


@given(st.text(st.characters()))
def test_whatever_a_text_holds_an_event_is_one_line(text: str) -> None:
    said = {"event": "Noticed", "fields": {"text": text}}
    record = LOG.makeRecord("spyglass", logging.INFO, "", 0, "", (), None, extra=said)
    line = Lines().format(record)
    assert line.isascii()
    assert len(line.splitlines()) == 1
    assert json.loads(line)["text"] == text
