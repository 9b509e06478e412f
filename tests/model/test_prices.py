"""A price is known for what the table lists, as of the run's day, and for nothing else."""

from datetime import UTC, datetime

import pytest
from pydantic import SecretStr

from spyglass.kernel.run import Run
from spyglass.model.exchange import ModelConfig
from spyglass.model.openai import OpenAI
from spyglass.model.prices import price

DAY = datetime(2026, 6, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("url", "model"),
    [
        ("https://api.openai.com/v1", "gpt-4o-mini"),
        ("https://api.deepseek.com", "deepseek-chat"),
        ("https://api.x.ai/v1", "grok-4"),
        ("https://generativelanguage.googleapis.com", "gemini-2.5-flash"),
    ],
)
def test_every_provider_is_in_the_table_by_its_address(url: str, model: str) -> None:
    one, two = price(url, model, 1000, 100, DAY), price(url, model, 2000, 200, DAY)
    assert one is not None
    assert two == pytest.approx(2 * one)
    assert 0 < one < 1


@pytest.mark.parametrize(
    ("url", "model"), [("http://127.0.0.1:8080/v1", "gpt-4o-mini"), ("https://api.openai.com/v1", "no-such-model")]
)
def test_a_price_that_nobody_knows_is_none(url: str, model: str) -> None:
    assert price(url, model, 1000, 100, DAY) is None


def test_a_known_price_is_that_of_the_table() -> None:
    assert price("https://api.openai.com/v1", "gpt-4o-mini", 1_000_000, 0, DAY) == pytest.approx(0.15)


async def test_a_model_asks_for_the_price_at_the_start_of_the_run(run: Run) -> None:
    model = OpenAI("gpt-4o-mini", ModelConfig(key=SecretStr("k")))
    assert model.price(run.started, 1_000_000, 0) == pytest.approx(0.15)
