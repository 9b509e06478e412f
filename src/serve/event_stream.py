"""The answer of a call that is a stream of server-sent events."""

from collections.abc import AsyncGenerator, Callable

from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.types import Receive, Scope, Send

from .sse import ServerEvent, split

Events = AsyncGenerator[ServerEvent, None]


class EventStream(EventSourceResponse):
    """The events as they go over the wire, large ones in slices; however it ends, nothing works on behind it."""

    def __init__(
        self, first: ServerEvent, events: Events, limit: int, on_close: Callable[[], None] = lambda: None
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


async def _wire(first: ServerEvent, events: Events, limit: int) -> AsyncGenerator[ServerSentEvent, None]:
    for part in split(first, limit):
        yield _sent(part)
    async for event in events:
        for part in split(event, limit):
            yield _sent(part)


def _sent(event: ServerEvent) -> ServerSentEvent:
    return ServerSentEvent(event=event.name, data=event.text, id=None if event.id is None else str(event.id))
