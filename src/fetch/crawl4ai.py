"""Rendering of pages by crawl4ai, in a separate process behind the filtering proxy."""

import asyncio
import importlib.util
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import asdict, dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any, Final

from ..documents import frames
from ..kernel import host
from ..kernel.cleanup import shielded
from ..kernel.errors import BrowserError, FetchError, PageTooLargeError, UnreachableError
from ..kernel.notice import Notice
from ..kernel.settings import Settings
from ..net import Guard, Visit
from .chromium import CLOSE_DEADLINE, START_DEADLINE, executable, remove, temporary_folder
from .enclosure import Enclosed, Enclosure
from .reading import RAISE_MEGABYTES, Rendered, is_refused, kind_error

RECYCLE: Final = 100  # pages after which the process is replaced, to free memory that it has kept
REMEDY: Final = Notice("install_with", command="pip install spyglass[crawl4ai]")

_SWITCHES: Final = {
    "CRAWL4AI_NO_CLOUD_NOTICE": "1",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",  # otherwise, importing the library downloads it
    "DO_NOT_TRACK": "1",
}


@dataclass(frozen=True, slots=True)
class Steps:
    """The steps to perform on a page before it is read, and the requested results.

    `js_code` runs once the page has loaded; then the renderer waits for `wait_for`, a CSS selector or, after `js:`, a
    function that returns true. `scroll` scrolls the page to its end. `css` or `xpath` is a schema of crawl4ai's
    JsonCssExtractionStrategy or JsonXPathExtractionStrategy.
    """

    js_code: tuple[str, ...] = ()
    wait_for: str = ""
    scroll: bool = False
    markdown: bool = False
    css: dict[str, Any] | None = None
    xpath: dict[str, Any] | None = None
    screenshot: bool = False


def is_installed() -> bool:
    """Whether crawl4ai is installed."""
    return importlib.util.find_spec("crawl4ai") is not None


class Crawl4ai(Enclosed):
    """A renderer of pages, each in a separate window. Use it as `async with Crawl4ai(settings) as crawler:`.

    It uses the browser of these settings. Its process is started on first use, in a network namespace if the system
    has them, and replaced after RECYCLE pages, after it has ended by itself, and after a page in it was cancelled.
    """

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self._starting = asyncio.Lock()
        self._current: _Process | None = None
        self._all: list[_Process] = []

    async def render(self, url: str, settings: Settings, steps: Steps | None = None) -> Rendered:
        """Check a URL and return its page, rendered under these settings, without a deadline. Raises FetchError."""
        guard = Guard(settings)
        request = {
            **asdict(steps or Steps()),
            "url": guard.check_url(url),
            "user_agent": settings.network.user_agent,
            "seconds": settings.fetch.page_deadline,
            "longest": int(settings.fetch.max_megabytes * 1_000_000),
        }
        for last in (False, True):
            with self._proxy.visit(guard, settings) as visit:
                authorized = {**request, "user": visit.user, "password": visit.password}
                async with self._process() as process:
                    try:
                        answer, data = await process.ask(authorized)
                    except EOFError as error:
                        if last:
                            notice = Notice("browser_failed", why=Notice("its_process_ended"))
                            raise BrowserError(notice, where=url) from error
                        continue  # another page may have crashed it
                return replace(_read_answer(answer, data, visit, guard), exposed=self.exposed)
        raise AssertionError("unreachable: the last attempt returns or raises")

    @asynccontextmanager
    async def _process(self) -> "AsyncIterator[_Process]":
        """Yield the current process; its last user closes it once it accepts no more pages."""
        async with self._starting:
            if self._current is None or not self._current.is_fresh:
                self._current = _Process(self._settings, self._proxy.url, self._enclosure)
                self._all.append(self._current)
                await self._current.start()
            process = self._current
        process.users += 1
        try:
            yield process
        finally:
            process.users -= 1
            if not process.is_fresh and not process.users:
                self._all.remove(process)
                await shielded(process.close())

    async def _close(self) -> None:
        await asyncio.gather(*(process.close() for process in self._all))


class _Process:
    """A process with its browser. `users` counts the pages in progress."""

    def __init__(self, settings: Settings, proxy: str, enclosure: Enclosure) -> None:
        self.users = 0
        self._arguments = [executable(settings) or "", proxy]
        self._enclosure = enclosure
        self._folder: Path | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._listening: asyncio.Task[None] | None = None
        self._numbers = count(1)
        self._pending: dict[str, asyncio.Future[frames.Frame]] = {}
        self._left = RECYCLE

    @property
    def is_fresh(self) -> bool:
        """Whether it accepts more pages."""
        return self._left > 0 and self._listening is not None and not self._listening.done()

    async def start(self) -> None:
        """Start the process. Raises BrowserError; if it fails or is cancelled, ends what was started."""
        async with AsyncExitStack() as otherwise:
            otherwise.push_async_callback(lambda: shielded(self.close()))
            try:
                async with asyncio.timeout(START_DEADLINE):
                    greeting = await self._launch()
            except (OSError, EOFError, TimeoutError) as error:
                why = str(error) or type(error).__name__
                raise BrowserError(Notice("engine_unstarted", engine="crawl4ai", why=why)) from error
            if "error" in greeting:
                raise BrowserError(Notice("browser_unstarted", why=greeting["error"].splitlines()[0]))
            otherwise.pop_all()

    async def _launch(self) -> dict[str, Any]:
        folder = self._folder = temporary_folder()
        options = host.worker_options()
        options["env"] |= {**_SWITCHES, "HOME": str(folder), "TMPDIR": str(folder)}
        options["env"]["CRAWL4_AI_BASE_DIRECTORY"] = str(folder)
        self._process = await asyncio.create_subprocess_exec(
            self._enclosure.entrance(sys.executable, folder),
            *("-P", "-m", f"{__package__}.crawl4ai_child", *self._arguments, str(folder)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            **options,
        )
        assert self._process.stdout is not None
        greeting, _ = await frames.receive(self._process.stdout)
        self._listening = asyncio.ensure_future(self._listen(self._process.stdout))
        return greeting

    async def ask(self, request: dict[str, Any]) -> frames.Frame:
        """Send a request and return the answer; cancelling it retires the process. Raises EOFError if that ended."""
        self._left -= 1
        number = str(next(self._numbers))
        answer: asyncio.Future[frames.Frame] = asyncio.get_running_loop().create_future()
        self._pending[number] = answer
        assert self._process is not None
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(frames.packed({**request, "id": number}))
            await self._process.stdin.drain()
            return await answer
        except ConnectionError as error:
            raise EOFError from error
        except asyncio.CancelledError:
            self._left = 0
            raise
        finally:
            del self._pending[number]

    async def close(self) -> None:
        """End the process and its children, and remove its files; must be called only once."""
        if self._process is not None:
            assert self._process.stdin is not None
            self._process.stdin.close()
            try:
                async with asyncio.timeout(CLOSE_DEADLINE):
                    await self._process.wait()
            except TimeoutError:
                with suppress(ProcessLookupError):
                    self._process.kill()  # its driver notices, and ends the browser
                await self._process.wait()
        if self._listening is not None:
            await asyncio.wait([self._listening])
        if self._folder is not None:
            await remove(self._folder)

    async def _listen(self, stream: asyncio.StreamReader) -> None:
        try:
            while True:
                header, data = await frames.receive(stream)
                pending = self._pending.get(header["id"])
                if pending is not None and not pending.done():
                    pending.set_result((header, data))
        except (EOFError, OSError):
            for pending in self._pending.values():
                if not pending.done():
                    pending.set_exception(EOFError())


def _read_answer(answer: dict[str, Any], data: bytes, visit: Visit, guard: Guard) -> Rendered:
    """Return the page in an answer. Raises the FetchError for an answer without one."""
    document = answer["document"]
    where, fields = document["url"], document["headers"]
    if ("error" in answer or is_refused(fields)) and (failure := visit.failure(where)):
        raise failure
    if "error" in answer:
        raise _explained(answer["error"], visit, where)
    if wrong_kind := kind_error(fields, where):
        raise wrong_kind
    if "bytes" not in answer:
        notice = Notice("page_too_large", megabytes=round(answer["size"] / 1e6, 1))
        raise PageTooLargeError(notice, where=where, remedy=RAISE_MEGABYTES)
    return Rendered(
        guard.check_url(answer["url"]),
        document["status"],
        data[: answer["bytes"]].decode("utf-8", "replace"),
        markdown=answer.get("markdown", ""),
        links=tuple(answer.get("links", ())),
        extracted=answer.get("extracted"),
        screenshot=data[answer["bytes"] :],
    )


def _explained(message: str, visit: Visit, where: str) -> FetchError:
    if visit.is_spent:
        return PageTooLargeError(Notice("page_transfers_too_much"), where=where, remedy=RAISE_MEGABYTES)
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    reason = next((line for line in lines if "net::" in line or "Wait condition" in line), lines[0])
    if "ERR_EMPTY_RESPONSE" in reason or "ERR_CONNECTION" in reason:
        return UnreachableError(Notice("page_broke_off", why=reason), where=where)
    return BrowserError(Notice("page_not_shown", why=reason), where=where)
