"""What an ingest costs: memory, overhead over conversion and embedding alone, and an ingest of nothing new.

`python bench/ingest.py [--documents N] [--lines N]`. The documents are made up, of eight kinds, in a temporary folder.
The memory of child processes is read from /proc, so that figure needs Linux.
"""

import argparse
import asyncio
import multiprocessing
import random
import resource
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import TypeVar

from spyglass.documents import Converter
from spyglass.kernel.journal import Journal
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Settings
from spyglass.rag.chunk import Sizes, chunks
from spyglass.rag.embed import passage_embedder
from spyglass.rag.ingest import ingest
from table import Row, report

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from documents import files as made

Value = TypeVar("Value")

SYLLABLES = ("ka", "lo", "mir", "ten", "va", "sul", "dor", "pe", "ri", "gan", "tho", "bel", "nu", "ces", "fa", "war")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--documents", type=int, default=1_000)
    arguments.add_argument("--lines", type=int, default=10_000, help="one-line files of the second part")
    arguments.add_argument("--strict", action="store_true", help="exit with 1 when a limit is missed")
    wanted = arguments.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        documents, lines = Path(scratch, "documents"), Path(scratch, "lines")
        make_documents(documents, wanted.documents)
        make_lines(lines, wanted.lines)
        alone = apart(parts_alone, documents, Path(scratch, "alone"))
        seconds, passages, own, family = apart(whole, documents, Path(scratch, "whole"))
        first, again, embedded = apart(twice, lines, Path(scratch, "twice"))
    report(
        f"Ingest of {wanted.documents:,} documents, {passages:,} passages, and of {wanted.lines:,} one-line files",
        [
            Row("peak memory of the process", own, "MB", 700),
            Row("peak memory with its child processes", family, "MB", 950),
            Row("conversion and embedding alone", alone, "s"),
            Row("the whole ingest", seconds, "s"),
            Row("rate, as a share of conversion and embedding alone", alone / seconds, "", 0.8, "least"),
            Row("first ingest of the one-line files", first, "s"),
            Row("the same again, unchanged", again, "s", 1),
            Row("passages that were embedded again", embedded, "", 0),
        ],
    )


def apart(measure: Callable[[Path, Path], Value], folder: Path, data: Path) -> Value:
    """Measure in a fresh process, whose memory is its own."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(measure, folder, data).result()


def opened(folder: Path, data: Path) -> Run:
    return Run("bench", Settings(db=[folder], data_dir=data), journal=Journal())


def parts_alone(folder: Path, data: Path) -> float:
    """Return the seconds that converting every file and embedding every chunk take, and nothing else."""
    return asyncio.run(convert_and_embed(sorted(folder.iterdir()), data))


async def convert_and_embed(files: list[Path], data: Path) -> float:
    texts = []
    async with opened(files[0].parent, data) as run:
        settings = run.settings
        sizes = Sizes(settings.retrieval.chunk_target, settings.retrieval.chunk_max, settings.retrieval.chunk_overlap)
        embedder = passage_embedder(settings)
        began = time.perf_counter()
        async with Converter(settings) as converter:
            for first in range(0, len(files), 64):
                for document in await asyncio.gather(*map(converter.convert, files[first : first + 64])):
                    found = chunks(document.text, document.pages, sizes)
                    texts += [document.text[chunk.start : chunk.end] for chunk in found]
        for first in range(0, len(texts), 64):
            await embedder.embed(run, texts[first : first + 64])
        return time.perf_counter() - began


def whole(folder: Path, data: Path) -> tuple[float, int, float, float]:
    """Return the seconds, the passages, and the peaks of memory in megabytes, of an ingest with all its vectors."""
    with watched() as peak:
        seconds, passages, _ = asyncio.run(timed_ingest(folder, data))
    return seconds, passages, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000, peak()


def twice(folder: Path, data: Path) -> tuple[float, float, int]:
    first, _, _ = asyncio.run(timed_ingest(folder, data))
    again, _, embedded = asyncio.run(timed_ingest(folder, data))
    return first, again, embedded


async def timed_ingest(folder: Path, data: Path) -> tuple[float, int, int]:
    async with opened(folder, data) as run:
        began = time.perf_counter()
        summary = await ingest(run, folder, embed=True)
        assert not summary.skipped, summary.skipped[:3]
        assert summary.pending == 0
        return time.perf_counter() - began, summary.chunks, summary.embedded


class watched:  # noqa: N801 (it is used as a function is)
    """Samples the memory of this process and its children, every twentieth of a second, while the block runs."""

    def __enter__(self) -> Callable[[], float]:
        self._most, self._ended = 0.0, threading.Event()
        self._sampling = threading.Thread(target=self._sample, daemon=True)
        self._sampling.start()
        return lambda: self._most

    def __exit__(self, *_exception: object) -> None:
        self._ended.set()
        self._sampling.join()

    def _sample(self) -> None:
        while not self._ended.wait(0.05):
            self._most = max(self._most, sum(megabytes(one) for one in ("self", *children())))


def children() -> Iterator[str]:
    for task in Path("/proc/self/task").iterdir():
        try:
            yield from (task / "children").read_text().split()
        except OSError:  # a thread that has just ended
            continue


def megabytes(process: str) -> float:
    try:
        status = Path("/proc", process, "status").read_text()
    except OSError:  # a process that has just ended
        return 0.0
    return sum(int(line.split()[1]) / 1000 for line in status.splitlines() if line.startswith("VmRSS"))


# Documents


def make_documents(folder: Path, count: int) -> None:
    """Write documents of eight kinds, each with some nine hundred characters of made-up prose."""
    folder.mkdir()
    kinds = list(MAKERS)
    for number in range(count):
        kind = kinds[number % len(kinds)]
        words = random.Random(number)
        title, prose = f"Document {number}", [sentence(words) for _ in range(12)]
        (folder / f"{number:05}.{kind}").write_bytes(MAKERS[kind](title, prose))


def make_lines(folder: Path, count: int) -> None:
    folder.mkdir()
    for number in range(count):
        (folder / f"{number:05}.txt").write_text(f"{sentence(random.Random(number))}\n", encoding="utf-8")


def sentence(words: random.Random) -> str:
    made = ["".join(words.choices(SYLLABLES, k=words.randint(1, 4))) for _ in range(12)]
    return " ".join(made).capitalize() + "."


def text(title: str, prose: list[str]) -> bytes:
    return "\n".join([title, "", *prose]).encode()


def markdown(title: str, prose: list[str]) -> bytes:
    return f"# {title}\n\n## Part\n\n{' '.join(prose)}\n".encode()


def web_page(title: str, prose: list[str]) -> bytes:
    body = f"<h1>{title}</h1><p>{' '.join(prose)}</p>"
    return f"<html><head><title>{title}</title></head><body>{body}</body></html>".encode()


def table(title: str, prose: list[str]) -> bytes:
    return "\n".join([f"number,{title}", *(f"{place},{one}" for place, one in enumerate(prose))]).encode()


def word(title: str, prose: list[str]) -> bytes:
    return made.docx(made.words(*prose), title=title)


def workbook(title: str, prose: list[str]) -> bytes:
    return made.xlsx({title: {f"A{row}": one for row, one in enumerate(prose, start=1)}})


def presentation(title: str, prose: list[str]) -> bytes:
    return made.slides((title, " ".join(prose[:6])), (title, " ".join(prose[6:])))


def portable(title: str, prose: list[str]) -> bytes:
    return made.pdf(made.paragraphs(*prose), title=title)


MAKERS = {"txt": text, "md": markdown, "html": web_page, "csv": table} | {
    "docx": word,
    "xlsx": workbook,
    "pptx": presentation,
    "pdf": portable,
}


if __name__ == "__main__":
    main()
