"""Forecasts a run's calls, tokens, cost and time from its plan and from similar stored runs."""

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
from .recorded_settings import settings_from_record, settings_record
from .run_store import RunStore
from .stored import REPORT, StoredRun, rejecting_unfit_values

MOST_LOOKED_AT: Final = 60
MOST_ALIKE: Final = 20
"""Numbers of runs, the latest first: how many are compared, and how many similar ones are used."""

BESIDE: Final = 2  # effort of planning and assembling the report, as a number of tasks
WIDENED: Final = 2.0
"""The factor that widens a range from a single run; for n runs, its power 1/√n. With nine runs, the next one lies
between their minimum and maximum in eight of ten cases, whatever the distribution."""

ALIKE: Final = ("provider", "model", "planner", "writer", "effort", "report.length", "research.summarise")
"""The settings that most affect the effort of a run, including all settings of the named tables."""

LEAST_TOKENS, MOST_TOKENS = 400, 8_000  # tokens of a call with its answer; a section takes the most
SHARES: Final = (0.05, 0.3)  # least and greatest share of the answer's tokens, which cost more
ANSWERED: Final = ("complete", "partial", "nothing_found")

Range = tuple[float, float]


class Forecast(BaseModel, frozen=True):
    """Ranges of what a run takes from now to its end: model calls, tokens, US dollars, seconds.

    `money` is None if a price is unknown; `runs` is the number of similar runs that the forecast is based on. The run's
    own limits bound all ranges.
    """

    calls: Range
    tokens: Range
    money: Range | None
    seconds: Range
    runs: int

    def __str__(self) -> str:
        """Return the forecast as text."""
        money = "an unknown cost" if self.money is None else f"${_span(self.money, '.2g')}"
        by = {0: "from the plan alone", 1: "from one similar run"}.get(self.runs, f"from {self.runs} similar runs")
        spent = f"{_span(self.calls)} model calls, {_span(self.tokens)} tokens, {money}, " if self.calls[1] else ""
        return f"{spent}{_span(self.seconds)} s, {by}"


def _span(low_high: Range, form: str = ",.0f") -> str:
    low, high = (format(value, form) for value in low_high)
    return low if low == high else f"{low}–{high}"


@dataclass(frozen=True, slots=True)
class PastRun:
    """What a past run took, and its number of tasks; `cost` in US dollars, None if a price is unknown."""

    tasks: int
    calls: float
    tokens: float
    cost: float | None
    seconds: float


def forecast(plan: Plan, settings: Settings) -> Forecast:
    """Return the forecast for a plan and settings. Blocks: it reads the journals of past runs."""
    past = list(islice(_alike(settings), MOST_ALIKE))
    result = _from_runs(plan, past) if past else _from_plan(plan, settings)
    budget = settings.budget
    return Forecast(
        calls=_within(result.calls, budget.max_calls),
        tokens=_within(result.tokens, budget.max_tokens),
        money=None if result.money is None else _within(result.money, budget.max_cost),
        seconds=_within(result.seconds, budget.max_time),
        runs=result.runs,
    )


def _from_runs(plan: Plan, past: Sequence[PastRun]) -> Forecast:
    """Return a forecast from the minimum and maximum per task over past runs, widened if these are few."""
    units, wider = len(plan.tasks) + BESIDE, WIDENED ** (1 / math.sqrt(len(past)))

    def scaled(values: Iterable[float]) -> Range:
        each = [value / (run.tasks + BESIDE) for value, run in zip(values, past, strict=True)]
        return min(each) * units / wider, max(each) * units * wider

    costs = [run.cost for run in past if run.cost is not None]
    return Forecast(
        calls=scaled(run.calls for run in past),
        tokens=scaled(run.tokens for run in past),
        money=scaled(costs) if len(costs) == len(past) else None,
        seconds=scaled(run.seconds for run in past),
        runs=len(past),
    )


def _from_plan(plan: Plan, settings: Settings) -> Forecast:
    """Return a forecast with wide bounds from the plan alone."""
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


def _within(low_high: Range, most: float | None) -> Range:
    return low_high if most is None else (min(low_high[0], most), min(low_high[1], most))


def _alike(settings: Settings) -> Iterable[PastRun]:
    """Yield similar past runs (same sources, models and effort), the latest first."""
    kind = _kind(settings)
    store = RunStore.of(settings)
    for run in store.all(MOST_LOOKED_AT):
        if run.kind == REPORT and run.outcome in ANSWERED and (past := _past_run(store.fetch(run), settings, kind)):
            yield past


def _kind(settings: Settings) -> dict[str, object]:
    record = settings_record(settings)
    deciding = {name: value for name, value in record.items() if name.startswith(ALIKE)}
    return {**deciding, "web": settings.searches_web, "files": bool(settings.db)}


def _past_run(run: StoredRun, settings: Settings, kind: dict[str, object]) -> PastRun | None:
    try:
        if _kind(settings_from_record(run.required_settings(), settings)) != kind:
            return None
        with Journal(run.path, readonly=True) as journal, rejecting_unfit_values(run.path):
            plan, ended = approved(journal) or getattr(proposed(journal), "plan", None), journal.get("ended")
            if plan is None:
                return None
            tokens = ended["prompt_tokens"] + ended["completion_tokens"]
            return PastRun(len(plan.tasks), ended["calls"], tokens, ended["cost"], _seconds(journal.marks()))
    except SpyglassError:
        return None


def _seconds(marks: Sequence[Mark]) -> float:
    """Return the seconds of work since the run's plan was approved, else since the run was requested.

    Waiting for a process to start counts; pauses between processes do not.
    """
    since = max((index for index, mark in enumerate(marks) if mark[:2] == AWAITED), default=0)
    spans = pairwise((mark[:2], mark[3]) for mark in marks[since:])
    return math.fsum(
        ended - began
        for (before, began), (after, ended) in spans
        if before != LEFT and (after != TAKEN_UP or before == AWAITED)
    )
