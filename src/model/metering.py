"""Metering: charges the calls of a model to the run's budget."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeAlias

from ..kernel import errors
from ..kernel.budget import NOTHING, Amount
from ..kernel.run import Run

if TYPE_CHECKING:
    from ..kernel.settings import Settings
    from .model import Model

Tokens: TypeAlias = tuple[int, int]  # the tokens of a prompt, and of its answer
MILLION = 1_000_000  # tokens to which prices refer
RERANK = "rerank"  # the name of the reranking service in the setting `budget.call_prices`

FREE = (
    errors.ModelBusyError,
    errors.ModelKeyError,
    errors.ModelRequestError,
    errors.ModelUnknownError,
    errors.ModelUnreachableError,
    errors.ScriptError,
)
"""The errors of calls that were not answered and are therefore not charged."""


@asynccontextmanager
async def metered(run: Run, model: "Model", role: str, most_tokens: Tokens) -> AsyncIterator[Callable[[Tokens], None]]:
    """Reserve the budget of one call of at most `most_tokens`; the block reports the tokens used, if it knows them.

    The price is looked up before the call only if the cost is limited: the table takes a third of a second to load.
    Raises BudgetError, and SettingsError if the cost is limited and the price unknown.
    """
    cost: float | None = 0.0
    if run.budget.bounds_money(role):
        cost = await asyncio.to_thread(model.price, run.started, *most_tokens)
    if cost is None:
        raise _unpriced(model)
    usages: list[Tokens] = []
    async with run.budget.hold(role, Amount(cost, sum(most_tokens), 1)) as held:
        try:
            yield usages.append
        except FREE:
            held.used = NOTHING
            raise
        for tokens in usages:
            cost = await asyncio.to_thread(model.price, run.started, *tokens)
            held.used = Amount(cost or 0.0, sum(tokens), 1)
            run.observer.record_cost(cost)


async def require_prices(settings: "Settings", models: Iterable["Model"]) -> None:
    """Raise SettingsError for the first model or service of unknown price, if the settings limit the cost."""
    if settings.bounds_money and settings.reranker == "api" and RERANK not in settings.budget.call_prices:
        raise errors.SettingsError(
            "The price of the reranking service is unknown, so max_cost cannot be enforced",
            where="rerank.method",
            remedy=f'Set its price in US dollars: budget.call_prices = {{"{RERANK}" = 0.002}}, or 0 for your own.',
        )
    if settings.bounds_money:
        now = datetime.now(UTC)
        for model in models:
            if await asyncio.to_thread(model.price, now, MILLION, MILLION) is None:
                raise _unpriced(model)


def _unpriced(model: "Model") -> errors.SettingsError:
    name = f"{model.provider}/{model.name}"
    return errors.SettingsError(
        f"The price of {name} is unknown, so max_cost cannot be enforced",
        where=model.place,
        remedy=f'Set its prices per million prompt and answer tokens: budget.prices = {{"{name}" = [0.5, 1.5]}}.',
    )
