"""The process in which crawl4ai renders pages: it reads requests from standard input and answers each when it is done.

Started as `python -m spyglass.fetch.crawl4ai_child PROGRAM PROXY FOLDER`: the browser ("" for Playwright's own), the
filtering proxy for its traffic, and a folder for all files. If there is an enclosure, the whole process runs in it, so
that requests by crawl4ai itself, outside the browser, cannot reach the network.
"""

import asyncio
import base64
import json
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, Final

from crawl4ai import AsyncWebCrawler, BrowserConfig, CacheMode, CrawlerRunConfig
from crawl4ai.async_crawler_strategy import AsyncPlaywrightCrawlerStrategy
from crawl4ai.browser_manager import BrowserManager
from crawl4ai.egress_policy import set_egress_proxy
from crawl4ai.extraction_strategy import JsonCssExtractionStrategy, JsonXPathExtractionStrategy
from playwright.async_api import BrowserContext, Page, Response

from ..documents import frames
from ..kernel.cleanup import run_in_background
from .chromium import CLOSE_DEADLINE, downloaded, launch_options, window_options
from .reading import QUIET, SETTLE, WAIT, error_type, open_page

STRATEGIES: Final = {"css": JsonCssExtractionStrategy, "xpath": JsonXPathExtractionStrategy}

Request = dict[str, Any]


class Windows(BrowserManager):  # type: ignore[misc]
    """A replacement for crawl4ai's manager that opens for each page a window without permissions, behind the proxy.

    `documents` contains, by id of the request, the last document of each page: its address, status and header fields.
    """

    def __init__(self, config: BrowserConfig, program: str, proxy: str, folder: Path) -> None:
        super().__init__(config)
        self._program, self._proxy, self._folder = program, proxy, folder
        self.requests: dict[str, Request] = {}
        self.documents: dict[str, dict[str, Any]] = {}

    async def start(self) -> None:
        """Start the driver and the browser."""
        from playwright.async_api import async_playwright

        self.playwright = await async_playwright().start()
        program = self._program or downloaded(self.playwright.chromium.executable_path)
        self.browser = await self.playwright.chromium.launch(**launch_options(program, self._folder, self._proxy))

    async def close(self) -> None:
        """End the browser and the driver."""
        with suppress(error_type()):
            await self.browser.close()
        await self.playwright.stop()

    async def get_page(self, crawlerRunConfig: CrawlerRunConfig) -> tuple[Page, BrowserContext]:  # noqa: N803
        """Open the window for the request whose id is in the configuration."""
        request = self.requests[crawlerRunConfig.shared_data["id"]]
        options = window_options(self._proxy, request["user"], request["password"], request["user_agent"])
        window = await self.browser.new_context(**options)
        page, _ = await open_page(window, pictures=request["screenshot"])
        document = self.documents[request["id"]] = {"url": request["url"], "status": 0, "headers": {}}

        def answered(response: Response) -> None:
            with suppress(error_type()):  # the frame has gone
                if response.request.is_navigation_request() and response.frame == page.main_frame:
                    document.update(url=response.url, status=response.status, headers=response.headers)

        def began(navigation: Any) -> None:
            with suppress(error_type()):
                if navigation.is_navigation_request() and navigation.frame == page.main_frame:
                    document.update(url=navigation.url, status=0, headers={})

        page.on("request", began)
        page.on("response", answered)
        return page, window

    async def release_page_with_context(self, page: Page) -> None:
        """Close the window of a page."""
        await page.context.close()


class Renderer:
    """A handler of requests, which crawl4ai renders in the windows of `windows`."""

    def __init__(self, program: str, proxy: str, folder: Path) -> None:
        config = BrowserConfig(headless=True, verbose=False)
        self._strategy = AsyncPlaywrightCrawlerStrategy(browser_config=config)
        self.windows = self._strategy.browser_manager = Windows(config, program, proxy, folder)
        self._strategy.set_hook("before_retrieve_html", _settle)
        self._crawler = AsyncWebCrawler(
            crawler_strategy=self._strategy, config=config, base_directory=str(folder), logger=self._strategy.logger
        )

    async def answer(self, request: Request) -> frames.Frame:
        """Return the rendered page, or the error."""
        self.windows.requests[request["id"]] = request
        try:
            header, data = await self._render(request)
        except Exception as error:  # noqa: BLE001 crawl4ai raises errors of any class
            header, data = {"error": str(error) or type(error).__name__}, b""
        del self.windows.requests[request["id"]]
        document = self.windows.documents.pop(request["id"], {"url": request["url"], "status": 0, "headers": {}})
        return {"id": request["id"], "document": document, **header}, data

    async def _render(self, request: Request) -> frames.Frame:
        config = _config(request)
        response = await self._strategy.crawl(request["url"], config)
        html, picture = response.html, base64.b64decode(response.screenshot or "")
        header: dict[str, Any] = {"url": response.redirected_url, "size": len(html)}
        if len(html) > request["longest"]:
            return header, b""
        if request["markdown"] or config.extraction_strategy is not None:
            header |= await self._read(request["url"], html, config, response.redirected_url)
        body = html.encode("utf-8", "replace")
        return {**header, "bytes": len(body)}, body + picture

    async def _read(self, url: str, html: str, config: CrawlerRunConfig, base: str) -> dict[str, Any]:
        """Return crawl4ai's results for a page: Markdown, links, and the data that the schema extracts."""
        result = await self._crawler.aprocess_html(
            url=url,
            html=html,
            extracted_content=None,
            config=config,
            screenshot_data=None,
            pdf_data=None,
            verbose=False,
            redirected_url=base,
        )
        links = [link["href"] for kind in ("internal", "external") for link in result.links.get(kind, [])]
        return {
            "markdown": str(result.markdown.raw_markdown),
            "links": list(dict.fromkeys(links)),
            "extracted": json.loads(result.extracted_content) if result.extracted_content else None,
        }


async def _settle(page: Page, **_more: Any) -> Page:
    """Wait until a page has loaded and no longer changes, for at most SETTLE seconds."""
    with suppress(TimeoutError, error_type()):
        async with asyncio.timeout(SETTLE):
            await page.wait_for_load_state("networkidle", timeout=0)
            await page.evaluate(WAIT % (QUIET * 1000, QUIET * 1000))
    return page


def _config(request: Request) -> CrawlerRunConfig:
    strategy = next((STRATEGIES[kind](request[kind]) for kind in STRATEGIES if request[kind]), None)
    return CrawlerRunConfig(
        cache_mode=CacheMode.BYPASS,
        shared_data={"id": request["id"]},
        wait_until="domcontentloaded",
        page_timeout=int(request["seconds"] * 1000),
        js_code_before_wait=list(request["js_code"]) or None,
        wait_for=request["wait_for"] or None,
        delay_before_return_html=0,
        body_visibility_timeout=500,
        scan_full_page=request["scroll"],
        flatten_shadow_dom=True,
        screenshot=request["screenshot"],
        extraction_strategy=strategy,
        fetch_ssl_certificate=False,
        check_robots_txt=False,
        verbose=False,
    )


async def _serve(renderer: Renderer, answers: BinaryIO) -> None:
    """Answer each request as soon as it is done, until standard input closes."""
    working: set[asyncio.Task[None]] = set()

    async def work(request: Request) -> None:
        frames.write(answers, *await renderer.answer(request))

    with suppress(EOFError):
        while True:
            request, _ = await asyncio.to_thread(frames.read, sys.stdin.buffer)
            run_in_background(working, work(request))
    for task in working:
        task.cancel()


async def main() -> None:
    """Start the browser, send the parent a confirmation or the error, and then serve requests."""
    program, proxy, folder = sys.argv[1:]
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # output of libraries must not get between the frames
    set_egress_proxy(proxy)  # the proxy refuses these requests, which lack the password of a window
    renderer = Renderer(program, proxy, Path(folder))
    try:
        await renderer.windows.start()
    except Exception as error:  # noqa: BLE001 Playwright's errors have no common base class
        frames.write(answers, {"error": str(error)})
        return
    frames.write(answers, {"ready": True})
    try:
        await _serve(renderer, answers)
    finally:
        with suppress(Exception):
            async with asyncio.timeout(CLOSE_DEADLINE):
                await renderer.windows.close()


if __name__ == "__main__":
    asyncio.run(main())
