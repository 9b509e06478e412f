"""A section as it is written: pieces of text with citations between them, numbered when all sections are there."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..source import Citation
from .catalogue import Labelled
from .report import Reference, Section

BREAKS_CITE = ("(", ":")
"""What must not stand right behind `[n]`: it would make a link of it, or the definition of one."""

LONGEST_QUOTE = 300
"""Characters of a quote in the list of references."""


@dataclass(frozen=True, slots=True)
class Cite:
    """A place in a section's text that rests on `snapshot[start:end]`, a span within a labelled passage."""

    passage: Labelled
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Draft:
    """A section before its citations have numbers.

    `dropped` counts markers of sources that do not exist, `uncited` sentences without a citation; `quoted` says that
    its sentences are the sources' own, `cut` that the model was stopped before its end.
    """

    title: str
    parts: tuple[str | Cite, ...]
    dropped: int = 0
    uncited: int = 0
    quoted: bool = False
    cut: bool = False

    @property
    def cites(self) -> list[Cite]:
        """The citations, in order of the text."""
        return [part for part in self.parts if isinstance(part, Cite)]


@dataclass(slots=True)
class Numbering:
    """Gives each cited passage a number by first appearance, and keeps what the report lists of it."""

    references: list[Reference] = field(default_factory=list)
    citations: list[Citation] = field(default_factory=list)
    _numbers: dict[tuple[str, int, int], int] = field(default_factory=dict)

    def sections(self, drafts: Sequence[Draft]) -> list[Section]:
        """Return the sections with `[n]` for every citation."""
        return [Section(title=draft.title, text=self._text(draft), quoted=draft.quoted) for draft in drafts]

    def _text(self, draft: Draft) -> str:
        text = ""
        for part in draft.parts:
            if isinstance(part, Cite):
                text += f"[{self._number(part)}]"
            else:
                text += f" {part}" if text.endswith("]") and part.startswith(BREAKS_CITE) else part
        return text

    def _number(self, cite: Cite) -> int:
        place = cite.passage
        key = (place.source.snapshot, place.passage.start, place.passage.end)
        quote = place.verbatim(cite.start, cite.end)
        if key not in self._numbers:
            self._numbers[key] = len(self.references) + 1
            self.references.append(_reference(len(self.references) + 1, place, shortened(quote)))
        number = self._numbers[key]
        self.citations.append(
            Citation(
                number=number,
                source_id=place.source.id,
                snapshot=place.source.snapshot,
                start=cite.start,
                end=cite.end,
                quote=quote,
            )
        )
        return number


def _reference(number: int, place: Labelled, quote: str) -> Reference:
    source, passage = place.source, place.passage
    return Reference(
        number=number,
        source_id=source.id,
        title=source.title,
        kind=source.kind,
        path=source.path,
        url=source.url,
        domain=source.domain,
        credibility_score=source.credibility_score,
        credibility_tier=source.credibility_tier,
        published=source.published,
        page=passage.page,
        line=passage.line,
        last_line=passage.last_line,
        heading=passage.heading,
        retrieved_at=source.retrieved_at,
        quote=quote,
    )


def shortened(quote: str) -> str:
    """Return the beginning of a quote, whole words, still verbatim."""
    if len(quote) <= LONGEST_QUOTE:
        return quote
    cut = quote[: LONGEST_QUOTE + 1]
    return (cut[: max(cut.rfind(" "), cut.rfind("\n"))] if " " in cut or "\n" in cut else cut[:LONGEST_QUOTE]).rstrip()
