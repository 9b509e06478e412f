"""Maps HTTP statuses other than success to errors and their messages."""

from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from ..kernel.attempts import retry_after
from ..kernel.errors import FetchError, NoPageTextError, RedirectError, ServerFaultError, StatusError, WallError
from ..kernel.notice import Notice

if TYPE_CHECKING:
    from ..net import Response

_MESSAGES: Final[dict[int, Notice]] = {
    401: Notice("page_log_in", status=401),
    402: Notice("page_payment", status=402),
    403: Notice("page_refused", status=403),
    404: Notice("page_missing", status=404),
    407: Notice("proxy_log_in", status=407),
    408: Notice("server_waited_too_long", status=408),
    410: Notice("page_gone", status=410),
    429: Notice("too_many_requests", status=429),
    451: Notice("page_withheld", status=451),
    503: Notice("server_overloaded", status=503),
}
WALLS: Final = {
    "robot check": Notice("robot_check_instead"),
    "cookie wall": Notice("cookie_wall_instead"),
    "log-in wall": Notice("log_in_wall_instead"),
    "paywall": Notice("paywall_instead"),
}
"""The message for each kind of wall in place of a page."""

_NO_CONTENT: Final = (204, 205)
_REDIRECTS: Final = (301, 302, 303, 307, 308)
_TEMPORARY: Final = (408, 425, 429)


def refusal(response: "Response") -> FetchError | None:
    """Return the error for a response by its status and headers, or None if it has a page."""
    status, where = response.status, response.url
    if response.headers.get("cf-mitigated") == "challenge":
        return WallError(WALLS["robot check"], where=where, status=status)
    if status in _NO_CONTENT:
        return NoPageTextError(Notice("without_text"), where=where)
    if 200 <= status < 300:
        return None
    if status in _REDIRECTS and "location" in response.headers:
        message, remedy = Notice("redirects_too_often"), Notice("raise_setting", setting="fetch.max_redirects")
        return RedirectError(message, where=where, remedy=remedy, location=response.headers["location"])
    message = _MESSAGES.get(status) or _phrase(status)
    kind = ServerFaultError if status in _TEMPORARY or 500 <= status < 600 else StatusError
    if (seconds := retry_after(response.headers)) is not None:
        return kind(message, where=where, status=status, retry_after=seconds)
    return kind(message, where=where, status=status)


def _phrase(status: int) -> Notice:
    if 500 <= status < 600:
        return Notice("server_in_trouble", status=status)
    try:
        return Notice("server_says", said=HTTPStatus(status).phrase, status=status)
    except ValueError:
        return Notice("status_without_meaning", status=status)
