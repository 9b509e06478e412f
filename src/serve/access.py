"""Access control: a request needs the service's host name and a token, and may not come from another site's page."""

import time
from collections import Counter, deque
from collections.abc import Iterable
from urllib.parse import urlsplit

from fastapi.responses import JSONResponse
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request, cookie_parser
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..kernel.errors import DatabaseError
from ..kernel.settings.tables import ServeTable
from ..kernel.thread import in_thread
from .caller import GRANT, caller_of
from .error_response import AWAY, LATER, error_response
from .tokens import TokenError, Tokens

LOOPBACK = ("localhost", "127.0.0.1", "::1")
PERIOD = 10.0  # seconds over which the calls of a client are counted
MOST_CLIENTS = 1_000  # clients whose calls are counted; beyond that, those without recent calls are dropped
MOST_BYTES = 65_536  # bytes of a request's body
SAME_SITE = ("none", "same-origin")  # values of Sec-Fetch-Site for requests not made by another site's page

OPEN = ("/", "/session", "/healthz", "/readyz")
PAGE = "/page/"
"""Paths that need no token: the page with the token form, the endpoint that receives it, and the health checks."""

COOKIE = "spyglass-token"  # the cookie in which a browser sends the token, to this service alone

HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
"""Security headers of every response, for browsers."""


class AccessControl:
    """Middleware that refuses requests with a foreign host (DNS rebinding), from other sites' pages, or without token.

    A request costs money, so it is not enough that such a page cannot read the response. Requests with effects must be
    JSON: browsers send that across sites only after a CORS preflight, which this service never allows.
    """

    def __init__(
        self, app: ASGIApp, hosts: Iterable[str], tokens: Tokens, serve: ServeTable, answers: Counter[int]
    ) -> None:
        self._answers = answers
        self._rates = Rates(serve.per_second)
        self._most_upload = int(serve.upload_megabytes * 1e6)
        self._app = app
        self._hosts = frozenset(host.lower().strip("[]") for host in hosts)
        self._tokens = tokens

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._answers[message["status"]] += 1
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        return await (await self._refusal(scope) or self._app)(scope, receive, with_headers)

    async def _refusal(self, scope: Scope) -> JSONResponse | None:
        """Return the refusal of a request; None for an admitted one, in whose state the token's grant is stored."""
        headers = Headers(scope=scope)
        host, path = headers.get("host", ""), scope["path"]
        server_name, _ = scope.get("server") or ("", 0)
        if _name(host) not in {*self._hosts, server_name}:
            return error_response(
                403,
                "The host name of the request is not allowed; the setting serve.hosts lists the allowed names.",
                path=path,
            )
        origin = headers.get("origin")
        is_foreign = origin is not None and origin.lower().partition("://")[2] != host.lower()
        if is_foreign or headers.get("sec-fetch-site", "none") not in SAME_SITE:
            return error_response(403, "Requests from pages of other sites are not allowed.", path=path)
        is_open = path in OPEN or path.startswith(PAGE)
        try:
            grant = None if is_open else await in_thread(self._tokens.admits, _shown(headers))
        except DatabaseError:
            return error_response(503, AWAY, DatabaseError.__name__, LATER, path)
        except TokenError as error:
            challenge = {"WWW-Authenticate": "Bearer"}
            return error_response(401, f"{error.what}. Send one: Authorization: Bearer …", "", challenge, path)
        if grant is not None:
            scope.setdefault("state", {})[GRANT] = grant
        if not self._rates.allow(Request(scope)):
            return error_response(429, "This client makes too many calls.", headers=LATER, path=path)
        if scope["method"] == "PUT":  # a document; browsers need a CORS preflight for it, as for JSON
            return _too_long(headers, self._most_upload, path)
        return _unfit(headers, path) if scope["method"] == "POST" else None


class Rates:
    """Limits each client to `per_second` calls a second, on average over PERIOD."""

    def __init__(self, per_second: float) -> None:
        self._per_period = per_second * PERIOD
        self._recent: dict[str, deque[float]] = {}

    def allow(self, request: Request) -> bool:
        """Return whether a call is allowed now, and if so count it."""
        now, client = time.monotonic(), caller_of(request).client
        calls = self._recent.setdefault(client, deque())
        while calls and calls[0] < now - PERIOD:
            calls.popleft()
        if len(calls) >= self._per_period:
            return False
        calls.append(now)
        if len(self._recent) > MOST_CLIENTS:
            self._recent = {name: times for name, times in self._recent.items() if times[-1] >= now - PERIOD}
        return True


def _unfit(headers: Headers, path: str) -> JSONResponse | None:
    """Return the refusal of a request whose body is not JSON or too long, else None."""
    if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        return error_response(415, "Send the request as JSON: Content-Type: application/json", path=path)
    return _too_long(headers, MOST_BYTES, path)


def _too_long(headers: Headers, most: int, path: str) -> JSONResponse | None:
    """Return the refusal of a request whose body is longer than `most` bytes or of unknown length, else None."""
    length = headers.get("content-length", "")
    if not length.isdecimal():
        return error_response(411, "Send the length of the body: Content-Length", path=path)
    if len(length) > len(str(most)) or int(length) > most:
        return error_response(413, f"The body is too long: at most {most:,} bytes are read.", path=path)
    return None


def _shown(headers: Headers) -> str:
    """Return the token in the Authorization header, else in our cookie; empty for another scheme."""
    kind, _, token = headers.get("authorization", "").partition(" ")
    if token:
        return token.strip() if kind.lower() == "bearer" else ""
    return cookie_parser(headers.get("cookie", "")).get(COOKIE, "")


def _name(host: str) -> str:
    """Return the host in a Host header, without its port; empty if it is invalid."""
    try:
        return (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return ""
