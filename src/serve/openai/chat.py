"""A report in the format of OpenAI's chat completions, whole and in the chunks of a stream."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from ...report import Report
from ..bodies import RunState
from .answer import CitedText
from .responses import slices, usage_of


def completion_of(state: RunState, model: str, report: Report, page: str) -> dict[str, Any]:
    """Return the completion; `page` is the address of the report."""
    answer = CitedText.of(report)
    message = {"role": "assistant", "content": answer.text, "refusal": None, "annotations": _annotations(answer, page)}
    choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
    return {**_head(state, model, "chat.completion"), "choices": [choice], "usage": _usage(report)}


def chunks_of(state: RunState, model: str, report: Report, page: str, *, usage: bool) -> Iterator[dict[str, Any]]:
    """Yield the chunks of the completion after the first one, with `usage` in a last chunk if requested."""
    answer = CitedText.of(report)
    for piece in slices(answer.text):
        yield chunk(state, model, {"content": piece})
    yield chunk(state, model, {"annotations": _annotations(answer, page)}, "stop")
    if usage:
        yield {**_head(state, model, "chat.completion.chunk"), "choices": [], "usage": _usage(report)}


def chunk(state: RunState, model: str, delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    """Return a chunk with this change of the message."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
    return {**_head(state, model, "chat.completion.chunk"), "choices": [choice]}


def _head(state: RunState, model: str, kind: str) -> dict[str, Any]:
    created = int(datetime.fromisoformat(state.began).timestamp())
    return {"id": f"chatcmpl-{state.id}", "object": kind, "created": created, "model": model}


def _annotations(answer: CitedText, page: str) -> list[dict[str, Any]]:
    return [sentence.as_url_citation(page) for sentence in answer.cited]


def _usage(report: Report) -> dict[str, int]:
    used = usage_of(report)
    return {
        "prompt_tokens": used["input_tokens"],
        "completion_tokens": used["output_tokens"],
        "total_tokens": used["total_tokens"],
    }
