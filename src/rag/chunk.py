"""Chunking: the division of a text into the passages that are searched and cited, as verbatim spans.

`semantic-text-splitter` takes half the CPU time (.03 s instead of .06 s for 1.8 MB of 105 manuals), but leaves a
heading inside 10 % of its chunks (this chunker: .6 %), ends 72 % of them after a sentence (81 %), and takes 18 s for 2
MB without a space.
"""

import re
from bisect import bisect_right
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ..kernel.cells import are_rows
from ..kernel.sentence import sentence_spans
from ..kernel.source import Passage

VERSION = "8"  # incremented when the same text may give other chunks, so that existing indexes are rebuilt
HEADINGS = " > "  # separates the headings of a heading path
_PARAGRAPH = re.compile(r"[^\S\n]*+(?:\n|\Z)|(?P<words>(?:[^\S\n]*+\S[^\n]*+\n?)++)")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_FILLED = re.compile(r"\S(?:[^\n]*\S)?")
_HEADING = re.compile(r"[ ]{0,3}(#{1,6})[ \t]+(?=.*[^\W_])(\S.*)")
_CLOSING = re.compile(r"[ \t]#+[ \t]*$")  # the closing sequence of "## Piers ##"; "C#" ends in none
_UNDERLINED = re.compile(
    r"(?=[^\n]*[^\W_])(?P<title>[^\s#>|*+-][^\n|]{1,119})\n(?P<line>={3,}|-{3,}|~{3,})[ \t]*(?:\n|\Z)"
)
"""A plain-text heading: a title above a line of `=`, `-` or `~`."""

_RELEASE = re.compile(
    r"(?P<debian>[a-z\d][\w.+-]* \(\d\S*\) [^;\n]+); urgency=\w+[^\n]*(?:\n|\Z)"
    r"|(?:(?P<capitals>[A-Z][A-Z ]+ v?\d[\w.]*):?|\*{2,4} (?P<starred>\S[^\n*]{1,119}))[ \t]*(?:\n|\Z)"
)
"""The first line of a changelog entry: deb-changelog(5), "CHANGES WITH 247:", "*** Changes in GDB 13"."""

_UNDERLINES = "=-~"
_FENCE = re.compile(r"[ ]{0,3}(```|~~~)")
_LONGEST_HEADING = 120
_WINDOW = 50_000
"""Characters of a paragraph that are split into sentences at a time, which bounds the cost of very long paragraphs."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """The sizes of chunks in characters: the target, the maximum, and the overlap of neighbours."""

    target: int
    most: int
    overlap: int

    @property
    def shared(self) -> int:
        """The overlap, at most a quarter of the largest chunk."""
        return min(self.overlap, self.most // 4)

    @property
    def unit(self) -> int:
        """The maximum length of an uncut piece, which fits into a chunk together with the overlap before it."""
        return min(self.target, self.most - self.shared)


@dataclass(frozen=True, slots=True)
class Chunk:
    """A span `text[start:end]` with its heading path, its line numbers and its page number, both from 1."""

    start: int
    end: int
    heading: str
    line: int | None
    last_line: int | None
    page: int | None

    def passage(self, text: str, score: float = 0.0) -> Passage:
        """Return the span of the text as a passage."""
        return Passage(
            text=text[self.start : self.end],
            start=self.start,
            end=self.end,
            page=self.page,
            line=self.line,
            last_line=self.last_line,
            heading=self.heading,
            score=round(score, 6),
        )


class _Span(NamedTuple):
    """A piece of text under a heading path; `opens` is True for a heading, which starts a section."""

    start: int
    end: int
    heading: str
    opens: bool = False


def chunks(text: str, pages: Sequence[int], sizes: Sizes, *, lines: bool = True) -> Iterator[Chunk]:
    """Yield the chunks of `text` in order; `pages` contains the start offset of each page, or nothing.

    With `lines`, chunks have line numbers, for texts with the lines of the file. Every non-space character is in a
    chunk; no chunk is longer than `sizes.most` or crosses the end of a page. A chunk ends before a heading or a
    paragraph if possible, else after a sentence, in a table after a row, else at a space. Linear time.
    """
    newlines = [match.start() for match in re.finditer("\n", text)] if lines else []
    outline: list[tuple[int, str]] = []
    for first, last in zip([0, *pages], [*pages, len(text)], strict=True):
        units = _units(text, first, last, sizes.unit, outline)
        for start, end, heading, _ in _without_crumbs(_packed(text, units, sizes), sizes):
            page = bisect_right(pages, start) or None
            line, last_line = (bisect_right(newlines, offset - 1) + 1 if lines else None for offset in (start, end - 1))
            yield Chunk(start, end, heading, line, last_line, page)


def _packed(text: str, units: Iterable[_Span], sizes: Sizes) -> Iterator[_Span]:
    """Yield chunks: consecutive units, joined as long as they fit."""
    chunk: _Span | None = None
    for unit in units:
        if chunk is None:
            chunk = unit
        elif _closes(unit, chunk, sizes):
            yield chunk
            chunk = _Span(_overlapping(text, chunk, unit, sizes), *unit[1:])
        else:
            chunk = _Span(chunk.start, unit.end, chunk.heading, chunk.opens)
    if chunk is not None:
        yield chunk


def _closes(unit: _Span, chunk: _Span, sizes: Sizes) -> bool:
    """Return whether `chunk` ends before `unit`."""
    size, with_unit = chunk.end - chunk.start, unit.end - chunk.start
    if unit.opens and size >= sizes.target // 4:
        return True
    return with_unit > (sizes.target if size >= sizes.target // 2 else sizes.most)


def _overlapping(text: str, chunk: _Span, unit: _Span, sizes: Sizes) -> int:
    """Return the start of the next chunk: at the last sentences of `chunk`, or at `unit` if it is a heading or long."""
    earliest = max(chunk.end - sizes.shared, (chunk.start + chunk.end) // 2)
    if unit.opens or sizes.shared == 0 or unit.end - earliest > sizes.most:
        return unit.start
    shared = text[earliest : chunk.end]
    paragraph = max(chunk.start, text.rfind("\n\n", chunk.start, chunk.end) + 2)
    sentences = _sentences(shared, text[paragraph : chunk.end])
    if len(sentences) > 1:
        return earliest + sentences[1][0]
    space = re.search(r"\s+(?=\S)", shared)
    return earliest + (space.end() if space else 0)


def _without_crumbs(spans: Iterable[_Span], sizes: Sizes) -> Iterator[_Span]:
    """Yield `spans`, with a short last span of a section (a sentence or two) merged into the one before if it fits."""
    last: _Span | None = None
    for span in spans:
        if last is None:
            last = span
        elif (
            span.heading == last.heading
            and span.end - last.end < sizes.target // 8
            and span.end - last.start <= sizes.most
        ):
            last = last._replace(end=span.end)
        else:
            yield last
            last = span
    if last is not None:
        yield last


def _units(text: str, first: int, last: int, most: int, outline: list[tuple[int, str]]) -> Iterator[_Span]:
    """Yield headings and paragraphs of `text[first:last]`, long paragraphs in pieces; `outline` is updated.

    Consecutive headings are one unit.
    """
    opening: _Span | None = None
    path = _path(outline)
    for start, end, level in _blocks(text, first, last):
        if level:
            title = heading_title(text[start:end].partition("\n")[0])
            outline[:] = [*(part for part in outline if part[0] < level), (level, title)]
            path = _path(outline)
        if level and end - (opening or (start,))[0] <= most:
            opening = _Span(opening.start if opening else start, end, path, opens=True)
            continue
        if opening is not None:
            yield opening
            opening = None
        for piece_start, piece_end in [(start, end)] if end - start <= most else _pieces(text, start, end, most):
            yield _Span(piece_start, piece_end, path)
    if opening is not None:
        yield opening


def _path(outline: Sequence[tuple[int, str]]) -> str:
    return HEADINGS.join(title for _, title in outline)


def _blocks(text: str, first: int, last: int) -> Iterator[tuple[int, int, int]]:
    """Yield (start, end, level) of each heading and, with level 0, each paragraph, without surrounding white space."""
    fenced = False
    for match in _PARAGRAPH.finditer(text, first, last):
        if (paragraph := match["words"]) is None:
            continue
        block_start = match.start()
        if not fenced and (heading := heading_at(paragraph, 0)):
            _, end, level = heading
            yield *_trimmed(text, block_start, block_start + end), level
            block_start += end
        if "#" in paragraph or "```" in paragraph or "~~~" in paragraph:
            fenced = yield from _lines(text, block_start, match.end(), fenced)
        elif block_start < match.end():
            yield *_trimmed(text, block_start, match.end()), 0


def heading_title(line: str) -> str:
    """Return the words of a heading line, without markup, cut off if it is long."""
    return _CLOSING.sub("", line.replace("`", "")).lstrip("# \t*_:").rstrip(" \t*_:")[:_LONGEST_HEADING]


def heading_at(text: str, start: int) -> tuple[str, int, int] | None:
    """Return the plain-text heading that begins a paragraph, its end and its level, or None."""
    if match := _UNDERLINED.match(text, start):
        return match["title"], match.end(), 1 + _UNDERLINES.index(match["line"][0])
    if match := _RELEASE.match(text, start):
        return match[match.lastgroup or 0], match.end(), 1
    return None


def _lines(text: str, first: int, last: int, fenced: bool) -> Generator[tuple[int, int, int], None, bool]:
    """Yield the blocks of a paragraph that may contain headings; return whether it ends in fenced code."""
    block_start = first
    for match in _LINE.finditer(text, first, last):
        line = match[0]
        if _FENCE.match(line):
            fenced = not fenced
        heading = None if fenced else _HEADING.match(line)
        if heading:
            if block_start < match.start():
                yield *_trimmed(text, block_start, match.start()), 0
            yield *_trimmed(text, *match.span()), len(heading[1])
            block_start = match.end()
    if block_start < last:
        yield *_trimmed(text, block_start, last), 0
    return fenced


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())


def _pieces(text: str, start: int, end: int, most: int) -> Iterator[tuple[int, int]]:
    """Yield the sentences or rows of a paragraph; those longer than `most` are cut at spaces."""
    for window in range(start, end, _WINDOW):
        part = text[window : min(window + _WINDOW, end)]
        piece_start = 0
        for stop in [*(stop for _, stop in _sentences(part, part)), len(part)]:
            yield from _cut(text, window + piece_start, window + stop, most)
            piece_start = max(piece_start, stop)


def _sentences(text: str, paragraph: str) -> list[tuple[int, int]]:
    """Return the start and end of each sentence of a text, or of each line if its paragraph consists of rows."""
    if are_rows(paragraph.splitlines()):
        return [match.span() for match in _FILLED.finditer(text)]
    return sentence_spans(text)


def _cut(text: str, start: int, end: int, most: int) -> Iterator[tuple[int, int]]:
    """Yield `text[start:end]` in pieces of at most `most` characters, without the white space between them."""
    while True:
        start, end = _trimmed(text, start, end)
        if end - start <= most:
            break
        space = max(text.rfind(" ", start + most // 2, start + most), text.rfind("\n", start + most // 2, start + most))
        stop = space if space > 0 else start + most
        yield _trimmed(text, start, stop)
        start = stop
    if end > start:
        yield start, end
