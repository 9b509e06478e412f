"""Parses a foreign report, one that was not written by Spyglass, into sentences with their citations."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import TypeVar

from ..evidence import visible
from ..evidence.statement import FENCED
from ..kernel.sentence import sentence_spans
from ..kernel.term import terms
from ..markup import Block, Heading, MarkdownParser, Part, Row, Sentence, TableBlock, Unit, mapped
from ..report import Draft
from ..report.asserting import asserts
from .citation_target import CitationTarget, ListedReference, read_references, without_citations

MOST_SENTENCES = 5_000
"""Most sentences that are read; a notice reports that later ones are not checked."""

LONGEST_SENTENCE = 2_000
"""Most characters of a claim; a longer sentence is data."""

_UNSEEN = re.compile(
    r"\A---[ \t]*\n.*?\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)"
    rf"|{FENCED.pattern}"
    r"|<!--.*?(?:-->|\Z)|!\[[^\[\]\n]{0,2000}\](?:\([^()\n]{0,4000}\))?",
    re.DOTALL | re.MULTILINE,
)
"""Front matter, fenced code, comments and pictures, which contain no prose."""

_UNDERLINED = re.compile(
    r"^(?![ ]{0,3}(?:[-*+>|#]|\d+[.)]))[ ]{0,3}(\S[^\n]{0,200})\n[ ]{0,3}(=+|-+)[ \t]*$", re.MULTILINE
)
_BEHIND_STOP = re.compile(r"(?P<stop>[.!?…]['\"”’)]?)(?P<notes>(?:\[\^[^\[\]\s]{1,40}\])+)(?=\s)")
"""Footnote marks behind a full stop, which would otherwise hide the end of the sentence."""

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


UnitType = TypeVar("UnitType", bound=Unit)


@dataclass(frozen=True, slots=True)
class Foreign:
    """A report to check, without its citations; `named` are the citations of each sentence, heading and row, in order.

    `cut` says that the text continues after the last sentence that was read.
    """

    title: str
    sections: tuple[Draft, ...]
    named: tuple[tuple[CitationTarget, ...], ...] = ()
    cut: bool = False

    @property
    def sentences(self) -> list[tuple[Unit, tuple[CitationTarget, ...]]]:
        """The sentences, in order, each with its citations."""
        return list(zip((unit for section in self.sections for unit in section.units), self.named, strict=True))

    @property
    def cited(self) -> list[CitationTarget]:
        """Its citations, each once, in the order of the text."""
        return list(dict.fromkeys(named for cited in self.named for named in cited))


def read_foreign(text: str, name: str) -> Foreign:
    """Return the report in a plain or Markdown text; `name` is its title if it has none.

    Its sections omit the list of references, code, pictures and comments. The text is untrusted; the result is harmless
    Markdown. Linear in the text.
    """
    text = _CONTROLS.sub("", text)
    text = _BEHIND_STOP.sub(r"\g<notes>\g<stop>", text)
    text = _UNSEEN.sub("\n", text)
    text = _UNDERLINED.sub(lambda match: f"{'#' if match[2][0] == '=' else '##'} {match[1]}", text)
    body, references = read_references(text)
    parser = _ForeignParser(references)
    title, sections = _sections(mapped(parser.blocks(body), lambda unit: unit), name)
    drafts = tuple(Draft(title=heading, blocks=blocks) for heading, blocks in sections if blocks)
    named = tuple(parser.named.get(id(unit), ()) for draft in drafts for unit in draft.units)
    return Foreign(title, drafts, named, cut=parser.remaining <= 0)


def _sections(blocks: Sequence[Block], name: str) -> tuple[str, list[tuple[str, list[Block]]]]:
    """Return the report's title and its sections, which begin at headings of the first two levels."""
    first = next(iter(blocks), None)
    title = first.text if isinstance(first, Heading) and first.level == 1 and first.text else name
    sections: list[tuple[str, list[Block]]] = [(title, [])]
    for block in blocks:
        if isinstance(block, Heading) and block.level <= 2:
            sections.append((block.text or title, []))
        else:
            sections[-1][1].append(block)
    return title, sections


class _ForeignParser(MarkdownParser):
    """Parses sentences without their citations; `named` are the citations of each sentence, by its id."""

    def __init__(self, references: Mapping[str, ListedReference]) -> None:
        super().__init__()
        self.named: dict[int, tuple[CitationTarget, ...]] = {}
        self.remaining = MOST_SENTENCES
        self._references = references
        self._last: Unit | None = None
        self._in_cells: list[tuple[CitationTarget, ...]] = []

    def sentences(self, source: str) -> list[Sentence]:
        """Return the sentences of a paragraph; a citation on its own belongs to the sentence before it."""
        return list(self._sentences(source))

    def _sentences(self, source: str) -> Iterator[Sentence]:
        for start, end in sentence_spans(source):
            if self.remaining <= 0:
                return
            words, named = without_citations(source[start:end], self._references)
            if named and not terms(visible(words)) and self._last is not None:
                self._record(self._last, named)
            elif words.strip():
                yield self._registered(Sentence(parts=self.parts(_paired(words))), named)

    def heading(self, source: str, level: int) -> Heading:
        """Return a heading, which asserts nothing."""
        words, named = without_citations(source, self._references)
        self._last = heading = Heading(parts=self.parts(words), level=level)
        self._record(heading, named)
        return heading

    def cell(self, source: str) -> list[Part]:
        """Return the parts of a cell of a table."""
        words, named = without_citations(source, self._references)
        self._in_cells.append(named)
        return self.parts(words)

    def table(self, block: TableBlock) -> TableBlock:
        """Return a table, cut to the number of rows still allowed, and record the citations of its head and rows."""
        in_cells, self._in_cells = iter(self._in_cells), []

        def named(row: Row) -> list[CitationTarget]:
            return list(chain.from_iterable(islice(in_cells, len(row.cells))))

        self._record(block.head, named(block.head))
        rows = [self._registered(row, named(row)) for row in block.rows[: self.remaining]]
        return block.model_copy(update={"rows": rows})

    def code(self, code: str, language: str) -> None:
        """Ignore code."""

    def _registered(self, unit: UnitType, named: Sequence[CitationTarget]) -> UnitType:
        self.remaining -= 1
        is_claim = len(unit.text) <= LONGEST_SENTENCE and asserts(unit, None)
        self._last = read = unit.model_copy(update={"asserts": is_claim})
        self._record(read, named)
        return read

    def _record(self, unit: Unit, named: Sequence[CitationTarget]) -> None:
        self.named[id(unit)] = tuple(dict.fromkeys((*self.named.get(id(unit), ()), *named)))


def _paired(sentence: str) -> str:
    """Return a sentence without its `**` marks if their number is odd: the emphasis begins or ends outside it."""
    return sentence.replace("**", "") if sentence.count("**") % 2 else sentence
