"""HTML tables: their cells, and the distinction between tables of data and layout tables."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, takewhile
from typing import Final

from ...kernel.table_head import LOOKED_AT
from ..table import Row, headed_table
from .block import Block, escaped
from .markup import number

MOST_SPAN: Final = 50  # most columns or rows that a cell may span
MOST_CELLS: Final = 20_000
LONGEST_CELL: Final = 1_500  # characters; a table with a longer cell is a layout table


@dataclass(slots=True)
class Cell:
    """A cell: its blocks from index `first` up to `last`, the columns and rows it spans, and whether it is a header."""

    first: int
    last: int = 0
    heads: bool = False
    columns: int = 1
    rows: int = 1


@dataclass(slots=True)
class Grid:
    """A table being parsed; `start` is the index of its first block; `layout` is true for a layout table."""

    start: int
    layout: bool = False
    rows: list[list[Cell]] = field(default_factory=list)

    def markdown(self, blocks: Sequence[Block]) -> str:
        """Return the rows of a table of data as Markdown, the header first, or "" for a layout table.

        The header is the first rows that consist of header cells, or is detected as in any table; see
        `kernel.table_head`.
        """
        rows = [row for row in self.rows if any(cell.last > cell.first for cell in row)]
        if self.layout or len(rows) < 2 or max(map(len, rows)) < 2 or sum(map(len, rows)) > MOST_CELLS:
            return ""
        if any(block.kind == "heading" or "\n" in block.text for block in blocks[self.start :]):
            return ""
        texts = [[_text(blocks[cell.first : cell.last]) for cell in row] for row in rows]
        if any(len(text) > LONGEST_CELL for row in texts for text in row):
            return ""
        heads_by_row = (
            [cell.heads for cell, text in zip(*line, strict=True) if text] for line in zip(rows, texts, strict=True)
        )
        marked = sum(1 for _ in takewhile(all, heads_by_row)) % len(rows)
        spread = islice(_placed(rows, texts, spread=True), LOOKED_AT)
        return headed_table([*_placed(rows, texts)], marked, [*spread])


class OpenTables:
    """The open tables, each nested in the previous one; `count` is the number of blocks so far."""

    def __init__(self) -> None:
        self._grids: list[Grid] = []

    def open(self, raw: str, count: int) -> None:
        """Begin a table; a table around it becomes a layout table."""
        if self._grids:
            self._grids[-1].layout = True
        self._grids.append(Grid(count, layout="presentation" in raw))

    def open_row(self) -> None:
        """Begin a row."""
        if self._grids:
            self._grids[-1].rows.append([])

    def open_cell(self, name: str, raw: str, count: int) -> None:
        """Begin a cell, `td` or `th`, in a new row if there is none."""
        if self._grids:
            rows = self._grids[-1].rows
            if not rows:
                rows.append([])
            columns, lines = (number(raw, key, MOST_SPAN) if "span" in raw else 1 for key in ("colspan", "rowspan"))
            rows[-1].append(Cell(count, count, name == "th" or "scope" in raw, columns, lines))

    def begin_bold(self, count: int) -> None:
        """Mark the open cell as a header if its text begins here, in bold."""
        if self._grids and self._grids[-1].rows and (row := self._grids[-1].rows[-1]) and row[-1].first == count:
            row[-1].heads = True

    def close_cell(self, count: int) -> None:
        """End the last cell."""
        if self._grids and self._grids[-1].rows:
            self._grids[-1].rows[-1][-1].last = count

    def close(self, blocks: list[Block]) -> int:
        """End a table; replace the blocks of a table of data by one block. Return the number of unchanged blocks."""
        grid = self._grids.pop()
        text = grid.markdown(blocks)
        if not text:
            return len(blocks)
        cells = tuple(blocks[grid.start :])
        links, first = sum(block.links for block in cells), cells[0]
        blocks[grid.start :] = [Block("table", text, links=links, rank=first.rank, aside=first.aside, cells=cells)]
        return grid.start


def _text(blocks: Sequence[Block]) -> str:
    """Join the blocks of a cell, the items of a list with semicolons."""
    items = all(block.marker for block in blocks)
    return ("; " if items else " ").join(
        block.text if block.kind == "code" else escaped(block.text) for block in blocks
    )


def _placed(rows: list[list[Cell]], texts: list[list[str]], *, spread: bool = False) -> Iterator[Row]:
    """Yield the texts of each row by column: a cell's first column or, if `spread`, all columns in its first row."""
    covered: dict[int, int] = {}
    for cells, values in zip(rows, texts, strict=True):
        from_above, covered = covered, {column: left - 1 for column, left in covered.items() if left > 1}
        line: dict[int, str] = {}
        column = 0
        for cell, text in zip(cells, values, strict=True):
            while column in from_above:
                column += 1
            line.update(dict.fromkeys(range(column, column + (cell.columns if spread else 1)), text))
            if cell.rows > 1:
                covered.update(dict.fromkeys(range(column, column + cell.columns), cell.rows - 1))
            column += cell.columns
        yield line
