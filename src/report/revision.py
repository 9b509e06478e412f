"""Turns judged drafts into final ones: a model settles what words cannot; failed sentences are rewritten or removed."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, compress, pairwise, zip_longest

from pydantic import BaseModel

from ..evidence import may_be_supported, missing_facts
from ..evidence.alignment import LIKELY
from ..evidence.entailment import MOST_ASKED, Doubt, decides, entailed
from ..kernel.errors import ModelError, StoppedError
from ..kernel.language import language_name, resolved
from ..kernel.notice import Notice
from ..kernel.one_line import one_line
from ..kernel.run import Run
from ..kernel.settings import Settings
from ..kernel.source import Passage, Verdict
from ..kernel.term import terms
from ..kernel.thread import in_thread
from ..markup import Block, ListBlock, Paragraph, QuoteBlock, Row, Styled, Unit, mapped, walk
from ..model import Model
from ..model.structured import structured
from ..prompts import quoted, render
from .asserting import is_label
from .checker import Checker, holds
from .draft import Draft
from .draft_parser import DraftParser
from .policy import fails, settled
from .report import Removed
from .source_index import CitedPassage, titled

SHOWN = 5
"""Passages that a model is shown per sentence."""

NEAR = 0.1
"""The least score of a failed sentence that is near enough to its evidence to be rewritten."""

FEWEST_TERMS = 4
"""The fewest content words of a failed sentence that is worth a model call; a shorter one is removed."""

MOST_REWRITTEN = 12
"""Sentences rewritten in one model call; further ones are removed."""

LONGEST_BEFORE = 500
"""Most characters of the sentence before one that a model is asked about."""

LONGEST_QUESTION = 1_000
"""Most characters of the question that is told with them."""

LONGEST_REWRITTEN = 600
"""Most characters of a rewritten sentence."""

Change = Callable[[list[Unit]], Awaitable[list[Unit]]]


@dataclass(slots=True)
class Revised:
    """The final drafts, the sentences that were removed, and the number of markers without a source."""

    drafts: list[Draft]
    removed: list[Removed] = field(default_factory=list)
    dropped: int = 0


class Reviser:
    """Applies the report's policy in a run: `model` rewrites, and `settling` (by default `model`) settles doubts.

    A sentence may have facts of what is `given` beside its sources: the question that it answers, and today's date.
    """

    def __init__(
        self,
        run: Run,
        settings: Settings,
        checker: Checker,
        model: Model | None,
        settling: Model | None = None,
        given: str = "",
    ) -> None:
        self._run = run
        self._settings = settings
        self._checker = checker
        self._model = model
        self._settling = settling or model
        self._given = given
        self._led: Mapping[int, Sequence[Unit]] = {}  # what each sentence leads in, by its id

    async def checked(self, drafts: Sequence[Draft]) -> Revised:
        """Return judged drafts after the policy of the settings.

        If a model call fails, the run reports it and the sentences stay as they are.
        """
        revised = list(drafts)
        if self._settings.report.policy != "off" and self._settling is not None:
            before = {id(unit): text for draft in drafts for unit, text in _preceded(draft.blocks)}
            self._led = {id(lead): led for draft in drafts for lead, led in _leads(draft.blocks)}
            revised = await self._changed(revised, self._is_doubtful, partial(self._settle, before=before))
        if self._settings.report.policy == "strict":
            revised = await self._changed(revised, fails, self._rewrite)
        return self.settled(revised)

    def settled(self, drafts: Sequence[Draft]) -> Revised:
        """Return judged drafts after the policy, without calling a model."""
        passages = {passage.label: passage for passage in self._checker.passages}
        outcomes = [settled(draft, self._settings.report.policy, passages) for draft in drafts]
        return Revised([draft for draft, _ in outcomes], [sentence for _, removed in outcomes for sentence in removed])

    async def _changed(self, drafts: list[Draft], concerns: Callable[[Unit], bool], change: Change) -> list[Draft]:
        """Return the drafts with a change applied to all sentences it concerns in one go; unchanged if it fails."""
        units = [unit for draft in drafts for unit in draft.units]
        concerned = await in_thread(lambda: [concerns(unit) for unit in units])
        if not any(concerned):
            return drafts
        try:
            changed = iter(await change(list(compress(units, concerned))))
        except (ModelError, StoppedError) as error:
            self._run.notice(Notice("checked_by_less", why=error.message))
            return drafts
        is_changed = iter(concerned)
        new = [mapped(draft.blocks, lambda unit: next(changed) if next(is_changed) else unit) for draft in drafts]
        return [draft.model_copy(update={"blocks": blocks}) for draft, blocks in zip(drafts, new, strict=True)]

    def _is_doubtful(self, sentence: Unit) -> bool:
        """Whether words do not settle if a sentence is supported, or may have missed that its passages say all of it.

        The latter have all its numbers, dates, names and quotations, but not in one place, or in other words. Those of
        a sentence that leads in others are theirs, too.
        """
        verdict = sentence.verdict
        is_lead = id(sentence) in self._led
        if verdict is None or not (sentence.cites or is_lead):
            return is_unsettled(sentence)
        if verdict.verdict == "partial":
            is_open = self._may_be_supported(sentence.text, verdict, self._evidence(sentence))
            return is_open and not self._checker.evidence.overstates(sentence.text, self._checker.numbers(sentence))
        near = fails(sentence) and (is_lead or self._near(sentence))
        return is_unsettled(sentence) or bool(
            near and self._may_be_supported(sentence.text, verdict, self._evidence(sentence), self._given)
        )

    def _may_be_supported(
        self, text: str, verdict: Verdict, evidence: Sequence[tuple[int, Passage]], given: str = ""
    ) -> bool:
        return may_be_supported(text, verdict, [passage for _, passage in evidence], given)

    async def _settle(self, sentences: list[Unit], before: Mapping[int, str]) -> list[Unit]:
        """Return unsettled sentences with the model's verdicts, asked for in concurrent groups.

        `before` maps the id of a sentence to the sentence before it, which the model is told.
        """
        if (model := self._settling) is None:
            return sentences
        doubts = [
            Doubt(
                sentence.text,
                self._evidence(sentence),
                tuple(sentence.verdict.reasons),
                sentence.verdict.span,
                before.get(id(sentence), ""),
            )
            for sentence in sentences
            if sentence.verdict
        ]
        group_size = 1 if decides(model) else MOST_ASKED
        groups = [doubts[first : first + group_size] for first in range(0, len(doubts), group_size)]
        answers = await asyncio.gather(*(self._entailed(model, group) for group in groups))
        verdicts = [verdict for answer in answers for verdict in answer]
        return [
            sentence if verdict is None else self._with_verdict(sentence, verdict)
            for sentence, verdict in zip(sentences, verdicts, strict=True)
        ]

    async def _entailed(self, model: Model, doubts: Sequence[Doubt]) -> list[Verdict | None]:
        try:
            return await entailed(model, self._run, self._settings, doubts)
        except (ModelError, StoppedError) as error:
            self._run.notice(Notice("checked_by_less", why=error.message))
            return [None] * len(doubts)

    def _with_verdict(self, sentence: Unit, verdict: Verdict) -> Unit:
        """Return a sentence with a model's verdict; if that holds, it cites the span that the model quotes.

        It keeps what it cites if the quoted passage lacks a fact; one that leads in others keeps its verdict then, or
        if the quotation is a scrap. What words support there by themselves is supported. Against the words, a model's
        verdict counts only if it holds and the passage that it quotes has all the facts. A sentence that the wording
        there contradicts is then unsettled; so is one that needs several passages for its facts, or what is given. One
        that words support in part stays so, unless the model finds all of it supported.
        """
        if verdict.span is None or not holds(verdict):
            return sentence.judged(verdict) if is_unsettled(sentence) else sentence
        is_full = verdict.verdict == "supported"
        if sentence.verdict and sentence.verdict.verdict == "partial" and not is_full:
            return sentence
        number = verdict.span.passage
        by_words = self._checker.evidence.judge(sentence.text, [number])
        if by_words.verdict == "supported":
            return self._citing_span(sentence.judged(by_words), by_words)
        is_in_one = self._may_be_supported(sentence.text, by_words, [(number, self._checker.titled[number])])
        is_scrap = len(terms(verdict.span.text)) < FEWEST_TERMS
        if id(sentence) in self._led and (is_scrap or not (is_in_one or holds(by_words))):
            return sentence
        if is_unsettled(sentence):
            judged = sentence.judged(verdict)
            return self._citing_span(judged, verdict) if is_in_one or by_words.verdict == "unsettled" else judged
        if is_in_one and (by_words.verdict == "unsupported" or (by_words.verdict == "partial" and is_full)):
            return self._citing_span(sentence.judged(verdict), verdict)
        return self._limited(sentence, verdict, by_words, is_in_one=is_in_one) if fails(sentence) else sentence

    def _limited(self, sentence: Unit, verdict: Verdict, by_words: Verdict, *, is_in_one: bool) -> Unit:
        """Return a sentence that failed with what words find in the quoted passage, or unsettled; unchanged if neither.

        `is_in_one` means that this passage has all its facts.
        """
        if holds(by_words):
            return self._citing_span(sentence.judged(by_words), by_words)
        if not is_in_one and verdict.verdict != "supported":
            return sentence
        known = by_words if is_in_one else sentence.verdict or by_words
        update = {"verdict": "unsettled", "score": known.score, "reasons": known.reasons}
        judged = sentence.judged(verdict.model_copy(update=update))
        return self._citing_span(judged, verdict) if is_in_one else judged

    def _citing_span(self, sentence: Unit, verdict: Verdict) -> Unit:
        """Return a sentence that cites the span of its verdict, if there is one."""
        if verdict.span is None:
            return sentence
        passage = self._checker.passages[verdict.span.passage]
        return sentence.citing([passage.cite(verdict.span.start, verdict.span.end)])

    async def _rewrite(self, sentences: list[Unit]) -> list[Unit]:
        """Return failed sentences, rewritten from the nearest passages if the model's new sentence holds.

        The model is also asked about a new sentence that words do not settle.
        """
        near = [self._near(sentence) for sentence in sentences]
        rewritable = [(sentence, passages) for sentence, passages in zip(sentences, near, strict=True) if passages]
        if self._model is None or not rewritable:
            return sentences
        texts = iter(await rewritten(self._model, self._run, self._settings, rewritable))

        def judged() -> list[Unit | None]:
            return [
                self._rewritten(sentence, next(texts, "") if passages else "", passages)
                for sentence, passages in zip(sentences, near, strict=True)
            ]

        new = await in_thread(judged)
        doubtful = [unit is not None and self._is_doubtful(unit) for unit in new]
        settled = iter(await self._settle(list(filter(None, compress(new, doubtful))), {}))
        final = [next(settled) if doubt else unit for unit, doubt in zip(new, doubtful, strict=True)]
        return [unit if unit and _is_sure(unit) else old for unit, old in zip(final, sentences, strict=True)]

    def _rewritten(self, sentence: Unit, text: str, passages: Sequence[CitedPassage]) -> Unit | None:
        """Return a model's text for a sentence, judged by words; None unless it is one sentence."""
        new = DraftParser(passages).sentence(one_line(text)[:LONGEST_REWRITTEN])
        if new is None or is_label(new) or isinstance(sentence, Row):
            return None
        return self._checker.judge(
            new.citing([passage.whole for passage in passages]).model_copy(update={"asserts": True, "rewritten": True})
        )

    def _near(self, sentence: Unit) -> list[CitedPassage]:
        """Return the passages to rewrite a sentence from: none if it is too short, or no passage is near."""
        verdict = sentence.verdict
        if verdict is None or verdict.span is None or is_label(sentence) or len(terms(sentence.text)) < FEWEST_TERMS:
            return []
        if verdict.verdict != "contradicted" and verdict.score < NEAR:
            return []
        numbers = dict.fromkeys([verdict.span.passage, *self._checker.numbers(sentence)])
        return [self._checker.passages[number] for number in numbers][:SHOWN]

    def _evidence(self, sentence: Unit) -> tuple[tuple[int, Passage], ...]:
        """Return the passages that a model is shown for a sentence."""
        verdict = sentence.verdict
        first = [verdict.span.passage] if verdict and verdict.span else []
        cited = (self._checker.numbers(unit) for unit in (sentence, *self._led.get(id(sentence), ())))
        numbers = list(dict.fromkeys([*first, *chain.from_iterable(cited)]))[:SHOWN]
        return tuple((number, self._checker.titled[number]) for number in numbers)


def is_unsettled(sentence: Unit) -> bool:
    """Whether words alone do not settle if a sentence is supported."""
    return sentence.verdict is not None and sentence.verdict.verdict == "unsettled"


def _is_sure(sentence: Unit) -> bool:
    """Whether a rewritten sentence holds by its words, with a score of LIKELY at least, or by a model's verdict."""
    verdict = sentence.verdict
    return verdict is not None and holds(verdict) and (verdict.method == "model" or verdict.score >= LIKELY)


def _preceded(blocks: Sequence[Block]) -> Iterator[tuple[Unit, str]]:
    """Yield the sentences of each paragraph with the sentence before them, unless that one fails."""
    for block in blocks:
        match block:
            case Paragraph():
                for before, unit in pairwise(block.sentences):
                    if not fails(before):
                        yield unit, before.text[:LONGEST_BEFORE]
            case ListBlock():
                for item in block.items:
                    yield from _preceded(item)
            case QuoteBlock():
                yield from _preceded(block.blocks)


def _leads(blocks: Sequence[Block]) -> Iterator[tuple[Unit, Sequence[Unit]]]:
    """Yield each sentence that leads in others, with these: a bold one its paragraph, one with a colon a list."""
    for block, following in zip_longest(blocks, blocks[1:]):
        match block:
            case Paragraph(sentences=[first, *others]):
                if others and _is_bold(first):
                    yield first, others
                if isinstance(following, ListBlock) and block.sentences[-1].text.endswith((":", "：")):
                    yield block.sentences[-1], list(walk([following]))
            case ListBlock():
                for item in block.items:
                    yield from _leads(item)
            case QuoteBlock():
                yield from _leads(block.blocks)


def _is_bold(unit: Unit) -> bool:
    """Whether all words of a sentence are bold."""
    words = [part for part in unit.pieces if (isinstance(part, str) and part.strip(" .:!")) or isinstance(part, Styled)]
    return bool(words) and all(isinstance(part, Styled) and "strong" in part.style for part in words)


class Rewritten(BaseModel):
    """A sentence as the model writes it now; empty when the passages say nothing on its subject."""

    id: str
    text: str = ""


class Rewriting(BaseModel):
    """A model's answer."""

    sentences: list[Rewritten] = []


async def rewritten(
    model: Model, run: Run, settings: Settings, failed: Sequence[tuple[Unit, Sequence[CitedPassage]]]
) -> list[str]:
    """Return the model's new text for each of the first MOST_REWRITTEN failed sentences, "" where it gave none.

    Raises ModelError.
    """
    by_id = {f"c{number}": pair for number, pair in enumerate(failed[:MOST_REWRITTEN], start=1)}
    blocks = "\n\n".join(_block(short_id, sentence, passages) for short_id, (sentence, passages) in by_id.items())
    language = resolved(settings.language, run.question)
    name = "the language of the sentence" if language == "auto" else language_name(language)
    values = {"question": run.question[:LONGEST_QUESTION], "sentences": blocks, "language": name}
    prompt = render("rewriting", settings.models.prompts, **values)
    answer = await structured(model, run, prompt, Rewriting, role="writer", default=Rewriting(), attempts=1)
    texts = {sentence.id: sentence.text.strip() for sentence in answer.sentences}
    return [texts.get(short_id, "") for short_id in by_id]


def _block(short_id: str, sentence: Unit, passages: Sequence[CitedPassage]) -> str:
    evidence = [titled(one.source, one.passage) for one in passages]
    missing = "; ".join(missing_facts(sentence.text, evidence))
    doubts = [quoted(f"{short_id}.missing", missing, "not in the passages")] if missing else []
    blocks = (quoted(one.label, known.text, known.heading) for one, known in zip(passages, evidence, strict=True))
    return "\n".join([quoted(short_id, sentence.text, "sentence"), *doubts, *blocks])
