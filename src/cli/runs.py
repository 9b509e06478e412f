"""`spyglass runs`."""

import json
from collections.abc import Sequence

from ..kernel.one_line import shortened, tamed
from ..kernel.settings import Settings
from ..runs import RunStore, StoredRun
from ..runs.stored import INTERRUPTED
from .console import LastingConsole, write

NUMBERS = range(4, 7)  # the columns that are numbers
LONGEST_QUESTION = 60  # characters of a question that the list shows


def list_runs(settings: Settings, most: int, *, as_json: bool) -> None:
    """Print so many runs that are kept, the latest first, and how to go on with one that was interrupted."""
    found = RunStore.of(settings).all(most + 1)
    runs = found[:most]
    if as_json:
        write(json.dumps([run.to_record() for run in runs], indent=2) + "\n")
        return
    console = LastingConsole()
    if not runs:
        console.print("There is no run yet.")
        return
    for line in _lines(runs):
        console.print(line, markup=False)
    if len(found) > most:
        console.print(f"There are older ones: spyglass runs --most {10 * most}", markup=False)
    waiting = next(
        (run for run in runs if run.settings is not None and run.outcome in (INTERRUPTED, "cancelled", "failed")), None
    )
    if waiting is not None:
        console.print(f"Go on with the latest that has not ended: spyglass resume {waiting.id}", markup=False)


def _lines(runs: Sequence[StoredRun]) -> list[str]:
    """Return the runs in aligned columns, the question last."""
    rows = [("run", "makes", "began (UTC)", "outcome", "calls", "cost", "size", "question"), *map(_cells, runs)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(NUMBERS) + NUMBERS.start)]
    return ["  ".join([*map(_padded, range(len(widths)), row, widths), row[-1]]) for row in rows]


def _padded(column: int, cell: str, width: int) -> str:
    return cell.rjust(width) if column in NUMBERS else cell.ljust(width)


def _cells(run: StoredRun) -> tuple[str, ...]:
    shown = shortened(" ".join((run.question or run.problem).split()), LONGEST_QUESTION)
    cost = "unknown" if run.cost is None else f"${run.cost:.4f}"
    began = run.began[:16].replace("T", " ")
    size = f"{run.size / 1e6:.1f} MB"
    return run.id, run.kind, began, run.outcome.replace("_", " "), str(run.calls), cost, size, tamed(shown)
