"""One page in a browser's window: gone to, waited for, and taken out as HTML."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from ..kernel.errors import BrowserError, FetchError, PageKindError, PageTooLargeError, RedirectError, UnreachableError
from ..kernel.notice import Notice, Told, mapped
from ..net import Visit
from ..net.filter_proxy import MARK

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, CDPSession, Page, Request, Response, Route

    from ..net import Guard

QUIET: Final = 0.3  # seconds without a change and with nothing in flight after which a page is done
SETTLE: Final = 5.0  # seconds that a page has to become quiet once its document is there; then it is taken as it is
RAISE_MEGABYTES: Final = Notice("raise_setting", setting="fetch.max_megabytes")
SKIPPED: Final = frozenset({"image", "media", "font", "texttrack", "manifest", "ping"})
"""Kinds of resources that hold no text."""

AWAITED: Final = frozenset({"document", "stylesheet", "script", "xhr", "fetch"})
"""Kinds of resources that text may come with."""

KINDS: Final = frozenset({"text/html", "text/plain", "text/xml", "application/xhtml+xml", "application/xml"})
"""Media types that a browser shows as text."""

_ONLINE: Final = {"offline": False, "latency": 10, "downloadThroughput": 1e7, "uploadThroughput": 1e7}
"""What pages are told of the network; in its enclosure the browser sees none, and would tell them to be offline."""

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
"""Puts what is in open shadow roots where it is shown; then gives the document, or its length when that is too much.

A page can give an element the name of one of the document's properties; so the getter is asked itself.
"""


@dataclass(frozen=True, slots=True)
class Rendered:
    """A page after its scripts ran: the address it ended at, the status of that document, and its HTML.

    `exposed` is the browser's. The rest is there where `Steps` asked for it: the text as Markdown, where the page
    leads, what a schema extracted, and a picture of the whole page as PNG.
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
    """Reads one page. Its scripts cannot reach into how it is read: that happens in a world of its own."""

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
        """Return the page at a URL, of at most so many characters. Raises FetchError, and Playwright's error."""
        watching: dict[Any, Callable[[Any], None]] = {
            "request": self._began,
            "requestfinished": self._ended,
            "requestfailed": self._failed,
            "response": self._answered,
        }
        for event, watch in watching.items():
            self._page.on(event, watch)
        try:
            return await self._read(url, longest)
        finally:
            for event, watch in watching.items():
                self._page.remove_listener(event, watch)

    async def _read(self, url: str, longest: int) -> Rendered:
        try:
            html = await self._unless_lost(self._load(url, longest))
        except error_type() as error:
            raise self._explained(str(error), url) from error
        if self._page.url.startswith("chrome-error:") or (self._answer and is_refused(self._answer.headers)):
            raise self._explained(Notice("could_not_be_loaded"), url)
        if isinstance(html, int):
            raise PageTooLargeError(Notice("page_too_large", megabytes=round(html / 1e6, 1)), remedy=RAISE_MEGABYTES)
        return Rendered(self._guard.check_url(self._page.url), self._answer.status if self._answer else 0, html)

    async def _load(self, url: str, longest: int) -> Any:
        # A page that was kept from leaving while it was read never has all its content loaded, as Playwright sees it.
        await self._page.goto(url, wait_until="commit" if self._stays else "domcontentloaded", timeout=0)
        await self._settle()
        return await self._take(longest)

    async def _unless_lost(self, loading: Coroutine[Any, Any, Any]) -> Any:
        """Wait for a page, or until it turns out that there will be none, which the browser itself may not tell."""
        task = asyncio.ensure_future(loading)
        try:
            await asyncio.wait([task, self._lost], return_when=asyncio.FIRST_COMPLETED)
            if self._lost.done():
                raise self._lost.result()
            return task.result()
        finally:
            task.cancel()
            await asyncio.wait([task])

    def _began(self, request: "Request") -> None:
        if request.resource_type in AWAITED:
            self._in_flight.add(request)
            self._last_traffic = self._clock()
        if request.is_navigation_request() and request.frame == self._page.main_frame:
            self._document = request

    def _ended(self, request: "Request") -> None:
        if request in self._in_flight:
            self._in_flight.remove(request)
            self._last_traffic = self._clock()

    def _failed(self, request: "Request") -> None:
        self._ended(request)
        reason = request.failure or "it failed"
        if request == self._document and "ERR_ABORTED" not in reason:  # which means that another one took its place
            self._lose(self._explained(reason, request.url))

    def _answered(self, response: "Response") -> None:
        if response.request != self._document:
            return
        self._answer = response
        if not 300 <= response.status < 400 and (error := kind_error(response.headers, response.url)):
            self._lose(error)

    def _lose(self, error: FetchError) -> None:
        if not self._lost.done():
            self._lost.set_result(error)

    async def _settle(self) -> None:
        """Wait until nothing changes and nothing is in flight, for as long as a page is worth it."""
        with suppress(TimeoutError):
            async with asyncio.timeout(SETTLE):
                while not await self._evaluate(WAIT % (QUIET * 1000, QUIET * 1000)) or not self._is_calm():
                    await self._page.wait_for_load_state("domcontentloaded", timeout=0)

    def _is_calm(self) -> bool:
        return not self._in_flight and self._clock() - self._last_traffic >= QUIET

    async def _take(self, longest: int) -> Any:
        while (taken := await self._evaluate(_TAKE % longest)) is None:
            await self._page.wait_for_load_state("domcontentloaded", timeout=0)
        return taken

    async def _evaluate(self, script: str) -> Any:
        """Return what a script gives in a world that the page's own scripts do not see; None when the page went on."""
        try:
            tree = await self._inspector.send("Page.getFrameTree")
            frame = tree["frameTree"]["frame"]["id"]
            world = await self._inspector.send("Page.createIsolatedWorld", {"frameId": frame, "worldName": "spyglass"})
            context = world["executionContextId"]
            asked = {"expression": script, "contextId": context, "awaitPromise": True, "returnByValue": True}
            answer = await self._inspector.send("Runtime.evaluate", asked)
        except error_type() as error:
            if self._page.is_closed() or "crashed" in str(error):
                raise
            await asyncio.sleep(0.05)  # it is between two documents
            return None
        if "exceptionDetails" in answer:
            said = answer["exceptionDetails"].get("text", "")
            raise BrowserError(Notice("page_not_shown", why=said))
        return answer["result"].get("value")

    def _explained(self, said: Told, url: str) -> FetchError:
        where = self._document.url if self._document else url
        if failure := self._visit.failure(where):
            return failure
        if self._visit.is_spent:
            return PageTooLargeError(Notice("page_transfers_too_much"), where=where, remedy=RAISE_MEGABYTES)
        why = mapped(said, lambda words: words.splitlines()[0].removeprefix("Page.goto: "))
        first = str(why)
        if "ERR_TOO_MANY_REDIRECTS" in first:
            return RedirectError(Notice("redirects_too_often"), where=where)
        if self._answer is not None and self._answer.request == self._document and "net::" in first:
            return UnreachableError(Notice("page_broke_off", why=first), where=where)
        remedy = Notice("browser_knows_system_authorities") if "ERR_CERT" in first else ""
        return BrowserError(Notice("page_not_shown", why=why), where=where, remedy=remedy)


async def open_page(window: "BrowserContext", *, pictures: bool = False, host: str = "") -> "tuple[Page, CDPSession]":
    """Open the one page of a window, and what steers it; without `pictures`, only what may hold text is loaded.

    With a `host`, with its port, the page cannot go to another one by itself.
    """

    async def choose(route: "Route") -> None:
        request = route.request
        skipped = not pictures and request.resource_type in SKIPPED
        with suppress(error_type()):  # the page has gone meanwhile
            if _leaves(request, host):
                await route.abort("aborted")  # the page stays as it is
            else:
                await (route.abort() if skipped else route.continue_())

    if host or not pictures:
        await window.route("**/*", choose)
    page = await window.new_page()
    window.on("page", _close)
    inspector = await window.new_cdp_session(page)
    with suppress(error_type()):  # an older one does not know it
        await inspector.send("Network.overrideNetworkState", _ONLINE)
    return page, inspector


def _leaves(request: "Request", host: str) -> bool:
    """Say whether a request takes a page away from the host that it is to stay on."""
    if not host or not request.is_navigation_request() or urlsplit(request.url).netloc == host:
        return False
    return request.frame.parent_frame is None


async def _close(popup: "Page") -> None:
    with suppress(error_type()):  # it has closed itself
        await popup.close()


def kind_error(headers: Mapping[str, str], where: str) -> PageKindError | None:
    """Return the error that a document of a kind amounts to of which a browser shows no text; None for another."""
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    is_shown = not kind or kind in KINDS or kind.endswith("+xml")
    return None if is_shown else PageKindError(Notice("browser_shows_no_text_of", kind=kind), where=where)


def is_refused(headers: Mapping[str, str]) -> bool:
    """Say whether the filtering proxy answered in place of a server."""
    return headers.get(MARK[0].lower()) == MARK[1]


def error_type() -> type[Exception]:
    """Return the class of what Playwright raises; a function, for the import takes a while."""
    from playwright.async_api import Error

    return Error
