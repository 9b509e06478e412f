"""A process that owns a run, run as a program: it records `one`, and after each line that it reads, `two` and so on.

    python owner.py URL JOURNAL SKEW

It tells what came of each. Its clock is SKEW seconds wrong.
"""

import asyncio
import sys
import time
from pathlib import Path

SKEW = float(sys.argv[3])
if SKEW:
    right = time.time
    time.time = lambda: right() + SKEW


def tell(line: str) -> None:
    """Say a line to who has started us."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


async def main() -> None:
    from spyglass.kernel.database.database import Database
    from spyglass.kernel.errors import LeaseError
    from spyglass.kernel.journal import Answer
    from spyglass.kernel.journal.shared import SharedJournal

    database = Database(sys.argv[1])
    journal = SharedJournal(Path(sys.argv[2]), database)
    await journal.take_async()
    for name in ("one", "two", "three"):
        try:
            journal.record(name, "ask", {}, Answer(value=SKEW))
            await journal.flush()
            tell(f"kept {name}")
        except LeaseError as error:
            tell(f"refused {name}: {error}")
        sys.stdin.readline()
    database.close()


asyncio.run(main())
