"""Articles that people have marked, read: how much of each is kept, what else, and how fast, beside trafilatura.

    python bench/articles.py --data DIR [--strict]

DIR is laid out as the public benchmark https://github.com/scrapinghub/article-extraction-benchmark:
`ground-truth.json` has the text of each article as `articleBody` by its name, `html/NAME.html.gz` the page in UTF-8.
Compared are every four words in a row; precision and recall are means over the pages, as there. The rate is by the
processor time of this process.
"""

import argparse
import gzip
import json
import re
import statistics
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from spyglass.documents.html.reader import read_html
from table import Row, report

BEST = 0.96
"""F1 of trafilatura on the 181 pages of that benchmark."""

WORDS = 4
WORD = re.compile(r"\w+")

Runs = Counter[tuple[str, ...]]


class Article(NamedTuple):
    """A page, where it stands, and what of it is the article."""

    page: str
    url: str
    runs: Runs


def articles(folder: Path) -> list[Article]:
    """Return the pages of the folder."""
    said = json.loads((folder / "ground-truth.json").read_text(encoding="utf-8"))
    return [
        Article(
            gzip.decompress((folder / "html" / f"{name}.html.gz").read_bytes()).decode("utf-8", "replace"),
            item.get("url", "https://example.com/"),
            runs(item["articleBody"]),
        )
        for name, item in said.items()
    ]


def runs(text: str) -> Runs:
    """Return every WORDS words of a text that follow each other."""
    words = WORD.findall(text)
    return Counter(tuple(words[at : at + WORDS]) for at in range(max(1, len(words) - WORDS + 1)) if words)


def ours(page: Article) -> str:
    return read_html(page.page.encode(), page.url, "text/html; charset=utf-8").text


def trafilatura(page: Article) -> str:
    from trafilatura import extract

    return extract(page.page, fast=True, include_comments=False) or ""


def measure(name: str, read: Callable[[Article], str], pages: list[Article]) -> tuple[list[Row], float]:
    """Return the figures of a reader, and its pages a second."""
    read(pages[0])
    began = time.process_time()
    found = [read(page) for page in pages]
    rate = len(pages) / (time.process_time() - began)
    kept = [runs(text) for text in found]
    same = [(mine & page.runs).total() for mine, page in zip(kept, pages, strict=True)]
    precision = statistics.mean(part / mine.total() for part, mine in zip(same, kept, strict=True) if mine)
    recall = statistics.mean(part / page.runs.total() for part, page in zip(same, pages, strict=True) if page.runs)
    f1 = 2 * precision * recall / (precision + recall)
    limit = BEST if read is ours else None
    rows = [
        Row(f"{name}: precision", precision),
        Row(f"{name}: recall", recall),
        Row(f"{name}: F1", f1, "", limit, "least"),
    ]
    return rows, rate


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="the folder of the pages and their texts")
    parser.add_argument("--strict", action="store_true", help="exit with 1 when a limit is missed")
    pages = articles(parser.parse_args().data)
    rows, rate = measure("spyglass", ours, pages)
    others, least = measure("trafilatura", trafilatura, pages)
    rates = [Row("read by spyglass", rate, "pages/s", least, "least"), Row("read by trafilatura", least, "pages/s")]
    report(f"{len(pages)} articles", [*rows, *others, *rates])


if __name__ == "__main__":
    main()
