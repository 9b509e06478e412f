"""Rank, write, check: the steps that every entry point applies to its sources, whatever the form of its answer."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from ..kernel.errors import DeadlineError, SpyglassError
from ..kernel.language import resolved
from ..kernel.notice import Notice
from ..kernel.run import Run
from ..kernel.settings import Settings
from ..kernel.source import Ranked
from ..kernel.thread import in_thread
from ..markup import Unit
from ..model import Model
from ..model.providers import model_for
from ..ranking import Candidate, Ranking, ranked, serving
from ..render import labels_in
from .checker import Checker, given, holds
from .comparison import are_distinct, compared, deciding
from .coverage import is_answered
from .draft import Draft
from .extractive import Extractor
from .judging import judged
from .near import nearest
from .policy import candidates, without_irrelevant
from .quotable import Quotable, quotable
from .report import Near
from .revision import Revised, Reviser
from .source_index import SourceIndex

SAMPLED = 5
"""Sources whose first passages tell the language of a report if the question tells none."""


class Composer:
    """Answers one question from one index of sources: ranks statements, quotes them, and judges written sections.

    `parts` are its sub-questions, if any: without a model, quotes are chosen for each. Call `rank` first.
    """

    def __init__(
        self,
        run: Run,
        settings: Settings,
        index: SourceIndex,
        question: str,
        *,
        parts: Sequence[str] = (),
        model: Model | None = None,
    ) -> None:
        self.index = index
        self.rankings: dict[str, Ranking] = {}
        self._by_model: dict[str, Ranked] = {}
        self._run = run
        self._settings = settings
        self._question = question
        self._parts = list(parts) or [question]
        self._model = model
        self._wants_verdicts = bool(parts)

    @property
    def language(self) -> str:
        """The language of the report: from the settings, or that of the question, or of the texts if it tells none."""
        first = [entry.passages[0].passage.text for entry in self.index.entries[:SAMPLED] if entry.passages]
        return resolved(self._settings.language, self._question, "\n".join(first))

    @cached_property
    def _quotable(self) -> list[Quotable]:
        return quotable(self.index)

    @cached_property
    def checker(self) -> Checker:
        """The checker that judges sentences against the index."""
        return Checker(self.index)

    @property
    def checking(self) -> Reviser:
        """The step that applies the policy to judged drafts."""
        known = given(self._run.question, self._run.today.isoformat())
        settling = model_for(self._settings, "checker")
        return Reviser(self._run, self._settings, self.checker, self._model, settling, known)

    async def checked(self, drafts: Sequence[Draft]) -> Revised:
        """Return judged drafts after the policy, without a model's sentences that are not relevant to any question."""
        revised = await self.checking.checked(drafts)
        return revised if self._settings.report.policy == "off" else await self._without_irrelevant(revised)

    async def _without_irrelevant(self, revised: Revised) -> Revised:
        claims = [pair for draft in revised.drafts for pair in candidates(draft, self.index)]
        if not claims:
            return revised
        questions = list(dict.fromkeys([self._question, *self._parts]))
        relevant = await serving(self._run, self._ranking_settings, questions, [candidate for _, candidate in claims])
        doubted = [sentence for (sentence, _), serves in zip(claims, relevant, strict=True) if not serves]
        if doubted or (self._wants_verdicts and not await in_thread(self._is_told, revised.drafts, claims)):
            doubted = await self._judged(claims, doubted)
        outcomes = [without_irrelevant(draft, doubted, self.index) for draft in revised.drafts]
        removed = [*revised.removed, *(removal for _, removals in outcomes for removal in removals)]
        return Revised([draft for draft, _ in outcomes], removed)

    def _is_told(self, drafts: Sequence[Draft], claims: Sequence[tuple[Unit, Candidate]]) -> bool:
        """Whether words alone tell that supported claims answer every part, and no section lacks what it is for."""
        supported = [
            (one.text, one.around.partition("\n")[2])
            for unit, one in claims
            if unit.verdict and unit.verdict.verdict == "supported"
        ]
        answered = all(is_answered(part, supported, self.index.relevance) for part in self._parts)
        return answered and not any(draft.absent for draft in drafts)

    async def _judged(self, claims: Sequence[tuple[Unit, Candidate]], doubted: list[Unit]) -> list[Unit]:
        """Return the doubted sentences that the model finds beside the point, too; all if it does not say.

        What it says of the question and its parts decides the coverage.
        """
        if self._model is None:
            return doubted
        sentences = [sentence for sentence, _ in claims if sentence.verdict and holds(sentence.verdict)]
        asking = judged(self._model, self._run, self._settings, self._question, self._parts, sentences)
        seconds = self._settings.models.deadline
        late = DeadlineError(Notice("not_in_time", seconds=seconds))
        try:
            answer = await self._run.within(seconds, asking, late, what="judging")
        except SpyglassError as error:
            self._run.notice(Notice("checked_by_less", why=error.message))
            return doubted
        if answer is None:
            return doubted
        self._by_model = answer.verdicts
        return [sentence for sentence in doubted if sentence in answer.beside]

    async def rank(self) -> None:
        """Rank the statements as answers to each part; to the whole question only, if a model writes.

        If a model writes about web pages only, the local embedder is not used: nothing else in the run needs it.
        """
        await self._rank(self._parts if self._model is None else [self._question])

    async def rank_parts(self) -> None:
        """Rank for each part, unless done: needed when sections of a model's report have to be quoted."""
        if list(self.rankings) != self._parts:
            await self._rank(self._parts)

    async def _rank(self, questions: Sequence[str]) -> None:
        statements = [one.candidate for one in await in_thread(lambda: self._quotable)]
        settings = self._ranking_settings
        rankings = await asyncio.gather(*(ranked(self._run, settings, part, statements) for part in questions))
        self.rankings = {part: _cautious(part, ranking) for part, ranking in zip(questions, rankings, strict=True)}

    @property
    def _ranking_settings(self) -> Settings:
        """The settings, without the local embedder if a model writes about pages only."""
        embeds = self._model is None or any(source.kind == "file" for source in self.index.sources)
        return self._settings if embeds else self._settings.updated(retrieval__dense=False)

    @property
    def finds(self) -> bool:
        """Whether any source may answer the questions; a model knows other words for it and needs a single one.

        Of 60 questions about three folders that a model was to answer from, 13 with an answer have only weak matches.
        """
        if self._model is None:
            return any(ranking.verdict != "not found" for ranking in self.rankings.values())
        return not all(ranking.absent for ranking in self.rankings.values())

    @property
    def passages_by_rank(self) -> list[str]:
        """The labels of the passages with ranked statements, that of the best statement first."""
        best_first = ([*ranking.nearest, *(one.number for one in ranking.ranked)] for ranking in self.rankings.values())
        return list(dict.fromkeys(self._quotable[number].passage.label for order in best_first for number in order))

    @property
    def is_unsure(self) -> bool:
        """Whether no ranking is sure of an answer; for a comparison, only the ranking of the whole question counts."""
        return all(ranking.verdict != "answered" for ranking in deciding(self.rankings.items()))

    def verdicts(self, drafts: Sequence[Draft]) -> dict[str, Ranked]:
        """Return the verdicts on the parts of the question that decide the coverage of a report.

        They are the ranker's if all is quoted, and the model's if it has written all; if some, words decide. Nothing is
        found where a model finds nothing, or no section has what it is for.
        """
        if self._model and all(draft.absent for draft in drafts):
            return dict.fromkeys(self._parts, "not found")
        if all(draft.quoted for draft in drafts):
            return {part: ranking.detailed_verdict for part, ranking in self.rankings.items()}
        return {} if any(draft.quoted for draft in drafts) else self._by_model

    @property
    def is_unanswered(self) -> bool:
        """Whether the model that wrote the sentences says that they do not answer the question at all."""
        return self._by_model.get(self._question) == "not found"

    def near(self, drafts: Sequence[Draft]) -> list[Near]:
        """Return the uncited excerpts nearest to the questions; none if a model writes or an answer is sure. Blocks."""
        is_written = not all(draft.quoted for draft in drafts)
        if is_written or (drafts and not self.is_unsure):
            return []
        cited = {cite.passage for draft in drafts for cite in draft.cites}
        return nearest(self._question, self.rankings.values(), self._quotable, cited)

    def extractor(self) -> Extractor:
        """Return a writer that quotes the ranked statements."""
        before = labels_in(self.language).just_before
        return Extractor(self.index, self._settings.report.length, self.rankings, before)


def _cautious(question: str, ranking: Ranking) -> Ranking:
    """Return the ranking, with "answered" lowered to "perhaps" for a comparison whose two names are not distinct."""
    things = compared(question)
    unsure = things and ranking.verdict == "answered" and not are_distinct(things)
    return replace(ranking, verdict="perhaps") if unsure else ranking
