"""A run in the format of OpenAI's responses, whole and as the events of a stream."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final

from ...report import Report
from ..bodies import RunState
from ..sse import ServerEvent
from .answer import CitedText
from .bodies import RESPONSE

SLICE: Final = 400  # characters of a text that a stream sends at once
STATUS: Final = {
    "complete": "completed",
    "partial": "completed",
    "nothing_found": "completed",
    "cancelled": "cancelled",
}
"""The status of a run that ended with a report; any other ended run is `failed`."""


def response_of(state: RunState, model: str, report: Report | None) -> dict[str, Any]:
    """Return the response of a run, in progress while the run has no report and has not ended."""
    at_work = state.outcome in ("running", "interrupted")
    status = "in_progress" if at_work else STATUS.get(state.outcome, "failed")
    failed = {"code": "server_error", "message": state.problem or "The run failed."} if status == "failed" else None
    return {
        "id": f"{RESPONSE}{state.id}",
        "object": "response",
        "created_at": datetime.fromisoformat(state.began).timestamp() if state.began else 0.0,
        "status": status,
        "background": True,
        "error": failed,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "model": model,
        "output": [] if report is None else [_message(state, CitedText.of(report))],
        "parallel_tool_calls": False,
        "temperature": None,
        "tool_choice": "auto",
        "tools": [],
        "top_p": None,
        "usage": None if report is None else usage_of(report),
    }


def usage_of(report: Report) -> dict[str, Any]:
    """Return the input and output tokens of a run's models."""
    prompt, completion = report.spending.prompt_tokens, report.spending.completion_tokens
    return {
        "input_tokens": prompt,
        "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
        "output_tokens": completion,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": prompt + completion,
    }


def opening_events(response: dict[str, Any]) -> list[ServerEvent]:
    """Return the first events of a stream."""
    return [_event(0, "created", response=response), _event(1, "in_progress", response=response)]


def closing_events(response: dict[str, Any]) -> Iterator[ServerEvent]:
    """Yield the last events of a stream, numbered from 2; they are the same for all clients at any time."""
    number = 2
    for index, item in enumerate(response["output"]):
        at = {"item_id": item["id"], "output_index": index, "content_index": 0}
        (part,) = item["content"]
        text, annotations = part["text"], part["annotations"]
        blank = {**part, "text": "", "annotations": []}
        events: list[tuple[str, dict[str, Any]]] = [
            ("output_item.added", {"output_index": index, "item": {**item, "content": [], "status": "in_progress"}}),
            ("content_part.added", {**at, "part": blank}),
            *(("output_text.delta", {**at, "delta": piece, "logprobs": []}) for piece in slices(text)),
            *(
                ("output_text.annotation.added", {**at, "annotation": annotation, "annotation_index": n})
                for n, annotation in enumerate(annotations)
            ),
            ("output_text.done", {**at, "text": text, "logprobs": []}),
            ("content_part.done", {**at, "part": part}),
            ("output_item.done", {"output_index": index, "item": item}),
        ]
        for name, data in events:
            yield _event(number, name, **data)
            number += 1
    end = "failed" if response["status"] == "failed" else "completed"
    yield _event(number, end, response=response)


def slices(text: str) -> list[str]:
    """Split a text into the pieces that a stream sends."""
    return [text[start : start + SLICE] for start in range(0, len(text), SLICE)]


def _message(state: RunState, answer: CitedText) -> dict[str, Any]:
    annotations = [sentence.as_annotation() for sentence in answer.cited]
    part = {"type": "output_text", "text": answer.text, "annotations": annotations, "logprobs": []}
    return {"type": "message", "id": f"msg_{state.id}", "role": "assistant", "status": "completed", "content": [part]}


def _event(number: int, name: str, **data: Any) -> ServerEvent:
    return ServerEvent(f"response.{name}", {"type": f"response.{name}", "sequence_number": number, **data})
