"""How good retrieval over local files is, and how fast over many passages: `python bench/retrieval.py --data DIR`.

DIR holds `cranfield/`: `cran.all.1400.xml`, `cran.qry.xml`, `cranqrel.trec.txt`. The abstracts are ingested as files,
and asked for through the same `retrieve` that a report uses. A document scores as its best passage.
"""

import argparse
import asyncio
import math
import re
import statistics
import tempfile
import time
from collections import defaultdict
from pathlib import Path

import numpy as np

from spyglass.kernel.journal import Journal
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Settings
from spyglass.rag.chunk import Chunk
from spyglass.rag.embed import passage_embedder
from spyglass.rag.index import FileReading, Pending
from spyglass.rag.ingest import ingest
from spyglass.rag.retrieve import retrieve
from spyglass.rag.store import store_of
from table import Row, report

DEPTH = 10
PASSAGES = 30
"""Passages asked for: enough for ten documents."""

CHUNKS = 50_000
DIMENSION = 256
"""The local embedder's."""

Judgements = dict[int, dict[str, int]]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--data", type=Path, required=True, help="the folder that holds cranfield/")
    arguments.add_argument("--strict", action="store_true", help="exit with 1 when a limit is missed")
    folder = arguments.parse_args().data / "cranfield"
    with tempfile.TemporaryDirectory() as scratch:
        quality = asyncio.run(measure_quality(folder, Path(scratch, "quality")))
        speed = asyncio.run(measure_speed(Path(scratch, "speed")))
    report("Retrieval on the Cranfield abstracts, and over 50,000 passages", [*quality, *speed])


async def measure_quality(cranfield: Path, scratch: Path) -> list[Row]:
    files = scratch / "files"
    files.mkdir(parents=True)
    for name, title, text in documents(cranfield):
        (files / f"{name}.md").write_text(f"# {title}\n\n{text}\n", encoding="utf-8")
    asked, judged = queries(cranfield), judgements(cranfield)
    rows = []
    for legs, dense, limit in (("words only", False, 0.385), ("words and meaning", True, 0.43)):
        settings = Settings(db=[files], data_dir=scratch / "data", retrieval__dense=dense)
        async with Run("bench", settings, journal=Journal()) as run:
            await ingest(run, files, embed=dense)
            scores = []
            for number, query in enumerate(asked, start=1):
                hits = await retrieve(run, [files], [query], PASSAGES)
                ranking = list(dict.fromkeys(Path(hit.path).stem for hit in hits))
                scores.append(ndcg(ranking, judged[number]))
        rows.append(Row(f"nDCG@{DEPTH}, {legs}", statistics.fmean(scores), "", limit, "least"))
    return rows


def documents(cranfield: Path) -> list[tuple[str, str, str]]:
    content = (cranfield / "cran.all.1400.xml").read_text(encoding="utf-8")

    def part(name: str, document: str) -> str:
        found = re.search(f"<{name}>(.*?)</{name}>", document, re.DOTALL)
        return found[1].strip() if found else ""

    found = re.findall(r"<doc>(.*?)</doc>", content, re.DOTALL)
    return [(part("docno", one), " ".join(part("title", one).split()), part("text", one)) for one in found]


def queries(cranfield: Path) -> list[str]:
    content = (cranfield / "cran.qry.xml").read_text(encoding="utf-8")
    return [" ".join(query.split()) for query in re.findall(r"<title>(.*?)</title>", content, re.DOTALL)]


def judgements(cranfield: Path) -> Judgements:
    """The judgements number the queries by their order, from 1."""
    found: Judgements = defaultdict(dict)
    for line in (cranfield / "cranqrel.trec.txt").read_text(encoding="utf-8").splitlines():
        query, _, document, grade = line.split()
        found[int(query)][document] = max(0, int(grade))
    return found


def ndcg(ranking: list[str], grades: dict[str, int]) -> float:
    """Return the normalised discounted cumulative gain of the first ten."""
    ideal = sorted(grades.values(), reverse=True)
    gains = [grades.get(document, 0) for document in ranking]
    best = discounted(ideal)
    return discounted(gains) / best if best else 0.0


def discounted(gains: list[int]) -> float:
    return math.fsum(gain / math.log2(place + 2) for place, gain in enumerate(gains[:DEPTH]))


async def measure_speed(scratch: Path) -> list[Row]:
    """Time queries over 50,000 made-up passages: vectors in clusters, words by Zipf's law without its stop words."""
    files = scratch / "files"
    files.mkdir(parents=True)
    settings = Settings(db=[files], data_dir=scratch / "data")
    random = np.random.default_rng(7)
    words = np.array([f"w{number}" for number in range(20_000)])
    zipf = 1 / np.arange(100, 100 + len(words))
    zipf /= zipf.sum()
    async with Run("bench", settings, journal=Journal()) as run:
        store = await store_of(run, settings, files)
        embedder = passage_embedder(settings)
        assert store.vectors is not None
        for first in range(0, CHUNKS, 500):
            texts = [" ".join(random.choice(words, 160, p=zipf)) for _ in range(500)]
            store.texts.keep(made_up(f"{first + number}.txt", text) for number, text in enumerate(texts))
        centres = random.normal(size=(200, DIMENSION))
        after = 0
        while batch := store.vectors.pending(embedder.id, after, 500):
            store.vectors.add(embedder.id, batch, vectors(random, centres, batch))
            after = batch[-1].row
        seconds, repeated = list[float](), list[float]()
        for _ in range(60):
            query = "the " + " ".join(random.choice(words, 8, p=zipf))
            for times, passages in ((seconds, 2), (repeated, 3)):  # another number, or the journal would answer
                began = time.perf_counter()
                await retrieve(run, [files], [query], passages)
                times.append(time.perf_counter() - began)
    rest = sorted(seconds[1:])
    return [
        Row("a query over 50,000 passages, median", statistics.median(rest) * 1000, "ms", 60),
        Row("the same again, with the vectors of its 48 windows kept", statistics.median(repeated) * 1000, "ms"),
        Row("the same, 95th percentile", rest[int(0.95 * len(rest))] * 1000, "ms"),
        Row("the same, first of a run: loads embedder and vectors", seconds[0] * 1000, "ms"),
    ]


def made_up(path: str, text: str) -> FileReading:
    return FileReading(path, (len(text), 1, 1), "", "", path, "text", text, (Chunk(0, len(text), "", 1, 1, None),))


def vectors(random: np.random.Generator, centres: np.ndarray, batch: list[Pending]) -> list[list[float]]:
    chosen = centres[random.integers(0, len(centres), len(batch))] + random.normal(size=(len(batch), DIMENSION)) * 0.7
    normalised: list[list[float]] = (chosen / np.linalg.norm(chosen, axis=1, keepdims=True)).tolist()
    return normalised


if __name__ == "__main__":
    main()
