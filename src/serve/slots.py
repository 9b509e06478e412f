"""How many runs the service makes at once, and how many of them for one client."""

from collections import Counter

from starlette.exceptions import HTTPException

from .refusal import RETRY_AFTER

LATER = {"Retry-After": RETRY_AFTER}
"""What tells a client to ask again."""


class RunSlots:
    """The places for runs: `most` in all, and no client holds more than its `share`. Nobody waits for one here."""

    def __init__(self, most: int, share: int) -> None:
        self.most = most
        self._share = share
        self._held: Counter[str] = Counter()

    @property
    def taken(self) -> int:
        """How many are held."""
        return self._held.total()

    def take(self, client: str) -> None:
        """Take a place. Raises HTTPException when there is none, for this client or at all."""
        if self._held[client] >= self._share:
            raise HTTPException(429, f"{self._share} runs of yours are under way, which is all at once", LATER)
        if self.taken >= self.most:
            raise HTTPException(429, f"{self.taken} runs are under way, which is all that this service takes", LATER)
        self._held[client] += 1

    def give_back(self, client: str) -> None:
        """Free a place that was taken."""
        self._held[client] -= 1
        if not self._held[client]:
            del self._held[client]
