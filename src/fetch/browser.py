"""Rendering of pages that need JavaScript in a browser."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from ..kernel.cleanup import consume_exception
from ..kernel.errors import BrowserError, FetchDeadlineError, FetchError
from ..kernel.notice import Notice
from ..net import Guard, Visit
from ..net.session import read_proxy
from .chromium import CLOSE_DEADLINE, Chromium, available
from .crawl4ai import REMEDY as INSTALL_CRAWL4AI
from .crawl4ai import Crawl4ai, Steps, is_installed
from .enclosure import Enclosed
from .reading import PageReading, Rendered, error_type, open_page

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, CDPSession, Page

    from ..kernel.run import Run
    from ..kernel.settings import Settings

__all__ = ["Browser", "Rendered", "available", "browser_of", "render"]

AT_ONCE: Final = 4
"""Maximum number of pages open at once, over all runs; each takes a process of 60–150 MB, and briefly a core."""

DECIDING: Final = attrgetter(
    "network.user_agent",
    "network.allow_private",
    "network.connect_deadline",
    "network.read_deadline",
    "fetch.max_megabytes",
)
"""Settings that determine, with the proxy, what a window may do; it is reused only under equal ones."""

WINDOW_PAGES: Final = 50  # maximum number of pages shown one after another in a kept window
RECYCLE: Final = 25  # windows after which the browser is replaced, to free memory that it has kept


async def render(
    run: "Run", url: str, settings: "Settings", steps: Steps | None = None, *, keeps_window: bool = False
) -> Rendered:
    """Return a page as a browser shows it, within `fetch.page_deadline` seconds from the start of its rendering.

    It is rendered by crawl4ai if there are `steps`, or if crawl4ai is the `renderer` and installed; else by Playwright.
    With `keeps_window`, Playwright renders the run's next such page of the same host in the same window: that takes a
    fifth of the time, and the pages share cookies, like those of one visitor.

    The browser is started on first use and shared by the runs of the pool, each page in a separate window; all its
    requests are checked by the guard of these settings. Raises FetchError: AddressError, UnreachableError,
    FetchDeadlineError, PageTooLargeError, PageKindError and RedirectError, and BrowserError if there is no browser or
    it failed.
    """
    url = Guard(settings).check_url(url)
    if missing := available(settings):
        raise BrowserError(Notice("page_needs_browser"), where=url, remedy=missing)
    if steps is not None and not is_installed():
        missing = Notice("not_installed", what="crawl4ai")
        raise BrowserError(missing, where=url, remedy=INSTALL_CRAWL4AI)
    by_crawl4ai = steps is not None or (settings.browser.renderer == "crawl4ai" and is_installed())
    render_page: Callable[[str, Settings], Awaitable[Rendered]]
    if by_crawl4ai:
        crawler = await run.shared(("crawl4ai", settings.browser.chromium), lambda: Crawl4ai(settings))
        render_page = partial(crawler.render, steps=steps)
    else:
        browser = await browser_of(run, settings)
        if keeps_window:
            await run.client(("windows", settings.browser.chromium), lambda: browser.keeping(run.id))
        render_page = partial(browser.render, keep=(run.id, *urlsplit(url)[:2]) if keeps_window else ())
    async with run.slot("browser", AT_ONCE):
        try:
            async with asyncio.timeout(settings.fetch.page_deadline) as bound:
                return await render_page(url, settings)
        except TimeoutError as error:
            if not bound.expired():
                raise
            notice = Notice("browser_late", seconds=settings.fetch.page_deadline)
            raise FetchDeadlineError(notice, where=url) from error
        except FetchError as error:
            error.where = error.where or url
            raise


async def browser_of(run: "Run", settings: "Settings") -> "Browser":
    """Return the browser that all runs with the same browser program share."""
    return await run.shared(("browser", settings.browser.chromium), lambda: Browser(settings))


class Browser(Enclosed):
    """A renderer of pages, each in a separate window. Use it as `async with Browser(settings) as browser:`.

    It uses the browser program of these settings. Its process is started on first use, and replaced after `recycle`
    windows and when it has crashed or hangs.
    """

    def __init__(self, settings: "Settings", *, recycle: int = RECYCLE) -> None:
        super().__init__(settings)
        self._recycle = recycle
        self._current: asyncio.Task[Chromium] | None = None
        self._background_tasks: set[asyncio.Task[None]] = set()
        self._kept: list[_Window] = []

    @asynccontextmanager
    async def keeping(self, owner: str) -> AsyncIterator[None]:
        """Close the windows that are kept for `owner` when the context ends."""
        try:
            yield
        finally:
            self._forget([window for window in self._kept if window.name[0] == owner])

    async def render(self, url: str, settings: "Settings", *, keep: tuple[str, ...] = ()) -> Rendered:
        """Return the page at a checked URL, rendered under these settings, without a deadline. Raises FetchError.

        With `keep`, a name that begins with the owner and ends with a host, the window stays open for the next page
        with that name, and no page can navigate it to another host.
        """
        guard, longest = Guard(settings), int(settings.fetch.max_megabytes * 1_000_000)
        for last in (False, True):
            chromium = await self._chromium()
            try:
                async with self._window(chromium, guard, settings, keep) as window:
                    reading = PageReading(window.page, window.inspector, window.visit, guard, stays=bool(keep))
                    rendered = await reading.read(url, longest)
                    return replace(rendered, exposed=self.exposed)
            except BrowserError as error:
                if last or not chromium.is_gone(error.__cause__):
                    raise  # otherwise, another page may have crashed the browser
        raise AssertionError("unreachable: the last attempt returns or raises")

    async def version(self) -> str:
        """Start the browser unless it runs, and return its version. Raises BrowserError."""
        return (await self._chromium()).version

    async def _chromium(self) -> Chromium:
        """Return a browser that may open a page; cancelling the caller does not cancel its start."""
        if self._current is not None and self._current.done():
            if self._current.exception() is not None:
                self._current = None
            elif not self._current.result().is_fresh:
                self._forget(self._kept)
                self._run_in_background(_close_unused(self._current.result()))
                self._current = None
        if self._current is None:
            self._current = asyncio.ensure_future(self._start())
            self._current.add_done_callback(consume_exception)
        return await asyncio.shield(self._current)

    def _start(self) -> Coroutine[Any, Any, Chromium]:
        return Chromium.start(self._settings, self._proxy.url, self._enclosure, self._recycle)

    @asynccontextmanager
    async def _window(
        self, chromium: Chromium, guard: Guard, settings: "Settings", keep: tuple[str, ...]
    ) -> "AsyncIterator[_Window]":
        """Open a window, or reuse a kept window; afterwards keep it, or close it in the background."""
        name = (*keep, *map(str, DECIDING(settings)), read_proxy(settings.network.proxy) or "")
        window = self._take(name, chromium)
        if window is None:
            exits = ExitStack()
            visit = exits.enter_context(self._proxy.visit(guard, settings))
            opening = asyncio.ensure_future(chromium.open(self._proxy.url, visit, settings.network.user_agent))
            opening.add_done_callback(consume_exception)
            chromium.pages += 1
            window = _Window(name, keep[-1] if keep else "", chromium, visit, exits, opening)
        is_fine = False
        try:
            await window.opened()
            yield window
            is_fine = True
        except error_type() as error:
            raise BrowserError(Notice("browser_failed", why=str(error).splitlines()[0])) from error
        finally:
            if is_fine and keep and chromium.is_fresh and window.shown < WINDOW_PAGES:
                self._kept.append(window)
                self._forget(self._kept[:-AT_ONCE])
            else:
                self._run_in_background(window.leave())

    def _take(self, name: tuple[str, ...], chromium: Chromium) -> "_Window | None":
        """Remove a window of that name from the kept ones and return it, or None."""
        for window in self._kept:
            if window.name == name and window.chromium is chromium:
                self._kept.remove(window)
                window.visit.renew()
                return window
        return None

    def _forget(self, windows: "Sequence[_Window]") -> None:
        for window in list(windows):
            self._kept.remove(window)
            self._run_in_background(window.leave())

    def _run_in_background(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(work)
        self._background_tasks.add(task)
        task.add_done_callback(self._background_tasks.discard)

    async def _close(self) -> None:
        if self._current is not None:
            self._current.cancel()
            await asyncio.wait([self._current])
            if not self._current.cancelled() and self._current.exception() is None:
                await self._current.result().close()
        self._forget(self._kept)
        await asyncio.gather(*self._background_tasks)


@dataclass(eq=False, slots=True)
class _Window:
    """An incognito window, which shows one page at a time, and its session with the proxy (`visit`)."""

    name: tuple[str, ...]
    host: str
    chromium: Chromium
    visit: Visit
    exits: ExitStack
    opening: "asyncio.Task[BrowserContext]"
    shown: int = 0
    page: "Page" = field(init=False)
    inspector: "CDPSession" = field(init=False)

    async def opened(self) -> None:
        """Wait until the window is open. Raises Playwright's error."""
        self.shown += 1
        window = await asyncio.shield(self.opening)
        if self.shown == 1:
            self.page, self.inspector = await open_page(window, host=self.host)

    async def leave(self) -> None:
        """Close the window; if it does not close, its browser is retired."""
        self.exits.close()
        try:
            async with asyncio.timeout(CLOSE_DEADLINE):
                await (await self.opening).close()
        except (TimeoutError, error_type()):
            self.chromium.retire()
        finally:
            self.chromium.pages -= 1
            await _close_unused(self.chromium)


async def _close_unused(chromium: Chromium) -> None:
    if not chromium.is_fresh and not chromium.pages:
        await chromium.close()
