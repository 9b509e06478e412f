"""An event loop whose clock leaps, for waits that no test has to sit out and no machine is too slow for."""

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, ParamSpec

P = ParamSpec("P")


class _Leaping(asyncio.SelectorEventLoop):
    """When nothing is ready, it is at once as late as the next timer wants."""

    def __init__(self) -> None:
        self.now = 0.0
        super().__init__(_Selector(self))

    def time(self) -> float:
        return self.now


class _Selector(selectors.SelectSelector):
    def __init__(self, loop: _Leaping) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(timeout and 0)
        if not ready and timeout:
            self._loop.now += timeout
        return ready


def noted_waits() -> list[float]:
    """Return what grows by the seconds of each wait that begins on the running loop from now on."""
    loop, waits = asyncio.get_running_loop(), list[float]()
    call_later = loop.call_later

    def note(delay: float, *given: Any, **options: Any) -> asyncio.TimerHandle:
        waits.append(delay)
        return call_later(delay, *given, **options)

    vars(loop)["call_later"] = note
    return waits


def in_no_time(test: Callable[P, Coroutine[Any, Any, None]]) -> Callable[P, None]:
    """Run a test on such a loop; it must wait for nothing but timers and its own tasks."""

    @wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        with asyncio.Runner(loop_factory=_Leaping) as runner:
            runner.run(test(*args, **kwargs))

    return run
