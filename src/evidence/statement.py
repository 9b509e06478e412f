"""Splits a passage into the statements that can be quoted: whole sentences, and rows and lines of data."""

import csv
import html
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from ..kernel.one_line import one_line
from ..kernel.sentence import heads, sentence_spans
from ..kernel.source import Passage
from ..kernel.table_head import Row, head_of, marked_head
from ..kernel.term import SAID_IN_BRACKETS, fold
from .leaning import leans
from .lexicon import denies
from .relevance import roots

FENCED = re.compile(
    r"(?ms:^[ ]{0,3}(?P<fence>`{3,}+|~{3,}+)[^\n]*\n(?P<code>.*?)(?P<close>^[ ]{0,3}(?P=fence)[`~]*[ \t]*$|\Z))"
)
"""A block of code, from its first fence to its last, or to the end of the text; then its `close` is empty."""

_FRONT_MATTER = re.compile(r"---[ \t]*\n.*?\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_WORD = re.compile(r"\d[\d.,:/-]*\d|\w+(?:['’]t\b)?")
_UNDERLINE = re.compile(r"[ \t]*\n[ ]{0,3}(?:={2,}|-{2,})[ \t]*(?:\n|\Z)")
_RULER = re.compile(r"[^\n]*\n[ \t]*\|?[ \t]*:?-{3,}")
_ABOVE_CODE = re.compile(r"[ \t]*\n(?:[ \t]*\n)?[ ]{0,3}(?:```|~~~)")
_ABOVE_LIST = re.compile(r"[ \t]*\n(?:[ \t]*\n)?[ ]{0,3}(?:[-*+]|\d{1,9}[.)])[ \t]+\S")
_NOTE = r"(?:\d{1,3}|[a-z]|note \d{1,2})"
_TAGS = (
    "a|abbr|b|big|blockquote|br|center|cite|dd|del|details|div|dl|dt|em|figcaption|figure|font|h[1-6]|hr|i|iframe|img|"
    "ins|kbd|li|mark|ol|p|picture|pre|q|s|samp|script|small|span|strike|strong|style|sub|summary|sup|svg|table|tbody|td|"
    "tfoot|th|thead|tr|tt|u|ul|var|wbr"
)
"""HTML tags used in Markdown; any other name in angle brackets is a placeholder: `<file>`, `<base>/out`."""

_ATTRIBUTE = r"""\s+[a-zA-Z][\w:-]*(?:\s*=\s*(?:"[^"<>]*"|'[^'<>]*'|[^\s"'<>]+))?"""
_OPENS, _CLOSES = r"""[\w"'“‘«(\[`$€£#@+~.-]""", r"""[\w"'”’»)\]`%.,:;!?…-]"""
"""First and last characters of emphasized text; a star between quotation marks is literal."""

_MARKUP: tuple[tuple[re.Pattern[str], str], ...] = (
    (
        re.compile(
            rf"<!--.*?(?:-->|\Z)|(?<!\\)</?(?:{_TAGS})(?:{_ATTRIBUTE}){{0,20}}\s*/?>", re.DOTALL | re.IGNORECASE
        ),
        " ",
    ),
    (re.compile(r"!\[[^\[\]\n]{0,500}\](?:\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\))?"), " "),
    (re.compile(rf"\[\\?\[{_NOTE}\\?\]\](?:\([^()\n]*\))?|(?<!\\)\[{_NOTE}\](?:\([^()\n]*\))?|\\\[{_NOTE}\\\]"), ""),
    (re.compile(r"\[(?<!\\\[)([^\[\]]{0,500})(?<!\\)\]\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)"), r"\1"),
    (re.compile(r"(?<![\w)\]\\])\[(?=[\w`*][^\[\]]*[^\W\d_]{3})([^\[\]\n]{1,500})\]\[[^\[\]\n]{0,100}\]"), r"\1"),
    (re.compile(r"(?<!\w)\{[a-z][\w:.+-]{0,40}\}(?=`[^`\n])"), ""),
    (re.compile(r"(?<!`)`++(?!\S[^`\n]*+(?<=[\s(\[])`++\w)([^`\n]++)`++"), r"\1"),  # except `such' quotes
    (re.compile(r"(\*\*\*|\*\*)(?=\S)(.{1,1000}?)(?<=\S)\1", re.DOTALL), r"\2"),
    (re.compile(r"\A\*\*(?=[^\W\d_a-zß-öø-ÿ])|(?<=[.!?:…])\*\*\Z"), ""),  # of a run of bold type over two sentences
    (re.compile(r"(?<![\w\\])(___?)(?!\w+\1)(?=[^\s_])(.{1,1000}?)(?<=\S)\1(?!\w)", re.DOTALL), r"\2"),
    (re.compile(rf"(?<![\w*\\])\*(?={_OPENS})([^*\n]{{1,500}})(?<={_CLOSES})\*(?![\w*])"), r"\1"),
    (re.compile(rf"(?<![\w_\\])_(?={_OPENS})([^_\n]{{1,500}})(?<={_CLOSES})_(?![\w_])"), r"\1"),
    (re.compile(r"\n[ ]{0,3}>(?:[ ]?>)*[ ](?=[^\d\s=<>])"), "\n"),
    (re.compile(r"\\([!-/:-@\[-`{-~])"), r"\1"),
)
"""Markup that is not visible to a reader, with its replacement: tags, pictures, footnote numbers, links, MyST roles,
code, emphasis, escapes, the marks of a quoted block."""

_UNSEEN = re.compile(
    r"<!--.*?-->|!\[[^\[\]]{0,2000}\](?:\([^()\n]{0,2000}(?:\([^()\n]{0,500}\)[^()\n]{0,500})*\))?", re.DOTALL
)
"""Comments and pictures, whose text would otherwise be taken for sentences."""

_ENDED = re.compile(r"(?<!\.\.)[.!。！।۔][\"'”’“»›)\]』」]*(?:\[[^\[\]\n]{1,25}\])*$")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_BOILERPLATE = re.compile(
    r"\ball rights reserved\b|\bcookies?\b.{0,40}\b(?:accept|use|policy|settings)|\bclick here\b|\bsubscribe\b"
    r"|\bsign (?:in|up)\b|\bprivacy policy\b|\bterms of (?:use|service)\b|\bskip to (?:main )?content\b|©|\bcopyright\b"
    r"|\bjump to (?:navigation|search)\b|\blog in\b|\bedit this page\b",
    re.IGNORECASE,
)
_LINK_ONLY = re.compile(r"[\W\d_]*\[[^\[\]]*\]\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)[\W\d_]*")
_DATA = re.compile(r"""["'][\w$-]{1,60}["']\s{0,9}:\s|[^{]*["']\s{0,9},\s{0,9}["'][\w$-]{1,60}["']\s{0,9}:""")
"""Lines that begin with a JSON key, or have one behind a value, without the opening brace."""

_NAME = re.compile(r"(?!unnamed: \d|nan$)[^\W_].{0,60}", re.IGNORECASE)
_WITH_WHAT_IS_SAID = re.compile(rf"\S{{1,60}} {SAID_IN_BRACKETS}")
_SETTING = re.compile(r"\w ?= ?[^\s=]")
_COLUMNS = re.compile(r"[^\W_][^\n]*?(?:[ ]{2,}|\t[ ]*| · )[^\W_]")
_EMPTY_CELL = re.compile(r"nan|none|null|unnamed: \d+|-+|", re.IGNORECASE)

_SHORT = re.compile(r"[^\W\d_]\S*(?:\s+\S+){0,3}(?<=[^\W_][.!])")
_OPENED = re.compile(r"(?:\A|\n[ \t]*\n)[ \t]*\Z")
_GOES_ON = re.compile(r"[ \t]*\n?[ \t]*[^\W_]")
"""A sentence of a few words; the text before the first sentence of a paragraph; the text behind all but its last."""

SHORTEST, LONGEST = 20, 450
"""Fewest and most characters of a sentence that can be quoted alone: “Dogs are not allowed.”"""

FEWEST_WORDS, SHORTEST_WIDE = 4, 12
"""Fewest words of such a sentence; and fewest characters, where words are not separated, as in Chinese."""

SEPARATORS = ("\t", ";", ",")
"""Separators of the cells in a line of data, in order of preference."""

LONGEST_ROW = 300
"""Most characters of a row or line that is a statement; longer ones are data."""

MOST_ROWS = 0.8
"""The least share of the lines that are rows, for a text to be one: a separator in a cell makes another width."""

LEAST_WORDS = 3
"""Fewest words of a sentence that is a paragraph of its own."""

LEAST_LEAD_IN = 5
"""Fewest words of a line that introduces a block of code or a list rather than only naming it."""

Kind = Literal["sentence", "row"]


@dataclass(frozen=True, slots=True)
class Statement:
    """A quotable span of a snapshot; `text` is its visible text, in one line without markup.

    `roots` are those of its content words. The text of a table row includes the column names, which are outside the
    span. `decisive` are its numbers and names, and `not` if it negates: statements that differ in these may disagree.
    """

    start: int
    end: int
    text: str
    kind: Kind
    roots: frozenset[str]
    decisive: frozenset[str]

    @property
    def leans(self) -> bool:
        """Whether it depends on the sentence before it; see `leans`."""
        return leans(self.text)


def statements(passage: Passage, before: str = "", after: str = "") -> list[Statement]:
    """Return the statements wholly within a passage, in order, with offsets in the snapshot.

    `before` and `after` are the snapshot's text around the passage, to detect sentences that the passage cuts off;
    these are left out. `before` must not begin within a block of code: its closing fence would be taken for an opening
    one. Headings, lines that only name what follows, code, pictures and boilerplate are not statements.
    """
    window = before + passage.text + after
    offset = passage.start - len(before)
    code = [match.span() for match in FENCED.finditer(window)]
    if offset == 0 and (front := _FRONT_MATTER.match(window)):
        code.insert(0, front.span())
    found: list[Statement] = []
    head: Sequence[str] = passage.columns
    names, data = (passage.columns, 0) if offset else head_of_lines(window)
    if names and _are_rows(window[data:], len(names), is_cut=offset > 0):
        rows = _lines(window[data:], offset + data, names)
        return [replace(row, kind="row") for row in rows if passage.start <= row.start and row.end <= passage.end]
    for start, end in _answers_whole(window, sentence_spans(_UNSEEN.sub(lambda match: " " * len(match[0]), window))):
        is_row = window[start] == "|"
        if is_row and is_table_head(window, end):
            head, data = table_head(window, start, end)
        elif not is_row and offset + start > passage.start:  # what is before may be the end of a row
            head = ()
        if (is_row and start < data) or within(code, start) or _is_title(window, start, end):
            continue
        text, kind = _read(window[start:end], head, is_paragraph=_is_paragraph(window, start, end))
        if kind != "sentence" and _tabular(window[start:end]):
            found += (line for line in _lines(window[start:end], offset + start, names) if line.start >= offset + data)
        elif (_ABOVE_CODE.match(window, end) or _ABOVE_LIST.match(window, end)) and _leads_in(text):
            found.append(_statement(offset + start, offset + end, text, "sentence"))
        elif kind and (kind == "sentence" or is_row or not _ABOVE_CODE.match(window, end)):
            found.append(_statement(offset + start, offset + end, text, kind))
    return [statement for statement in found if passage.start <= statement.start and statement.end <= passage.end]


def _answers_whole(window: str, spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the sentences; a short one that opens a paragraph ("No.", "Not quite.") is joined to the next."""
    opening: int | None = None
    for start, end in spans:
        first = start if opening is None else opening
        is_short = opening is None and _SHORT.fullmatch(window[start:end]) and _GOES_ON.match(window, end)
        opening = start if is_short and _OPENED.search(window[max(0, start - 200) : start]) else None
        if opening is None:
            yield first, end


def _is_paragraph(window: str, start: int, end: int) -> bool:
    """Whether a sentence of three or four words is a paragraph, as in a manual's description of an option."""
    sentence = window[start:end]
    return (
        _SHORT.fullmatch(sentence) is not None
        and len(sentence.split()) >= LEAST_WORDS
        and _OPENED.search(window[max(0, start - 200) : start]) is not None
        and _GOES_ON.match(window, end) is None
    )


def _leads_in(text: str) -> bool:
    """Whether a line introduces the code or the list below it rather than only naming it."""
    return text.endswith((":", "：")) and (len(text.split()) >= LEAST_LEAD_IN or _WIDE.search(text) is not None)


def _statement(start: int, end: int, text: str, kind: Kind) -> Statement:
    return Statement(start, end, text, kind, roots(text), decisive(text))


def decisive(text: str) -> frozenset[str]:
    """Return the numbers and names of a text, and `not` if it has a negator."""
    words = _WORD.findall(text)
    numbers = {word for word in words if word[0].isdigit()}
    names = {word for word in words[1:] if word[0].isupper()}
    denied = {"not"} if any(map(denies, map(fold, words))) else set()
    return frozenset(numbers | names | denied)


def _are_rows(text: str, width: int, *, is_cut: bool) -> bool:
    """Whether nearly all lines are rows of data of this width, whatever sentences are in them.

    The last one may be cut off, and the first one if the text `is_cut` there.
    """
    widths = [len(separated(line, width)) for line in text.split("\n") if line.strip()]
    whole = widths[is_cut : max(1, len(widths) - 1)]
    return bool(whole) and sum(one == width for one in whole) >= MOST_ROWS * len(whole)


def _tabular(raw: str) -> bool:
    """Whether a block is lines of data: the same number of separators in each line, or a JSON value in each.

    The first and last lines may be cut off, so they count only if there are no others.
    """
    lines = raw.splitlines()
    inner = lines[1:-1] if len(lines) > 3 else lines
    if len(lines) < 2:
        return False
    if all(line.lstrip().startswith(("{", "[")) for line in inner):
        return True
    counts = ({line.count(separator) for line in inner} for separator in ",;\t")
    return any(len(count) == 1 and min(count) > 0 for count in counts)


def _lines(raw: str, offset: int, names: Sequence[str]) -> Iterator[Statement]:
    """Yield each line of a block as a statement."""
    for start, end, head in lines_of_data(raw, names):
        text, kind = _read(raw[start:end], head)
        if kind:
            yield _statement(offset + start, offset + end, text, kind)


def lines_of_data(raw: str, names: Sequence[str]) -> Iterator[tuple[int, int, Sequence[str]]]:
    """Yield the start and end of each line of a block, with the column names if the line has as many cells."""
    for match in re.finditer(r"\S(?:[^\n]*\S)?", raw):
        yield *match.span(), names if len(separated(match[0], len(names))) == len(names) else ()


def visible(text: str) -> str:
    """Return the visible text of Markdown or HTML, in one line."""
    for pattern, replacement in _MARKUP:
        text = pattern.sub(replacement, text)
    return one_line(html.unescape(text))


def shown(raw: str, head: Sequence[str] = ()) -> str:
    """Return the visible text of a statement's span: of a table row its cells, of anything else the text."""
    if not raw.startswith("|") and not head:
        return visible(raw)
    return row_text(cells(raw) if raw.startswith("|") else separated(raw, len(head)), head)


def row_text(row: Sequence[str], head: Sequence[str]) -> str:
    """Return the visible text of a row's cells, each preceded by its column name, if it has one.

    In a row of two cells without column names the first cell is the name of the second.
    """
    if len(row) == 2 and head and not any(head) and _NAME.fullmatch(row[0]) and not _EMPTY_CELL.fullmatch(row[1]):
        row, head = row[1:], row[:1]
    names = [*(name.rstrip(": ") for name in head), *[""] * (len(row) - len(head))]
    pairs = [(name, cell) for name, cell in zip(names, row, strict=False) if not _EMPTY_CELL.fullmatch(cell)]
    return " · ".join(f"{name}: {cell}" if _NAME.fullmatch(name) else cell for name, cell in pairs)


def separated(line: str, width: int = 0) -> tuple[str, ...]:
    """Return the cells of a line, split at the first of SEPARATORS that it contains; one cell if it has none.

    The first one by which it has `width` cells is preferred: a remark may contain another one.
    """
    rows = [_split(line, mark) for mark in SEPARATORS if mark in line] or [_split(line, SEPARATORS[-1])]
    return next((row for row in rows if len(row) == width), rows[0])


def _split(line: str, separator: str) -> tuple[str, ...]:
    try:
        return tuple(cell.strip() for cell in next(csv.reader([line], delimiter=separator), []))
    except csv.Error:  # a cell is too long, or ends within a line
        return (line,)


def cells(row: str) -> tuple[str, ...]:
    """Return the visible text of each cell of a table row."""
    return tuple(visible(cell) for cell in row.strip().removeprefix("|").removesuffix("|").split("|"))


def is_heading(text: str, start: int) -> bool:
    """Whether the text at an offset is that of a `#` heading."""
    return text[text.rfind("\n", 0, start) + 1 : start].lstrip(" >\t").startswith("#")


def is_table_head(text: str, end: int) -> bool:
    """Whether the row that ends at an offset is a table head: a ruler (`|---|`) follows."""
    return bool(_RULER.match(text, end))


def _read(raw: str, head: Sequence[str], *, is_paragraph: bool = False) -> tuple[str, Kind | None]:
    """Return the visible text of a span, and its kind of statement; None if it is not one."""
    text = shown(raw, head)
    if raw.startswith("|"):
        return text, "row" if 3 < len(text) <= LONGEST_ROW and not text.endswith(":") else None
    if _BOILERPLATE.search(text) or _DATA.match(text):
        return text, None
    if is_paragraph or _reads(text):
        return text, "sentence"
    return text, "row" if _informs(text, raw) else None


def _informs(text: str, raw: str) -> bool:
    """Whether a line other than a sentence has information: it is not a question, label, link, or broken markup."""
    if not 3 < len(text) <= LONGEST_ROW or text.endswith(("?", ":")) or "](" in text or _LINK_ONLY.fullmatch(raw):
        return False
    says = _WIDE.search(text) or _WITH_WHAT_IS_SAID.fullmatch(text) or _SETTING.search(text) or _COLUMNS.match(raw)
    return says is not None or len(text.split()) >= 5 or any(map(str.isdigit, text))


def _reads(text: str) -> bool:
    """Whether a text is a complete sentence: has an end, consists of words, and is neither too short nor too long."""
    if not _ENDED.search(text) or len(text) > LONGEST:
        return False
    if _WIDE.search(text):
        return len(text) >= SHORTEST_WIDE
    letters = sum(char.isalpha() for char in text)
    capitals = sum(char.isupper() for char in text)
    dense = letters >= 0.6 * len(text.replace(" ", ""))
    is_long = len(text) >= SHORTEST and len(text.split()) >= FEWEST_WORDS
    has_number = len(text.split()) >= 3 and any(map(str.isdigit, text))  # "The default is 20."
    return (is_long or has_number) and dense and capitals <= 0.5 * letters


def _is_title(window: str, start: int, end: int) -> bool:
    return is_heading(window, start) or _is_underlined(window, start, end) or heads(window, start) == end


def _is_underlined(window: str, start: int, end: int) -> bool:
    line = window.rfind("\n", 0, start) + 1
    return "\n" not in window[start:end] and bool(_UNDERLINE.match(window, end)) and not window[line:start].strip()


def within(spans: list[tuple[int, int]], position: int) -> bool:
    """Whether a position is within one of the spans, which are in order and do not overlap."""
    index = bisect_right(spans, position, key=lambda span: span[0]) - 1
    return index >= 0 and position < spans[index][1]


_FARTHEST = 200_000
"""Most characters between a row and the start of its table."""

_LONGEST_HEAD = 2_000
"""Most characters of the line with the column names."""

_LOOKED_AT = 5
"""Number of first lines by which a text is recognized as rows."""


def columns(text: str, start: int, end: int) -> list[str]:
    """Return the column names of the table with `text[start:end]` in one of its rows; an empty list elsewhere."""
    if "\n" in text[start:end].strip():
        return []
    line = text.rfind("\n", 0, start) + 1
    if text.startswith("|", line):
        return _of_table(text, line)
    names, begins = head_of_lines(text)
    is_row = line >= begins and len(separated(text[line : _end(text, start)], len(names))) == len(names)
    return names if is_row else []


def columns_above(text: str, start: int) -> list[str]:
    """Return the names of the columns of the table in which the passage at an offset begins, if they are before it."""
    line = text.rfind("\n", 0, start) + 1
    if text.startswith("|", line):
        return _of_table(text, line)
    names, begins = head_of_lines(text)
    return names if 0 < begins <= line else []


def _of_table(text: str, line: int) -> list[str]:
    """Return the column names of the Markdown table with a row at `line`; an empty list if the row is the head."""
    lowest, at = max(0, line - _FARTHEST), line
    while text.startswith("|", at):
        if is_table_head(text, end := _end(text, at)):
            names, begins = table_head(text, at, end)
            return list(names) if begins <= line else []
        if at <= lowest:
            break
        at = text.rfind("\n", 0, at - 1) + 1
    return []


def table_head(text: str, start: int, end: int) -> tuple[Sequence[str], int]:
    """Return the column names of a Markdown table whose first row is at `start`, and the offset of its data rows.

    The next rows may continue the names. The first row may be a data row, as in a table that continues from the page
    before: then the names are empty.
    """
    rows, starts = [_cells_by_column(cells(text[start:end]))], [start]
    below = _end(text, _end(text, end) + 1) + 1
    while len(rows) < _LOOKED_AT and text.startswith("|", below):
        starts.append(below)
        rows.append(_cells_by_column(cells(text[below : _end(text, below)])))
        below = _end(text, below) + 1
    head = marked_head(rows)
    width = len(cells(text[start:end]))
    return _listed(head.names, width), [*starts, end][head.size]


def _cells_by_column(row: Sequence[str]) -> Row:
    return {column: cell for column, cell in enumerate(row) if not _EMPTY_CELL.fullmatch(cell)}


def _listed(names: Row, width: int) -> list[str]:
    return [names.get(column, "") for column in range(width)]


def head_of_lines(text: str) -> tuple[list[str], int]:
    """Return the column names in the first lines of a text, and the offset of the lines below them.

    A text with an empty line among the first ones, or a heading as the first, is prose.
    """
    first = text[: _LOOKED_AT * _LONGEST_HEAD].rstrip("\n").split("\n")[:_LOOKED_AT]
    width = len(separated(first[0][:_LONGEST_HEAD]))
    rows = [separated(line[:_LONGEST_HEAD], width) for line in first]
    if width < 2 or first[0].startswith(("# ", "|")) or any(len(row) != width for row in rows):
        return [], 0
    head = head_of([*map(_cells_by_column, rows)])
    return _listed(head.names, width) if head.size else [], sum(len(line) + 1 for line in first[: head.size])


def _end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end
