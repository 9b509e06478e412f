"""The server that carries the service, and its connections: what a client may leave open, and for how long.

Of its own, uvicorn bounds the time between two requests, and nothing else: who sends half a head, or a body that never
ends, is waited for without end, and its `limit_concurrency` counts them, so that they keep the others out.
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
from .refusal import LATER, refusal

SLOWEST: Final = 50_000  # bytes a second that a client uploads at least, beyond the deadline for the beginning
MOST_HEAD: Final = 16_384  # bytes of a request's head
GRACE: Final = 5  # seconds that runs have to end in when the service is ended


def server_of(settings: Settings, host: str = "127.0.0.1", config: Path | None = None) -> uvicorn.Server:
    """Return the server of the service with these settings, to be bound to `host`. Raises as `create_app` does.

    What a caller says of itself (X-Forwarded-For) is not believed, and nobody learns what it runs on.
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
    """The configuration of a server whose connections have bounds.

    `deadline` are the seconds that a client has to send a request whole, and to take what is sent to it, and one more
    for each SLOWEST bytes that it has sent; of `most` connections the oldest one that asks for nothing yet makes room,
    of the client that has the most of them.
    """

    def __init__(self, app: Any, *, deadline: float, most: int, **options: Any) -> None:
        self.deadline = deadline
        self.most = most
        super().__init__(app, http=Connection, **options)


class Connection(H11Protocol):
    """uvicorn's connection, cut off when its client does not send, or does not take, in time."""

    def __init__(
        self, config: Bounded, server_state: ServerState, app_state: dict[str, Any], _loop: Any = None
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._bounds = config
        self._sending: asyncio.TimerHandle | None = None
        self._taking: asyncio.TimerHandle | None = None
        self._since = 0.0
        self._received = 0
        self._caller = ""

    @property
    def asks(self) -> bool:
        """Whether a request is here as a whole, and not answered yet."""
        return self.conn.their_state not in (h11.IDLE, h11.SEND_BODY)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin; the clock for the first request runs."""
        super().connection_made(transport)
        self._caller = network_of(self.client[0]) if self.client else ""
        transport.set_write_buffer_limits(high=0)  # whatever is not taken at once is waited for, and timed
        self._await_request()
        self._make_room()

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        for timer in (self._sending, self._taking):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take a piece of a request; who sends much has longer for it."""
        self._received += len(data)
        super().data_received(data)

    def on_response_complete(self) -> None:
        """Go on to the next request; its clock runs."""
        self._await_request()
        super().on_response_complete()

    def pause_writing(self) -> None:
        """Wait for the client to take what was written, up to the deadline."""
        super().pause_writing()
        self._taking = self.loop.call_later(self._bounds.deadline, self.transport.abort)

    def resume_writing(self) -> None:
        """Go on: it was taken."""
        if self._taking is not None:
            self._taking.cancel()
        super().resume_writing()

    def send_400_response(self, msg: str) -> None:
        """Answer what is no HTTP."""
        self._refuse(400, msg)

    def _await_request(self) -> None:
        if self._sending is not None:
            self._sending.cancel()
        self._since, self._received = self.loop.time(), 0
        self._sending = self.loop.call_later(self._bounds.deadline, self._give_up)

    def _give_up(self) -> None:
        if self.asks:
            return
        left = self._since + self._bounds.deadline + self._received / SLOWEST - self.loop.time()
        if left > 0:
            self._sending = self.loop.call_later(left, self._give_up)
        else:
            self.transport.abort()

    def _make_room(self) -> None:
        """Where there are too many, cut off another connection, or refuse this one when all others are at work."""
        everyone = [one for one in self.connections if isinstance(one, Connection) and not one.transport.is_closing()]
        if len(everyone) <= self._bounds.most:
            return None
        waiting = [one for one in everyone if not one.asks and one is not self]
        if not waiting:
            return self._refuse(429, "All connections of this service are in use.", LATER)
        held = Counter(one._caller for one in everyone)
        min(waiting, key=lambda one: (-held[one._caller], one._since)).transport.abort()
        return None

    def _refuse(self, status: int, why: str, headers: dict[str, str] | None = None) -> None:
        """Answer without the application, where an answer is still to be given, and end."""
        if self.conn.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            return self.transport.abort()
        answer = refusal(status, why, headers={"Connection": "close", **(headers or {})})
        head = h11.Response(status_code=status, headers=answer.raw_headers)
        for event in (head, h11.Data(data=bytes(answer.body)), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        return self.transport.close()
