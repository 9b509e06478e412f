"""A call to a model (`Asking`) and the state of its attempts (`Trying`)."""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from ..kernel.errors import SpyglassError
from .exchange import Embeddings, Reply
from .metering import Tokens

Answered = TypeVar("Answered", Reply, Embeddings)

WHEN_ASKED = 0.15  # seconds within which calls that begin together are sent

IN_VAIN = 2  # failed attempts after which a caller that waits only for this call gives up


class Trying:
    """The state of the attempts of an optional call; each failure calls `on_failure`."""

    def __init__(self, on_failure: Callable[[], None] = lambda: None) -> None:
        self._on_failure = on_failure
        self._failed = 0
        self._pausing = False

    @property
    def in_vain(self) -> bool:
        """Whether IN_VAIN attempts failed and the next one has not begun."""
        return self._pausing and self._failed >= IN_VAIN

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """Record the outcome of one attempt."""
        self._pausing = False
        try:
            yield
        except SpyglassError:
            self._failed += 1
            self._pausing = True
            self._on_failure()
            raise


@dataclass(frozen=True, slots=True)
class Asking(Generic[Answered]):
    """A call for a role: the token limits of prompt and answer, the function that makes the call, and its attempts."""

    role: str
    most: Tokens
    ask: Callable[[Any], Awaitable[Answered]]
    attempts: int
    trying: Trying
