"""Converts every file of a folder: what each becomes, and what it costs.

`python bench/conversion.py --data DIR [--rounds N] [--strict]`. Every file is either text or has a named reason; as
many are converted at once as there are cores. Peak memory is that of this process and of its largest worker, over all
rounds. The time of PDFs is that of the processor, start of the workers included, so other processes do not add to it.
"""

import argparse
import asyncio
import resource
import time
from collections import Counter
from pathlib import Path

from spyglass.documents import Converter
from spyglass.kernel.errors import ConversionError, DocumentError
from spyglass.kernel.settings import Settings
from table import Row, report

LIMIT_PAGE = 15
"""Milliseconds of processor time that a page of a PDF may take."""

MANY_PAGES = 200
"""Pages beside which the start of the workers is little; with fewer there is no limit."""

LIMIT, LIMIT_WITH_WORKER = 700, 950
"""Megabytes that an ingest may use; a conversion may use no more."""


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--data", type=Path, required=True, help="a folder of documents")
    arguments.add_argument("--rounds", type=int, default=1, help="how often to convert all of them (1)")
    arguments.add_argument("--strict", action="store_true", help="exit with 1 when a limit is missed")
    given = arguments.parse_args()
    files = sorted(path for path in given.data.rglob("*") if path.is_file())
    pdfs = [path for path in files if path.suffix.lower() == ".pdf"]
    outcomes, pages = asyncio.run(convert(pdfs, given.rounds))
    of_pages = processor_seconds()
    began = time.perf_counter()
    others, _ = asyncio.run(convert([path for path in files if path not in pdfs], given.rounds))
    seconds = time.perf_counter() - began
    outcomes += others
    rows = [
        *(
            [Row("a page of a PDF", of_pages / pages * 1000, "ms", LIMIT_PAGE if pages >= MANY_PAGES else None)]
            if pages
            else []
        ),
        Row("rate of others", others.total() / seconds, "files/s"),
        *(Row(outcome, count, "files") for outcome, count in outcomes.most_common()),
        Row("hung or crashed", outcomes[ConversionError.__name__], "files", 0),
        *memory(),
    ]
    report(f"Documents of {given.data}", rows)


async def convert(files: list[Path], rounds: int) -> tuple[Counter[str], int]:
    """Convert the files, print what became of each the first time; count the outcomes, and the pages of all rounds."""
    outcomes: Counter[str] = Counter()
    pages = 0
    async with Converter(Settings()) as converter:
        for number in range(rounds):
            for outcome, line, size in await asyncio.gather(*(one(converter, path) for path in files)):
                outcomes[outcome] += 1
                pages += size
                if number == 0:
                    print(line)
    return outcomes, pages


def processor_seconds() -> float:
    """Return the processor time of the workers that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


async def one(converter: Converter, path: Path) -> tuple[str, str, int]:
    """Return what became of a file, the line that tells it, and how many pages it has."""
    began = time.perf_counter()
    try:
        document = await converter.convert(path)
    except DocumentError as error:
        line = f"{path.name:45.45} {'-':9} {time.perf_counter() - began:7.3f} s  {error.what}"
        return type(error).__name__, line, 0
    seconds = time.perf_counter() - began
    notes = "".join(f"; {note}" for note in document.skipped)
    line = f"{path.name:45.45} {document.kind:9} {seconds:7.3f} s {len(document.text):9,} characters{notes}"
    return "text", line, len(document.pages)


def memory() -> list[Row]:
    here = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    worker = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1000
    return [
        Row("peak memory here", here, "MB", LIMIT),
        Row("peak memory with the worker", here + worker, "MB", LIMIT_WITH_WORKER),
    ]


if __name__ == "__main__":
    main()
