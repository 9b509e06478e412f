"""The table that every benchmark prints: a figure, what was measured, its limit, and the ratio of the two."""

import sys
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Row:
    """One figure; `limit` is the most, or the least, that is allowed, and without one the row only informs."""

    figure: str
    measured: float
    unit: str = ""
    limit: float | None = None
    bound: Literal["most", "least"] = "most"

    @property
    def holds(self) -> bool:
        """Whether the limit is kept."""
        if self.limit is None:
            return True
        return self.measured <= self.limit if self.bound == "most" else self.measured >= self.limit

    def cells(self) -> tuple[str, ...]:
        """Return the row as it is printed."""
        measured = f"{self.measured:.4g} {self.unit}".rstrip()
        if self.limit is None:
            return self.figure, measured, "", "", ""
        sign = "≤" if self.bound == "most" else "≥"
        ratio = f"{self.measured / self.limit:.2f}" if self.limit else ""
        return (
            self.figure,
            measured,
            f"{sign} {self.limit:g} {self.unit}".rstrip(),
            ratio,
            "ok" if self.holds else "MISSED",
        )


def report(title: str, rows: list[Row]) -> None:
    """Print the rows in aligned columns; with `--strict` among the arguments, exit 1 when a limit is missed."""
    table = [("figure", "measured", "limit", "ratio", ""), *(row.cells() for row in rows)]
    widths = [max(len(cells[column]) for cells in table) for column in range(5)]
    print(f"\n{title}")
    for cells in table:
        print("  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip())
    if "--strict" in sys.argv and not all(row.holds for row in rows):
        sys.exit(1)
