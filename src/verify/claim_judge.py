"""Judges the sentences of a checked report by the sources that were read."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from itertools import pairwise
from operator import or_

from pydantic import BaseModel

from ..evidence.alignment import Words, known_words
from ..evidence.clause import DENYING
from ..evidence.overstatement import BOUNDING
from ..evidence.word import words as read_words
from ..kernel.source import Passage, Span, Verdict
from ..markup import Unit, mapped
from ..render import Labels
from ..render.source_labels import page_or_lines
from ..report import CitationState, Draft, SourceIndex
from ..report.checker import Checker, holds
from .citation_resolver import ResolvedSources
from .citation_target import CitationTarget
from .foreign import Foreign

NEAREST = 5
"""Most passages by which a sentence is judged: of each cited source, or of all sources."""

LONG = 100
"""Characters from which a quote is shortened to the part relevant to the sentence."""

_JOINT = re.compile(r"(?<!\d)[,;:]\s+|(?<=\d)[,;:]\s+(?!\d)|\s[–—]\s|[.!?…]['\"”’)]?\s+")


class Quote(BaseModel, frozen=True):
    """A verbatim quote, with the address or path of its source and its place there."""

    text: str
    source: str
    place: str = ""


class ClaimJudge:
    """Judges sentences by the passages of all sources read. The constructor is slow and blocks.

    `text_of` returns the text of a snapshot.
    """

    def __init__(self, resolved: ResolvedSources, text_of: Callable[[str], str | None]) -> None:
        self.resolved = resolved
        sources = resolved.sources.values()
        texts = {one.snapshot: text for one in sources if (text := text_of(one.snapshot)) is not None}
        index = SourceIndex.carried(sources, texts)
        self.entries = index.entries
        self.by_label = index.by_label
        self.checker = Checker(index)
        self._by_source: dict[str, list[int]] = defaultdict(list)
        for number, passage in enumerate(self.checker.passages):
            self._by_source[passage.source.id].append(number)

    def drafts(self, foreign: Foreign) -> list[Draft]:
        """Return the sections with a verdict for each sentence that can be judged."""
        named = iter(foreign.named)
        return [
            draft.model_copy(update={"blocks": mapped(draft.blocks, lambda unit: self._judged(unit, next(named)))})
            for draft in foreign.sections
        ]

    def _judged(self, sentence: Unit, named: Sequence[CitationTarget]) -> Unit:
        """Return a sentence with its verdict, citing the passages that it was judged by."""
        if not sentence.asserts:
            return sentence
        states = self.states(named)
        if "read" in states:
            return self._judged_by(sentence, self._cited(named, sentence.text), keep=True)
        if "invented" in states:
            return sentence.judged(Verdict(verdict="unsupported", score=0.0))
        judged = self._judged_by(sentence, self.checker.evidence.best(sentence.text, NEAREST), keep=False)
        assert judged.verdict is not None
        if states and judged.verdict.verdict != "supported":
            return sentence
        return judged

    def _judged_by(self, sentence: Unit, numbers: Sequence[int], *, keep: bool) -> Unit:
        """Return a sentence judged by passages, with its evidence as citation if that supports it or if `keep`."""
        verdict = self.checker.evidence.judge(sentence.text, numbers)
        judged = sentence.judged(verdict)
        if verdict.span is None or not (keep or holds(verdict)):
            return judged
        return self.checker.anchored(judged, [verdict.span.passage])

    def states(self, cited: Iterable[CitationTarget]) -> set[CitationState]:
        """Return the states of the citations of a sentence."""
        return {self.resolved.read[named].state for named in cited}

    def _cited(self, cited: Sequence[CitationTarget], text: str) -> list[int]:
        """Return the passages of the cited sources that are nearest to a sentence."""
        sources = dict.fromkeys(self.resolved.read[named].source for named in cited)
        near = (self.checker.evidence.best(text, NEAREST, self._by_source.get(source, ())) for source in sources)
        return [number for numbers in near for number in numbers]

    def elsewhere(self, cited: Iterable[CitationTarget], text: str, words: Labels) -> Quote | None:
        """Return a quote from another source that supports a sentence whose own citations do not."""
        cited_sources = {self.resolved.read[named].source for named in cited}
        nearest = self.checker.evidence.best(text, NEAREST)
        verdict = self.checker.evidence.judge(
            text, [number for number in nearest if self.checker.passages[number].source.id not in cited_sources]
        )
        return self.quote(text, verdict, words) if verdict.verdict == "supported" else None

    def quote(self, claim: str, verdict: Verdict | None, words: Labels) -> Quote | None:
        """Return the quote on which a verdict on a claim is based, None if there is none."""
        if verdict is None or verdict.span is None:
            return None
        entry, span = self.checker.passages[verdict.span.passage], _essential(claim, verdict.span)
        return Quote(
            text=span.text,
            source=entry.source.path or entry.source.url,
            place=page_or_lines(_narrowed(entry.passage, span), words),
        )


def _essential(claim: str, span: Span) -> Span:
    """Return a long span without parts at its ends that add no word of the claim and neither limit nor negate."""
    if len(span.text) <= LONG or "|" in span.text or "\n" in span.text:
        return span
    words, cuts = Words(claim), [0, *(match.end() for match in _JOINT.finditer(span.text)), len(span.text)]
    parts = [(first, last, words.bits(known_words(span.text[first:last]))) for first, last in pairwise(cuts)]
    for end in (0, -1):
        while len(parts) > 1:
            first, last, bits = parts[end]
            rest = parts[1:] if end == 0 else parts[:-1]
            if bits & ~reduce(or_, (part[2] for part in rest)) or _bounds(span.text[first:last]):
                break
            parts = rest
    start, text = span.start + parts[0][0], span.text[parts[0][0] : parts[-1][1]].rstrip(" ,;:–—")
    return span.model_copy(update={"start": start, "end": start + len(text), "text": text})


def _bounds(text: str) -> bool:
    return any(word.folded in DENYING | BOUNDING or word.folded.endswith("n't") for word in read_words(text))


def _narrowed(passage: Passage, span: Span) -> Passage:
    """Return a passage with the line numbers of a span in it."""
    if passage.line is None:
        return passage
    line = passage.line + passage.text.count("\n", 0, span.start - passage.start)
    return passage.model_copy(update={"line": line, "last_line": line + span.text.count("\n")})
