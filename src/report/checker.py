"""Holds the sentences of a draft against what was read, and anchors each citation on the span that supports it."""

from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from typing import TypeVar

from ..evidence import Evidence, roots, shown
from ..evidence.alignment import Words, known_words
from ..evidence.claim import beyond
from ..evidence.quotation import find
from ..evidence.reason import NO_CODE, UNREAD, lacking
from ..kernel.source import HOLDS, Passage, Span, Verdict
from ..kernel.term import terms
from ..kernel.thread import require_wanted
from ..tree import Cite, CodeBlock, Heading, Unit, mapped
from .asserting import is_label
from .copies import primary_of
from .draft import Draft
from .source_index import CitedPassage, SourceIndex, titled

FURTHER = 3
"""Passages of the whole run that are looked at for a sentence that those it cites do not support."""

Judged = TypeVar("Judged", bound=Unit)

_ORDER = ("unsupported", "contradicted", "unsettled", "partial", "supported")


class Checker:
    """Judges for one index of sources, by words; no call is made. It blocks.

    `copies` are groups of sources, by their ids, that have one text, the primary one first; set before it judges.
    """

    def __init__(self, index: SourceIndex) -> None:
        self._index = index
        self.passages = index.passages
        self.copies: list[list[str]] = []
        self._numbers = {passage.label: number for number, passage in enumerate(self.passages)}
        self._titled = [titled(one.source, one.passage) for one in self.passages]
        self.evidence = Evidence(self._titled)
        self._alone: dict[tuple[str, int], Verdict] = {}

    def judged(self, draft: Draft) -> Draft:
        """Return the draft with a verdict for each sentence that asserts something."""
        blocks = mapped(draft.blocks, lambda unit: self.judge(unit, quoted=draft.quoted))
        return draft.model_copy(update={"blocks": blocks})

    def judge(self, sentence: Judged, *, quoted: bool = False) -> Judged:
        """Return a sentence with its verdict, its citations those that support it; of one that is `quoted`, its own.

        Where the cited passages do not, or none is cited, those of the whole run are looked at. A sentence that
        nothing supports keeps its citations.
        """
        require_wanted()
        if isinstance(sentence, CodeBlock):
            return self._coded(sentence)
        cited = self.numbers(sentence)
        if not sentence.asserts:
            return self.anchored(sentence, cited)
        if quoted and (verdict := self._verbatim(sentence)):
            return sentence.judged(verdict)
        text = sentence.text
        verdict = self._judged(text, cited) if cited else None
        if verdict is None or not holds(verdict):
            others = [number for number in self.evidence.best(text, FURTHER + len(cited)) if number not in cited]
            further = self.evidence.judge(text, others[:FURTHER]) if others else None
            if further is not None and (verdict is None or (_tells(further) and _better(further, verdict))):
                verdict, cited = further, [further.span.passage] if further.span and _tells(further) else cited
        verdict = verdict or Verdict(verdict="unsupported", score=0.0, reasons=[UNREAD])
        if is_label(sentence) and not sentence.cites:
            return self._label(sentence, verdict, cited)
        if verdict.verdict == "supported":
            verdict, cited = self._from_primaries(text, verdict, cited)
        return self.anchored(sentence.judged(verdict), cited)

    def entitles(self, title: str, asked: Sequence[str]) -> bool:
        """Say whether a section may have a title: it says no more than what was `asked`, or a passage has its words."""
        if not beyond(title, roots("\n".join(asked))):
            return True
        found = self.judge(Heading(parts=[title], asserts=True)).verdict
        return found is not None and holds(found)

    def _label(self, sentence: Judged, verdict: Verdict, cited: Collection[int]) -> Judged:
        """Return a label with its verdict: a passage has all of its words, of so few each counts, or nothing holds."""
        found = as_label(sentence.text, verdict, self._titled)
        if found.verdict != "supported":
            return sentence.judged(found)
        anchored = self.anchored(sentence.judged(verdict), cited)
        return anchored.judged(anchored.verdict and as_label(sentence.text, anchored.verdict, self._titled))

    def _coded(self, sentence: Judged) -> Judged:
        """Return a block of code with its verdict: one source has it whole, and it cites that, or nothing supports it.

        What is put together from several sources is nobody's code.
        """
        code = sentence.text
        found = (self._cited_code(code, *stretch) for stretch in self._stretches)
        if (cite := next(filter(None, found), None)) is None:
            return sentence.judged(Verdict(verdict="unsupported", score=0.0, reasons=[NO_CODE]))
        span = self._span(cite)
        verdict = Verdict(verdict="supported", score=1.0, span=span, method="verbatim")
        return sentence.citing([cite]).judged(verdict)

    def _cited_code(self, code: str, passages: Sequence[CitedPassage], start: int, text: str) -> Cite | None:
        """Return the citation of code that a stretch of a source has, in the passage where it begins."""
        if (found := find(code, text)) is None:
            return None
        first, last = start + found[0], start + found[1]
        holding = (one for one in passages if one.passage.start <= first < one.passage.end)
        return next((one.cite(first, min(last, one.passage.end)) for one in holding), None)

    def _span(self, cite: Cite) -> Span:
        number = self._numbers[cite.passage]
        quote = self.passages[number].verbatim(cite.start, cite.end)
        return Span(passage=number, start=cite.start, end=cite.end, text=quote)

    @cached_property
    def _stretches(self) -> list[tuple[Sequence[CitedPassage], int, str]]:
        """What is known of each source: the passages of it, and each contiguous text with where it begins."""
        return [(one.passages, *stretch) for one in self._index.entries for stretch in stretches(one.passages)]

    def _from_primaries(self, text: str, verdict: Verdict, cited: list[int]) -> tuple[Verdict, list[int]]:
        """Return what rests on a copy as resting on the primary source, where that says it too."""
        primary = primary_of(self.copies)
        copied = {primary.get(own, own) for own in map(self._source, cited)} - {*map(self._source, cited)}
        if not copied:
            return verdict, cited
        others = [number for number in range(len(self.passages)) if self._source(number) in copied]
        first = self.evidence.judge(text, others)
        if first.verdict != "supported" or first.span is None:
            return verdict, cited
        kept = [number for number in cited if primary.get(self._source(number)) not in copied]
        return first, [first.span.passage, *kept]

    def _source(self, number: int) -> str:
        return self.passages[number].source.id

    def anchored(self, sentence: Judged, numbers: Collection[int]) -> Judged:
        """Return a sentence that cites these passages, each where it says what the sentence says.

        Of several, those that do not support it are left out, unless none does. The verdict becomes that of the
        passages that are left.
        """
        text = sentence.text
        own = {number: self._judged(text, [number]) for number in numbers}
        if sentence.asserts:
            own = {
                number: one for number, one in own.items() if holds(one) or self._holds_a_part(text, number, own)
            } or own
        if own and sentence.verdict is not None:
            sentence = sentence.judged(self._judged(text, list(own)))
        return sentence.citing([self._cite(number, verdict) for number, verdict in own.items()])

    def _judged(self, text: str, among: Sequence[int]) -> Verdict:
        """Return the verdict of these passages; that of one alone is asked for again when it is cited."""
        if len(among) > 1:
            return self.evidence.judge(text, among)
        known = (text, among[0])
        if known not in self._alone:
            self._alone[known] = self.evidence.judge(text, among)
        return self._alone[known]

    def _holds_a_part(self, text: str, number: int, others: Collection[int]) -> bool:
        """Say whether one of several passages supports one of the assertions of a sentence."""
        return len(others) > 1 and any(part.held for part in self.evidence.parts(text, [number]))

    def numbers(self, sentence: Unit) -> list[int]:
        """Return the passages that a sentence cites, each once."""
        return list(dict.fromkeys(self._numbers[cite.passage] for cite in sentence.cites))

    def _cite(self, number: int, verdict: Verdict) -> Cite:
        passage = self.passages[number]
        if verdict.span is not None and verdict.span.start < verdict.span.end:
            return passage.cite(verdict.span.start, verdict.span.end)
        return passage.whole

    def _verbatim(self, sentence: Unit) -> Verdict | None:
        """Return the verdict on a quote that shows all the words of its span, None when it does not."""
        if len(sentence.cites) != 1:
            return None
        span = self._span(sentence.cites[0])
        words = set(terms(sentence.text))
        if not set(terms(shown(span.text))) <= words or not words:
            return None
        return Verdict(verdict="supported", score=1.0, span=span, method="verbatim")


def as_label(text: str, verdict: Verdict, passages: Sequence[Passage]) -> Verdict:
    """Return the verdict on a label, given that on it as a sentence: its passage has all of its words, or has not."""
    reasons = verdict.reasons
    if holds(verdict) and verdict.span is not None:
        passage = passages[verdict.span.passage]
        known = known_words(f"{passage.heading}\n{passage.text}")
        missing = [word for word in sorted(beyond(text)) if not Words(word).bits(known)]
        if not missing:
            return verdict.model_copy(update={"verdict": "supported", "reasons": []})
        reasons = [lacking(missing)]
    return Verdict(verdict="unsupported", score=verdict.score, reasons=reasons)


def holds(verdict: Verdict) -> bool:
    """Say whether a verdict lets a citation stand: support, part of it, or that words do not settle it."""
    return verdict.verdict in HOLDS


def _tells(verdict: Verdict) -> bool:
    """Say whether a verdict says something of its passages: that they support a sentence, or that they deny it."""
    return holds(verdict) or verdict.verdict == "contradicted"


def _better(one: Verdict, other: Verdict) -> bool:
    return (_ORDER.index(one.verdict), one.score) > (_ORDER.index(other.verdict), other.score)


def stretches(passages: Sequence[CitedPassage]) -> Iterator[tuple[int, str]]:
    """Yield the text of a source as far as its passages and what follows each show it: each contiguous text, once."""
    start, text = 0, ""
    for one in sorted(passages, key=lambda one: one.passage.start):
        own = one.passage.text + one.after
        if text and one.passage.start <= start + len(text):
            text += own[start + len(text) - one.passage.start :]
            continue
        if text:
            yield start, text
        start, text = one.passage.start, own
    if text:
        yield start, text
