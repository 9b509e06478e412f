"""How good and how fast passages are found in texts that were just read: `python bench/rerank.py --data DIR`.

DIR holds `cranfield/`, as for `bench/retrieval.py`. The abstracts are the texts, a document scores as its best passage.
The dense method, which costs seconds of CPU a query, is measured on every ninth query, beside words on the same ones.
"""

import argparse
import asyncio
import resource
import statistics
import time
from collections.abc import Sequence
from pathlib import Path

from retrieval import DEPTH, Judgements, documents, judgements, ndcg, queries
from spyglass.kernel.journal import Journal
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Rerank, Settings
from spyglass.rag.rerank import rerank
from table import Row, report

PASSAGES = 30
NINTH = 9
PAGES, PAGE = 10, 100_000
LIMIT = 100.0
"""CPU-milliseconds for ten pages of 100 kB."""


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--data", type=Path, required=True, help="the folder that holds cranfield/")
    arguments.add_argument("--strict", action="store_true", help="exit with 1 when a limit is missed")
    folder = arguments.parse_args().data / "cranfield"
    report("Reranking of texts that were just read", asyncio.run(measure(folder)))


async def measure(folder: Path) -> list[Row]:
    found = documents(folder)
    names = [name for name, _, _ in found]
    texts = [f"# {title}\n\n{text}\n" for _, title, text in found]
    asked = dict(enumerate(queries(folder), start=1))
    ninth = {number: query for number, query in asked.items() if number % NINTH == 0}
    async with Run("bench", Settings(), journal=Journal()) as run:
        speed = await milliseconds(run, pages(texts), list(asked.values())[:3])
        some = await quality(run, texts, names, ninth, judgements(folder), "lexical")
        every = await quality(run, texts, names, asked, judgements(folder), "lexical")
        began = time.process_time()
        dense = await quality(run, texts, names, ninth, judgements(folder), "dense")
        seconds = (time.process_time() - began) / len(ninth)
    return [
        Row(f"{PAGES} pages of {PAGE:,} characters, 3 queries, by words", speed, "CPU-ms", LIMIT),
        Row(f"nDCG@{DEPTH} by words, all queries", every, "", 0.387, "least"),
        Row(f"nDCG@{DEPTH} by words, every ninth query", some),
        Row(f"nDCG@{DEPTH} by meaning too, every ninth query", dense, "", some, "least"),
        Row("a query over the best 50 passages by meaning too", seconds, "CPU-s"),
        Row("peak memory", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000, "MB", 450),
    ]


def pages(texts: Sequence[str]) -> list[str]:
    """Return long pages made of the abstracts, each under its title."""
    whole = "\n".join(texts)
    return [whole[start : start + PAGE] for start in range(0, PAGES * PAGE, PAGE)]


async def milliseconds(run: Run, texts: list[str], asked: list[str]) -> float:
    """Return the least CPU time of ten calls, in milliseconds."""
    times = []
    for _ in range(10):
        began = time.process_time()
        await rerank(run, asked, texts, top=PASSAGES, method="lexical", settings=run.settings)
        times.append(time.process_time() - began)
    return min(times) * 1000


async def quality(
    run: Run, texts: list[str], names: list[str], asked: dict[int, str], judged: Judgements, method: Rerank
) -> float:
    scores = []
    for number, query in asked.items():
        found = await rerank(run, [query], texts, top=PASSAGES, method=method, settings=run.settings)
        ranking = list(dict.fromkeys(names[one.document] for one in found))
        scores.append(ndcg(ranking, judged[number]))
    return statistics.fmean(scores)


if __name__ == "__main__":
    main()
