"""What a status other than success means, in words, and which of our errors it is."""

from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from ..kernel.errors import FetchError, NoPageTextError, RedirectError, ServerFaultError, StatusError, WallError
from ..kernel.retry import retry_after

if TYPE_CHECKING:
    from ..net.client import Response

_WORDS: Final = {
    401: "The page asks for a log-in",
    402: "The page asks for a payment",
    403: "The server refuses us the page",
    404: "There is no such page",
    407: "The proxy asks for a log-in",
    408: "The server waited too long for us",
    410: "The page is gone",
    429: "The server has had too many requests",
    451: "The page is withheld for legal reasons",
    503: "The server is overloaded or being mended",
}
_NO_CONTENT: Final = (204, 205)
_REDIRECTS: Final = (301, 302, 303, 307, 308)
_PASSING: Final = (408, 425, 429)


def refusal(response: "Response") -> FetchError | None:
    """Return the error that a response amounts to by its status and headers, or None for one with a page in it."""
    status, where = response.status, response.url
    if response.headers.get("cf-mitigated") == "challenge":
        return WallError("It shows a robot check instead of the page", where=where, status=status)
    if status in _NO_CONTENT:
        return NoPageTextError("It is empty", where=where)
    if 200 <= status < 300:
        return None
    if status in _REDIRECTS and "location" in response.headers:
        what, location = "It redirects more often than it may", response.headers["location"]
        return RedirectError(what, where=where, remedy="Raise max_redirects.", location=location)
    said = f"{_WORDS.get(status) or _phrase(status)} (status {status})"
    kind = ServerFaultError if status in _PASSING or 500 <= status < 600 else StatusError
    if (seconds := retry_after(response.headers)) is not None:
        return kind(said, where=where, status=status, retry_after=seconds)
    return kind(said, where=where, status=status)


def _phrase(status: int) -> str:
    if 500 <= status < 600:
        return "The server is in trouble"
    try:
        return f'The server answered "{HTTPStatus(status).phrase}"'
    except ValueError:
        return "The server gave an answer that has no meaning"
