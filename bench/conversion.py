"""Converts every file of a folder: what each becomes, and what it costs.

`python bench/conversion.py --data DIR [--rounds N] [--strict]`. Every file is either text or has a named reason. Peak
memory is that of this process and of its largest worker, over all rounds.
"""

import argparse
import asyncio
import resource
import time
from collections import Counter
from pathlib import Path

from spyglass.documents import Converter
from spyglass.errors import ConversionError, DocumentError
from spyglass.settings import Settings
from table import Row, report

LIMIT, LIMIT_WITH_WORKER = 700, 950
"""Megabytes that an ingest may use; a conversion may use no more."""


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--data", type=Path, required=True, help="a folder of documents")
    arguments.add_argument("--rounds", type=int, default=1, help="how often to convert all of them (1)")
    arguments.add_argument("--strict", action="store_true", help="exit with 1 when a limit is missed")
    given = arguments.parse_args()
    files = sorted(path for path in given.data.rglob("*") if path.is_file())
    began = time.perf_counter()
    outcomes = asyncio.run(convert(files, given.rounds))
    total = outcomes.total()
    rows = [
        Row("rate", total / (time.perf_counter() - began), "files/s"),
        *(Row(outcome, count, "files") for outcome, count in outcomes.most_common()),
        Row("hung or crashed", outcomes[ConversionError.__name__], "files", 0),
        *memory(),
    ]
    report(f"Documents of {given.data}", rows)


async def convert(files: list[Path], rounds: int) -> Counter[str]:
    """Convert the files, print what became of each the first time, and count the outcomes."""
    outcomes: Counter[str] = Counter()
    async with Converter(Settings()) as converter:
        for number in range(rounds):
            for path in files:
                outcome, line = await one(converter, path)
                outcomes[outcome] += 1
                if number == 0:
                    print(line)
    return outcomes


async def one(converter: Converter, path: Path) -> tuple[str, str]:
    began = time.perf_counter()
    try:
        document = await converter.convert(path)
    except DocumentError as error:
        return type(error).__name__, f"{path.name:45.45} {'-':9} {time.perf_counter() - began:7.3f} s  {error.what}"
    seconds = time.perf_counter() - began
    notes = "".join(f"; {note}" for note in document.skipped)
    return "text", f"{path.name:45.45} {document.kind:9} {seconds:7.3f} s {len(document.text):9,} characters{notes}"


def memory() -> list[Row]:
    here = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    worker = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1000
    return [
        Row("peak memory here", here, "MB", LIMIT),
        Row("peak memory with the worker", here + worker, "MB", LIMIT_WITH_WORKER),
    ]


if __name__ == "__main__":
    main()
