"""The pages that a run has read, whichever of its tasks asked for them."""

import asyncio

from ..fetch.page import Page
from ..search.urls import normalize_url


class PageShelf:
    """Pages by their normalised addresses; `enough` of them are enough for a report."""

    def __init__(self, enough: float) -> None:
        self.pages: dict[str, Page] = {}
        self.failed = 0
        self._enough = enough
        self._since: float | None = None

    @property
    def odds(self) -> float:
        """The share of the pages asked for that came, as far as can be said by now; 1 as long as none has failed."""
        return (len(self.pages) + 1) / (len(self.pages) + self.failed + 1)

    @property
    def enough_since(self) -> float | None:
        """Since when, by the event loop's clock, enough is in; None when it is not."""
        return self._since

    def put(self, page: Page) -> None:
        """Add a page."""
        self.pages[normalize_url(page.asked)] = page
        if self._since is None and len(self.pages) >= self._enough:
            self._since = asyncio.get_running_loop().time()
