"""Shows a run's events: a live line on a terminal, plain lines in a pipe, always on standard error."""

from typing import Any

from rich.markup import escape
from rich.status import Status

from ..kernel.events import (
    EngineChanged,
    Event,
    FileSkipped,
    Ingested,
    IngestProgress,
    ModelCalled,
    Noticed,
    PageRead,
    PhaseChanged,
    Planned,
    Retrying,
    RunEnded,
    Searched,
    SectionWritten,
    TaskEnded,
    TaskStarted,
)
from ..kernel.one_line import tamed
from .console import LastingConsole

STEPS = {
    "WEB_SEARCH": "Searching the web",
    "SCRAPING_URLS": "Reading pages",
    "RERANKING": "Ranking passages",
    "GENERATION": "Writing",
}
"""What a phase is called that a person may wait for."""


MOST_SKIPPED = 3
"""Files without text that are named for each folder."""


class Progress:
    """Takes events and shows them; use it as a context manager, and as the run's event sink.

    Of the files that gave no text a few are named, or all with `every_file`. With `steps` there is no live line, which
    would run into what is written on standard output meanwhile: each step has a plain one.
    """

    def __init__(self, *, quiet: bool = False, steps: bool = False, every_file: bool = False) -> None:
        self._console = LastingConsole(stderr=True, quiet=quiet)
        self._steps = steps
        self._retried: set[Retrying] = set()
        self._every_file = every_file
        self._skipped = 0
        live = self._console.is_terminal and not steps
        self._live: Status | None = Status("Starting", console=self._console) if live else None

    def __enter__(self) -> "Progress":
        """Start the live line, where there is one."""
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, *_exception: Any) -> None:
        """End the live line."""
        if self._live is not None:
            self._live.stop()

    def __call__(self, event: Event) -> None:
        """Show one event."""
        if isinstance(event, Retrying):
            if event in self._retried:
                return  # it was said: many calls may fail in one way
            self._retried.add(event)
        if not self._every_file and self._folds(event):
            return
        if self._live is not None and (what := doing(event)):
            self._live.update(escape(tamed(what)))
        if self._steps and (step := _step(event)):
            self._console.print(escape(step))
        if done := _done(event):
            self._console.print(escape(done))

    def _folds(self, event: Event) -> bool:
        """Say whether a file is one of too many to be named; at the end of its folder tell how many these were."""
        match event:
            case FileSkipped():
                self._skipped += 1
                return self._skipped > MOST_SKIPPED
            case Ingested(folder=folder):
                if (more := self._skipped - MOST_SKIPPED) > 0:
                    self._console.print(escape(tamed(f"Skipped {more:,} more; “spyglass ingest {folder}” names them")))
                self._skipped = 0
        return False


def _step(event: Event) -> str:
    """Say which step begins, if one does."""
    match event:
        case PhaseChanged(phase=phase, status="started"):
            return STEPS.get(phase, "")
    return ""


def doing(event: Event) -> str:
    """Say what is going on, for the live line."""
    match event:
        case Searched(query=query, engine=engine, results=results) if results:
            return f"{engine}: {results} results for “{query}”"
        case EngineChanged(engine=engine, state=state) if state != "open":
            return f"{engine} is asked again"
        case PageRead(url=url, title=title, error=""):
            return f"Read {title or url}"
        case TaskStarted(agent=agent, task=task):
            return f"{agent}: {task}"
        case IngestProgress(step=step, done=done, total=total, seconds_left=left, pages=pages):
            verb = "Reading files" if step == "convert" else "Embedding passages"
            further = [f"{pages:,} pages"] if pages else []
            further += [f"{left:.0f} s left"] if left is not None else []
            return ", ".join([f"{verb}: {done:,} of {total:,}", *further])
        case Planned():
            return "Researching"
        case SectionWritten(title=title):
            return f"Wrote “{title}”"
    return _step(event)


def _done(event: Event) -> str:
    """Say what has happened, for a line that stays."""
    match event:
        case Planned(tasks=tasks, by=by):
            return f"Plan (by {'the model' if by == 'model' else 'rules'}): " + "; ".join(
                task["task"] for task in tasks
            )
        case FileSkipped(path=path, reason=reason):
            return f"Skipped {path}: {reason}"
        case Ingested(folder=folder, files=files, chunks=chunks, skipped=skipped, unchanged=unchanged):
            return f"Read {folder}: {files:,} files, {chunks:,} passages, {skipped:,} skipped, {unchanged:,} unchanged"
        case TaskEnded(agent=agent, error=error) if error:
            return f"{agent} failed: {error}"
        case TaskEnded(agent=agent, task=task, added=added) if added:
            return f"{agent}: {added} sources for “{task}”"
        case ModelCalled(role=role, model=model, prompt_tokens=read, completion_tokens=written):
            return f"{model} ({role}): read {read:,} tokens, wrote {written:,}"
        case Retrying(kind=kind, why=why):
            return f"Trying the {kind} call again: {why}"
        case Noticed(text=text):
            return f"Note: {text}"
        case RunEnded():
            return _last_line(event)
    return _missed(event)


def _missed(event: Event) -> str:
    """Say which search did not work."""
    match event:
        case Searched(query=query, engine=engine, error=error) if error and engine != "cached":
            return f"No answer to “{query}”: {engine}: {error}"
        case EngineChanged(engine=engine, state="open", why=why):
            return f"{engine} is not asked for a while: {why}"
    return ""


def _last_line(end: RunEnded) -> str:
    """Say how long it took and what it cost."""
    tokens = end.prompt_tokens + end.completion_tokens
    cost = "price unknown" if end.cost is None else f"${end.cost:.4f}"
    spent = f"{end.calls} model calls, {tokens:,} tokens, {cost}" if end.calls else "no model calls, $0"
    return f"{end.outcome.replace('_', ' ').capitalize()} in {end.seconds:.1f} s: {spent}"
