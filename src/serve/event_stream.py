"""The answer of a call that is a stream of server-sent events."""

from collections.abc import AsyncGenerator, Callable

from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.types import Receive, Scope, Send

from .sse import ServerEvent, split

Events = AsyncGenerator[list[ServerEvent], None]
"""Events in order, those together that are there at once: each sending costs more than an event does."""


class EventStream(EventSourceResponse):
    """The events as they go over the wire, large ones in slices; however it ends, nothing works on behind it."""

    def __init__(
        self, first: list[ServerEvent], events: Events, limit: int, on_close: Callable[[], None] = lambda: None
    ) -> None:
        self._events = events
        self._on_close = on_close
        super().__init__(_wire(first, events, limit))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the stream."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._on_close()
            await self._events.aclose()


async def _wire(first: list[ServerEvent], events: Events, limit: int) -> AsyncGenerator[bytes, None]:
    yield _sent(first, limit)
    async for some in events:
        yield _sent(some, limit)


def _sent(events: list[ServerEvent], limit: int) -> bytes:
    parts = [part for event in events for part in split(event, limit)]
    return b"".join(
        ServerSentEvent(event=one.name, data=one.text, id=None if one.id is None else str(one.id)).encode()
        for one in parts
    )
