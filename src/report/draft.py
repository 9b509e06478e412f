"""A section as it is written: pieces of text with citations between them, numbered when all sections are there."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..evidence.claim import is_claim
from ..evidence.statement import shown
from ..kernel.source import Citation, Verdict
from ..render.fence import unfenced
from .report import Claim, Section
from .source_index import CitedPassage

STOPS = (".", ",", ";", ":", "!", "?", "…", "。", "！", "？")
"""What no blank stands before."""

BREAKS_CITE = ("(", ":")
"""What must not stand right behind `[n]`: it would make a link of it, or the definition of one."""


@dataclass(frozen=True, slots=True)
class Cite:
    """A place in a section's text that rests on `snapshot[start:end]`, a span within a labelled passage."""

    passage: CitedPassage
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a section, or a block of `code`: Markdown with citations between.

    `asserts` says that it claims something that a source can support. `head` are the names of the columns of a table
    row, `heads` says that it stands in a heading, `quoted` that the words are the source's own,
    `rewritten` that the model wrote them anew; `mark` is what the report shows behind it.
    """

    parts: tuple[str | Cite, ...]
    asserts: bool = False
    head: tuple[str, ...] = ()
    heads: bool = False
    code: bool = False
    quoted: bool = False
    rewritten: bool = False
    verdict: Verdict | None = None
    mark: str = ""

    @property
    def cites(self) -> list[Cite]:
        """The citations, in order of the text."""
        return [part for part in self.parts if isinstance(part, Cite)]

    @property
    def shown(self) -> tuple[str | Cite, ...]:
        """Its text and citations, with its mark."""
        return _appended(self.parts, [self.marked]) if self.mark else self.parts

    @property
    def marked(self) -> str:
        """Its mark as Markdown, nothing without one."""
        return f"*({self.mark})*" if self.mark else ""

    @property
    def text(self) -> str:
        """What a reader sees of it, without citations: what is judged."""
        if self.code:
            return unfenced("".join(part for part in self.parts if isinstance(part, str)))
        (text,) = _tidy(["", *(part for part in self.parts if isinstance(part, str))])
        return shown(str(text).strip(), self.head)

    @property
    def labels(self) -> bool:
        """Whether it is no sentence, whatever it asserts: a heading, a question, a caption, what leads to a list."""
        return self.heads or not (self.code or is_claim(self.text))

    @property
    def decided(self) -> "Sentence":
        """The sentence with its verdict as it is: nothing that costs more shall turn it."""
        return replace(self, verdict=self.verdict and self.verdict.model_copy(update={"doubtful": False}))

    def citing(self, cites: Sequence[Cite]) -> "Sentence":
        """Return the sentence with these citations: each where one of the same passage stood, new ones at its end."""
        left = list(cites)
        parts: list[str | Cite] = []
        for part in self.parts:
            if isinstance(part, str):
                parts.append(part)
                continue
            own = [cite for cite in left if cite.passage is part.passage]
            parts += own
            left = [cite for cite in left if cite not in own]
        return replace(self, parts=_appended(_tidy(parts), left))


@dataclass(frozen=True, slots=True)
class Draft:
    """A section before its citations have numbers: sentences, and what stands between them.

    `dropped` counts markers of sources that do not exist; `quoted` says that its sentences are the sources' own, `cut`
    that the model was stopped before its end.
    """

    title: str
    parts: tuple[str | Sentence, ...]
    dropped: int = 0
    quoted: bool = False
    cut: bool = False

    @property
    def sentences(self) -> list[Sentence]:
        """The sentences, in order."""
        return [part for part in self.parts if isinstance(part, Sentence)]

    @property
    def cites(self) -> list[Cite]:
        """The citations, in order of the text."""
        return [cite for sentence in self.sentences for cite in sentence.cites]

    @property
    def pieces(self) -> list[str | Cite]:
        """The text and the citations, in order."""
        return [piece for part in self.parts for piece in (part.shown if isinstance(part, Sentence) else (part,))]


def _tidy(parts: Sequence[str | Cite]) -> list[str | Cite]:
    """Return the parts without the blanks that a citation left behind where it stood before a full stop."""
    tidy: list[str | Cite] = []
    for part in parts:
        if isinstance(part, str) and tidy and isinstance(tidy[-1], str):
            before = tidy[-1].rstrip(" ")
            tidy[-1] = before + part if part.startswith((" ", *STOPS)) else tidy[-1] + part
        else:
            tidy.append(part)
    if tidy and isinstance(tidy[-1], str):
        tidy[-1] = tidy[-1].rstrip(" ")
    return tidy


def _appended(parts: Sequence[str | Cite], more: Sequence[str | Cite]) -> tuple[str | Cite, ...]:
    """Return the parts with more at their end, text apart from what it follows: of a table row, in its last cell.

    Of a block of code, in the line below it.
    """
    if not more:
        return tuple(parts)
    *before, last = parts
    if not isinstance(last, str):
        return *parts, *(f" {one}" if isinstance(one, str) else one for one in more)
    cell = last.removesuffix("|") if last.endswith("|") and not last.endswith("\\|") else last
    gap = "" if cell.endswith("\n") else " "
    return *before, f"{cell.rstrip(' ')}{gap}", *more, *([" |"] if cell != last else [])


@dataclass(slots=True)
class Numbering:
    """Gives each cited passage a number by first appearance, and keeps the citations and claims of the report.

    In a text whose sources have numbers of its `own`, by their ids, each source has one number: that, or the next free.
    """

    own: Mapping[str, int] | None = None
    citations: list[Citation] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    _numbers: dict[tuple[str, int, int], int] = field(default_factory=dict)
    _written: int = 0

    def sections(self, drafts: Sequence[Draft]) -> list[Section]:
        """Return the sections with `[n]` for every citation."""
        return [self._section(draft) for draft in drafts]

    def _section(self, draft: Draft) -> Section:
        text = ""
        for part in draft.parts:
            if isinstance(part, str):
                text += _behind(text, part)
                continue
            start, first = len(text), len(self.citations)
            text += _behind(text, self._text(part.shown))
            start += len(text[start:]) - len(text[start:].lstrip())
            if part.asserts:
                end = len(text.removesuffix(part.marked).rstrip())  # the mark of a row stands in its last cell
                self._claim(part, start, end, range(first, len(self.citations)))
        self._written += 1
        return Section(title=draft.title, text=text, quoted=draft.quoted)

    def _text(self, parts: Sequence[str | Cite]) -> str:
        text = ""
        for part in parts:
            text += f"[{self._number(part)}]" if isinstance(part, Cite) else _behind(text, part)
        return text

    def _claim(self, sentence: Sentence, start: int, end: int, citations: Iterable[int]) -> None:
        verdict = sentence.verdict
        self.claims.append(
            Claim(
                section=self._written,
                start=start,
                end=end,
                text=sentence.text,
                citations=list(citations),
                verdict=verdict.verdict if verdict else "unchecked",
                score=verdict.score if verdict else 0.0,
                reasons=verdict.reasons if verdict else [],
                method=verdict.method if verdict else "words",
                code=sentence.code,
                quoted=sentence.quoted,
                rewritten=sentence.rewritten,
            )
        )

    def _next(self, source: str) -> int:
        """Return the number of a source that has none yet."""
        own = self.own or {}
        return own.get(source) or max([*own.values(), *self._numbers.values()], default=0) + 1

    def _number(self, cite: Cite) -> int:
        place = cite.passage
        span = (place.passage.start, place.passage.end) if self.own is None else (0, 0)
        key = (place.source.snapshot, *span)
        if key not in self._numbers:
            self._numbers[key] = self._next(place.source.id)
        number = self._numbers[key]
        self.citations.append(
            Citation(
                number=number,
                source_id=place.source.id,
                passage=place.source.passages.index(place.passage),
                snapshot=place.source.snapshot,
                start=cite.start,
                end=cite.end,
                quote=place.verbatim(cite.start, cite.end),
            )
        )
        return number


def _behind(text: str, part: str) -> str:
    """Return a part as it may stand behind a text: no link comes of `[n]` and it."""
    return f" {part}" if text.endswith("]") and part.startswith(BREAKS_CITE) else part
