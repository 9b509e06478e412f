"""The server that carries the service, with its bounds."""

from pathlib import Path

import uvicorn

from ..kernel.settings import Settings
from .app import create_app
from .connection import Bounded

MOST_HEAD = 16_384
"""Bytes of a request's head."""

GRACE = 5
"""Seconds that runs have to end in when the service is ended."""


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
