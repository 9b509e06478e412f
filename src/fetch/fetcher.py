"""Fetching of a page and its text, over HTTP or in a browser, from addresses that the guard allows."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from ..documents import extractor
from ..documents.html import plain
from ..kernel.budget import Amount
from ..kernel.errors import FetchDeadlineError, FetchError, JournalError, NoPageTextError, RedirectError, WallError
from ..kernel.events import PageRead, Retrying
from ..kernel.notice import Notice, NoticeOrText
from ..kernel.run import Run
from ..kernel.settings import Settings
from ..kernel.source import digest
from ..kernel.url import masked, shown
from ..net import Guard, Response
from ..net.host import without_www
from ..net.outage import host_of
from .browser import available, render
from .download import Download, download, keep, now
from .extraction import HTML, Content, read_content, read_markup
from .host_limiter import admitted
from .page import Page, PageLink
from .status_errors import WALLS, refusal

PATIENCE: Final = 3.0  # seconds; if a server demands a longer pause, the page is given up at once
FIRST_PAUSE: Final = 0.5
"""Seconds before the second attempt if the server demands no pause; doubled for each further attempt."""


async def fetch(
    run: Run,
    url: str,
    *,
    settings: Settings | None = None,
    links: bool = False,
    retrying: Callable[[], None] = lambda: None,
) -> Page:
    """Return the page at an address that the guard allows.

    This is an effect of the run: equal requests are made once, even failed ones. Plain HTTP is tried first; the browser
    is used only for a page that needs it, unless the settings demand it. The whole, including the wait for the host and
    all attempts, takes at most `page_deadline` seconds. The page is added to the run's ledger, its text to the
    journal's snapshots. With `links`, the page has its links, and a page that has nothing else is returned with an
    empty text. `retrying` is called before each further attempt.
    Raises FetchError, whose `where` is the address at fault.
    """
    settings = settings or run.settings
    address = shown(url)
    try:
        address = Guard(settings).check_url(url)
        page = await _recorded(run, address, settings, retrying, links=links)
    except FetchError as error:
        run.emit(PageRead(masked(address), "", 0, error=str(error)), once=True)
        raise
    page = page.model_copy(update={"asked": url, "url": masked(page.url)})
    if page.exposed:
        run.notice(Notice("browser_exposed", why=page.exposed))
    run.ledger.add(page.url, page.title, without_www(host_of(page.url)), page.text[:1000])
    run.emit(PageRead(page.url, page.title, len(page.text), page.how), once=True)
    return page


async def _recorded(run: Run, address: str, settings: Settings, retrying: Callable[[], None], *, links: bool) -> Page:
    request: dict[str, Any] = {
        "url": address,
        "max_page_megabytes": settings.fetch.max_megabytes,
        "max_redirects": settings.fetch.max_redirects,
        "user_agent": settings.network.user_agent,
        "robots": settings.fetch.robots,
        "browser": settings.browser.mode,
    }
    if links:
        request["links"] = True
    if settings.browser.renderer is not None:
        request["renderer"] = settings.browser.renderer
    answer = await run.effect("fetch", request, lambda: _Fetch(run, address, settings, retrying, links=links).answer())
    text = run.journal.snapshot(answer["snapshot"])
    if text is None:
        raise JournalError("The text of a page is missing from the journal", where=address)
    return Page(**answer, text=text)


class _Fetch:
    """The fetching of one page: its attempts, its redirects, and its rendering in a browser if necessary."""

    def __init__(
        self, run: Run, address: str, settings: Settings, retrying: Callable[[], None], *, links: bool
    ) -> None:
        self._run = run
        self._address = address
        self._settings = settings
        self._retrying = retrying
        self._links = links
        self._failed: NoticeOrText = ""
        self._plain: tuple[Download, Content] | None = None

    async def answer(self) -> dict[str, Any]:
        """Return the page without its text, which the journal stores, within `page_deadline`. Raises FetchError."""
        seconds = self._settings.fetch.page_deadline
        try:
            async with self._run.budget.hold("fetch", Amount(fetches=1)), asyncio.timeout(seconds) as clock:
                return await self._persist(asyncio.get_running_loop().time() + seconds)
        except TimeoutError as error:
            if not clock.expired():
                raise
            if self._plain is not None:
                return self._record(*_without_browser(*self._plain, Notice("took_too_long", seconds=seconds)))
            late: NoticeOrText = Notice("took_too_long", seconds=seconds)
            if self._failed:
                late = Notice("late_after", late=late, before=self._failed)
            raise FetchDeadlineError(late, where=self._address) from error
        except FetchError as error:
            error.where = error.where or self._address
            raise

    async def _persist(self, end: float) -> dict[str, Any]:
        """Read the page; repeat an attempt whose error is retryable, within `fetch.attempts` and before `end`."""
        attempt = 1
        while True:
            try:
                return self._record(*await self._read())
            except FetchError as error:
                pause = error.details.get("retry_after", FIRST_PAUSE * 2 ** (attempt - 1))
                late = asyncio.get_running_loop().time() + pause >= end
                if not error.retryable or attempt >= self._settings.fetch.attempts or pause > PATIENCE or late:
                    raise
                self._failed = error.message
                self._run.emit(Retrying("fetch", str(error)))
                self._retrying()
            await asyncio.sleep(pause)
            attempt += 1

    async def _read(self) -> tuple[Download, Content]:
        """Return the page and its content; raises WallError or NoPageTextError if it has none."""
        page, content = await self._follow()
        wants_browser = content.needs_browser or (self._settings.browser.mode == "always" and content.kind == HTML)
        if wants_browser and not content.wall and not page.rendered:
            page, content = await self._render_if_possible(page, content)
        if content.wall:
            raise WallError(WALLS[content.wall], where=page.url)
        if content.is_empty:
            if not content.links:
                raise NoPageTextError(Notice("without_text"), where=page.url)
            content = replace(content, text="")
        if page.how != "cache":
            await keep(self._run, page, self._settings)
        return page, content

    async def _follow(self) -> tuple[Download, Content]:
        """Return the page at the end of all redirects, including those in the pages themselves (refresh)."""
        most, redirects = self._settings.fetch.max_redirects, 0
        url, visited = self._address, set[str]()
        while True:
            visited.add(url)
            page = await download(self._run, url, self._settings, redirects=most - redirects)
            content = await read_content(self._run, page, self._settings, links=self._links)
            if not content.refresh:
                return page, content
            redirects += page.redirects + 1
            url = Guard(self._settings).check_url(content.refresh)
            if url in visited or url == page.url:
                raise RedirectError(Notice("redirects_in_a_circle"), where=self._address)
            if redirects > most:
                raise RedirectError(Notice("too_many_redirects", times=most), where=self._address, location=url)

    async def _render_if_possible(self, page: Download, content: Content) -> tuple[Download, Content]:
        """Return the page rendered by a browser; if that fails and it has text, the plain page with a notice."""
        if content.is_empty:
            return await self._render(page)
        self._plain = page, content
        try:
            return await self._render(page)
        except FetchError as error:
            return _without_browser(page, content, error.message)

    async def _render(self, page: Download) -> tuple[Download, Content]:
        missing: NoticeOrText | None = Notice("set_setting", setting='browser.mode = "auto"')
        if self._settings.browser.mode != "never":
            missing = available(self._settings)
        if missing:
            raise NoPageTextError(Notice("only_in_a_browser"), where=page.url, remedy=missing)
        async with admitted(self._run, host_of(page.url), self._settings):
            view = await render(self._run, page.url, self._settings, keeps_window=self._links)
        body = view.html.encode("utf-8", "replace")
        if (error := refusal(Response(view.url, view.status, {}, body))) is not None:
            raise error
        content = await read_markup(body, view.url, "text/html; charset=utf-8", links=self._links)
        headers = {name: value for name, value in page.headers.items() if name in ("cache-control", "vary")}
        headers["content-type"] = "text/html; charset=utf-8"
        rendered = Download(page.asked, view.url, headers, body, "browser", now(), page.redirects, True, view.exposed)
        return rendered, content

    def _record(self, page: Download, content: Content) -> dict[str, Any]:
        snapshot = digest(content.text, size=64)
        self._run.journal.keep_snapshot(snapshot, content.text)
        record = Page(
            asked=self._address,
            url=page.url,
            title=plain.line(content.title) or plain.line(_last_part(page.url)) or host_of(page.url),
            text=content.text,
            snapshot=snapshot,
            kind=content.kind,
            extractor=extractor(content.kind),
            how=page.how,
            author=content.author,
            published=content.published,
            language=content.language,
            site=content.site,
            retrieved_at=page.retrieved_at,
            size=len(page.body),
            pages=content.pages,
            notices=content.notices,
            ocr=content.ocr,
            exposed=page.exposed,
            links=tuple(PageLink(url=link.url, text=link.text) for link in content.links),
        )
        return record.model_dump(mode="json", exclude={"text"})


def _without_browser(page: Download, content: Content, why: NoticeOrText) -> tuple[Download, Content]:
    notice = Notice("without_browser", why=why)
    return page, replace(content, notices=(*content.notices, notice))


def _last_part(url: str) -> str:
    return unquote(urlsplit(url).path).rstrip("/").rpartition("/")[2]
