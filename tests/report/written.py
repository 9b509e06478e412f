"""Sections as Markdown, to and fro: what a test writes becomes a tree, and what a tree is shows as Markdown."""

import re
from collections.abc import Iterator, Sequence

from spyglass.markup import Block, Cite, MarkdownParser, Unit, mapped
from spyglass.markup.parser import Marker
from spyglass.render.labels import labels_in
from spyglass.render.markdown import MarkdownWriter, numbers
from spyglass.report import Report
from spyglass.report.report import Section

ANY = Cite(passage="S1.1", start=0, end=1)


class CitedParser(MarkdownParser):
    """Reads Markdown in which `[n]` is the n-th of some citations, or any where there are none."""

    def __init__(self, cites: Sequence[Cite] = ()) -> None:
        super().__init__()
        self._cites = cites

    def markers(self, source: str) -> Iterator[Marker]:
        for found in re.finditer(r"(?<!\\)\[(\d+)\]", re.sub(r"(`+)[^`]*\1", lambda code: " " * len(code[0]), source)):
            yield Marker(*found.span(), [self._cites[int(found[1]) - 1] if self._cites else ANY])


def blocks_of(text: str, *cites: Cite) -> list[Block]:
    """Return the blocks of a Markdown text."""
    return CitedParser(cites).blocks(text)


def asserting(blocks: Sequence[Block], **known: object) -> list[Block]:
    """Return blocks all of whose sentences assert something, and have what is `known`."""
    return mapped(blocks, lambda unit: unit.model_copy(update={"asserts": True, **known}))


def texts_of(written: Sequence[Section] | Report) -> list[str]:
    """Return sections as Markdown; a passage of drafts has the number of its first appearance."""
    sections = written.sections if isinstance(written, Report) else written
    known: dict[str, int] = {}
    cite = (
        numbers(written)
        if isinstance(written, Report)
        else lambda one: f"[{known.setdefault(one.passage, len(known) + 1)}]"
    )
    texts = []
    for section in sections:
        writer = MarkdownWriter(labels_in(written.language if isinstance(written, Report) else "en"), cite)
        writer.write(section.blocks)
        texts.append(writer.text)
    return texts


def text_of(section: Section) -> str:
    """Return one section as Markdown."""
    return texts_of([section])[0]


def unit_of(blocks: Sequence[Block]) -> Unit:
    """Return the only sentence, heading, row or block of code of some blocks."""
    (unit,) = Section(title="", blocks=list(blocks)).units
    return unit
