"""What the calls of a run came to that cost money."""

import math
from dataclasses import dataclass, field


@dataclass(slots=True)
class Spending:
    """What the run's model calls came to; `cost` in US dollars, with that of searches and reranking.

    `unpriced` counts the model calls whose price nobody knows.
    """

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0
    others: dict[str, float] = field(default_factory=dict, repr=False)
    """By the key of its effect, what a call costs that is not a model's."""
    unpriced: int = 0
    each: dict[str, tuple[int, int, float | None]] = field(default_factory=dict, repr=False)
    """By the key of the call's effect: tokens of the prompt, of the answer, and what they cost."""

    def add(self, key: str, prompt_tokens: int, completion_tokens: int, cost: float | None) -> None:
        """Count one call; the same key counts once, so an answer that is shared or replayed is counted once."""
        if key in self.each:
            return
        self.each[key] = (prompt_tokens, completion_tokens, cost)
        self.calls += 1
        self.prompt_tokens += prompt_tokens
        self.completion_tokens += completion_tokens
        self.unpriced += cost is None
        self._sum()

    def charge(self, key: str, cost: float) -> None:
        """Count what a call costs that is not a model's, a search say; the same key counts once."""
        self.others[key] = cost
        self._sum()

    def _sum(self) -> None:
        known = (cost or 0.0 for _, _, cost in self.each.values())
        self.cost = math.fsum([*known, *self.others.values()])  # whatever came first

    @property
    def known_cost(self) -> float | None:
        """The sum in US dollars, or None when the price of any call is unknown."""
        return None if self.unpriced else self.cost
