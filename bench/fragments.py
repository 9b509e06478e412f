"""Links that land on the sentence: the share of text fragments that Chromium finds on real pages.

    python bench/fragments.py --world DIR [--pages N] [--strict]

DIR holds `web.py`, a server of documentation pages, and `corpus.py`, whose SITES and SKIP say which. Each page is
fetched as a report does; of the statements in its text some are drawn, and Chromium opens the link to each. A link
counts as found when the browser marks words, and as right when the marked words begin with those of the statement,
under the heading under which the snapshot has them.
"""

import argparse
import asyncio
import io
import random
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

from PIL import Image
from playwright.async_api import Page as Tab
from playwright.async_api import async_playwright

from extraction import samples, web_server
from spyglass.evidence.statement import statements
from spyglass.evidence.visible_text import visible
from spyglass.fetch.fetcher import fetch
from spyglass.kernel.errors import FetchError
from spyglass.kernel.journal import Journal
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Settings
from spyglass.kernel.source import Passage
from spyglass.render.fragment import LinkTarget
from table import Row, report

DRAWN = 3
"""Statements of a page."""

LEAST = 95.0
"""Per cent of the links that have to be right."""

COMPARED = 16
"""Letters and digits at the begin of what is marked that have to be the statement's."""

SHIFTED = 60
"""How far into the statement, for what is marked first may stand lower on the page than what is marked next to it."""

PAINT = "::target-text { background: rgb(255, 0, 255) !important; color: rgb(255, 0, 255) !important; }"
PURPLE = (255, 0, 255)
FOUND_AT = """([x, y]) => {
  const caret = document.caretPositionFromPoint(x, y)
  if (!caret) return ["", ""]
  const range = document.createRange()
  range.setStart(caret.offsetNode, caret.offset)
  range.setEnd(document.body, document.body.childNodes.length)
  const above = [...document.querySelectorAll("h1, h2, h3, h4, h5, h6")].filter(
    heading => range.comparePoint(heading, 0) < 0 || heading.contains(caret.offsetNode))
  return [range.toString().slice(0, 4000), above.length ? above.at(-1).textContent : ""]
}"""
LETTERS = re.compile(r"[^\W_]")
CODE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#{1,6} (.*)", re.MULTILINE)


class Quote(NamedTuple):
    """A statement of a page: the link to it, what it says, its kind, and the heading above it."""

    link: str
    text: str
    kind: str
    heading: str


class Landing(NamedTuple):
    """Where a browser ended: the words that it marked and what follows, and the heading above."""

    text: str
    heading: str


async def quotes(world: Path, port: int, count: int, folder: Path) -> list[Quote]:
    """Return statements of the world's pages with the links that a report would give them."""
    settings = Settings(data_dir=folder, network__allow_private=["127.0.0.0/8"], browser__mode="never")
    drawn: list[Quote] = []
    luck = random.Random(4)
    async with Run("Where is it?", settings, journal=Journal()) as run:
        for sample in samples(world, port, count):
            try:
                page = await fetch(run, sample.url, settings=settings)
            except FetchError:
                continue
            found = statements(Passage(text=page.text, start=0, end=len(page.text)))
            target = LinkTarget(page.text)
            for one in luck.sample(found, min(DRAWN, len(found))):
                above = HEADING.findall(CODE.sub("", page.text[: one.start]))
                span = page.text[one.start : one.end]
                drawn.append(
                    Quote(target.link(one.start, one.end, page.url), span, one.kind, above[-1] if above else "")
                )
    return drawn


@asynccontextmanager
async def chromium() -> AsyncIterator[Tab]:
    """Open a window of Chromium."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=shutil.which("chromium"), chromium_sandbox=False)
        yield await browser.new_page(viewport={"width": 1200, "height": 900})
        await browser.close()


async def landing(tab: Tab, address: str) -> Landing | None:
    """Open an address; return what the browser marks, None when it marks nothing."""
    await tab.goto("about:blank")
    await tab.goto(address)
    await tab.add_style_tag(content=PAINT)
    picture = Image.open(io.BytesIO(await tab.screenshot())).convert("RGB")
    pixels: Any = picture.load()
    width, height = picture.size
    for y in range(height):
        for x in range(width):
            if pixels[x, y] == PURPLE:
                return Landing(*await tab.evaluate(FOUND_AT, [x + 1, y + 5]))
    return None


def letters(text: str) -> str:
    return "".join(LETTERS.findall(text)).casefold()


def is_right(quote: Quote, found: Landing) -> bool:
    """Say whether the marked words are the statement's, in its part of the page."""
    said, marked = letters(visible(quote.text)), letters(found.text)
    begins = said.startswith(marked[: len(said)]) if len(said) < COMPARED else marked[:COMPARED] in said[:SHIFTED]
    return begins and letters(quote.heading)[:12] in letters(found.heading)


async def measure(world: Path, count: int) -> list[Row]:
    outcomes: Counter[str] = Counter()
    with web_server(world) as port, tempfile.TemporaryDirectory() as folder:
        drawn = await quotes(world, port, count, Path(folder))
        async with chromium() as tab:
            for quote in drawn:
                found = await landing(tab, quote.link)
                outcome = "missed" if found is None else "right" if is_right(quote, found) else "elsewhere"
                outcomes[outcome] += 1
                if outcome != "right":
                    print(f"{outcome} ({quote.kind}): {quote.link}")
                    print(f"    {quote.text[:150]!r} under {quote.heading!r}")
                    print(f"    {found and (found.text[:80], found.heading)}")
    total = max(1, len(drawn))
    lengths = sorted(len(quote.link) for quote in drawn)
    return [
        Row("links", len(drawn)),
        Row("found by Chromium", 100 * (1 - outcomes["missed"] / total), "%"),
        Row("on the statement", 100 * outcomes["right"] / total, "%", LEAST, "least"),
        Row("characters of a link, median", lengths[len(lengths) // 2]),
        Row("characters of a link, longest", lengths[-1]),
    ]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--world", type=Path, required=True, help="the folder of the world's servers")
    arguments.add_argument("--pages", type=int, default=50, help="how many pages to draw from (50)")
    arguments.add_argument("--strict", action="store_true", help="exit with 1 when the limit is missed")
    given = arguments.parse_args()
    report("Text fragments in Chromium", asyncio.run(measure(given.world.resolve(), given.pages)))


if __name__ == "__main__":
    main()
