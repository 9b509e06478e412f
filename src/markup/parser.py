"""Parses Markdown into the document tree: the text of a model, of a reporter, or of a report to check."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.tree import SyntaxTreeNode

from ..kernel.sentence import sentence_spans
from .nodes import (
    Block,
    Cite,
    CodeBlock,
    Heading,
    ListBlock,
    Paragraph,
    Part,
    QuoteBlock,
    Row,
    Sentence,
    Style,
    Styled,
    TableBlock,
    joined,
    visible_text,
    with_words,
    words,
)

_STYLES: dict[str, Style] = {"strong": "strong", "em": "emphasis", "s": "struck"}
_NAME = re.compile(r"(?<!\w)__\w{1,100}__(?!\w)")  # an identifier in a program, such as `__init__`, is no emphasis


class Marker(NamedTuple):
    """A span `source[start:end]` of a paragraph's Markdown, which is replaced by `parts`."""

    start: int
    end: int
    parts: Sequence[Part]


class MarkdownParser:
    """Parses CommonMark with tables and strikethrough. Images, HTML and, unless `links` is true, links stay plain text.

    A subclass finds the citations (`markers`), and may change the sentences of a paragraph, headings, tables and code.
    """

    def __init__(self, *, links: bool = False) -> None:
        self._markdown = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
        self._markdown.disable(["code", "image", *([] if links else ["link", "autolink", "reference"])])
        self._markdown.core.ruler.disable("inline")
        self._markdown.inline.ruler.at("text", self._words)
        self._markdown.inline.ruler.before("text", "marker", self._marker)
        self._env: dict[str, object] = {}
        self._markers: dict[int, Marker] = {}
        self._starts: list[int] = []

    def blocks(self, text: str) -> list[Block]:
        """Return the blocks of a text."""
        self._env = {}
        return self._below(SyntaxTreeNode(self._markdown.parse(text, self._env)))

    def parts(self, source: str) -> list[Part]:
        """Return the parts of a line or a paragraph: words, and the parts that replace its markers."""
        names = (Marker(*match.span(), [match[0]]) for match in _NAME.finditer(source))
        self._markers = {marker.start: marker for marker in (*names, *self.markers(source))}
        self._starts = sorted(self._markers)
        tokens = self._markdown.inline.parse(source, self._markdown, self._env, [])
        return joined(_read(tokens))

    def markers(self, source: str) -> Iterable[Marker]:  # noqa: ARG002 for subclasses
        """Return the citations in the Markdown of a paragraph; none unless a subclass finds them."""
        return ()

    def sentences(self, source: str) -> list[Sentence]:
        """Return the sentences of a paragraph."""
        return [Sentence(parts=parts) for parts in split(self.parts(source))]

    def heading(self, source: str, level: int) -> Heading:
        """Return a heading."""
        return Heading(parts=self.parts(source), level=level)

    def cell(self, source: str) -> list[Part]:
        """Return the parts of a cell of a table."""
        return self.parts(source)

    def table(self, block: TableBlock) -> TableBlock:
        """Return a table, which a subclass may change."""
        return block

    def code(self, code: str, language: str) -> Block | None:
        """Return a block of code, None to leave it out."""
        return CodeBlock(code=code, language=language)

    # Blocks

    def _below(self, node: SyntaxTreeNode) -> list[Block]:
        return [block for child in node.children for block in self._block(child)]

    def _block(self, node: SyntaxTreeNode) -> Iterator[Block]:
        match node.type:
            case "paragraph" | "heading":
                source = node.children[0].content
                if node.type == "heading" and node.markup.startswith("#"):
                    yield self.heading(source, int(node.tag[1]))
                elif sentences := self.sentences(source):
                    yield Paragraph(sentences=sentences)
            case "bullet_list" | "ordered_list":
                first = int(node.attrs.get("start", 1)) if node.type == "ordered_list" else None
                yield ListBlock(items=[self._below(item) for item in node.children], first=first)
            case "blockquote":
                yield QuoteBlock(blocks=self._below(node))
            case "fence":
                language, *_ = [*node.info.split(), ""]
                if (block := self.code(node.content.rstrip("\n"), language)) is not None:
                    yield block
            case "table":
                yield self.table(self._table(node))

    def _table(self, node: SyntaxTreeNode) -> TableBlock:
        lines = [line.children for part in node.children for line in part.children]
        head, *rows = [[self.cell(cell.children[0].content) for cell in line] for line in lines]
        columns = list(map(visible_text, head))
        return TableBlock(
            head=Row(cells=head),
            rows=[Row(cells=cells, columns=columns) for cells in rows],
            alignments=[str(cell.attrs.get("style", "")).removeprefix("text-align:") for cell in lines[0]],
        )

    # Parts of a line

    def _marker(self, state: StateInline, silent: bool) -> bool:
        marker = self._markers.get(state.pos)
        if marker is None or silent:
            return False
        if not any(map(words, marker.parts)):
            state.pending = state.pending.rstrip(" \t")
        state.push("marker", "", 0).meta = {"parts": marker.parts}
        state.pos = marker.end
        return True

    def _words(self, state: StateInline, silent: bool) -> bool:
        """Read plain text up to the next marker, since the library's own rule would run past it."""
        stop = state.md.inline.terminator_re.search(state.src, state.pos)
        end = stop.start() if stop else state.posMax
        index = bisect_left(self._starts, state.pos)
        if index < len(self._starts):
            end = min(end, self._starts[index])
        if end == state.pos:
            return False
        if not silent:
            state.append_pending(state.src[state.pos : end])
        state.pos = end
        return True


def _read(tokens: Iterable[Token]) -> Iterator[Part]:
    """Yield the words of a line with their styles and links, and the parts of its markers."""
    style: list[Style] = []
    href = ""
    for token in tokens:
        name, _, kind = token.type.rpartition("_")
        if name in _STYLES:
            if kind == "open":
                style.append(_STYLES[name])
            else:
                style.remove(_STYLES[name])
        elif token.type == "marker":
            yield from token.meta["parts"]
        elif name == "link":
            href = str(token.attrGet("href") or "") if kind == "open" else ""
        else:
            text = _text(token)
            styles: list[Style] = list(dict.fromkeys([*style, *(["code"] if token.type == "code_inline" else [])]))  # type: ignore[list-item]
            yield Styled(text=text, style=styles, href=href) if styles or href else text


def _text(token: Token) -> str:
    return " " if token.type == "softbreak" else "\n" if token.type == "hardbreak" else token.content


def split(parts: Sequence[Part]) -> list[list[Part]]:
    """Return the parts of a paragraph by sentence; inline code is never split.

    A citation between two sentences belongs to the one before it.
    """
    paragraph = "".join(
        "x" * len(words(part)) if isinstance(part, Styled) and "code" in part.style else words(part) for part in parts
    )
    spans = sentence_spans(paragraph)
    starts, ends = [start for start, _ in spans], [end for _, end in spans[:-1]]
    sentences: list[list[Part]] = [[] for _ in range(max(1, len(spans)))]
    position = 0
    for part in parts:
        if isinstance(part, Cite):
            sentences[max(0, bisect_left(starts, position) - 1)].append(part)
            continue
        text = words(part)
        inside = ends[bisect_right(ends, position) : bisect_left(ends, position + len(text))]
        cuts = [end - position for end in inside]
        for first, last in zip([0, *cuts], [*cuts, len(text)], strict=True):
            piece = text[first:last]
            index = bisect_left(ends, position + last)
            sentences[index].append(with_words(part, piece))
        position += len(text)
    return [trimmed for sentence in sentences if (trimmed := _trimmed(sentence))]


def _trimmed(parts: Sequence[Part]) -> list[Part]:
    """Return the parts of a sentence without white space at its ends and before each citation."""
    kept: list[Part] = []
    for part in parts:
        if not isinstance(part, Cite) and not any(map(words, kept)):
            part = with_words(part, words(part).lstrip())
        if isinstance(part, Cite) and kept:
            kept[-1] = with_words(kept[-1], words(kept[-1]).rstrip())
        kept.append(part)
    if kept:
        kept[-1] = with_words(kept[-1], words(kept[-1]).rstrip())
    return [part for part in kept if isinstance(part, Cite) or words(part)]
