"""From written drafts to those that the report has: a model settles what words do not, what fails is mended or goes."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from pydantic import BaseModel

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
from ..model import Model
from ..model.structured import structured
from ..prompts import quoted, render
from ..tree import Row, Unit, mapped
from .asserting import is_label
from .checker import Checker, holds
from .draft import Draft
from .draft_parser import DraftParser
from .policy import fails, settled
from .report import Removed
from .source_index import CitedPassage

SHOWN = 2
"""Passages that a model is shown for one sentence."""

NEAR = 0.1
"""The score from which a sentence that fails is near enough to its evidence to be written anew."""

FEWEST_TERMS = 4
"""Content words of a sentence that is worth a call of the model; a shorter one is a scrap, and just goes."""

MOST_REWRITTEN = 12
"""Sentences that are written anew in one question; further ones are removed."""

LONGEST_REWRITTEN = 600
"""Characters of a sentence that was written anew."""

Change = Callable[[list[Unit]], Awaitable[list[Unit]]]


@dataclass(slots=True)
class Revised:
    """The drafts as the report has them, the sentences that were removed, and how many markers had no source."""

    drafts: list[Draft]
    removed: list[Removed] = field(default_factory=list)
    dropped: int = 0


class Checking:
    """Decides for one run: a model writes anew, and settles where there is none that is `settling`."""

    def __init__(
        self, run: Run, settings: Settings, checker: Checker, model: Model | None, settling: Model | None = None
    ) -> None:
        self._run = run
        self._settings = settings
        self._checker = checker
        self._model = model
        self._settling = settling or model

    async def checked(self, drafts: Sequence[Draft]) -> Revised:
        """Return judged drafts after the policy of the settings. What a model fails at is told, and stays unsettled."""
        done = list(drafts)
        if self._settings.report.policy != "off":
            done = await self._changed(done, is_unsettled, self._by_model)
        if self._settings.report.policy == "strict":
            done = await self._changed(done, fails, self._anew)
        return self.settled(done)

    def settled(self, drafts: Sequence[Draft]) -> Revised:
        """Return judged drafts after the policy, as their verdicts are."""
        passages = {passage.label: passage for passage in self._checker.passages}
        outcomes = [settled(draft, self._settings.report.policy, passages) for draft in drafts]
        return Revised([draft for draft, _ in outcomes], [one for _, gone in outcomes for one in gone])

    async def _changed(self, drafts: list[Draft], concerns: Callable[[Unit], bool], change: Change) -> list[Draft]:
        """Return the drafts with all sentences of one kind changed, at once; as they are where the change fails."""
        asked = [sentence for draft in drafts for sentence in draft.units if concerns(sentence)]
        if not asked:
            return drafts
        try:
            changed = iter(await change(asked))
        except (ModelError, StoppedError) as error:
            self._run.notice(Notice("checked_by_less", why=error.told))
            return drafts
        anew = [mapped(draft.blocks, lambda unit: next(changed) if concerns(unit) else unit) for draft in drafts]
        return [draft.model_copy(update={"blocks": blocks}) for draft, blocks in zip(drafts, anew, strict=True)]

    async def _by_model(self, sentences: list[Unit]) -> list[Unit]:
        """Settle sentences by asking the model, in groups side by side."""
        if (model := self._settling) is None:
            return sentences
        doubts = [
            Doubt(one.text, self._evidence(one), tuple(one.verdict.reasons), one.verdict.span)
            for one in sentences
            if one.verdict
        ]
        most = 1 if decides(model) else MOST_ASKED
        groups = [doubts[first : first + most] for first in range(0, len(doubts), most)]
        answers = await asyncio.gather(*(self._entailed(model, group) for group in groups))
        verdicts = [verdict for found in answers for verdict in found]
        return [
            sentence if verdict is None else self._by_the_model(sentence, verdict)
            for sentence, verdict in zip(sentences, verdicts, strict=True)
        ]

    async def _entailed(self, model: Model, doubts: Sequence[Doubt]) -> list[Verdict | None]:
        try:
            return await entailed(model, self._run, self._settings, doubts)
        except (ModelError, StoppedError) as error:
            self._run.notice(Notice("checked_by_less", why=error.told))
            return [None] * len(doubts)

    def _by_the_model(self, sentence: Unit, verdict: Verdict) -> Unit:
        """Return a sentence with a model's verdict; what it quotes is what the sentence then cites."""
        changed = sentence.judged(verdict)
        if verdict.span is None or not holds(verdict):
            return changed
        passage = self._checker.passages[verdict.span.passage]
        return changed.citing([passage.cite(verdict.span.start, verdict.span.end)])

    async def _anew(self, sentences: list[Unit]) -> list[Unit]:
        """Have sentences that fail written anew from what is nearest to them; those that then hold are as they are."""
        near = [self._near(sentence) for sentence in sentences]
        failed = [(one, passages) for one, passages in zip(sentences, near, strict=True) if passages]
        if self._model is None or not failed:
            return sentences
        texts = iter(await rewritten(self._model, self._run, self._settings, failed))

        def judged() -> list[Unit]:
            changed = []
            for sentence, passages in zip(sentences, near, strict=True):
                text = next(texts, "") if passages else ""
                changed.append(self._rewritten(sentence, text, passages) or sentence)
            return changed

        return await in_thread(judged)

    def _rewritten(self, sentence: Unit, text: str, passages: Sequence[CitedPassage]) -> Unit | None:
        """Return what a model wrote in place of a sentence, if it is one sentence and holds by what words can tell."""
        new = DraftParser(passages).sentence(one_line(text)[:LONGEST_REWRITTEN])
        if new is None or is_label(new) or isinstance(sentence, Row):
            return None
        judged = self._checker.judge(
            new.citing([one.whole for one in passages]).model_copy(update={"asserts": True, "rewritten": True})
        )
        return judged if judged.verdict and holds(judged.verdict) and judged.verdict.score >= LIKELY else None

    def _near(self, sentence: Unit) -> list[CitedPassage]:
        """Return the passages from which a sentence may be written anew: none of a scrap, or where nothing is near."""
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
        numbers = list(dict.fromkeys([*first, *self._checker.numbers(sentence)]))[:SHOWN]
        return tuple((number, self._checker.passages[number].passage) for number in numbers)


def is_unsettled(sentence: Unit) -> bool:
    """Say whether the words of a sentence and of its evidence do not settle whether it is supported."""
    return sentence.verdict is not None and sentence.verdict.verdict == "unsettled"


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
    """Return the new text of each of the first MOST_REWRITTEN sentences, "" where the model gave none.

    Raises ModelError.
    """
    asked = {f"c{number}": pair for number, pair in enumerate(failed[:MOST_REWRITTEN], start=1)}
    blocks = "\n\n".join(_block(short_id, sentence, passages) for short_id, (sentence, passages) in asked.items())
    language = resolved(settings.language, run.question)
    name = "the language of the sentence" if language == "auto" else language_name(language)
    prompt = render("rewriting", settings.models.prompts, sentences=blocks, language=name)
    answer = await structured(model, run, prompt, Rewriting, role="writer", default=Rewriting(), attempts=1)
    given = {one.id: one.text.strip() for one in answer.sentences}
    return [given.get(short_id, "") for short_id in asked]


def _block(short_id: str, sentence: Unit, passages: Sequence[CitedPassage]) -> str:
    evidence = (quoted(passage.label, passage.passage.text, passage.source.title) for passage in passages)
    return "\n".join([quoted(short_id, sentence.text, "sentence"), *evidence])
