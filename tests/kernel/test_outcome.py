"""However a run ends, everybody is told the same word: its report, the stream, the list of runs, the exit code."""

import asyncio
import shlex
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import pytest

from cli.command import spyglass
from loopback import Fault, Hits, SearchServer, WebServer
from spyglass import research
from spyglass.agent import Agent, Planner
from spyglass.kernel.errors import ModelError, SpyglassError
from spyglass.kernel.events import Event, RunEnded
from spyglass.kernel.message import Message
from spyglass.kernel.outcome import Outcome, outcome_of
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Settings
from spyglass.report import Report
from spyglass.runs import RunStore
from tools.sites import finds, put

QUESTION = "When was the harbour built?"
BUILT = "# The harbour\n\nThe harbour was built in 1871. It took nine years to build it.\n"

SAID: dict[Outcome, str] = {
    "partial": "This report is incomplete; see",
    "nothing_found": "Nothing was found",
    "failed": "Nothing could be written because something failed; see",
    "cancelled": "The run was stopped before it finished",
}
"""What the first lines of a report say."""


@pytest.mark.parametrize(
    ("found", "failed", "stopped", "outcome"),
    [
        (True, False, False, "complete"),
        (True, True, False, "partial"),
        (False, False, False, "nothing_found"),
        (False, True, False, "failed"),
        (True, True, True, "cancelled"),
        (False, False, True, "cancelled"),
    ],
)
def test_the_outcome_follows_from_three_facts(found: bool, failed: bool, stopped: bool, outcome: Outcome) -> None:
    assert outcome_of(has_result=found, failed=failed, stopped=stopped) == outcome


class BrokenPlanner(Planner):
    """One that has no plan to give."""

    async def run(self, response: str, data: list[Any] | None = None) -> Message:
        """Fail."""
        raise ModelError("The planner is out of plans")


@dataclass(frozen=True)
class End:
    """A way in which a run ends: its folders, who plans, and what is done to it when it has begun."""

    outcome: Outcome
    folders: Sequence[str] = ("files",)
    planner: Callable[[], Agent | None] = lambda: None
    done: Callable[[Run, "asyncio.Task[Report]"], object] = lambda run, making: None
    reports: bool = True


ENDS = {
    "an answer": End("complete"),
    "an answer, and a folder that is missing": End("partial", ("files", "missing")),
    "files that say nothing of it": End("nothing_found", ("others",)),
    "a folder that goes away": End("failed", done=lambda run, making: shutil.rmtree(run.settings.db[0])),
    "no plan": End("failed", planner=lambda: BrokenPlanner(None), reports=False),
    "stopped": End("cancelled", done=lambda run, making: run.stop()),
    "cancelled": End("cancelled", done=lambda run, making: making.cancel(), reports=False),
}


@pytest.mark.parametrize("name", ENDS)
async def test_report_stream_and_list_of_runs_say_the_same(name: str, tmp_path: Path) -> None:
    end = ENDS[name]
    for folder, text in (("files", BUILT), ("others", "Bees dance in the dark of the hive.")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.md").write_text(text)
    settings = Settings(
        db=[tmp_path / folder for folder in end.folders], data_dir=tmp_path / "data", retrieval__dense=False
    )
    events: list[Event] = []
    begun: list[Run] = []
    making = asyncio.create_task(
        research(QUESTION, end.planner(), settings=settings, on_event=events.append, on_start=begun.append)
    )
    while not begun:  # noqa: ASYNC110 a step of the loop at a time, to be there when it has just begun
        await asyncio.sleep(0)
    end.done(begun[0], making)
    [ended] = await asyncio.gather(making, return_exceptions=True)
    assert isinstance(ended, Report) == end.reports, ended
    if isinstance(ended, Report):
        assert ended.outcome == end.outcome
        said = [outcome for outcome, words in SAID.items() if words in ended.markdown]
        assert end.outcome in said or (end.outcome, said) == ("complete", [])
        assert set(said) <= {end.outcome, "nothing_found"}, "where nothing is there, it is said besides"
        assert end.outcome == "cancelled" or bool(ended.failures) == (end.outcome in ("partial", "failed"))
    else:
        assert isinstance(ended, SpyglassError | asyncio.CancelledError)
    assert [event.outcome for event in events if isinstance(event, RunEnded)] == [end.outcome]
    assert isinstance(events[-1], RunEnded)
    assert begun[0].outcome == end.outcome
    assert [run.outcome for run in RunStore(settings.data_dir).all()] == [end.outcome]


@pytest.fixture
def folder(tmp_path: Path, search_server: SearchServer, web_server: WebServer) -> Path:
    """A folder to work in, whose configuration leads to an engine that finds one page, which answers."""
    finds(search_server, put(web_server, "127.0.0.1", "/built", "The harbour of Altmere was built in 1871."))
    (tmp_path / "c.toml").write_text(
        f'search.engines = ["searxng"]\nsearch.engine_urls = {{ searxng = "{search_server.url}/searxng" }}\n'
        'network.allow_private = ["127.0.0.0/8"]\nrerank.method = "lexical"\n'
        "search.attempts = 1\ncache.page_hours = 0\n"
    )
    for name, text in (("files", BUILT), ("empty", "")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.md").write_text(text)
    cites = f"# On it\n\nThe harbour of Altmere was built in {{}} ([source]({web_server.url('/built')})).\n"
    (tmp_path / "true.md").write_text(cites.format(1871))
    (tmp_path / "false.md").write_text(cites.format(1920))
    (tmp_path / "blank.md").write_text("# Nothing\n")
    return tmp_path


Row = tuple[str, int]

SOUND: list[Row] = [
    (f"report '{QUESTION}' --files files", 0),
    (f"report '{QUESTION}' --files files --files missing", 3),
    (f"report '{QUESTION}' --files empty", 4),
    (f"report '{QUESTION}' --files missing", 2),
    ("search 'When was the harbour of Altmere built?'", 0),
    ("search 'When was the harbour of Altmere built?' --domains example.org", 4),
    ("research 'harbour of Altmere'", 0),
    ("research 'volcanoes of Iceland'", 4),
    ("ingest files", 0),
    ("ingest empty", 4),
    (f"find '{QUESTION}' --files files", 0),
    (f"find '{QUESTION}' --files files --files missing", 3),
    ("find 'waggle dance' --files files", 4),
    ("check true.md --web", 0),
    ("check false.md --web", 3),
    ("check blank.md --web", 4),
    ("resume nobody", 2),
    ("fetch http://127.0.0.1:9/", 1),
]
"""Commands in a sound world, and their exit codes."""

BROKEN: list[Row] = [
    (f"report '{QUESTION}' --web", 1),
    (f"report '{QUESTION}' --web --files files", 3),
    ("search 'When was the harbour of Altmere built?'", 1),
    ("research 'harbour of Altmere'", 1),
]
"""The same where no search is answered."""


async def codes(folder: Path, rows: Sequence[Row]) -> list[Row]:
    """Run the commands, a few at a time, and return them with their exit codes."""
    at_once = asyncio.Semaphore(3)

    async def one(number: int, line: str) -> Row:
        data = {"SPYGLASS_DATA_DIR": str(folder / f"data{number}")}
        async with at_once:
            ran = await asyncio.to_thread(spyglass, folder, *shlex.split(line), "--config", "c.toml", **data)
        assert "Traceback" not in ran.stderr, ran.stderr
        return line, ran.returncode

    return list(await asyncio.gather(*(one(number, line) for number, (line, _) in enumerate(rows))))


@pytest.mark.slow
async def test_exit_codes_say_how_a_command_ended(folder: Path, search_server: SearchServer) -> None:
    assert await codes(folder, SOUND) == SOUND
    search_server.script(Fault(500))
    assert await codes(folder, BROKEN) == BROKEN
    search_server.script(Hits())
    assert (await codes(folder, [(f"report '{QUESTION}' --web", 4)]))[0][1] == 4


def test_every_outcome_has_an_exit_code() -> None:
    from spyglass.cli.options import EXIT_CODES

    assert set(EXIT_CODES) == set(get_args(Outcome))
    assert EXIT_CODES["planned"] == EXIT_CODES["complete"] == 0
    assert len(set(EXIT_CODES.values()) | {2}) == len(EXIT_CODES)
