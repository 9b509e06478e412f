"""Pages of the loopback world, fetched and read on one core: the rate, and what of each page is kept.

    python bench/extraction.py --world DIR [--pages N] [--strict]

DIR holds `web.py`, a server of documentation pages, and `corpus.py`, whose SITES and SKIP say which. The rate is the
number of pages by the processor time of this process; the server is another one. The quality is told beside that of
rivals in the same run: of the words that a reader sees in the page's main element, and of the headings, tables, items
and blocks of code there, the share that is kept; of its other words, the share that is kept though they are furniture.
"""

import argparse
import asyncio
import importlib.util
import re
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

from servers import free_port, served
from spyglass.documents.html.reader import read_html
from spyglass.fetch.fetcher import fetch
from spyglass.kernel.journal import Journal
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Settings
from table import Row, report

LEAST = 150
"""Pages a second, fetched and read, on one core."""

LARGEST = 1_500_000
"""Bytes of a page that the world's search engine would still find."""

AT_ONCE = 8
"""Pages that are fetched at a time."""

MAIN = "main, [role=main], div.body, #content, div.chapter, div.refentry, div.sect1, div.preface, div.section"
OUTSIDE = "nav, .navheader, .navfooter, .toc, .headerlink, .nosearch, .sphinxsidebar, .related"
PARTS = {"headings": "h1, h2, h3, h4, h5, h6", "tables": "table", "items of lists": "li", "blocks of code": "pre"}
KEPT = {
    "headings": re.compile(r"^#{1,6} ", re.MULTILINE),
    "tables": re.compile(r"^\|(?: ---? \||---\|)+", re.MULTILINE),
    "items of lists": re.compile(r"^ *(?:- |\d+\. )", re.MULTILINE),
    "blocks of code": re.compile(r"^```.*$\n(?:.*\n)*?^```$", re.MULTILINE),
}
WORD = re.compile(r"\w+")


class Sample(NamedTuple):
    """A page: where it is served, and its bytes."""

    url: str
    body: bytes


class Truth(NamedTuple):
    """What a page holds: the words of its content, its other words, and how many parts of each kind."""

    content: Counter[str]
    other: Counter[str]
    parts: dict[str, int]


def samples(world: Path, port: int, count: int) -> list[Sample]:
    """Return pages of every site, evenly chosen."""
    corpus = loaded(world / "corpus.py")
    found: list[Sample] = []
    for address, (_, folder) in corpus.SITES.items():
        root = Path(folder).resolve()
        for path in sorted(root.rglob("*.htm*")):
            name = path.relative_to(root).as_posix()
            if path.is_file() and not corpus.SKIP.search("/" + name) and path.stat().st_size <= LARGEST:
                found.append(Sample(f"http://{address}:{port}/{name}", path.read_bytes()))
    if not found:
        raise SystemExit("the world's documentation is not installed; see the README beside its corpus.py")
    return found[:: max(1, len(found) // count)][:count]


def loaded(path: Path) -> ModuleType:
    """Import a file by its path."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@contextmanager
def web_server(world: Path) -> Iterator[int]:
    """Run the world's pages on a free port; yield it."""
    port = free_port("127.0.0.11")
    with tempfile.TemporaryDirectory() as folder:
        options = ["--port", str(port), "--latency", "0", "--log", f"{folder}/log", "--max-seconds", "600"]
        with served(world / "web.py", port, options, folder):
            yield port


async def fetched(pages: list[Sample], folder: Path) -> float:
    """Fetch and read the pages as a report does, and return the pages a second of this process's time."""
    settings = Settings(
        data_dir=folder, network__allow_private=["127.0.0.0/8"], cache__page_hours=0, browser__mode="never"
    )
    waiting = iter(pages)

    async def read() -> None:
        for page in waiting:
            await fetch(run, page.url, settings=settings)

    async with Run("How fast?", settings, journal=Journal()) as run:
        await fetch(run, pages[0].url + "?first", settings=settings)
        began = time.process_time()
        await asyncio.gather(*(read() for _ in range(AT_ONCE)))
        return len(pages) / (time.process_time() - began)


def rate(read: Callable[[Sample], object], pages: list[Sample]) -> float:
    """Return the pages a second of this process's time."""
    read(pages[0])
    began = time.process_time()
    for page in pages:
        read(page)
    return len(pages) / (time.process_time() - began)


def ours(page: Sample) -> str:
    return read_html(page.body, page.url, "text/html; charset=utf-8").text


def trafilatura_in_full(page: Sample) -> str:
    import trafilatura

    return trafilatura.extract(page.body.decode("utf-8", "replace"), output_format="markdown") or ""


def trafilatura_baseline(page: Sample) -> str:
    import trafilatura

    return str(trafilatura.baseline(page.body.decode("utf-8", "replace"))[1])


def lexbor_text(page: Sample) -> str:
    body = LexborHTMLParser(page.body).body
    return body.text(separator="\n") if body else ""


READERS = {
    "spyglass": ours,
    "trafilatura": trafilatura_in_full,
    "its baseline": trafilatura_baseline,
    "lexbor's text": lexbor_text,
}


def truth(page: Sample) -> Truth:
    """Return what a page holds, by its own marks for content and for what surrounds it."""
    tree = LexborHTMLParser(page.body)
    for node in tree.css("script, style, noscript, [hidden]"):
        node.remove()
    everything = words(visible(tree.body))
    for node in tree.css(OUTSIDE):
        node.remove()
    content = max(tree.css(MAIN), key=lambda node: len(visible(node)), default=None)
    if content is None or 2 * len(visible(content)) < len(visible(tree.body)):
        content = tree.body
    inside = words(visible(content))
    parts = {name: len(parts_of(content, selector)) for name, selector in PARTS.items()}
    return Truth(inside, everything - inside, parts)


def parts_of(content: LexborNode | None, selector: str) -> list[LexborNode]:
    """Return the parts of a content that have text; of tables those that are neither a list nor a layout."""
    nodes = [node for node in content.css(selector) if node.text(strip=True)] if content else []
    return [node for node in nodes if node.tag != "table" or is_data(node)]


def is_data(table: LexborNode) -> bool:
    """Say whether a table has rows and columns, and nothing in them that only a page has."""
    rows = [len(row.css("td, th")) for row in table.css("tr")]
    return len(rows) > 1 and max(rows) > 1 and table.css_first("table table, h1, h2, h3, pre, ul ul") is None


def visible(node: LexborNode | None) -> str:
    return node.text(separator=" ") if node else ""


def words(text: str) -> Counter[str]:
    return Counter(WORD.findall(text.lower()))


def quality(read: Callable[[Sample], str], pages: list[Sample], truths: list[Truth]) -> dict[str, float]:
    """Return the shares that are kept, over all pages."""
    kept: Counter[str] = Counter()
    all_: Counter[str] = Counter()
    for page, true in zip(pages, truths, strict=True):
        text = read(page)
        found = words(text)
        all_.update({"words of the content": true.content.total(), "other words": true.other.total(), **true.parts})
        kept["words of the content"] += (found & true.content).total()
        kept["other words"] += ((found - true.content) & true.other).total()
        for name, pattern in KEPT.items():
            kept[name] += min(true.parts[name], len(pattern.findall(text)))
    return {name: kept[name] / max(1, all_[name]) for name in all_}


def measure(world: Path, count: int) -> list[Row]:
    with web_server(world) as port, tempfile.TemporaryDirectory() as folder:
        pages = samples(world, port, count)
        together = asyncio.run(fetched(pages, Path(folder)))
    sizes = sum(len(page.body) for page in pages) / len(pages) / 1000
    rows = [
        Row("pages", len(pages)),
        Row("their size", sizes, "kB"),
        Row("fetched and read by spyglass", together, "pages/s", LEAST, "least"),
        *(Row(f"read by {name}", rate(read, pages), "pages/s") for name, read in READERS.items()),
    ]
    truths = [truth(page) for page in pages]
    for name, read in READERS.items():
        rows += [Row(f"{name}: {what}", share * 100, "%") for what, share in quality(read, pages, truths).items()]
    return rows


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--world", type=Path, required=True, help="the folder of the world's servers")
    arguments.add_argument("--pages", type=int, default=300, help="how many pages to read (300)")
    arguments.add_argument("--strict", action="store_true", help="exit with 1 when the limit is missed")
    given = arguments.parse_args()
    report("Pages of the loopback world", measure(given.world.resolve(), given.pages))


if __name__ == "__main__":
    main()
