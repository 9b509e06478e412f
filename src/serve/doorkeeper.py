"""Who may ask the service: only those who call it by a name of its own, and no page of another site."""

from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOOPBACK = ("localhost", "127.0.0.1", "::1")

OWN = ("none", "same-origin")
"""What a browser says of where a request comes from (Sec-Fetch-Site) when no other page made it."""

HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
"""What every answer tells a browser."""


class Doorkeeper:
    """Middleware that refuses requests under a foreign name (DNS rebinding) and from pages of other sites.

    A request costs money, so it is not enough that such a page could not read the answer.
    """

    def __init__(self, app: ASGIApp, hosts: Iterable[str]) -> None:
        self._app = app
        self._hosts = frozenset(host.lower().strip("[]") for host in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or answer why not."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        why = self._refusal(Headers(scope=scope))
        answer = JSONResponse({"error": why}, status_code=403) if why else self._app
        return await answer(scope, receive, with_headers)

    def _refusal(self, headers: Headers) -> str:
        """Return why a request is refused; nothing when it is not."""
        host = headers.get("host", "")
        if _name(host) not in self._hosts:
            return "This service does not go by that name; the setting serve_hosts lists its names."
        origin = headers.get("origin")
        foreign = origin is not None and urlsplit(origin).netloc.lower() != host.lower()
        if foreign or headers.get("sec-fetch-site", "none") not in OWN:
            return "Pages of other sites may not ask."
        return ""


def _name(host: str) -> str:
    """Return the name in a Host header, without its port; nothing when it is none."""
    try:
        return (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return ""
