"""What a client reads from the wire."""

import json
from collections.abc import Iterable, Iterator

from spyglass.serve.sse import ServerEvent


def received(lines: Iterable[str]) -> Iterator[ServerEvent]:
    """Yield the events in the lines of a `text/event-stream`, without line ends: what a client reads from the wire.

    Comments and fields other than `event` and `data` are passed over, as the WHATWG's specification has it; so is an
    event that its stream breaks off.
    """
    name, data = "message", list[str]()
    for line in lines:
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if not line and data:
            yield ServerEvent(name, json.loads("\n".join(data)))
        if not line:
            name, data = "message", []
        elif field == "event":
            name = value
        elif field == "data":
            data.append(value)
