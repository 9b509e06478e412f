"""A call is made again only where somebody still waits for it."""

import asyncio

import pytest

from spyglass.kernel.attempts import attempted
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
            raise ModelBusyError("The server's answer is none of a model") from error

    calling = asyncio.create_task(attempted(call, "model", 60.0, attempts, lambda error: None))
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
            raise ModelBusyError("The server's answer is none of a model") from error

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0):
            await attempted(call, "model", 60.0, 3, lambda error: None)
