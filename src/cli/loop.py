"""Runs a coroutine on an event loop of its own; the first Ctrl-C asks it to finish early rather than to drop all."""

import asyncio
import signal
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, TypeVar

from ..settings import Settings
from .watching import watched

Result = TypeVar("Result")


def run_until_done(
    work: Callable[[Callable[[Callable[[], None]], None]], Coroutine[Any, Any, Result]], settings: Settings
) -> Result:
    """Run `work`, handing it a function that takes what the first Ctrl-C calls; the second one interrupts.

    It is watched as the settings say.
    """

    async def main() -> Result:
        loop = asyncio.get_running_loop()

        def on_interrupt(stop: Callable[[], None]) -> None:
            def first() -> None:
                loop.remove_signal_handler(signal.SIGINT)
                stop()

            with suppress(NotImplementedError):  # Windows has no signal handlers on a loop: Ctrl-C interrupts at once
                loop.add_signal_handler(signal.SIGINT, first)

        return await work(on_interrupt)

    with watched(settings):
        return asyncio.run(main())
