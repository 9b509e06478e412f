"""A run's search log, and its calls to models, engines and pages with their tokens and cost."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..kernel.errors import BudgetError, message_of
from ..kernel.journal import Answer
from ..kernel.notice import Notice
from ..kernel.plan import Task
from ..search.cached import Cached
from ..search.queries import normalised
from ..search.wording import cut
from .report import Call, Search

FILES = Notice("local_files")
"""The name of the user's own files in the log, in place of an engine's name."""

LEFT = Notice("not_awaited")
"""Why a query without an engine has no results: other queries found enough before it was answered."""

KINDS = ("search", "retrieve", "gather")
"""The kinds of effects from which the log is made."""

Effect = tuple[str, Any, Answer]


def searches(effects: Iterable[Effect], question: str, tasks: Sequence[Task]) -> list[Search]:
    """Return the search log of a run's effects (of `KINDS`; others are ignored).

    Queries are in the order of the plan, not of time: those for the question itself, then those of each task, then all
    others alphabetically. An engine that failed comes before the engine used in its place, and the web before files. A
    page that the user named was not searched for, so it is not in the log.
    """
    recorded = list(effects)
    gathered = [(request, answer) for kind, request, answer in recorded if kind == "gather"]
    spellings: dict[str, str] = {}
    for query in _planned(question, tasks, [request for request, _ in gathered]):
        spellings.setdefault(_key(query), cut(query))
    lines = [_line(effect, spellings) for effect in recorded if _is_search(effect)]
    answered = {_key(line.query) for line in lines if line.engine != FILES and not line.error}
    given_up = {_key(query) for _, answer in gathered for query in (answer.value or {}).get("given_up", ())}
    lines += [Search(query=spellings[key], engine="", error=LEFT) for key in given_up - answered]
    positions = {query: position for position, query in enumerate(spellings.values())}
    return sorted(lines, key=lambda line: (positions.get(line.query, len(positions)), *_order(line)))


def _planned(question: str, tasks: Sequence[Task], gathers: Sequence[dict[str, Any]]) -> list[str]:
    """Return every planned query in the order of the plan, including those that an agent added to its task."""
    queries = [question]
    for task in tasks:
        queries += task.queries or [task.task]
        queries += sorted(query for gather in gathers if gather["task"] == task.task for query in gather["queries"])
    return queries + sorted(query for gather in gathers for query in gather["queries"])


def _is_search(effect: Effect) -> bool:
    """Whether an effect is a search that was sent: not refused by a limit, and not a miss among earlier results."""
    kind, request, answer = effect
    if answer.error is not None and answer.error.get("type") == BudgetError.__name__:
        return False
    return kind == "retrieve" or (kind == "search" and (request["engine"] != Cached.name or answer.error is None))


def _line(effect: Effect, spellings: dict[str, str]) -> Search:
    kind, request, answer = effect
    query = spellings.get(_key(request["query"]), request["query"])
    engine = FILES if kind == "retrieve" else request["engine"]
    if answer.error is not None:
        return Search(query=query, engine=engine, error=message_of(answer.error))
    hits = answer.value["hits"] if kind == "retrieve" else answer.value
    return Search(query=query, engine=engine, results=len(hits))


def _key(query: str) -> str:
    """Return the form in which the journal records a web query, however it was spelt."""
    return normalised(cut(query))


def _order(line: Search) -> tuple[str, bool, bool, str, int, str]:
    ended = not line.error or not line.engine
    return line.query, line.engine == FILES, ended, str(line.engine), line.results, str(line.error)


Request = tuple[str, str, Any, Mapping[str, Any] | None]
"""An effect as the journal lists it: its key, its kind, its request, and its error, if any."""

Spent = tuple[int, int, float | None]
"""Tokens of a prompt, tokens of its answer, and their cost in US dollars, None if unknown."""

NOTHING: Spent = (0, 0, 0.0)

_CALL_NAMES = {
    "model": "{role}: {model}",
    "embed": "{model}",
    "search": "{engine}",
    "fetch": "pages",
    "robots": "robots.txt",
    "ingest": "folders",
    "retrieve": "local files",
    "rerank": "{model}",
}
"""The name of a call by the kind of its effect, filled in from the request; other kinds, as `clock`, are not calls."""


def calls(requests: Iterable[Request], spent: Mapping[str, Spent]) -> list[Call]:
    """Return the calls of a run, counted by target: models by role, searches by engine, pages and files.

    `requests` are the journal's, `spent` has the tokens and cost of each model call by its key (`Spending.each`). Equal
    requests are one call, however often it was attempted; a request refused by a limit of the run is not counted. The
    cost is None if any price is unknown.
    """
    counted: dict[tuple[str, str], list[tuple[bool, Spent]]] = {}
    for key, kind, request, error in requests:
        if kind in _CALL_NAMES and (error is None or error.get("type") != BudgetError.__name__):
            name = _CALL_NAMES[kind].format_map(request)
            counted.setdefault((kind, name), []).append((error is not None, spent.get(key, NOTHING)))
    kinds = list(_CALL_NAMES)
    return [_call(*call, counted[call]) for call in sorted(counted, key=lambda call: (kinds.index(call[0]), call[1]))]


def _call(kind: str, name: str, outcomes: list[tuple[bool, Spent]]) -> Call:
    prices = [cost for _, (_, _, cost) in outcomes]
    known = [cost for cost in prices if cost is not None]
    return Call(
        kind=kind,
        what=name,
        count=len(outcomes),
        failed=sum(failed for failed, _ in outcomes),
        prompt_tokens=sum(prompt for _, (prompt, _, _) in outcomes),
        completion_tokens=sum(completion for _, (_, completion, _) in outcomes),
        cost=math.fsum(known) if len(known) == len(prices) else None,
    )
