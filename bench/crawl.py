"""How fast a site is read: generated pages on this machine, by plain HTTP and in a browser.

    python bench/crawl.py [--pages N] [--rendered N] [--crawl4ai] [--strict]

Without a browser all pages of a site of N are read, traps and all; in a browser as many of one whose text is made by
its scripts, by Playwright, or with `--crawl4ai` by that. The start of the browser counts. There are no pauses.
"""

import argparse
import asyncio
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from spyglass.crawl import crawl
from spyglass.fetch.browser import available
from spyglass.fetch.crawl4ai import is_installed
from spyglass.kernel.journal import Journal
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Settings
from table import Row, report

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from loopback import WebServer
from loopback.site import put_site

PLAIN, RENDERED = 25.0, 4.0
"""Pages a second at least, without a browser and with one."""


async def crawled(folder: Path, number: int, *, script: bool, **changes: Any) -> tuple[int, float, float]:
    """Return how many pages were read, the seconds that it took, and of processor time."""
    async with WebServer().running() as server:
        start = put_site(server, number, script=script)
        settings = Settings(
            data_dir=folder,
            network__allow_private=[f"127.0.0.1:{server.port}"],
            cache__page_hours=0,
            crawl__pause=0,
            crawl__depth=20,
            crawl__pages=10_000,
            crawl__time=900,
            **changes,
        )
        async with Run("q", settings, journal=Journal(folder / f"{script}{changes}.sqlite")) as run:
            began, spent = time.perf_counter(), time.process_time()
            found = await crawl(run, start, "", settings)
            seconds = time.perf_counter() - began
            read = [page for page in found.pages if "/calendar" not in page.url]
            if script:
                read = [page for page in read if page.how == "browser"]
            return len(read), seconds, time.process_time() - spent


async def measured(pages: int, rendered: int, *, by_crawl4ai: bool) -> list[Row]:
    """Crawl both sites."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        read, seconds, spent = await crawled(folder, pages, script=False, browser__mode="never")
        rows = [
            Row(f"pages of {pages} read without a browser", read, "", pages, "least"),
            Row("pages a second", read / seconds, "/s", PLAIN, "least"),
            Row("processor time for each, the server's included", 1000 * spent / read, "ms"),
        ]
        renderers = {"playwright": not available(Settings()), "crawl4ai": by_crawl4ai and is_installed()}
        for renderer in (one for one, there in renderers.items() if there):
            read, seconds, _ = await crawled(
                folder, rendered, script=True, browser__mode="auto", browser__renderer=renderer
            )
            limit = RENDERED if renderer == "playwright" else None
            rows += [
                Row(f"pages of {rendered} read by {renderer}", read, "", rendered, "least"),
                Row("pages a second", read / seconds, "/s", limit, "least"),
            ]
        return rows


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=300)
    parser.add_argument("--rendered", type=int, default=60)
    parser.add_argument("--crawl4ai", action="store_true")
    parser.add_argument("--strict", action="store_true")
    given = parser.parse_args()
    report("Crawling a site", asyncio.run(measured(given.pages, given.rendered, by_crawl4ai=given.crawl4ai)))


if __name__ == "__main__":
    main()
