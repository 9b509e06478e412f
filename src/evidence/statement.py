"""Splits a passage into the statements that can be quoted: whole sentences, and rows and lines of data."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from ..kernel.cells import separated
from ..kernel.sentence import heads, sentence_spans
from ..kernel.source import Passage
from ..kernel.term import SAID_IN_BRACKETS, fold
from .leaning import leans
from .lexicon import denies
from .relevance import roots
from .rows import (
    MARKED,
    blanked,
    cells,
    end_of_rows,
    head_of_lines,
    is_table_head,
    lines_of_data,
    row_text,
    table_head,
)
from .visible_text import visible

FENCED = re.compile(
    r"(?ms:^[ ]{0,3}(?P<fence>`{3,}+|~{3,}+)[^\n]*\n(?P<code>.*?)(?P<close>^[ ]{0,3}(?P=fence)[`~]*[ \t]*$|\Z))"
)
"""A block of code, from its first fence to its last, or to the end of the text; then its `close` is empty."""

_FRONT_MATTER = re.compile(r"---[ \t]*\n.*?\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_WORD = re.compile(r"\d[\d.,:/-]*\d|\w+(?:['’]t\b)?")
_UNDERLINE = re.compile(r"[ \t]*\n[ ]{0,3}(?:={2,}|-{2,})[ \t]*(?:\n|\Z)")
_ABOVE_CODE = re.compile(r"[ \t]*\n(?:[ \t]*\n)?[ ]{0,3}(?:```|~~~)")
_ABOVE_LIST = re.compile(r"[ \t]*\n(?:[ \t]*\n)?[ ]{0,3}(?:[-*+]|\d{1,9}[.)])[ \t]+\S")
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

_WITH_WHAT_IS_SAID = re.compile(rf"\S{{1,60}} {SAID_IN_BRACKETS}")
_SETTING = re.compile(r"\w ?= ?[^\s=]")
_COLUMNS = re.compile(r"[^\W_][^\n]*?(?:[ ]{2,}(?:·[ ]+)?|\t[ ]*)[^\W_]")
_SHORT = re.compile(r"[^\W\d_]\S*(?:\s+\S+){0,3}(?<=[^\W_][.!])")
_OPENED = re.compile(r"(?:\A|\n[ \t]*\n)[ \t]*\Z")
_GOES_ON = re.compile(r"[ \t]*\n?[ \t]*[^\W_]")
"""A sentence of a few words; the text before the first sentence of a paragraph; the text behind all but its last."""

SHORTEST, LONGEST = 20, 900
"""Fewest characters of a sentence that can be quoted alone: “Dogs are not allowed.” And most of one, as in a contract,
and of a row of a table with the names of its columns: rows are long where a cell has what to do, or a record a dozen
columns. Longer ones are data."""

FEWEST_WORDS, SHORTEST_WIDE = 4, 12
"""Fewest words of such a sentence; and fewest characters, where words are not separated, as in Chinese."""

LONGEST_LISTED = 450
"""Most characters of a sentence of several lines that each begin like one, as in a list of headings."""

LONGEST_LINE = 300
"""Most characters of a line other than a sentence that is a statement; longer ones are data."""

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
    names, data = head_of_lines(window) if not offset else ((), 0) if MARKED.search(window) else (passage.columns, 0)
    if stop := end_of_rows(window, data, len(names), is_cut=offset > 0):
        found += (replace(row, kind="row") for row in _lines(window[data:stop], offset + data, names))
        data = stop
    first_line = window.find("\n", len(before))  # that of the passage, which may be the end of a row
    prose = _UNSEEN.sub(lambda match: " " * len(match[0]), blanked(window, stop))
    for start, end in _answers_whole(window, sentence_spans(prose)):
        is_row = window[start] == "|"
        if is_row and is_table_head(window, end):
            head, data = table_head(window, start, end)
        elif not is_row and (start > first_line or not passage.columns):
            head = ()
        if (is_row and start < data) or within(code, start) or _is_title(window, start, end):
            continue
        own = head if is_row else ()
        text, kind = _read(window[start:end], own, is_paragraph=_is_paragraph(window, start, end))
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


def shown(raw: str, head: Sequence[str] = ()) -> str:
    """Return the visible text of a statement's span: of a table row its cells, of anything else the text."""
    if not raw.startswith("|") and not head:
        return visible(raw)
    return row_text(cells(raw) if raw.startswith("|") else separated(raw, len(head)), head)


def is_heading(text: str, start: int) -> bool:
    """Whether the text at an offset is that of a `#` heading."""
    return text[text.rfind("\n", 0, start) + 1 : start].lstrip(" >\t").startswith("#")


def _read(raw: str, head: Sequence[str], *, is_paragraph: bool = False) -> tuple[str, Kind | None]:
    """Return the visible text of a span, and its kind of statement; None if it is not one."""
    text = shown(raw, head)
    if raw.startswith("|"):
        return text, "row" if 3 < len(text) <= LONGEST and not text.endswith(":") else None
    if _BOILERPLATE.search(text) or _DATA.match(text):
        return text, None
    if is_paragraph or (_reads(text) and (len(text) <= LONGEST_LISTED or _runs_on(raw))):
        return text, "sentence"
    return text, "row" if _informs(text, raw, LONGEST if head else LONGEST_LINE) else None


def _informs(text: str, raw: str, longest: int) -> bool:
    """Whether a line other than a sentence has information: it is not a question, label, link, or broken markup."""
    if not 3 < len(text) <= longest or text.endswith(("?", ":")) or "](" in text or _LINK_ONLY.fullmatch(raw):
        return False
    says = _WIDE.search(text) or _WITH_WHAT_IS_SAID.fullmatch(text) or _SETTING.search(text) or _COLUMNS.match(raw)
    return says is not None or len(text.split()) >= 5 or any(map(str.isdigit, text))


def _runs_on(raw: str) -> bool:
    """Whether the lines of a sentence continue each other: half of those after the first have no capital or digit."""
    first_letters = [line.lstrip()[:1] for line in raw.splitlines()[1:]]
    return 2 * sum(letter.isupper() or letter.isdigit() for letter in first_letters) <= len(first_letters)


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
