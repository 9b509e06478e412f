"""Attempts at an external call: deadlines, retries with exponential backoff, and the server's `Retry-After`."""

import asyncio
import random
import re
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final

from .errors import DeadlineError, SpyglassError
from .notice import Notice

FIRST_PAUSE: Final = 0.3
"""Seconds before the second attempt, doubled before each further one, plus random jitter of up to this value."""

LONGEST_PAUSE: Final = 30.0  # seconds: limit of every pause, also of one that a server asks for

_NUMBER: Final = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?")


async def call_with_retries(
    call: Callable[[], Awaitable[Any]],
    deadline: float | None,
    attempts: int,
    retrying: Callable[[Exception], None],
) -> Any:
    """Call `call` up to `attempts` times, for at most `deadline` seconds each, and return its result.

    `retrying` is called with each error that leads to a retry. Raises DeadlineError, the error of the last attempt, and
    CancelledError.
    """
    number = 1
    while True:
        try:
            return await _in_time(call, deadline)
        except SpyglassError as error:
            if number == attempts or not error.retryable:
                raise
            retrying(error)
            requested = error.details.get("retry_after")
        pause = FIRST_PAUSE * (2 ** (number - 1) + random.random()) if requested is None else float(requested)  # noqa: S311
        await asyncio.sleep(min(pause, LONGEST_PAUSE))
        number += 1


async def _in_time(call: Callable[[], Awaitable[Any]], deadline: float | None) -> Any:
    caller = asyncio.current_task()
    before = caller.cancelling() if caller else 0
    try:
        async with asyncio.timeout(deadline) as bound:
            return await call()
    except TimeoutError as error:
        if deadline is None or not bound.expired():
            raise
        raise DeadlineError(Notice("took_too_long", seconds=deadline)) from error
    except SpyglassError as error:
        if caller and caller.cancelling() > before:
            raise asyncio.CancelledError from error  # an SDK that is cancelled during its setup may raise anything
        raise


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that a server asks to wait: `retry-after-ms`, or `retry-after` as seconds or as a date.

    A date is relative to the `Date` header of the response, if it has one (RFC 9110 §10.2.3). Returns None if no header
    can be parsed.
    """
    lowered = {name.lower(): value.strip() for name, value in headers.items()}
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        if _NUMBER.fullmatch(lowered.get(name, "")):
            return float(lowered[name]) * unit
    try:
        time = parsedate_to_datetime(lowered["retry-after"])
        now = parsedate_to_datetime(lowered["date"]) if "date" in lowered else datetime.now(UTC)
        return max(0.0, (time - now).total_seconds())
    except (KeyError, ValueError, TypeError):
        return None
