"""Judges the sentences of a draft against their sources, and narrows each citation to the span that supports it."""

from collections.abc import Collection, Iterator, Sequence
from functools import cached_property, reduce
from operator import or_
from typing import TypeVar

from ..evidence import Evidence, roots, shown
from ..evidence.alignment import Words, known_words
from ..evidence.claim import beyond
from ..evidence.quotation import find
from ..evidence.reason import NO_CODE, UNREAD, lacking
from ..kernel.source import HOLDS, Passage, Span, Verdict
from ..kernel.term import terms
from ..kernel.thread import require_wanted
from ..markup import Cite, CodeBlock, Heading, Unit, mapped
from .asserting import is_label
from .copies import primary_of
from .draft import Draft
from .source_index import CitedPassage, SourceIndex, titled

FURTHER = 3
"""Most other passages of the run that are tried for a sentence that its cited passages do not support."""

FURTHER_WORDS = 2
"""Fewest words of a sentence for which it keeps a citation, beside the passages that support a part of it."""

Judged = TypeVar("Judged", bound=Unit)

_ORDER = ("unsupported", "contradicted", "unsettled", "partial", "supported")


class Checker:
    """Judges sentences against one source index by their words, without calling a model. Blocks the calling thread.

    `copies` are groups of ids of sources with the same text, the primary source first; set them before judging.
    """

    def __init__(self, index: SourceIndex) -> None:
        self._index = index
        self.passages = index.passages
        self.copies: list[list[str]] = []
        self._numbers = {passage.label: number for number, passage in enumerate(self.passages)}
        self.titled = [titled(cited.source, cited.passage) for cited in self.passages]
        self.evidence = Evidence(self.titled)
        self._verdicts: dict[tuple[str, int], Verdict] = {}  # by text and the only passage
        self._words: dict[int, frozenset[str]] = {}

    def judged(self, draft: Draft) -> Draft:
        """Return the draft with a verdict for each sentence that asserts something."""
        blocks = mapped(draft.blocks, lambda unit: self.judge(unit, quoted=draft.quoted))
        return draft.model_copy(update={"blocks": blocks})

    def judge(self, sentence: Judged, *, quoted: bool = False) -> Judged:
        """Return a sentence with its verdict and the citations that support it; a verbatim `quoted` one keeps its own.

        If the cited passages do not support it, or it cites none, the best passages of the whole run are tried. A
        sentence that nothing supports keeps its citations.
        """
        require_wanted()
        if isinstance(sentence, CodeBlock):
            return self._judge_code(sentence)
        cited = self.numbers(sentence)
        if not sentence.asserts:
            return self.anchored(sentence, cited)
        if quoted and (verdict := self._verbatim(sentence)):
            return sentence.judged(verdict)
        text = sentence.text
        verdict = self._verdict(text, cited) if cited else None
        if verdict is None or not holds(verdict):
            others = [number for number in self.evidence.best(text, FURTHER + len(cited)) if number not in cited]
            further = self.evidence.judge(text, others[:FURTHER]) if others else None
            if further is not None and (verdict is None or (_is_relevant(further) and _better(further, verdict))):
                found = [further.span.passage] if further.span and _is_relevant(further) else []
                # What does not settle it is no reason to leave out what the writer cites: a model is to see both.
                verdict, cited = further, found if further.verdict == "supported" else [*found, *cited]
        verdict = verdict or Verdict(verdict="unsupported", score=0.0, reasons=[UNREAD])
        if is_label(sentence) and not sentence.cites:
            return self._judge_label(sentence, verdict, cited)
        if verdict.verdict == "supported":
            verdict, cited = self._from_primaries(text, verdict, cited)
        return self.anchored(sentence.judged(verdict), cited)

    def supports_title(self, title: str, questions: Sequence[str]) -> bool:
        """Whether a section may have a title: it adds nothing to the questions, or a passage supports it."""
        if not beyond(title, roots("\n".join(questions))):
            return True
        verdict = self.judge(Heading(parts=[title], asserts=True)).verdict
        return verdict is not None and holds(verdict)

    def _judge_label(self, sentence: Judged, verdict: Verdict, cited: Collection[int]) -> Judged:
        """Return a label with its verdict: supported only if a passage has all of its few words."""
        label_verdict = as_label(sentence.text, verdict, self.titled)
        if label_verdict.verdict != "supported":
            return sentence.judged(label_verdict)
        anchored = self.anchored(sentence.judged(verdict), cited)
        return anchored.judged(anchored.verdict and as_label(sentence.text, anchored.verdict, self.titled))

    def _judge_code(self, block: Judged) -> Judged:
        """Return a block of code with its verdict and citation: supported only if one source contains all of it.

        Code put together from several sources is in none of them.
        """
        cites = (self._cite_code(block.text, *stretch) for stretch in self._stretches)
        if (cite := next(filter(None, cites), None)) is None:
            return block.judged(Verdict(verdict="unsupported", score=0.0, reasons=[NO_CODE]))
        span = self._span(cite)
        verdict = Verdict(verdict="supported", score=1.0, span=span, method="verbatim")
        return block.citing([cite]).judged(verdict)

    def _cite_code(self, code: str, passages: Sequence[CitedPassage], offset: int, text: str) -> Cite | None:
        """Return the citation of code in a stretch of a source, within the passage where it begins, None if missing."""
        if (match := find(code, text)) is None:
            return None
        start, end = offset + match[0], offset + match[1]
        containing = (cited for cited in passages if cited.passage.start <= start < cited.passage.end)
        return next((cited.cite(start, min(end, cited.passage.end)) for cited in containing), None)

    def _span(self, cite: Cite) -> Span:
        number = self._numbers[cite.passage]
        quote = self.passages[number].verbatim(cite.start, cite.end)
        return Span(passage=number, start=cite.start, end=cite.end, text=quote)

    @cached_property
    def _stretches(self) -> list[tuple[Sequence[CitedPassage], int, str]]:
        """Each contiguous text of each source: the source's passages, the offset of the text, and the text."""
        return [(entry.passages, *stretch) for entry in self._index.entries for stretch in stretches(entry.passages)]

    def _from_primaries(self, text: str, verdict: Verdict, cited: list[int]) -> tuple[Verdict, list[int]]:
        """Return the verdict and passages with copies replaced by their primary source, if that supports the text."""
        primary = primary_of(self.copies)
        cited_ids = {self._source_id(number) for number in cited}
        primaries = {primary.get(source_id, source_id) for source_id in cited_ids} - cited_ids
        if not primaries:
            return verdict, cited
        candidates = [number for number in range(len(self.passages)) if self._source_id(number) in primaries]
        primary_verdict = self.evidence.judge(text, candidates)
        if primary_verdict.verdict != "supported" or primary_verdict.span is None:
            return verdict, cited
        kept = [number for number in cited if primary.get(self._source_id(number)) not in primaries]
        return primary_verdict, [primary_verdict.span.passage, *kept]

    def _source_id(self, number: int) -> str:
        return self.passages[number].source.id

    def anchored(self, sentence: Judged, numbers: Collection[int]) -> Judged:
        """Return a sentence that cites these passages, each at the span that supports it.

        Of several passages, those that it does not need are left out. The verdict becomes that of the remaining ones.
        """
        text = sentence.text
        verdicts = {number: self._verdict(text, [number]) for number in numbers}
        if sentence.asserts:
            verdicts = self._needed(text, verdicts)
        if verdicts and sentence.verdict is not None:
            sentence = sentence.judged(self._verdict(text, list(verdicts)))
        return sentence.citing([self._cite(number, verdict) for number, verdict in verdicts.items()])

    def _needed(self, text: str, verdicts: dict[int, Verdict]) -> dict[int, Verdict]:
        """Return the passages that support a sentence or a part of it, all if none does.

        If they do not support all of it, those with FURTHER_WORDS of it that these lack stay too: a model may find the
        rest in them.
        """
        kept = {
            number: verdict
            for number, verdict in verdicts.items()
            if holds(verdict) or self._supports_a_part(text, number, verdicts)
        }
        if not kept or len(kept) == len(verdicts) or self._verdict(text, list(kept)).verdict == "supported":
            return kept or verdicts
        words = Words(text)
        has = {number: words.bits(self._known_words(number)) for number in verdicts}
        known = reduce(or_, (has[number] for number in kept))
        return {
            number: one
            for number, one in verdicts.items()
            if number in kept or (has[number] & ~known).bit_count() >= FURTHER_WORDS
        }

    def _known_words(self, number: int) -> frozenset[str]:
        if number not in self._words:
            passage = self.titled[number]
            self._words[number] = known_words(f"{passage.heading}\n{passage.text}")
        return self._words[number]

    def _verdict(self, text: str, numbers: Sequence[int]) -> Verdict:
        """Return the verdict of these passages on a text, cached for a single passage, since citing needs it again."""
        if len(numbers) > 1:
            return self.evidence.judge(text, numbers)
        key = (text, numbers[0])
        if key not in self._verdicts:
            self._verdicts[key] = self.evidence.judge(text, numbers)
        return self._verdicts[key]

    def _supports_a_part(self, text: str, number: int, cited: Collection[int]) -> bool:
        """Whether one of several cited passages supports one of the assertions of a sentence."""
        return len(cited) > 1 and any(part.is_supported for part in self.evidence.parts(text, [number]))

    def numbers(self, sentence: Unit) -> list[int]:
        """Return the numbers of the passages that a sentence cites, each once."""
        return list(dict.fromkeys(self._numbers[cite.passage] for cite in sentence.cites))

    def _cite(self, number: int, verdict: Verdict) -> Cite:
        passage = self.passages[number]
        if verdict.span is not None and verdict.span.start < verdict.span.end:
            return passage.cite(verdict.span.start, verdict.span.end)
        return passage.whole

    def _verbatim(self, sentence: Unit) -> Verdict | None:
        """Return the verdict on a quote that contains all the words of its span, None if it does not.

        Of a row of data these are the words of the statement: 17.00,23.00 is one number, or two.
        """
        if len(sentence.cites) != 1:
            return None
        span = self._span(sentence.cites[0])
        own = (one for one in self.passages[span.passage].statements if (one.start, one.end) == (span.start, span.end))
        said = next((one.text for one in own), shown(span.text))
        words = set(terms(sentence.text))
        if not set(terms(said)) <= words or not words:
            return None
        return Verdict(verdict="supported", score=1.0, span=span, method="verbatim")


def as_label(text: str, verdict: Verdict, passages: Sequence[Passage]) -> Verdict:
    """Return the verdict on a label, given its verdict as a sentence: supported only if a passage has all its words."""
    reasons = verdict.reasons
    if holds(verdict) and verdict.span is not None:
        passage = passages[verdict.span.passage]
        known = known_words(f"{passage.heading}\n{passage.text}")
        missing = [word for word in sorted(beyond(text)) if not Words(word).bits(known)]
        if not missing:
            return verdict.model_copy(update={"verdict": "supported", "reasons": []})
        reasons = [lacking(missing)]
    return Verdict(verdict="unsupported", score=verdict.score, reasons=reasons)


def given(question: str, date: str) -> str:
    """Return what a sentence of a report may have facts of beside its sources: the question, and the report's date."""
    return f"{question}\n{date}"


def holds(verdict: Verdict) -> bool:
    """Whether a sentence with this verdict keeps its citation: supported, partly supported, or unsettled."""
    return verdict.verdict in HOLDS


def _is_relevant(verdict: Verdict) -> bool:
    """Whether the passages are relevant to a sentence: they support it, may support it, or contradict it."""
    return holds(verdict) or verdict.verdict == "contradicted"


def _better(verdict: Verdict, other: Verdict) -> bool:
    return (_ORDER.index(verdict.verdict), verdict.score) > (_ORDER.index(other.verdict), other.score)


def stretches(passages: Sequence[CitedPassage]) -> Iterator[tuple[int, str]]:
    """Yield each contiguous text of a source with its offset, made of its passages and the text known after each."""
    start, text = 0, ""
    for cited in sorted(passages, key=lambda cited: cited.passage.start):
        known = cited.passage.text + cited.after
        if text and cited.passage.start <= start + len(text):
            text += known[start + len(text) - cited.passage.start :]
            continue
        if text:
            yield start, text
        start, text = cited.passage.start, known
    if text:
        yield start, text
