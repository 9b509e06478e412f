"""Converts every file of a folder: what each becomes, what it costs, and the cost beside markitdown's own readers.

`python bench/documents.py --data DIR [--rounds N] [--strict]`. Every file is either text or has a named reason. Peak
memory is that of this process and of its largest worker, over all rounds.
"""

import argparse
import asyncio
import io
import resource
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path, PurePath

from spyglass.documents import Converter, kind_of, reader
from spyglass.documents.kind import HEAD
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
        *rivals(files),
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


def rivals(files: list[Path]) -> list[Row]:
    """Return how many times as long markitdown takes for the kinds that are read without it, in this process."""
    from markitdown import StreamInfo, converters

    theirs = {"pdf": converters.PdfConverter(), "xlsx": converters.XlsxConverter(), "xls": converters.XlsConverter()}
    rows = []
    for kind, rival in theirs.items():
        contents = [path.read_bytes() for path in files if kind_of(path, path.read_bytes()[:HEAD]) == kind]
        if contents:
            ours = seconds(lambda data, kind=kind: reader.read(kind, PurePath("a"), data), contents)
            other = seconds(lambda data, rival=rival: rival.convert(io.BytesIO(data), StreamInfo()), contents)
            rows += [
                Row(f"{len(contents)} {kind}", ours * 1000, "ms"),
                Row(f"{len(contents)} {kind}, markitdown beside ours", other / ours, "times", 1, "least"),
            ]
    return rows


def seconds(read: Callable[[bytes], object], contents: list[bytes]) -> float:
    """Return how long reading all takes, once all has been imported."""
    for warm in (True, False):
        began = time.perf_counter()
        for data in contents[: 1 if warm else None]:
            with suppress(DocumentError):
                read(data)
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
