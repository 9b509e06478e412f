"""What a run will take, told before it is spent: from its plan, and from runs like it that are kept."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice, pairwise
from typing import Final

from pydantic import BaseModel

from ..kernel.errors import SpyglassError
from ..kernel.events import AWAITED, LEFT, TAKEN_UP
from ..kernel.journal import Journal, Mark
from ..kernel.journal.approval import approved, proposed
from ..kernel.plan import Plan
from ..kernel.settings import Settings
from ..model.providers import model_for
from .kept import kept, recalled
from .run_store import RunStore
from .stored import REPORT, StoredRun, understood

MOST_LOOKED_AT: Final = 60
MOST_ALIKE: Final = 20
"""Runs, the latest first: of so many it is looked whether they are alike, and of those so many are counted."""

BESIDE: Final = 2  # what planning and putting the report together take beside the tasks, as a number of tasks
WIDENED: Final = 2.0
"""By how much a range is widened that one run alone tells; by the square root of it for four, and so on. With nine runs
the least and the most of them hold the next one in eight of ten cases anyway, whatever they are distributed like."""

ALIKE: Final = ("provider", "model", "planner", "writer", "effort", "report.length", "research.summarise")
"""The settings that decide most of what a run takes, those of their tables among them."""

LEAST_TOKENS, MOST_TOKENS = 400, 8_000  # tokens of a call with its answer; the most is what a section is written from
SHARES: Final = (0.05, 0.3)  # how much of them is the answer, which costs more, at least and at most
ANSWERED: Final = ("complete", "partial", "nothing_found")

Range = tuple[float, float]


class Forecast(BaseModel, frozen=True):
    """What a run takes from now to its end, at least and at most: calls of a model, tokens, US dollars, seconds.

    `money` is None where nobody knows the price; `runs` counts the runs that it is told from, 0 where there was none
    like it. A limit of the run bounds what it may take.
    """

    calls: Range
    tokens: Range
    money: Range | None
    seconds: Range
    runs: int

    def __str__(self) -> str:
        """Return it in words."""
        money = "an unknown price" if self.money is None else f"${_span(self.money, '.2g')}"
        by = {0: "by the plan alone", 1: "as one run like it"}.get(self.runs, f"as {self.runs} runs like it")
        spent = f"{_span(self.calls)} model calls, {_span(self.tokens)} tokens, {money}, " if self.calls[1] else ""
        return f"{spent}{_span(self.seconds)} s, {by}"


def _span(two: Range, form: str = ",.0f") -> str:
    low, high = (format(value, form) for value in two)
    return low if low == high else f"{low}–{high}"


@dataclass(frozen=True, slots=True)
class Taken:
    """What a run has taken that had so many tasks; `cost` in US dollars, None when a price is unknown."""

    tasks: int
    calls: float
    tokens: float
    cost: float | None
    seconds: float


def forecast(plan: Plan, settings: Settings) -> Forecast:
    """Return what a run with this plan and these settings will take. It blocks: it reads the journals of others."""
    past = list(islice(_alike(settings), MOST_ALIKE))
    takes = _from_runs(plan, past) if past else _from_plan(plan, settings)
    budget = settings.budget
    return Forecast(
        calls=_within(takes.calls, budget.max_calls),
        tokens=_within(takes.tokens, budget.max_tokens),
        money=None if takes.money is None else _within(takes.money, budget.max_cost),
        seconds=_within(takes.seconds, budget.max_time),
        runs=takes.runs,
    )


def _from_runs(plan: Plan, past: Sequence[Taken]) -> Forecast:
    """Return the least and the most that runs have taken for each task, widened where they are few."""
    units, wider = len(plan.tasks) + BESIDE, WIDENED ** (1 / math.sqrt(len(past)))

    def told(values: Iterable[float]) -> Range:
        each = [value / (one.tasks + BESIDE) for value, one in zip(values, past, strict=True)]
        return min(each) * units / wider, max(each) * units * wider

    costs = [one.cost for one in past if one.cost is not None]
    return Forecast(
        calls=told(one.calls for one in past),
        tokens=told(one.tokens for one in past),
        money=told(costs) if len(costs) == len(past) else None,
        seconds=told(one.seconds for one in past),
        runs=len(past),
    )


def _from_plan(plan: Plan, settings: Settings) -> Forecast:
    """Return what a run may take of which nothing is known but its plan: wide bounds."""
    tasks = len(plan.tasks)
    model = model_for(settings, "writer")
    seconds = (0.5, 10.0 + 15 * tasks if settings.searches_web else 30.0)
    if model is None:
        return Forecast(calls=(0, 0), tokens=(0, 0), money=(0, 0), seconds=seconds, runs=0)
    sections = len(settings.report.sections or plan.sections) or tasks
    calls = (2.0, 3.0 + 3 * (sections + 1) + tasks * settings.research.rounds)
    tokens = (calls[0] * LEAST_TOKENS, calls[1] * MOST_TOKENS)
    now = datetime.now(UTC)
    pairs = zip(tokens, SHARES, strict=True)
    prices = [model.price(now, round(all_ * (1 - share)), round(all_ * share)) for all_, share in pairs]
    money = None if prices[0] is None or prices[1] is None else (prices[0], prices[1])
    seconds = (seconds[0], seconds[1] + 20 * calls[1])
    return Forecast(calls=calls, tokens=tokens, money=money, seconds=seconds, runs=0)


def _within(told: Range, most: float | None) -> Range:
    return told if most is None else (min(told[0], most), min(told[1], most))


def _alike(settings: Settings) -> Iterable[Taken]:
    """Yield what runs have taken that searched the same places with the same models and effort, the latest first."""
    own = _kind(settings)
    store = RunStore.of(settings)
    for run in store.all(MOST_LOOKED_AT):
        if run.kind == REPORT and run.outcome in ANSWERED and (taken := _taken(store.fetch(run), settings, own)):
            yield taken


def _kind(settings: Settings) -> dict[str, object]:
    record = kept(settings)
    own = {name: value for name, value in record.items() if name.startswith(ALIKE)}
    return {**own, "web": settings.searches_web, "files": bool(settings.db)}


def _taken(run: StoredRun, settings: Settings, own: dict[str, object]) -> Taken | None:
    try:
        if _kind(recalled(run.required_settings(), settings)) != own:
            return None
        with Journal(run.path, readonly=True) as journal, understood(run.path):
            plan, ended = approved(journal) or getattr(proposed(journal), "plan", None), journal.get("ended")
            if plan is None:
                return None
            tokens = ended["prompt_tokens"] + ended["completion_tokens"]
            return Taken(len(plan.tasks), ended["calls"], tokens, ended["cost"], _seconds(journal.marks()))
    except SpyglassError:
        return None


def _seconds(marks: Sequence[Mark]) -> float:
    """Return for how long a run was worked at since its plan was approved, or it was asked for.

    The start of a process that was waited for counts; what a run lay alone for does not.
    """
    since = max((place for place, mark in enumerate(marks) if mark[:2] == AWAITED), default=0)
    spans = pairwise((mark[:2], mark[3]) for mark in marks[since:])
    return math.fsum(
        ended - began
        for (before, began), (after, ended) in spans
        if before != LEFT and (after != TAKEN_UP or before == AWAITED)
    )
