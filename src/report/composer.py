"""Rank, write, check: what every door does with what was found, whichever shape its answer has."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from ..answer import Ranking, Told, ranked, serving
from ..kernel.language import resolved
from ..kernel.run import Run
from ..kernel.settings import Settings
from ..kernel.thread import in_thread
from ..model import Model
from ..model.providers import model_for
from .checker import Checker
from .checking import Checking, Revised
from .comparison import compared, deciding, is_told_apart
from .draft import Draft
from .extractive import Extractor
from .policy import candidates, without_beside
from .quotable import quotable
from .source_index import SourceIndex


class Composer:
    """Serves one question with one index of sources: ranks statements, quotes them, and judges what was written.

    `parts` are its sub-questions, where it has any: what is quoted without a model is chosen for each. `rank` comes
    first.
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
        self._run = run
        self._settings = settings
        self._question = question
        self._parts = list(parts) or [question]
        self._model = model

    @property
    def language(self) -> str:
        """The language of what is written: the settings', or the question's."""
        return resolved(self._settings.language, self._question)

    @cached_property
    def checker(self) -> Checker:
        """What holds sentences against the index."""
        return Checker(self.index)

    @property
    def checking(self) -> Checking:
        """What settles judged drafts by the policy."""
        return Checking(self._run, self._settings, self.checker, self._model, model_for(self._settings, "checker"))

    async def checked(self, drafts: Sequence[Draft]) -> Revised:
        """Return judged drafts as the policy has them, without what a model wrote that serves no question."""
        found = await self.checking.checked(drafts)
        return found if self._settings.report.policy == "off" else await self._to_the_point(found)

    async def _to_the_point(self, found: Revised) -> Revised:
        claims = [pair for draft in found.drafts for pair in candidates(draft, self.index)]
        if not claims:
            return found
        asked = list(dict.fromkeys([self._question, *self._parts]))
        serves = await serving(self._run, self._comparing, asked, [candidate for _, candidate in claims])
        beside = [sentence for (sentence, _), is_served in zip(claims, serves, strict=True) if not is_served]
        settled = [without_beside(draft, beside, self.index) for draft in found.drafts]
        return Revised([draft for draft, _ in settled], [*found.removed, *(one for _, gone in settled for one in gone)])

    async def rank(self) -> None:
        """Find out how well the statements answer each part; the question as a whole, where a model writes.

        A model that writes about pages is not held up by the local embedder, which nothing else of the run needs.
        """
        await self._rank(self._parts if self._model is None else [self._question])

    async def rank_parts(self) -> None:
        """Find out the same of each part where a model was to write: something is to be quoted after all."""
        if list(self.rankings) != self._parts:
            await self._rank(self._parts)

    async def _rank(self, asked: Sequence[str]) -> None:
        found = [one.candidate for one in await in_thread(quotable, self.index)]
        rankings = await asyncio.gather(*(ranked(self._run, self._comparing, one, found) for one in asked))
        self.rankings = {one: _sure(one, ranking) for one, ranking in zip(asked, rankings, strict=True)}

    @property
    def _comparing(self) -> Settings:
        """The settings, without the local embedder where a model writes about pages only."""
        compares = self._model is None or any(one.kind == "file" for one in self.index.sources)
        return self._settings if compares else self._settings.updated(retrieval__dense=False)

    @property
    def finds(self) -> bool:
        """Whether anything that was found bears on the questions: a model reads more out of passages than rules do."""
        if self._model is None:
            return any(one.verdict != "not found" for one in self.rankings.values())
        return not all(one.absent for one in self.rankings.values())

    @property
    def is_unsure(self) -> bool:
        """Whether the best statements that were found may be beside the point; of a comparison the whole decides."""
        return all(one.verdict != "answered" for one in deciding(self.rankings.items()))

    @property
    def verdicts(self) -> dict[str, Told]:
        """What was ranked, with whether it is answered by what is quoted: where a model writes, its claims decide."""
        return {asked: one.told for asked, one in self.rankings.items()}

    def extractor(self) -> Extractor:
        """Return a writer that quotes what was ranked."""
        return Extractor(self.index, self._settings.report.length, self.rankings)


def _sure(question: str, ranking: Ranking) -> Ranking:
    """Return a ranking that calls no comparison answered whose things no statement can be told to speak of."""
    things = compared(question)
    unsure = things and ranking.verdict == "answered" and not is_told_apart(things)
    return replace(ranking, verdict="perhaps") if unsure else ranking
