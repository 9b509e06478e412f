"""`spyglass show`."""

import json
from typing import Any

from ..kernel.one_line import tamed
from ..kernel.settings import Settings
from ..runs import Account, RunStore
from ..runs.stored import INTERRUPTED, understood
from .bounds import bounded
from .console import LastingConsole, write

PIPED = 100  # characters of a line that nobody's terminal bounds


def show_run(name: str, settings: Settings, *, as_json: bool, timeline: bool, sources: bool) -> None:
    """Print what a run did, or where its time and money went, or what it met. Raises UnknownRunError, JournalError."""
    with bounded(name):
        stored = RunStore.of(settings).find(name)
        account = Account.of(stored)
        with understood(stored.path):
            _show(account, as_json=as_json, timeline=timeline, sources=sources)


def _show(account: Account, *, as_json: bool, timeline: bool, sources: bool) -> None:
    if as_json:
        more: dict[str, Any] = {"timeline": account.timeline.to_record()} if timeline else {}
        more |= {"ledger": account.ledger} if sources else {}
        write(json.dumps(account.to_record() | more, indent=2) + "\n")
    elif timeline:
        _draw(account)
    else:
        write(tamed("\n".join(_met(account) if sources else _told(account))) + "\n")


def _met(account: Account) -> list[str]:
    """Return the sources that the tools of a run met, the most credible first, as a person reads them."""
    ordered = sorted(account.ledger, key=lambda one: -one["credibility_score"])
    lines = [f"{one['credibility_score']} {one['credibility_tier']} {one['url']} {one['title']}" for one in ordered]
    return [
        *_head(account),
        *(_list("Sources", lines) or ["", "It met no page or hit of the web."]),
    ]


def _draw(account: Account) -> None:
    """Print the timeline as wide as the terminal, with signs that it has."""
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


def _told(account: Account) -> list[str]:
    lines = _head(account)
    if account.origin is not None:
        lines.append(_origin(account.origin))
    if account.run.outcome in (INTERRUPTED, "cancelled", "failed"):
        lines.append(f"Go on with it: spyglass resume {account.run.id}")
    lines += _list("Tasks", [f"{agent}: {task} ({added} sources)" for agent, task, added in account.tasks])
    lines += _list(
        "Calls", [f"{one.kind}: {one.count}{_failed(one.failed)}, {one.seconds:.2f} s" for one in account.calls]
    )
    lines += _list("Failed", [f"{kind}: {what}" for kind, what in account.failures])
    if account.answer is not None:
        lines += _list("Sources", [f"{one['title']}: {one['url']}" for one in _sources(account.answer)])
    if account.report is not None:
        titles = [section.title for section in account.report.sections]
        lines += _list("Report", [*titles, f"{len(account.report.references)} references"])
        lines += _list("Missing", [f"{one.who}: {one.what}: {one.why}" for one in account.report.failures])
        lines += _list("Notes", list(map(str, account.report.notices)))
    return lines


def _sources(answer: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what an answer was made from: the sources that it names, or the pages of a crawl."""
    found: list[dict[str, Any]] = answer["sources"] if "sources" in answer else answer["pages"]
    return found


def _origin(origin: dict[str, str]) -> str:
    """Say which run this one was made from, and in which file it came, if it did."""
    step = f", from {origin['step']} on" if origin["step"] else ""
    file = f"; what {origin['file']} had for answers is taken on trust" if "file" in origin else ""
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
