"""What the run's events look like on standard error."""

import pytest

from spyglass.cli.progress import TerminalProgress
from spyglass.kernel.events import (
    EngineChanged,
    Event,
    FileSkipped,
    Ingested,
    IngestProgress,
    Noticed,
    PhaseChanged,
    Retrying,
    Searched,
    TaskEnded,
)
from spyglass.runs.words import live_line


def shown(capsys: pytest.CaptureFixture[str], *events: Event, steps: bool = False, every_file: bool = False) -> str:
    with TerminalProgress(steps=steps, every_file=every_file) as progress:
        for event in events:
            progress(event)
    return capsys.readouterr().err


def test_an_engine_that_does_not_answer_is_a_note(capsys: pytest.CaptureFixture[str]) -> None:
    answered, silent = Searched("bees", "brave", 7), Searched("bees", "brave", 0, "brave did not answer within 5 s")
    assert shown(capsys, answered, silent) == "No answer to “bees”: brave: brave did not answer within 5 s\n"


def test_an_engine_that_is_left_alone_is_a_note(capsys: pytest.CaptureFixture[str]) -> None:
    changes = [EngineChanged("brave", "open", "5 failures"), EngineChanged("brave", "half-open")]
    assert shown(capsys, *changes) == "brave is not used for a while: 5 failures\n"


def test_steps_are_lines_where_there_is_no_live_line(capsys: pytest.CaptureFixture[str]) -> None:
    phases = [PhaseChanged("WEB_SEARCH", "started"), PhaseChanged("WEB_SEARCH", "completed")]
    assert shown(capsys, *phases, steps=True) == "Searching the web\n"
    assert shown(capsys, *phases) == ""


def test_of_the_files_without_text_a_few_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    skipped = [FileSkipped(f"{number}.png", "It is a picture.") for number in range(9)]
    end = Ingested("files", 1, 1, 9, 0)
    assert shown(capsys, *skipped, end, skipped[0]).splitlines() == [
        "Skipped 0.png: It is a picture.",
        "Skipped 1.png: It is a picture.",
        "Skipped 2.png: It is a picture.",
        "Skipped 6 more; “spyglass ingest files” lists them",
        "Read files: 1 files, 1 passages, 9 skipped, 0 unchanged",
        "Skipped 0.png: It is a picture.",
    ]
    assert shown(capsys, *skipped, end, every_file=True).count("Skipped") == 9


def test_how_far_reading_is_tells_pages_and_time(capsys: pytest.CaptureFixture[str]) -> None:
    assert shown(capsys, IngestProgress("convert", 1, 9, 12.4, 340)) == ""  # it is for the live line of a terminal
    assert live_line(IngestProgress("convert", 1, 9, 12.4, 340)) == "Reading files: 1 of 9, 340 pages, 12 s left"


def test_no_event_commands_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    evil = "\x1b]0;owned\x07[red]a page\x1b[2J\r"
    said = shown(capsys, Noticed(evil), TaskEnded("searcher", evil, 2))
    assert said == "Note: [red]a page\nsearcher: 2 sources for “[red]a page”\n"


def test_calls_that_fail_in_one_way_are_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    first, other = Retrying("search", "no such host"), Retrying("search", "status 500")
    assert shown(capsys, first, first, other, first).splitlines() == [
        "Retrying the search call: no such host",
        "Retrying the search call: status 500",
    ]


def test_that_nothing_is_kept_from_earlier_is_no_news(capsys: pytest.CaptureFixture[str]) -> None:
    assert shown(capsys, Searched("bees", "cached", 0, "no earlier search is stored")) == ""
