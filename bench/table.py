"""Prints what a benchmark measured beside its limit."""

import sys
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """A figure with its limit: at most `limit`, or at least it where `least`; without a limit it only tells."""

    figure: str
    measured: float
    limit: float | None = None
    least: bool = False

    @property
    def kept(self) -> bool:
        """Whether the figure is on the right side of its limit."""
        if self.limit is None:
            return True
        return self.measured >= self.limit if self.least else self.measured <= self.limit

    def cells(self) -> tuple[str, str, str, str, str]:
        """Return the row as text."""
        if self.limit is None:
            return self.figure, f"{self.measured:,.3g}", "", "", ""
        sign = "≥" if self.least else "≤"
        ratio = f"{self.measured / self.limit:.2f}"
        return self.figure, f"{self.measured:,.3g}", f"{sign} {self.limit:g}", ratio, "kept" if self.kept else "MISSED"


def show(title: str, rows: list[Row]) -> int:
    """Print the rows; return an exit code, which is 1 for a missed limit when `--strict` was given."""
    table = [("figure", "measured", "limit", "ratio", ""), *(row.cells() for row in rows)]
    widths = [max(len(cells[column]) for cells in table) for column in range(5)]
    print(title)
    for cells in table:
        figure, *others = (
            cell.ljust(width) if not place else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(cells, widths, strict=True))
        )
        print("  ".join([figure, *others]).rstrip())
    return int("--strict" in sys.argv and not all(row.kept for row in rows))
