"""Describes a run's events as text: the current step, and what has happened."""

from typing import Final

from ..kernel import events

STEPS: Final = {
    "WEB_SEARCH": "Searching the web",
    "SCRAPING_URLS": "Reading pages",
    "RERANKING": "Ranking passages",
    "GENERATION": "Writing",
}
"""The names of the phases that are shown to a waiting user."""


def step_of(event: events.Event) -> str:
    """Return the name of the step that an event begins, or an empty string."""
    match event:
        case events.PhaseChanged(phase=phase, status="started"):
            return STEPS.get(phase, "")
    return ""


def live_line(event: events.Event) -> str:
    """Return the current step, for the live line."""
    match event:
        case events.Searched(query=query, engine=engine, results=results) if results:
            return f"{engine}: {results} results for “{query}”"
        case events.EngineChanged(engine=engine, state=state) if state != "open":
            return f"{engine} is used again"
        case events.PageRead(url=url, title=title, error=""):
            return f"Read {title or url}"
        case events.TaskStarted(agent=agent, task=task):
            return f"{agent}: {task}"
        case events.IngestProgress(step=step, done=done, total=total, seconds_left=left, pages=pages):
            verb = "Reading files" if step == "convert" else "Embedding passages"
            further = [f"{pages:,} pages"] if pages else []
            further += [f"{left:.0f} s left"] if left is not None else []
            return ", ".join([f"{verb}: {done:,} of {total:,}", *further])
        case events.Planned():
            return "Researching"
        case events.SectionWritten(title=title):
            return f"Wrote “{title}”"
    return step_of(event)


def permanent_line(event: events.Event) -> str:
    """Return what has happened, for a permanent line."""
    match event:
        case events.Planned(tasks=tasks, by=by):
            return f"Plan (by {'the model' if by == 'model' else 'rules'}): " + "; ".join(
                task["task"] for task in tasks
            )
        case events.FileSkipped(path=path, reason=reason):
            return f"Skipped {path}: {reason}"
        case events.Ingested(folder=folder, files=files, chunks=chunks, skipped=skipped, unchanged=unchanged):
            return f"Read {folder}: {files:,} files, {chunks:,} passages, {skipped:,} skipped, {unchanged:,} unchanged"
        case events.TaskEnded(agent=agent, error=error) if error:
            return f"{agent} failed: {error}"
        case events.TaskEnded(agent=agent, task=task, added=added) if added:
            return f"{agent}: {added} sources for “{task}”"
        case events.ModelCalled(role=role, model=model, prompt_tokens=read, completion_tokens=written):
            return f"{model} ({role}): read {read:,} tokens, wrote {written:,}"
        case events.Retrying(kind=kind, why=why):
            return f"Retrying the {kind} call: {why}"
        case events.Noticed(text=text):
            return f"Note: {text}"
        case events.RunEnded():
            return _last_line(event)
    return _missed(event)


def _missed(event: events.Event) -> str:
    match event:
        case events.Searched(query=query, engine=engine, error=error) if error and engine != "cached":
            return f"No answer to “{query}”: {engine}: {error}"
        case events.EngineChanged(engine=engine, state="open", why=why):
            return f"{engine} is not used for a while: {why}"
    return ""


def _last_line(end: events.RunEnded) -> str:
    tokens = end.prompt_tokens + end.completion_tokens
    cost = "price unknown" if end.cost is None else f"${end.cost:.4f}"
    spent = f"{end.calls} model calls, {tokens:,} tokens, {cost}" if end.calls else "no model calls, $0"
    return f"{end.outcome.replace('_', ' ').capitalize()} in {end.seconds:.1f} s: {spent}"
