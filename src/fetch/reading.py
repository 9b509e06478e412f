"""Loading of a page in a browser's window until it is complete, and extraction of its HTML."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from ..kernel.errors import BrowserError, FetchError, PageKindError, PageTooLargeError, RedirectError, UnreachableError
from ..kernel.notice import Notice, NoticeOrText, mapped
from ..net import Visit
from ..net.filter_proxy import MARK

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, CDPSession, Page, Request, Response, Route

    from ..net import Guard

QUIET: Final = 0.3  # seconds without changes and without requests in flight after which a page is complete
SETTLE: Final = 5.0  # most seconds from the load of its document until a page is quiet; then it is read as it is
RAISE_MEGABYTES: Final = Notice("raise_setting", setting="fetch.max_megabytes")
SKIPPED: Final = frozenset({"image", "media", "font", "texttrack", "manifest", "ping"})
"""Types of resources without text."""

AWAITED: Final = frozenset({"document", "stylesheet", "script", "xhr", "fetch"})
"""Types of resources that may bring text."""

KINDS: Final = frozenset({"text/html", "text/plain", "text/xml", "application/xhtml+xml", "application/xml"})
"""Media types that a browser shows as text."""

_ONLINE: Final = {"offline": False, "latency": 10, "downloadThroughput": 1e7, "uploadThroughput": 1e7}
"""The network state that pages see; in its enclosure the browser sees no network, and would report itself offline."""

WAIT: Final = """new Promise(done => {
    const finish = () => { watch.disconnect(); done(true); };
    let timer = setTimeout(finish, %d);
    const watch = new MutationObserver(() => { clearTimeout(timer); timer = setTimeout(finish, %d); });
    watch.observe(document, {subtree: true, childList: true, characterData: true});
})"""

_TAKE = """(most => {
    const unfold = root => {
        for (const element of root.querySelectorAll("*")) {
            const shadow = element.shadowRoot;
            if (!(shadow instanceof ShadowRoot)) continue;
            unfold(shadow);
            for (const slot of shadow.querySelectorAll("slot")) {
                const assigned = slot.assignedNodes();
                if (assigned.length) slot.replaceChildren(...assigned);
            }
            element.replaceChildren(...shadow.childNodes);
        }
    };
    const top = Object.getOwnPropertyDescriptor(Document.prototype, "documentElement").get.call(document);
    if (!top) return "";
    unfold(top);
    const html = top.outerHTML;
    return html.length > most ? html.length : html.toWellFormed();
})(%d)"""
"""Moves the content of open shadow roots to where it is shown; then returns the HTML, or its length if it is too long.

An element whose name is that of a property of the document shadows the property; hence the explicit getter.
"""


@dataclass(frozen=True, slots=True)
class Rendered:
    """A page after its scripts ran: its last address, the status of that document, and its HTML.

    `exposed` is that of the browser (see `Enclosed`). The other fields are set if `Steps` request them: the text as
    Markdown, the links, the data that a schema extracted, and a picture of the whole page as PNG.
    """

    url: str
    status: int
    html: str
    exposed: str = ""
    markdown: str = ""
    links: tuple[str, ...] = ()
    extracted: Any = None
    screenshot: bytes = b""


class PageReading:
    """The reading of one page by scripts in an isolated world, with which the page's scripts cannot interfere."""

    def __init__(self, page: "Page", inspector: "CDPSession", visit: Visit, guard: "Guard", *, stays: bool) -> None:
        self._stays = stays
        self._page = page
        self._inspector = inspector
        self._visit = visit
        self._guard = guard
        self._in_flight: set[Request] = set()
        self._document: Request | None = None
        self._answer: Response | None = None
        self._lost: asyncio.Future[FetchError] = asyncio.get_running_loop().create_future()
        self._clock = asyncio.get_running_loop().time
        self._last_traffic = self._clock()

    async def read(self, url: str, longest: int) -> Rendered:
        """Return the page at a URL, of at most `longest` characters. Raises FetchError, and Playwright's error."""
        listeners: dict[Any, Callable[[Any], None]] = {
            "request": self._on_request,
            "requestfinished": self._on_finished,
            "requestfailed": self._on_failed,
            "response": self._on_response,
        }
        for event, listener in listeners.items():
            self._page.on(event, listener)
        try:
            return await self._read(url, longest)
        finally:
            for event, listener in listeners.items():
                self._page.remove_listener(event, listener)

    async def _read(self, url: str, longest: int) -> Rendered:
        try:
            html = await self._unless_lost(self._load(url, longest))
        except error_type() as error:
            raise self._as_error(str(error), url) from error
        if self._page.url.startswith("chrome-error:") or (self._answer and is_refused(self._answer.headers)):
            raise self._as_error(Notice("could_not_be_loaded"), url)
        if isinstance(html, int):
            raise PageTooLargeError(Notice("page_too_large", megabytes=round(html / 1e6, 1)), remedy=RAISE_MEGABYTES)
        return Rendered(self._guard.check_url(self._page.url), self._answer.status if self._answer else 0, html)

    async def _load(self, url: str, longest: int) -> Any:
        # A page that was stopped from leaving its host never counts as loaded for Playwright.
        await self._page.goto(url, wait_until="commit" if self._stays else "domcontentloaded", timeout=0)
        await self._settle()
        return await self._take(longest)

    async def _unless_lost(self, loading: Coroutine[Any, Any, Any]) -> Any:
        """Wait for the page, or raise the error that a listener has detected, which the browser may not report."""
        task = asyncio.ensure_future(loading)
        try:
            await asyncio.wait([task, self._lost], return_when=asyncio.FIRST_COMPLETED)
            if self._lost.done():
                raise self._lost.result()
            return task.result()
        finally:
            task.cancel()
            await asyncio.wait([task])

    def _on_request(self, request: "Request") -> None:
        if request.resource_type in AWAITED:
            self._in_flight.add(request)
            self._last_traffic = self._clock()
        if request.is_navigation_request() and request.frame == self._page.main_frame:
            self._document = request

    def _on_finished(self, request: "Request") -> None:
        if request in self._in_flight:
            self._in_flight.remove(request)
            self._last_traffic = self._clock()

    def _on_failed(self, request: "Request") -> None:
        self._on_finished(request)
        reason = request.failure or "it failed"
        if request == self._document and "ERR_ABORTED" not in reason:  # aborted: another request has replaced it
            self._lose(self._as_error(reason, request.url))

    def _on_response(self, response: "Response") -> None:
        if response.request != self._document:
            return
        self._answer = response
        if not 300 <= response.status < 400 and (error := kind_error(response.headers, response.url)):
            self._lose(error)

    def _lose(self, error: FetchError) -> None:
        if not self._lost.done():
            self._lost.set_result(error)

    async def _settle(self) -> None:
        """Wait until the page does not change and no requests are in flight, for at most SETTLE seconds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(SETTLE):
                while not await self._evaluate(WAIT % (QUIET * 1000, QUIET * 1000)) or not self._is_calm():
                    await self._page.wait_for_load_state("domcontentloaded", timeout=0)

    def _is_calm(self) -> bool:
        return not self._in_flight and self._clock() - self._last_traffic >= QUIET

    async def _take(self, longest: int) -> Any:
        while (html := await self._evaluate(_TAKE % longest)) is None:
            await self._page.wait_for_load_state("domcontentloaded", timeout=0)
        return html

    async def _evaluate(self, script: str) -> Any:
        """Return the value of a script in a world isolated from the page's own; None if the page navigates then."""
        try:
            tree = await self._inspector.send("Page.getFrameTree")
            frame = tree["frameTree"]["frame"]["id"]
            world = await self._inspector.send("Page.createIsolatedWorld", {"frameId": frame, "worldName": "spyglass"})
            context = world["executionContextId"]
            arguments = {"expression": script, "contextId": context, "awaitPromise": True, "returnByValue": True}
            answer = await self._inspector.send("Runtime.evaluate", arguments)
        except error_type() as error:
            if self._page.is_closed() or "crashed" in str(error):
                raise
            await asyncio.sleep(0.05)  # the page is between two documents
            return None
        if "exceptionDetails" in answer:
            message = answer["exceptionDetails"].get("text", "")
            raise BrowserError(Notice("page_not_shown", why=message))
        return answer["result"].get("value")

    def _as_error(self, message: NoticeOrText, url: str) -> FetchError:
        where = self._document.url if self._document else url
        if failure := self._visit.failure(where):
            return failure
        if self._visit.is_spent:
            return PageTooLargeError(Notice("page_transfers_too_much"), where=where, remedy=RAISE_MEGABYTES)
        why = mapped(message, lambda text: text.splitlines()[0].removeprefix("Page.goto: "))
        first = str(why)
        if "ERR_TOO_MANY_REDIRECTS" in first:
            return RedirectError(Notice("redirects_too_often"), where=where)
        if self._answer is not None and self._answer.request == self._document and "net::" in first:
            return UnreachableError(Notice("page_broke_off", why=first), where=where)
        remedy = Notice("browser_knows_system_authorities") if "ERR_CERT" in first else ""
        return BrowserError(Notice("page_not_shown", why=why), where=where, remedy=remedy)


async def open_page(window: "BrowserContext", *, pictures: bool = False, host: str = "") -> "tuple[Page, CDPSession]":
    """Open a page in a window, and its DevTools session; without `pictures`, resources without text are not loaded.

    With a `host`, given with its port, the page cannot navigate to another host.
    """

    async def handle(route: "Route") -> None:
        request = route.request
        skipped = not pictures and request.resource_type in SKIPPED
        with suppress(error_type()):  # the page has closed meanwhile
            if _leaves(request, host):
                await route.abort("aborted")  # the page remains unchanged
            else:
                await (route.abort() if skipped else route.continue_())

    if host or not pictures:
        await window.route("**/*", handle)
    page = await window.new_page()
    window.on("page", _close)
    inspector = await window.new_cdp_session(page)
    with suppress(error_type()):  # older browsers do not know this command
        await inspector.send("Network.overrideNetworkState", _ONLINE)
    return page, inspector


def _leaves(request: "Request", host: str) -> bool:
    """Whether a request would navigate a page away from the host on which it must stay."""
    if not host or not request.is_navigation_request() or urlsplit(request.url).netloc == host:
        return False
    return request.frame.parent_frame is None


async def _close(popup: "Page") -> None:
    with suppress(error_type()):  # the popup has closed itself
        await popup.close()


def kind_error(headers: Mapping[str, str], where: str) -> PageKindError | None:
    """Return the error for a media type that a browser does not show as text, or None."""
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    is_shown = not kind or kind in KINDS or kind.endswith("+xml")
    return None if is_shown else PageKindError(Notice("browser_shows_no_text_of", kind=kind), where=where)


def is_refused(headers: Mapping[str, str]) -> bool:
    """Whether the filtering proxy answered instead of a server."""
    return headers.get(MARK[0].lower()) == MARK[1]


def error_type() -> type[Exception]:
    """Return the class of Playwright's errors; this is a function because the import takes a while."""
    from playwright.async_api import Error

    return Error
