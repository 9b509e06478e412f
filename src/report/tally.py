"""What a run asked of others: its search log, and its calls with what they came to."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..kernel.errors import BudgetError, told_of
from ..kernel.journal import Answer
from ..kernel.notice import Notice
from ..kernel.plan import Task
from ..search.cached import Cached
from ..search.queries import normalised
from ..search.wording import cut
from .report import Call, Search

FILES = Notice("local_files")
"""What the log calls the user's own files, where an engine's name stands for a search of the web."""

LEFT = Notice("not_awaited")
"""Why a query, of no engine, has no results: others had found enough before it was answered."""

KINDS = ("search", "retrieve", "gather")
"""The kinds of effects that the log is made of."""

Effect = tuple[str, Any, Answer]


def searches(effects: Iterable[Effect], question: str, tasks: Sequence[Task]) -> list[Search]:
    """Return the search log of a run's effects (of `KINDS`; others are passed over).

    The queries come in the order of the plan, whatever came first: those for the question itself, then each task's,
    then any others by the alphabet. An engine that gave no answer stands before the one that was asked in its place,
    and the web before files. A page that the user named was not searched for, so it is not in the log.
    """
    recorded = list(effects)
    gathered = [(request, answer) for kind, request, answer in recorded if kind == "gather"]
    spelt: dict[str, str] = {}
    for query in _planned(question, tasks, [request for request, _ in gathered]):
        spelt.setdefault(_key(query), cut(query))
    lines = [_line(effect, spelt) for effect in recorded if _asks(effect)]
    answered = {_key(line.query) for line in lines if line.engine != FILES and not line.error}
    given_up = {_key(query) for _, answer in gathered for query in (answer.value or {}).get("given_up", ())}
    lines += [Search(query=spelt[key], engine="", error=LEFT) for key in given_up - answered]
    places = {query: place for place, query in enumerate(spelt.values())}
    return sorted(lines, key=lambda line: (places.get(line.query, len(places)), *_order(line)))


def _planned(question: str, tasks: Sequence[Task], gathers: Sequence[dict[str, Any]]) -> list[str]:
    """Return every query that was planned, in the order of the plan, with those that an agent made up for its task."""
    queries = [question]
    for task in tasks:
        queries += task.queries or [task.task]
        queries += sorted(query for one in gathers if one["task"] == task.task for query in one["queries"])
    return queries + sorted(query for one in gathers for query in one["queries"])


def _asks(effect: Effect) -> bool:
    """Say whether an effect is a search; one that was refused, or found nothing of an earlier run, asked nobody."""
    kind, request, answer = effect
    if answer.error is not None and answer.error.get("type") == BudgetError.__name__:
        return False
    return kind == "retrieve" or (kind == "search" and (request["engine"] != Cached.name or answer.error is None))


def _line(effect: Effect, spelt: dict[str, str]) -> Search:
    kind, request, answer = effect
    query = spelt.get(_key(request["query"]), request["query"])
    engine = FILES if kind == "retrieve" else request["engine"]
    if answer.error is not None:
        return Search(query=query, engine=engine, error=told_of(answer.error))
    found = answer.value["hits"] if kind == "retrieve" else answer.value
    return Search(query=query, engine=engine, results=len(found))


def _key(query: str) -> str:
    """Return the form in which the journal has a query of the web, whoever spelt it."""
    return normalised(cut(query))


def _order(line: Search) -> tuple[str, bool, bool, str, int, str]:
    ended = not line.error or not line.engine
    return line.query, line.engine == FILES, ended, str(line.engine), line.results, str(line.error)


Request = tuple[str, str, Any, Mapping[str, Any] | None]
"""An effect as the journal lists it: its key, its kind, what was asked, and the error where it ended in one."""

Spent = tuple[int, int, float | None]
"""Tokens of a prompt, tokens of its answer, and what they cost in US dollars, None where nobody knows."""

NOTHING: Spent = (0, 0, 0.0)

_WHATS = {
    "model": "{role}: {model}",
    "embed": "{model}",
    "search": "{engine}",
    "fetch": "pages",
    "robots": "robots.txt",
    "ingest": "folders",
    "retrieve": "local files",
    "rerank": "{model}",
}
"""What each kind of effect is told as, by its request; what a run asks of itself, the clock say, is no call."""


def calls(requests: Iterable[Request], spent: Mapping[str, Spent]) -> list[Call]:
    """Return the calls of a run, counted by what was asked: models by role, searches by engine, pages and files.

    `requests` are the journal's, `spent` is what each call of a model came to, by its key (`Spending.each`). Equal
    requests are one call, however often an attempt was made again; one for which a limit of the run left no room is
    none. The cost is None where any price is unknown.
    """
    counted: dict[tuple[str, str], list[tuple[bool, Spent]]] = {}
    for key, kind, request, error in requests:
        if kind in _WHATS and (error is None or error.get("type") != BudgetError.__name__):
            what = _WHATS[kind].format_map(request)
            counted.setdefault((kind, what), []).append((error is not None, spent.get(key, NOTHING)))
    kinds = list(_WHATS)
    return [_call(*name, counted[name]) for name in sorted(counted, key=lambda name: (kinds.index(name[0]), name[1]))]


def _call(kind: str, what: str, outcomes: list[tuple[bool, Spent]]) -> Call:
    prices = [cost for _, (_, _, cost) in outcomes]
    known = [cost for cost in prices if cost is not None]
    return Call(
        kind=kind,
        what=what,
        count=len(outcomes),
        failed=sum(failed for failed, _ in outcomes),
        prompt_tokens=sum(prompt for _, (prompt, _, _) in outcomes),
        completion_tokens=sum(completion for _, (_, completion, _) in outcomes),
        cost=math.fsum(known) if len(known) == len(prices) else None,
    )
