"""The budget of a run: each call reserves the most that it may spend, and is settled afterwards."""

import asyncio
import math
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any, Final, Self

from .errors import BudgetError
from .notice import Notice

if TYPE_CHECKING:
    from .settings import Settings


@dataclass(slots=True)
class Spending:
    """The usage of a run's calls by the keys of their effects, so that a shared or replayed answer counts once."""

    each: dict[str, tuple[int, int, float | None]] = field(default_factory=dict)
    """Prompt tokens, completion tokens and cost of each model call; the cost is None if no price is known."""
    others: dict[str, float] = field(default_factory=dict)
    """The costs of searches and reranking."""

    def add(self, key: str, prompt_tokens: int, completion_tokens: int, cost: float | None) -> None:
        """Count a model call; only the first call of a key counts."""
        self.each.setdefault(key, (prompt_tokens, completion_tokens, cost))

    def charge(self, key: str, cost: float) -> None:
        """Count the cost of a call other than a model's; only the last call of a key counts."""
        self.others[key] = cost

    @property
    def calls(self) -> int:
        """The number of model calls."""
        return len(self.each)

    @property
    def prompt_tokens(self) -> int:
        """The tokens of all prompts."""
        return sum(prompt for prompt, _, _ in self.each.values())

    @property
    def completion_tokens(self) -> int:
        """The tokens of all answers."""
        return sum(completion for _, completion, _ in self.each.values())

    @property
    def cost(self) -> float:
        """The sum of all known costs in US dollars, exact in any order of the calls."""
        known = (cost or 0.0 for _, _, cost in self.each.values())
        return math.fsum([*known, *self.others.values()])

    @property
    def known_cost(self) -> float | None:
        """The sum in US dollars, or None when the price of any call is unknown."""
        return None if any(cost is None for _, _, cost in self.each.values()) else self.cost

    def totals(self) -> dict[str, Any]:
        """Return the number of model calls, the tokens of their prompts and answers, and the cost, None if unknown."""
        return {
            "calls": self.calls,
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "cost": self.known_cost,
        }


LIMITS: Final = {
    "cost": "max_cost",
    "tokens": "max_tokens",
    "calls": "max_calls",
    "searches": "max_searches",
    "fetches": "max_fetches",
}
"""Each part of an Amount and the setting that bounds it."""

SHARED: Final = frozenset({"cost", "tokens", "calls"})
"""The parts of which a share is reserved for writing the report, which needs no searches and pages."""

ROUNDING: Final = 1e-9  # US dollars: the rounding error allowed in sums of prices
BOUND_BY_TIME: Final = frozenset({"model", "embed", "rerank", "nearness", "relevance", "search", "fetch", "robots"})
"""The kinds of effects that are cancelled when the time is used up; the others are short."""

LONGEST_CALL: Final = 0.3  # share of the research time that one model call may take
LONGEST_END: Final = 1.0
"""Seconds, at most a tenth of the time, reserved for assembling the report after the last call."""

LATEST: Final = 1.0
"""Seconds beyond the time after which an unfinished report is abandoned for one that needs no checking."""


@dataclass(frozen=True, slots=True)
class Amount:
    """An amount of US dollars, tokens (prompt and answer), model calls, searches, and pages."""

    cost: float = 0.0
    tokens: int = 0
    calls: int = 0
    searches: int = 0
    fetches: int = 0

    def __add__(self, other: Self) -> "Amount":
        return Amount(*(getattr(self, part.name) + getattr(other, part.name) for part in fields(self)))


NOTHING: Final = Amount()


@dataclass(slots=True)
class Hold:
    """The reservation of one call and its use, which is all of the reservation until the call reports it."""

    role: str
    most: Amount
    used: Amount


class Budget:
    """The limits of one run on one event loop, and its spending.

    `limits` has values for `LIMITS` and `max_time`, `roles` the same for single roles; the fraction `share` of money,
    tokens, calls and time is reserved for writing. `keep` stores what was spent and reserved, which a resumed run gets
    as `spent`; `clock` returns seconds since the run was opened.
    """

    def __init__(
        self,
        limits: Mapping[str, float],
        roles: Mapping[str, Mapping[str, float]],
        share: float,
        *,
        clock: Callable[[], float],
        spent: Mapping[str, Any] | None = None,
        keep: Callable[[dict[str, Any]], None] = lambda _: None,
    ) -> None:
        self._limits = limits
        self._time = limits.get("max_time", math.inf)
        self._roles = roles
        self._share = share
        self._clock = clock
        self._keep = keep
        self._held: list[Hold] = []
        self._changed = asyncio.Event()
        self._writing = False
        self._spent = {role: Amount(**amount) for role, amount in (spent or {}).items()}

    @classmethod
    def of(cls, settings: "Settings", **more: Any) -> Self:
        """Return the budget of a run with these settings."""
        names = (*LIMITS.values(), "max_time")
        limits = {name: value for name in names if (value := getattr(settings.budget, name)) is not None}
        roles: dict[str, dict[str, float]] = {
            role: bounds.model_dump(exclude_none=True) for role, bounds in settings.budget.roles.items()
        }
        return cls(limits, roles, settings.budget.writing_share, **more)

    @property
    def spent(self) -> Amount:
        """The total spent; a call whose use is unknown counts with its upper bound."""
        return sum(self._spent.values(), NOTHING)

    def bounds_money(self, role: str) -> bool:
        """Return whether the cost of calls of `role` is limited."""
        return "max_cost" in self._limits or "max_cost" in self._roles.get(role, {})

    def begin_writing(self) -> None:
        """End research: from now on the share reserved for writing is available."""
        self._writing = True
        self._wake()

    # Amounts

    @asynccontextmanager
    async def hold(self, role: str, most: Amount) -> AsyncIterator[Hold]:
        """Reserve `most` for one call of `role`; what the call has `used` is settled when the block ends.

        Waits while only the reservations of running calls leave no room. Raises BudgetError if there is no room even
        without them.
        """
        while (limit := self._exceeded(role, most, with_held=True)) is not None:
            if (limit := self._exceeded(role, most, with_held=False)) is not None:
                raise _no_room(*limit)
            await self._changed.wait()
        held = Hold(role, most, used=most)
        self._held.append(held)
        self._note()
        try:
            yield held
        finally:
            self._held.remove(held)
            self._spent[role] = self._spent.get(role, NOTHING) + held.used
            self._note()
            self._wake()

    def _exceeded(self, role: str, most: Amount, *, with_held: bool) -> tuple[str, float, str] | None:
        """Return the limit that a call would exceed as (name, value, role), with role "" for the whole run."""
        spent = [*self._spent.items(), *((held.role, held.most) for held in self._held if with_held)]
        for whose, limits in (("", self._limits), (role, self._roles.get(role, {}))):
            for part, name in LIMITS.items():
                if name not in limits or not (wanted := getattr(most, part)):
                    continue
                reserved = self._share if part in SHARED and not self._writing and not whose else 0.0
                taken = sum(getattr(amount, part) for who, amount in spent if whose in ("", who))
                if taken + wanted > limits[name] * (1 - reserved) + (ROUNDING if part == "cost" else 0):
                    return name, limits[name], whose
        return None

    def _note(self) -> None:
        taken = dict(self._spent)
        for held in self._held:
            taken[held.role] = taken.get(held.role, NOTHING) + held.most
        self._keep({role: asdict(amount) for role, amount in taken.items()})

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    # Time

    def _left(self, research: float, writing: float) -> float:
        """Return the seconds until the end of the present phase, research or writing."""
        return max(0.0, (writing if self._writing else research) - self._clock())

    def within(self, seconds: float) -> float:
        """Return the seconds left for calls in the present phase, at most `seconds`."""
        return min(seconds, self._left(self._time * (1 - self._share), self._time - min(LONGEST_END, self._time / 10)))

    def at_most(self, seconds: float) -> float:
        """Return the seconds that an agent may take, at most `seconds`; an agent does more than make calls."""
        return min(seconds, self._left(self._time * (1 - self._share / 2), self._time + LATEST))

    @asynccontextmanager
    async def in_time(self, kind: str) -> AsyncIterator[None]:
        """Cancel a call of that kind, with its retries and pauses, when its time is used up. Raises BudgetError."""
        if math.isinf(self._time) or kind not in BOUND_BY_TIME:
            yield
            return
        left = self.within(self._time)
        if kind == "model" and not self._writing:
            left = min(left, LONGEST_CALL * (1 - self._share) * self._time)
        if not left:
            raise self.no_time()
        try:
            async with asyncio.timeout(left) as bound:
                yield
        except TimeoutError as error:
            if not bound.expired():
                raise
            raise self.no_time() from error

    def no_time(self) -> BudgetError:
        """Return the error for work for which no time is left."""
        what = Notice("no_time_in_run", setting="max_time", limit=self._time)
        return BudgetError(what, remedy=Notice("raise_setting", setting="max_time"), limit="max_time")


def _no_room(name: str, limit: float, role: str) -> BudgetError:
    """Return the error of a call that does not fit, equal for all calls, so that a report shows it once."""
    what = Notice("no_room_in_run", setting=name, limit=limit)
    if role:
        what = Notice("no_room_of_role", setting=name, limit=limit, role=role)
    return BudgetError(what, remedy=Notice("raise_setting", setting=name), limit=name)
