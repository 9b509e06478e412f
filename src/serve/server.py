"""The HTTP server of the service, with limits on the number and duration of connections.

uvicorn itself limits only the time between two requests: it waits forever for a client that sends half a head or an
endless body, and its `limit_concurrency` counts such connections, so that they keep others out.
"""

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any, Final

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from ..kernel.settings import Settings
from .app import create_app
from .caller import network_of
from .error_response import LATER, error_response

SLOWEST: Final = 50_000  # least bytes per second of an upload after the initial deadline
MOST_HEAD: Final = 16_384  # bytes of a request's line and headers
GRACE: Final = 5  # seconds that open requests have to end when the service shuts down


def server_of(settings: Settings, host: str = "127.0.0.1", config: Path | None = None) -> uvicorn.Server:
    """Return the server of the service with these settings, to be bound to `host`. Raises as `create_app` does.

    X-Forwarded-For is ignored, and answers do not name the server software.
    """
    bounded = Bounded(
        create_app(settings, host=host, config=config),
        deadline=settings.serve.deadline,
        most=settings.serve.connections,
        h11_max_incomplete_event_size=MOST_HEAD,
        ws="none",
        log_level="warning",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE,
    )
    return uvicorn.Server(bounded)


class Bounded(uvicorn.Config):
    """The configuration of a server with limits on its connections.

    `deadline` is the seconds that a client has to send a whole request, and to receive what is sent to it, plus one
    second for each SLOWEST bytes that it has sent. Beyond `most` connections, the client with the most loses its oldest
    idle one.
    """

    def __init__(self, app: Any, *, deadline: float, most: int, **options: Any) -> None:
        self.deadline = deadline
        self.most = most
        super().__init__(app, http=Connection, **options)


class Connection(H11Protocol):
    """uvicorn's connection, closed when its client does not send or receive in time."""

    def __init__(
        self, config: Bounded, server_state: ServerState, app_state: dict[str, Any], _loop: Any = None
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._bounds = config
        self._read_timer: asyncio.TimerHandle | None = None
        self._write_timer: asyncio.TimerHandle | None = None
        self._request_start = 0.0
        self._received = 0
        self._caller = ""

    @property
    def asks(self) -> bool:
        """Whether a complete request has been received and not answered yet."""
        return self.conn.their_state not in (h11.IDLE, h11.SEND_BODY)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the timer for the first request."""
        super().connection_made(transport)
        self._caller = network_of(self.client[0]) if self.client else ""
        transport.set_write_buffer_limits(
            high=0
        )  # so that writing pauses, and is timed, whenever the client does not receive immediately
        self._await_request()
        self._make_room()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timers."""
        for timer in (self._read_timer, self._write_timer):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Receive a part of a request; each part extends the client's deadline."""
        self._received += len(data)
        super().data_received(data)

    def on_response_complete(self) -> None:
        """Start the timer for the next request."""
        self._await_request()
        super().on_response_complete()

    def pause_writing(self) -> None:
        """Give the client until the deadline to receive what was written."""
        super().pause_writing()
        self._write_timer = self.loop.call_later(self._bounds.deadline, self.transport.abort)

    def resume_writing(self) -> None:
        """Stop the timer: the client has received it."""
        if self._write_timer is not None:
            self._write_timer.cancel()
        super().resume_writing()

    def send_400_response(self, msg: str) -> None:
        """Refuse a request that is not valid HTTP."""
        self._refuse(400, msg)

    def _await_request(self) -> None:
        if self._read_timer is not None:
            self._read_timer.cancel()
        self._request_start, self._received = self.loop.time(), 0
        self._read_timer = self.loop.call_later(self._bounds.deadline, self._give_up)

    def _give_up(self) -> None:
        if self.asks:
            return
        left = self._request_start + self._bounds.deadline + self._received / SLOWEST - self.loop.time()
        if left > 0:
            self._read_timer = self.loop.call_later(left, self._give_up)
        else:
            self.transport.abort()

    def _make_room(self) -> None:
        """If there are too many connections, close an idle one, or refuse this one if all others are busy."""
        open_connections = [
            each for each in self.connections if isinstance(each, Connection) and not each.transport.is_closing()
        ]
        if len(open_connections) <= self._bounds.most:
            return None
        waiting = [each for each in open_connections if not each.asks and each is not self]
        if not waiting:
            return self._refuse(429, "All connections of this service are in use.", LATER)
        counts = Counter(each._caller for each in open_connections)
        min(waiting, key=lambda each: (-counts[each._caller], each._request_start)).transport.abort()
        return None

    def _refuse(self, status: int, why: str, headers: dict[str, str] | None = None) -> None:
        """Respond without the application, unless a response has begun already, and close the connection."""
        if self.conn.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            return self.transport.abort()
        answer = error_response(status, why, headers={"Connection": "close", **(headers or {})})
        head = h11.Response(status_code=status, headers=answer.raw_headers)
        for event in (head, h11.Data(data=bytes(answer.body)), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        return self.transport.close()
