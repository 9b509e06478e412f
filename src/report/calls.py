"""What a run asked of others: how often, how often in vain, and what the models' answers came to."""

import math
from collections.abc import Iterable, Mapping
from typing import Any

from ..kernel.errors import BudgetError
from .report import Call

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
