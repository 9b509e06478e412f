"""Server-sent events of any size: a large event is sent in slices, which the client joins.

An event is a name and a JSON value. If its JSON text is longer than the limit, it is sent as several events named
`_delta_sse`, each with a JSON object of four keys:

    id      the same for all slices of one event
    index   the number of the slice, from 0
    total   the number of slices
    slice   a part of the JSON text of {"event": name, "data": value}, pure ASCII

To join them, collect the slices of an id; when all `total` of them are there, concatenate them in the order of `index`
and parse the text as JSON, which is the original event. Slices of several events may be interleaved and may arrive in
any order. `join` does this.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from ..kernel.errors import RunError
from ..kernel.source import digest

DELTA = "_delta_sse"  # the name of the events that carry slices
ENVELOPE = 200  # most bytes of the name, the keys and the numbers of an event, besides the value or the slice
LEAST = ENVELOPE + 64  # bytes: smaller limits are raised to this


@dataclass(frozen=True)
class ServerEvent:
    """An event as it is sent: `data` is any JSON value; a client that reconnects continues after the last `id`."""

    name: str
    data: Any
    id: int | None = None

    @cached_property
    def text(self) -> str:
        """The value as JSON on one line, in ASCII."""
        return json.dumps(self.data, separators=(",", ":"), allow_nan=False)


def split(event: ServerEvent, limit: int) -> list[ServerEvent]:
    """Return the event alone, or its slices, each at most `limit` bytes as sent.

    Each character of a slice counts as two bytes, because a quote is escaped. Only the last slice has the id.
    """
    room = max(limit, LEAST) - ENVELOPE
    if len(event.text) <= room:
        return [event]
    whole = json.dumps({"event": event.name, "data": event.data}, separators=(",", ":"), allow_nan=False)
    slices = [whole[start : start + room // 2] for start in range(0, len(whole), room // 2)]
    common = {"id": digest(whole, size=16), "total": len(slices)}
    parts = [ServerEvent(DELTA, {**common, "index": index, "slice": part}) for index, part in enumerate(slices)]
    return [*parts[:-1], replace(parts[-1], id=event.id)]


def join(events: Iterable[ServerEvent]) -> Iterator[ServerEvent]:
    """Yield the original events, joined from their slices.

    Raises RunError for a malformed slice, and if the stream ends within an event.
    """
    pending: dict[str, dict[int, str]] = {}
    for event in events:
        if event.name != DELTA:
            yield event
            continue
        try:
            slices = pending.setdefault(event.data["id"], {})
            slices[event.data["index"]] = event.data["slice"]
            if len(slices) < event.data["total"]:
                continue
            del pending[event.data["id"]]
            joined = json.loads("".join(slices[index] for index in sorted(slices)))
            whole = ServerEvent(joined["event"], joined["data"])
        except (KeyError, TypeError, ValueError) as error:
            raise RunError(f"A slice of an event cannot be read: {error!r}") from error
        yield whole
    if pending:
        raise RunError("The stream of events broke off within an event")
