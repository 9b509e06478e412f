"""`spyglass runs` and `show`: the list of stored runs, and the details of one."""

from collections.abc import Sequence
from typing import Any, Final

from ..kernel.one_line import sanitized, shortened
from ..kernel.settings import Settings
from ..runs import Account, RunStore, StoredRun
from ..runs.stored import INTERRUPTED, rejecting_unfit_values
from .bounds import bounded
from .console import LastingConsole, write, write_json

PIPED: Final = 100  # characters of a line without a terminal
NUMBERS: Final = range(4, 7)  # the columns of the list that are numbers
LONGEST_QUESTION: Final = 60  # characters of a question that the list shows
RESUMABLE: Final = (INTERRUPTED, "cancelled", "failed")  # the outcomes of runs that can be resumed


def list_runs(settings: Settings, most: int, *, as_json: bool) -> None:
    """Print at most `most` stored runs, the latest first, and how to resume an interrupted one."""
    newest = RunStore.of(settings).all(most + 1)
    runs = newest[:most]
    if as_json:
        write_json([run.to_record() for run in runs])
        return
    lines = _table(runs) if runs else ["There are no runs yet."]
    if unreadable := [run for run in runs if run.problem]:
        first = unreadable[0]
        lines.append(f"Unreadable runs: {len(unreadable)}, such as {first.id}: {first.problem}")
    if len(newest) > most:
        lines.append(f"List older runs with: spyglass runs --most {10 * most}")
    if resumable := next((run for run in runs if run.settings is not None and run.outcome in RESUMABLE), None):
        lines.append(f"Resume the latest unfinished run with: spyglass resume {resumable.id}")
    write("\n".join(map(sanitized, lines)) + "\n")


def _table(runs: Sequence[StoredRun]) -> list[str]:
    """Return the runs in aligned columns, the question last."""

    def padded(column: int, cell: str, width: int) -> str:
        return cell.rjust(width) if column in NUMBERS else cell.ljust(width)

    rows = [("run", "makes", "began (UTC)", "outcome", "calls", "cost", "size", "question"), *map(_cells, runs)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(NUMBERS) + NUMBERS.start)]
    return ["  ".join([*map(padded, range(len(widths)), row, widths), row[-1]]) for row in rows]


def _cells(run: StoredRun) -> tuple[str, ...]:
    question = shortened(" ".join((run.question or run.problem).split()), LONGEST_QUESTION)
    cost = "unknown" if run.cost is None else f"${run.cost:.4f}"
    began = run.began[:16].replace("T", " ")
    size = f"{run.size / 1e6:.1f} MB"
    return run.id, run.kind, began, run.outcome.replace("_", " "), str(run.calls), cost, size, sanitized(question)


def show_run(name: str, settings: Settings, *, as_json: bool, timeline: bool, sources: bool) -> None:
    """Print what a run did, its timeline, or its sources. Raises UnknownRunError, JournalError."""
    with bounded(name):
        stored = RunStore.of(settings).find(name)
        account = Account.of(stored)
        with rejecting_unfit_values(stored.path):
            _show(account, as_json=as_json, timeline=timeline, sources=sources)


def _show(account: Account, *, as_json: bool, timeline: bool, sources: bool) -> None:
    if as_json:
        extras: dict[str, Any] = {"timeline": account.timeline.to_record()} if timeline else {}
        extras |= {"ledger": account.ledger} if sources else {}
        write_json(account.to_record() | extras)
    elif timeline:
        _draw(account)
    else:
        write("\n".join(_source_lines(account) if sources else _lines(account)) + "\n")


def _source_lines(account: Account) -> list[str]:
    """Return lines for the sources in the ledger of a run, the most credible first."""
    ordered = sorted(account.ledger, key=lambda source: -source["credibility_score"])
    lines = [f"{it['credibility_score']} {it['credibility_tier']} {it['url']} {it['title']}" for it in ordered]
    return [*_head(account), *(_list("Sources", lines) or ["", "The run found no web pages or search hits."])]


def _draw(account: Account) -> None:
    """Print the timeline as wide as the terminal, with glyphs that it can show."""
    from .drawing import drawn, glyphs_of, sessions

    console = LastingConsole()
    width = console.width if console.is_terminal else PIPED
    for line in (
        *_head(account),
        *sessions(account.timeline),
        "",
        *drawn(account.timeline, width, glyphs_of(console.encoding)),
    ):
        console.print(line, markup=False)


def _lines(account: Account) -> list[str]:
    lines = _head(account)
    if account.origin is not None:
        lines.append(_origin(account.origin))
    if account.run.outcome in RESUMABLE:
        lines.append(f"Resume it with: spyglass resume {account.run.id}")
    lines += _list("Tasks", [f"{agent}: {task} ({added} sources)" for agent, task, added in account.tasks])
    lines += _list(
        "Calls", [f"{call.kind}: {call.count}{_failed(call.failed)}, {call.seconds:.2f} s" for call in account.calls]
    )
    lines += _list("Failed", [f"{kind}: {what}" for kind, what in account.failures])
    if account.answer is not None:
        lines += _list("Sources", [f"{source['title']}: {source['url']}" for source in _sources(account.answer)])
    if account.report is not None:
        titles = [section.title for section in account.report.sections]
        lines += _list("Report", [*titles, f"{len(account.report.references)} references"])
        lines += _list(
            "Missing", [f"{failure.who}: {failure.what}: {failure.why}" for failure in account.report.failures]
        )
        lines += _list("Notes", list(map(str, account.report.notices)))
    return lines


def _sources(answer: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the sources of an answer, or the pages of a crawl."""
    sources: list[dict[str, Any]] = answer["sources"] if "sources" in answer else answer["pages"]
    return sources


def _origin(origin: dict[str, str]) -> str:
    """Return the line that names the run, and the file if any, from which this run was made."""
    step = f", from {origin['step']} on" if origin["step"] else ""
    file = f"; the answers in {origin['file']} are taken on trust" if "file" in origin else ""
    return f"Made from {origin['run']}{step}{file}"


def _head(account: Account) -> list[str]:
    run, ended = account.run, account.ended
    cost = "price unknown" if run.cost is None else f"${run.cost:.4f}"
    seconds = f" in {ended['seconds']:.1f} s" if ended else ""
    return [
        f"Run {run.id}, a {run.kind}, began {run.began[:19].replace('T', ' ')} UTC, {run.size / 1e6:.1f} MB",
        f"Question: {run.question}",
        f"Outcome: {run.outcome.replace('_', ' ')}{seconds}; {run.calls} model calls, {cost}",
    ]


def _list(title: str, items: list[str]) -> list[str]:
    return ["", f"{title}:", *(f"- {item}" for item in items)] if items else []


def _failed(number: int) -> str:
    return f" ({number} failed)" if number else ""
