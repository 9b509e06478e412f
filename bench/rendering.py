"""A report of 200 sources as HTML, Markdown, JSON and Word: processor time and size; and its page in a browser.

    python bench/rendering.py [--sources N] [--out DIR] [--strict]

The report is written here: every source is a page of some 1,500 words, one of them a million characters, each cited at
least twice; a tenth of the sentences is partly supported. The page is opened from a disk in Chromium, if there is one,
which counts what it asks for, what it complains of (violations of its policy among it), and what axe-core finds in the
way of people who see or move otherwise, in light and dark and in a wide and a narrow window. `--out` keeps the files.
"""

import argparse
import asyncio
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from axe_playwright_python.async_playwright import Axe

from spyglass.evidence.reason import OTHERWISE
from spyglass.fetch.browser import available
from spyglass.kernel.settings import Settings
from spyglass.render.docx import docx
from spyglass.render.html import html
from spyglass.render.pdf import pdf
from spyglass.report import Report
from table import Row
from table import report as print_table

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from render.chromium import opened
from report.sample import Book, Said, sample

LIMIT = 1.0
"""Seconds of processor time in which 200 sources are to be rendered as HTML, with all that has to be imported."""

ROUNDS = 5
SECTIONS = 12
PARAGRAPHS = 25
LONG = 1_000_000
"""Characters of the longest source."""

SUBJECTS = ("ferry", "harbour", "lighthouse", "pilot boat", "fish market", "tide gauge", "breakwater", "crane")
VERBS = ("carried", "cost", "reached", "lost", "kept", "measured")
UNITS = ("tonnes", "passengers", "metres", "euros", "hours", "boxes")


def sentence(chance: random.Random) -> str:
    """Return a sentence that hardly occurs twice."""
    subject, verb, unit = chance.choice(SUBJECTS), chance.choice(VERBS), chance.choice(UNITS)
    return f"In {chance.randint(1800, 2025)} the {subject} {verb} {chance.randint(100, 999_999):,} {unit} a year."


def page(chance: random.Random, characters: int) -> tuple[str, list[str]]:
    """Return the text of a source, and sentences of it."""
    blocks, sentences = [f"# Port of {chance.randint(1, 9999)}"], []
    while sum(map(len, blocks)) < characters:
        own = [sentence(chance) for _ in range(5)]
        sentences += own
        blocks.append(" ".join(own))
        blocks.append(f"See **the [register](https://port.example/{chance.randint(1, 999)})** of the harbour master.")
    return "\n\n".join(blocks), sentences


def written(sources: int) -> Report:
    """Return a report with that many sources."""
    chance = random.Random(4)
    book, quotes = Book(), []
    for number in range(sources):
        text, sentences = page(chance, LONG if number == sources // 2 else 9_000)
        address = f"https://port-{number}.example/annals"
        more = {"url": address, "domain": address[8:-7], "published": "2024-05-01", "credibility_tier": "tier2"}
        book.add(f"s{number}", f"Annals of port {number}", text, **more, credibility_score=72)
        quotes += [(f"s{number}", quote) for quote in (sentences[1], sentences[-2])]
    chance.shuffle(quotes)
    share = -(-len(quotes) // SECTIONS)
    for number in range(SECTIONS):
        parts: list[str | Said] = []
        for index, (key, quote) in enumerate(quotes[number * share : (number + 1) * share]):
            said = Said(quote, ((key, quote),))
            if index % 10 == 9:
                said = replace(said, verdict="partial", score=0.5, reasons=(OTHERWISE,))
            parts += [said, "\n\n" if index % 4 == 3 else " "]
        book.write(f"Part {number + 1}", *parts)
    return sample(
        sections=book.sections,
        citations=book.citations,
        references=book.references,
        sources=list(book.sources.values()),
        snapshots=book.cited(),
        contradictions=[],
        removed=[],
        coverage=[],
    )


def timed(render: Callable[[], str | bytes]) -> tuple[float, float, int]:
    """Return the seconds that the first rendering takes, the median of others, and the bytes that come of it."""
    times = []
    for _ in range(ROUNDS + 1):
        began = time.process_time()
        made = render()
        times.append(time.process_time() - began)
    return times[0], statistics.median(times[1:]), len(made.encode() if isinstance(made, str) else made)


async def looked_at(path: Path) -> list[Row]:
    """Return what a browser has to say of the page."""
    async with opened(path) as at:
        for index in (0, 100, 300):
            await at.tab.locator(".marker").nth(index).click()
        violations = 0
        for width in (1280, 390):
            await at.tab.set_viewport_size({"width": width, "height": 900})
            await at.tab.emulate_media(color_scheme="light" if width > 400 else "dark")
            violations += (await Axe().run(at.tab)).violations_count
        return [
            Row("requests of the page, opened from a disk", len(at.requests), "", 0),
            Row("complaints in its console, of its policy too", len(at.messages), "", 0),
            Row("accessibility violations (axe-core)", violations, "", 0),
        ]


async def printed(report: Report) -> list[Row]:
    """Return what a PDF of the report costs."""
    began = time.perf_counter()
    made = await pdf(report, Settings())
    return [
        Row("PDF, wall time with the start of the browser", time.perf_counter() - began, "s"),
        size("PDF", len(made)),
    ]


def size(name: str, count: int) -> Row:
    return Row(f"{name}, size", count / 1000, "kB")


def main() -> None:
    """Measure and print."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--sources", type=int, default=200)
    arguments.add_argument("--out", type=Path)
    arguments.add_argument("--strict", action="store_true")
    given = arguments.parse_args()
    report = written(given.sources)
    first, median, bytes_of_html = timed(lambda: html(report))
    stored = sum(len(snapshot.text) for snapshot in report.snapshots)
    rows = [
        Row("citations", len(report.citations)),
        Row("stored text of the cited sources", stored / 1000, "kB"),
        Row("HTML, first rendering with its imports", first, "CPU-s", LIMIT),
        Row("HTML, further ones", median, "CPU-s", LIMIT),
        size("HTML", bytes_of_html),
    ]
    others: dict[str, Callable[[], str | bytes]] = {
        "Markdown": lambda: report.markdown,
        "JSON": lambda: report.model_dump_json(),
        "DOCX": lambda: docx(report),
    }
    for name, render in others.items():
        _, median, count = timed(render)
        rows += [Row(name, median, "CPU-s"), size(name, count)]
    with tempfile.TemporaryDirectory() as folder:
        path = (given.out or Path(folder)).resolve() / "report.html"
        path.write_text(html(report), encoding="utf-8")
        if missing := available(Settings()):
            print(f"No browser: {missing}")
        else:
            rows += [*asyncio.run(looked_at(path)), *asyncio.run(printed(report))]
    print_table(f"Rendering a report of {given.sources} sources", rows)


if __name__ == "__main__":
    main()
