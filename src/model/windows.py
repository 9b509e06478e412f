"""Context windows of known models: the tokens of prompt and answer together."""

from typing import Final

WINDOWS: Final[dict[str, int]] = {
    "chatgpt-": 128_000,
    "deepseek-": 64_000,
    "deepseek-v3": 128_000,
    "deepseek-v4": 1_000_000,
    "gemini-": 1_000_000,
    "gemini-1.0": 32_768,
    "gemini-pro": 32_768,
    "gpt-3.5": 16_385,
    "gpt-4": 8_192,
    "gpt-4-turbo": 128_000,
    "gpt-4.1": 1_000_000,
    "gpt-4o": 128_000,
    "gpt-5": 128_000,
    "gpt-6": 1_050_000,
    "grok-2": 32_768,
    "grok-3": 131_072,
    "grok-4": 256_000,
    "o1": 128_000,
    "o3": 200_000,
    "o4": 200_000,
}
"""Prefix of a model's name → its context window in tokens, never above the value in the `genai-prices` data.

If models with one prefix differ, the smallest window is listed; the setting `context_window` overrides it.
"""


def known_window(name: str) -> int | None:
    """Return the window of the longest prefix that matches the name; None for a model that is not listed."""
    fitting = [prefix for prefix in WINDOWS if name.lower().startswith(prefix)]
    return WINDOWS[max(fitting, key=len)] if fitting else None
