"""Who may ask the service: those who call it by a name of its own and show its token, and no page of another site."""

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
from .refusal import AWAY, LATER, refusal
from .tokens import TokenError, Tokens

LOOPBACK = ("localhost", "127.0.0.1", "::1")
PERIOD = 10.0  # seconds over which the calls of a client are counted
MOST_CLIENTS = 1_000  # that are remembered; beyond that those are forgotten that have not called of late
MOST_BYTES = 65_536  # of what a call may send
OWN = ("none", "same-origin")  # what Sec-Fetch-Site says of a request that no page of another site made

OPEN = ("/", "/session", "/healthz", "/readyz")
PAGE = "/page/"
"""What is answered without a token: the page, which asks for it, what takes it from there, and whether all is well."""

COOKIE = "spyglass-token"  # the cookie in which a browser shows the token, to this service alone

HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
"""What every answer tells a browser."""


class AccessControl:
    """Middleware that refuses requests under a foreign name (DNS rebinding), from pages of other sites, or no token.

    A request costs money, so it is not enough that such a page could not read the answer. What begins something has
    to be sent as JSON: browsers let no page send that to another site unless that agrees, which this one never does.
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
        """Let a request in, or answer why not."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._answers[message["status"]] += 1
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        return await (await self._refused(scope) or self._app)(scope, receive, with_headers)

    async def _refused(self, scope: Scope) -> JSONResponse | None:
        """Return the answer to a request that is not let in; the state of any other has what its token was made for."""
        headers = Headers(scope=scope)
        host, path = headers.get("host", ""), scope["path"]
        here, _ = scope.get("server") or ("", 0)
        if _name(host) not in {*self._hosts, here}:
            return refusal(
                403, "This service does not go by that name; the setting serve.hosts lists its names.", path=path
            )
        origin = headers.get("origin")
        foreign = origin is not None and origin.lower().partition("://")[2] != host.lower()
        if foreign or headers.get("sec-fetch-site", "none") not in OWN:
            return refusal(403, "Pages of other sites may not ask.", path=path)
        is_open = path in OPEN or path.startswith(PAGE)
        try:
            grant = None if is_open else await in_thread(self._tokens.admits, _shown(headers))
        except DatabaseError:
            return refusal(503, AWAY, DatabaseError.__name__, LATER, path)
        except TokenError as error:
            challenge = {"WWW-Authenticate": "Bearer"}
            return refusal(401, f"{error.what}. Show one: Authorization: Bearer …", "", challenge, path)
        if grant is not None:
            scope.setdefault("state", {})[GRANT] = grant
        if not self._rates.allow(Request(scope)):
            return refusal(429, "That is more calls than one client may make.", headers=LATER, path=path)
        if scope["method"] == "PUT":  # a document; no page may send it to another site unless that agrees, as with JSON
            return _too_long(headers, self._most_upload, path)
        return _unfit(headers, path) if scope["method"] == "POST" else None


class Rates:
    """How often clients call: each so many times a second, on average over PERIOD."""

    def __init__(self, per_second: float) -> None:
        self._per_period = per_second * PERIOD
        self._recent: dict[str, deque[float]] = {}

    def allow(self, request: Request) -> bool:
        """Say whether a call may be made now, and count it."""
        now, client = time.monotonic(), caller_of(request).client
        calls = self._recent.setdefault(client, deque())
        while calls and calls[0] < now - PERIOD:
            calls.popleft()
        if len(calls) >= self._per_period:
            return False
        calls.append(now)
        if len(self._recent) > MOST_CLIENTS:
            self._recent = {one: made for one, made in self._recent.items() if made[-1] >= now - PERIOD}
        return True


def _unfit(headers: Headers, path: str) -> JSONResponse | None:
    """Return the answer to a call that sends what is not JSON, or too much of it."""
    if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        return refusal(415, "What is asked is sent as JSON: Content-Type: application/json", path=path)
    return _too_long(headers, MOST_BYTES, path)


def _too_long(headers: Headers, most: int, path: str) -> JSONResponse | None:
    """Return the answer to a call that sends more than that, or does not say how much."""
    length = headers.get("content-length", "")
    if not length.isdecimal():
        return refusal(411, "Say how long it is: Content-Length", path=path)
    if len(length) > len(str(most)) or int(length) > most:
        return refusal(413, f"It is too long: at most {most:,} bytes are read.", path=path)
    return None


def _shown(headers: Headers) -> str:
    """Return the token of an Authorization header, else of our cookie; nothing when it is of another kind."""
    kind, _, token = headers.get("authorization", "").partition(" ")
    if token:
        return token.strip() if kind.lower() == "bearer" else ""
    return cookie_parser(headers.get("cookie", "")).get(COOKIE, "")


def _name(host: str) -> str:
    """Return the name in a Host header, without its port; nothing when it is none."""
    try:
        return (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return ""
