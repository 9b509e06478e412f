"""`spyglass search`."""

import json
import re
from pathlib import Path

from ..kernel.events import Event
from ..kernel.one_line import tamed
from ..kernel.outcome import Outcome
from ..kernel.settings import Settings
from ..tools import web_search
from ..tools.answers import WebSearch
from ..tools.tool_event import Teller, ToolEvent
from .console import tell, write
from .loop import OnInterrupt, run_context, run_until_done
from .progress import TerminalProgress

_CITATION = re.compile(r'<web_citation url="[^"]*" title="[^"]*">(\[\d+\])</web_citation>')
_MARK = re.compile(r"<source_(\d+)>")
_BEGUN = re.compile(r"<[^<>]{0,40}\Z")


def answer_query(
    query: str, settings: Settings, *, stream: bool, as_json: bool, quiet: bool, resume: Path | None = None
) -> Outcome:
    """Print the answer to a query, or of the run to `resume`, and return the outcome; `stream` prints it as it comes.

    In JSON a stream is one event a line, the last one `tool_end` with the result, or `error`. The steps, what should be
    known and what did not work go to standard error; while an answer is being written they wait for its end.
    """
    told = _Told(query, as_json=as_json) if stream else None
    late: list[Event] = []

    def show(event: Event) -> None:
        if told is not None:
            told(event)
        if told is not None and told.begun:
            late.append(event)
        else:
            progress(event)

    async def work(on_interrupt: OnInterrupt) -> WebSearch:
        starting = begun.on_start(on_interrupt)
        answer: WebSearch = await web_search(query, settings=settings, on_event=show, on_start=starting, resume=resume)
        return answer

    with run_context() as begun:
        with TerminalProgress(quiet=quiet, steps=stream) as progress:
            answer = run_until_done(work, settings)
        if told is not None:
            told.end(answer)
        else:
            show_search(answer, as_json=as_json)
        for event in late:
            progress(event)
        if not quiet:
            for failure in begun.run.failures:
                tell(f"Note: {failure.who}: {failure.what}: {failure.why}")
        return begun.run.outcome


def show_search(answer: WebSearch, *, as_json: bool) -> None:
    """Print an answer."""
    write(json.dumps(answer.to_record(), indent=2) + "\n" if as_json else f"{_shown(answer)}\n{_sources(answer)}")


class _Told:
    """Prints a search while it goes on."""

    def __init__(self, query: str, *, as_json: bool) -> None:
        self._teller = Teller(query)
        self._as_json = as_json
        self._held = ""

    @property
    def begun(self) -> bool:
        """Whether a line is being written that others would run into."""
        return bool(self._teller.response) and not self._as_json

    def __call__(self, event: Event) -> None:
        """Print what an event brings."""
        told = self._teller.update(event)
        if told is not None and self._as_json:
            _write_line(told)
        elif told is not None and told.name == "tool_partial_update":
            self._text(told.data["content"])

    def _text(self, piece: str) -> None:
        """Print a piece of the answer; a mark is held back until it is whole."""
        text = _MARK.sub(r"[\1]", self._held + piece)
        begun = _BEGUN.search(text)
        self._held = begun[0] if begun else ""
        write(tamed(text.removesuffix(self._held)))

    def end(self, answer: WebSearch) -> None:
        """Print what comes last."""
        if self._as_json:
            _write_line(ToolEvent("tool_end", answer.to_record()))
        else:
            written = self._held if self._teller.response else _shown(answer)
            write(f"{tamed(written)}\n\n{_sources(answer)}")


def _write_line(event: ToolEvent) -> None:
    write(json.dumps({"event": event.name, "data": event.data}) + "\n")


def _shown(answer: WebSearch) -> str:
    return tamed(_CITATION.sub(r"\1", answer.response)) + "\n"


def _sources(answer: WebSearch) -> str:
    used = [source for source in answer.sources if source.used_in_response]
    return "".join(f"[{source.rank}] {tamed(' '.join(source.title.split()))} {tamed(source.url)}\n" for source in used)
