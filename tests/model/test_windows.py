"""No window is claimed that the model does not have."""

import re

import pytest
from genai_prices.data import providers

from spyglass.model.providers import PROVIDERS
from spyglass.model.windows import known_window

NOT_FOR_TEXT = re.compile(r"tts|transcribe|realtime|audio|image|embedding|live|robotics")

KNOWN = [
    (model.id, model.context_window)
    for provider in providers
    if provider.id in ("deepseek", "google", "openai", "x-ai")
    for model in provider.models
    if model.context_window and not NOT_FOR_TEXT.search(model.id) and known_window(model.id)
]


def test_a_known_window_is_not_above_what_the_price_table_says() -> None:
    assert [(name, window) for name, window in KNOWN if (known_window(name) or 0) > window] == []


def test_the_table_is_about_many_models() -> None:
    assert len(KNOWN) > 60


def test_the_longest_prefix_counts_in_any_case() -> None:
    assert known_window("GPT-4o-mini") == 128_000
    assert known_window("gpt-4-0613") == 8_192
    assert known_window("llama3.2") is None


def test_every_default_model_has_a_window(subtests: pytest.Subtests) -> None:
    for name in PROVIDERS.names():
        with subtests.test(name=name):
            kind = PROVIDERS.get(name)
            assert kind(kind.default_model).context_window >= 8_192
