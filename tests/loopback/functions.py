"""The tools that a request offers a model, where they are functions as OpenAI has them."""

from typing import Any


def function_names(body: dict[str, Any]) -> tuple[str, ...]:
    """Return the names of the functions in the body of a request."""
    return tuple(tool["function"]["name"] for tool in body.get("tools") or [])
