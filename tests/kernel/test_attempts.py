"""A call is made again only where somebody still waits for it, and not before its server wants it."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spyglass.kernel.attempts import call_with_retries, retry_after
from spyglass.kernel.errors import ModelBusyError


@pytest.mark.parametrize("attempts", [1, 3])
async def test_a_call_that_makes_an_error_of_its_cancellation_is_not_made_again(attempts: int) -> None:
    made = 0
    begun = asyncio.Event()

    async def call() -> None:
        nonlocal made
        made += 1
        begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError as error:
            raise ModelBusyError("The server's answer is not that of a model") from error

    calling = asyncio.create_task(call_with_retries(call, 60.0, attempts, lambda error: None))
    await begun.wait()
    calling.cancel()
    with pytest.raises(asyncio.CancelledError):
        await calling
    assert made == 1


async def test_a_stop_that_a_call_makes_an_error_of_is_a_timeout_to_who_set_it() -> None:
    async def call() -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError as error:
            raise ModelBusyError("The server's answer is not that of a model") from error

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0):
            await call_with_retries(call, 60.0, 3, lambda error: None)


DATE = {"Date": "Wed, 21 Oct 2026 07:28:00 GMT"}


def test_the_pause_that_a_server_asks_for_is_understood() -> None:
    cases: list[tuple[dict[str, str], float | None]] = [
        ({}, None),
        ({"Retry-After": "7"}, 7.0),
        ({"retry-after": " 0.5 "}, 0.5),
        ({"retry-after-ms": "1500"}, 1.5),
        ({"retry-after-ms": "1500", "Retry-After": "7"}, 1.5),
        ({"Retry-After": "Wed, 21 Oct 2026 07:28:30 GMT", **DATE}, 30.0),
        ({"Retry-After": "Wed, 21 Oct 2026 07:27:30 GMT", **DATE}, 0.0),
        ({"Retry-After": "Wed, 21 Oct 1998 07:27:30 GMT"}, 0.0),
        ({"Retry-After": "Wed, 21 Oct 2026 07:28:30", **DATE}, None),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": "9" * 400}, None),
        ({"Retry-After": "-3"}, None),
        ({"Retry-After": "nan"}, None),
        ({"Retry-After": ""}, None),
    ]
    assert [case for case in cases if retry_after(case[0]) != case[1]] == []


@given(st.text(), st.text())
def test_no_header_breaks_the_reading(value: str, date: str) -> None:
    pause = retry_after({"Retry-After": value, "Date": date})
    assert pause is None or pause >= 0
