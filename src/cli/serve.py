"""`spyglass serve`."""

import socket

from ..errors import UsageError
from ..settings import Settings
from .console import tell
from .watching import watched

LOOPBACK = ("localhost", "127.0.0.1", "::1")


def serve(settings: Settings, host: str, port: int) -> None:
    """Serve searches and reports until Ctrl-C. Raises UsageError when the address cannot be had."""
    try:
        import uvicorn

        from ..serve.app import create_app
    except ImportError as error:
        raise UsageError(
            f"The service is not installed: {error}", remedy='Install it: pip install "spyglass[serve]".'
        ) from error
    listening = _listen(host, port)
    if host not in LOOPBACK:
        tell("Note: there is no log-in: whoever reaches this address may spend what your keys pay for.")
    place = f"[{host}]" if ":" in host else host
    tell(f"Serving on http://{place}:{listening.getsockname()[1]} (Ctrl-C ends it)")
    config = uvicorn.Config(
        create_app(settings, host=host),
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=5,
    )
    with watched(settings):
        uvicorn.Server(config).run(sockets=[listening])


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise UsageError(f"{host}:{port} cannot be served on: {error.strerror}", where="--host, --port") from error
