"""`spyglass serve`."""

import socket
from pathlib import Path

from ..kernel.errors import UsageError
from ..kernel.settings import Settings
from ..runs import RunStore
from .console import tell
from .watching import watched


def serve(settings: Settings, host: str, port: int, config: Path | None = None) -> None:
    """Serve the page, searches and reports until Ctrl-C.

    Raises UsageError when the address cannot be had, or wants a token and there is none, or where another service is
    at the same runs.
    """
    try:
        from ..serve.server import server_of
    except ImportError as error:
        raise UsageError(
            f"The service is not installed: {error}", remedy='Install it: pip install "spyglass[serve]".'
        ) from error
    server = server_of(settings, host, config)
    listening = listen(host, port)
    place = f"[{host}]" if ":" in host else host
    tell(f"Serving on http://{place}:{listening.getsockname()[1]} (Ctrl-C ends it)")
    with RunStore.of(settings).served(), watched(settings):
        server.run(sockets=[listening])


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens there; port 0 takes a free one. Raises UsageError where it cannot be had."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise UsageError(f"{host}:{port} cannot be served on: {error.strerror}", where="--host, --port") from error
