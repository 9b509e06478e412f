"""The names of the columns of a row that is quoted alone: they stand at the top of its table."""

from typing import Final

from .statement import cells, is_table_head, separated

LONGEST: Final = 200_000
"""Characters above a row in which its table begins."""

LONGEST_HEAD: Final = 2_000
"""Characters of the line that names the columns."""

LOOKED_AT: Final = 5
"""Lines of a text by which it is told whether they are rows."""


def columns(text: str, start: int, end: int) -> list[str]:
    """Return the names of the columns of the table in one of whose rows `text[start:end]` lies; none elsewhere."""
    if "\n" in text[start:end].strip():
        return []
    line = text.rfind("\n", 0, start) + 1
    if text.startswith("|", line):
        return _of_table(text, line)
    return _of_lines(text, text[line : _end(text, start)], line)


def _of_table(text: str, line: int) -> list[str]:
    """Return the head of a Markdown table that has a row in this line, none where the row is the head."""
    lowest = max(0, line - LONGEST)
    while line > lowest:
        above = text.rfind("\n", 0, line - 1) + 1
        if not text.startswith("|", above):
            return []
        end = line - 1
        if is_table_head(text, end):
            return list(cells(text[above:end]))
        line = above
    return []


def _of_lines(text: str, own: str, line: int) -> list[str]:
    """Return the first line of a text whose first lines all have as many cells as one that has a number.

    An empty line among them, or a heading for the first, makes it prose.
    """
    head = list(separated(text[: _end(text, 0)][:LONGEST_HEAD]))
    if not line or len(head) < 2 or len(separated(own)) != len(head) or not any(char.isdigit() for char in own):
        return []
    first = text[: LOOKED_AT * LONGEST_HEAD].rstrip("\n").split("\n")[:LOOKED_AT]
    are_rows = not head[0].startswith("# ") and all(len(separated(one)) == len(head) for one in first)
    return head if are_rows and all(any(char.isalpha() for char in name) for name in head) else []


def _end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end
