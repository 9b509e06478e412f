"""The circuit breaker of a search engine."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Final, Literal

from ..kernel.errors import SearchBlockedError, SearchBrokenError, SearchDeadlineError, SearchPausedError
from ..kernel.notice import Notice, NoticeOrText

FAILURES: Final = 3  # failures in a row that open it
REST: Final = 60.0  # seconds for which it stays open
State = Literal["closed", "open", "half-open"]
OnChange = Callable[[State, str], None]


class Breaker:
    """A circuit breaker: open after FAILURES failures in a row; half-open after REST seconds, for a single trial call.

    The trial closes it or opens it again; a success resets the count. A blocked, broken or late answer counts as a
    failure; a refused key or request counts as neither failure nor success. Thread-safe.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._failures = 0
        self._opened_at: float | None = None
        self._trial_running = False
        self._reason: NoticeOrText = ""
        self._lock = Lock()

    @property
    def state(self) -> State:
        """The current state."""
        if self._opened_at is None:
            return "closed"
        return "half-open" if self._clock() >= self._opened_at + REST else "open"

    @contextmanager
    def call(self, engine: str, on_change: OnChange, *, last: bool = True) -> Iterator[None]:
        """Guard one attempt at a call; `on_change` is called with every change of state, and its reason.

        A failure counts if the attempt is the `last` of its call, or the trial. Raises SearchPausedError.
        """
        with self._lock:
            self.check(engine)
            trial = self._trial_running = self.state == "half-open"
        if trial:
            on_change("half-open", str(self._reason))
        try:
            yield
            self._succeeded(on_change)
        except (SearchBlockedError, SearchBrokenError, SearchDeadlineError) as error:
            if last or trial:
                self._failed(error.bare_message, on_change, trial=trial)
            raise
        finally:
            if trial:
                self._trial_running = False

    def check(self, engine: str) -> None:
        """Raise SearchPausedError if no call is admitted: the breaker is open, or its trial is running."""
        if self.state == "open" or self._trial_running:
            raise SearchPausedError(Notice("engine_paused", engine=engine, why=self._reason))

    def _succeeded(self, on_change: OnChange) -> None:
        with self._lock:
            reopened = self._opened_at is not None
            self._failures, self._opened_at, self._reason = 0, None, ""
        if reopened:
            on_change("closed", "")

    def _failed(self, reason: NoticeOrText, on_change: OnChange, *, trial: bool) -> None:
        with self._lock:
            self._failures += 1
            self._reason = reason
            opens = trial or (self._opened_at is None and self._failures >= FAILURES)
            if opens:
                self._opened_at = self._clock()
        if opens:
            on_change("open", str(reason))
