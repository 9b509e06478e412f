"""What text recognition costs a page, in the worker.

`python bench/ocr.py [--pages N] [--file PDF]`. The pages are made up, full of lines, unless a scan is given.
"""

import argparse
import asyncio
import resource
import sys
from pathlib import Path

from spyglass.documents import Converter, Document
from spyglass.kernel.settings import Settings
from table import Row, report

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from documents import files as made

LINES = ["The harbour was built in 1871, and in 1904 a storm broke its western pier."] * 26


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--pages", type=int, default=20)
    arguments.add_argument("--file", type=Path, help="a scanned PDF")
    given = arguments.parse_args()
    data = given.file.read_bytes() if given.file else made.scan(*[LINES] * given.pages)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    found = asyncio.run(converted(data))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    sure = [part.confidence for part in found.ocr]
    report(
        f"Text recognition of {len(sure)} pages",
        [
            Row("processor time of a page, the start of the worker included", seconds / len(sure), "s"),
            Row("confidence, on average", sum(sure) / len(sure), "%"),
            Row("peak memory of the worker", after.ru_maxrss / 1000, "MB"),
        ],
    )


async def converted(data: bytes) -> Document:
    async with Converter(Settings(documents__deadline=600)) as converter:
        return await converter.convert_bytes("scan.pdf", data)


if __name__ == "__main__":
    main()
