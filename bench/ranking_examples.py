"""Questions with the features of the statements that may answer them, asked as a report asks."""

import argparse
import json
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from answers import Case, part_of, questions, written_to
from asked import AskedByPeople
from fitting import Array
from spyglass.kernel.journal import Journal
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Settings
from spyglass.rag.hit import Hit
from spyglass.rag.ingest import ingest
from spyglass.rag.joining import joined
from spyglass.rag.multilingual import multilingual_model
from spyglass.rag.retrieve import retrieve
from spyglass.ranking import ranker
from spyglass.ranking.candidate import Candidate, Question
from spyglass.ranking.features import ModelScores
from spyglass.report.quotable import quotable
from spyglass.report.source_index import SourceIndex
from spyglass.search.expansion import by_rules

PASSAGES, QUERIES = 30, 2
"""Of a question, as a quick report has them."""

PEOPLE = 3.0
"""What a question that a person wrote counts beside one of an article where it is learnt if the best statement answers.
Where it is learnt which one is best, it counts as much, but for the multilingual model, which finds four more answers
by it in seven folders of 112 questions; by other kinds fewer are found."""


@dataclass
class Example:
    """A question with the features of its candidates, and which of them hold the answer.

    `weight` is what it counts where the best candidate is learnt, `told` where it is learnt if that answers. `known`
    says that the folder speaks of it, `crossed` that it asks of a thing in it what is asked of another, and `defines`
    that it wants a term to be explained.
    """

    known: bool
    crossed: bool
    defines: bool
    rows: list[dict[str, float]]
    right: Array
    weight: float = 1.0
    told: float = 1.0


@dataclass(frozen=True)
class Compared:
    """What statements are scored by: the kind of weights, and the settings."""

    kind: str
    settings: Settings

    def is_for(self, language: str) -> bool:
        """Whether questions in a language are ranked by these weights."""
        return self.kind not in ("relevance", "multilingual") or (language == "en") is (self.kind == "relevance")

    async def scored(
        self, run: Run, question: Question, candidates: Sequence[Candidate]
    ) -> tuple[list[int], Sequence[ModelScores]]:
        """Return the candidates that are ranked, with their scores; those of English manuals are multilingual, too."""
        if self.kind != "multilingual":
            chosen, _, read = await ranker.choose_and_score(run, self.settings, question, candidates)
            return chosen, read
        chosen = ranker.preselected(question, candidates, ranker.COMPARED_BY_VECTORS)
        looked_at = [candidates[number] for number in chosen]
        return chosen, await ranker.by_vectors(run, multilingual_model(), question, looked_at)


async def examples_of(given: argparse.Namespace, language: str, part: str, compared: Compared) -> list[Example]:
    """Ask the questions of one half of the articles of a language, as a report does."""
    found = part_of(json.loads((given.data / "qa" / f"xquad-{language}-dev.json").read_text("utf-8"))["data"], part)
    known = found[: len(found) * 2 // 3]
    with tempfile.TemporaryDirectory() as scratch:
        folder = written_to(Path(scratch, "articles"), known)
        settings = searching(compared, folder, Path(scratch, "data"))
        examples = []
        async with Run("bench", settings, journal=Journal()) as run:
            await ingest(run, folder, embed=False, settings=settings.updated(retrieval__dense=False))
            for one in [one for article in found for one in questions(article)][:: given.every]:
                is_known = any(one.about == article["title"] for article in known)
                examples.append(await example(run, compared, folder, one, known=is_known))
                if not is_known:
                    title = known[len(examples) % len(known)]["title"]
                    examples.append(await example(run, compared, folder, crossed(one, title), is_crossed=True))
    return examples


def crossed(one: Case, title: str) -> Case:
    """Return a question with a title in place of its names, or about it where it has none."""
    subject = title.replace("_", " ")
    first, *others = one.question.rstrip("?").split()
    kept = [word for word in others if not word[:1].isupper() and not word[:1].isdigit()]
    swapped = (
        f"{' '.join([first, *kept])} of {subject}"
        if len(kept) == len(others)
        else " ".join([first, *dict.fromkeys(subject if word not in kept else word for word in others)])
    )
    return replace(one, question=f"{swapped}?", answers=())


def searching(compared: Compared, folder: Path, data: Path) -> Settings:
    """Return the settings by which passages are found: by meaning, too, where the local embedder tells it."""
    local = compared.settings.retrieval.dense and compared.settings.embedder.provider is None
    return Settings(db=[folder], data_dir=data, retrieval__dense=local)


async def examples_of_people(folder: Path, asked: Sequence[AskedByPeople], compared: Compared) -> list[Example]:
    """Ask what people asked of a folder."""
    found = await examples_of_pages(folder, asked, compared) if asked else []
    weight = PEOPLE if compared.kind == "multilingual" else 1.0
    pairs = zip(found, asked, strict=True)
    return [replace(one, known=question.known, told=PEOPLE, weight=weight) for one, question in pairs]


async def examples_of_pages(folder: Path, asked: Sequence[Case | AskedByPeople], compared: Compared) -> list[Example]:
    """Ask what the pages of a folder answer."""
    with tempfile.TemporaryDirectory() as scratch:
        settings = searching(compared, folder, Path(scratch))
        async with Run("bench", settings, journal=Journal()) as run:
            await ingest(run, folder, embed=False, settings=settings.updated(retrieval__dense=False))
            return [await example(run, compared, folder, one) for one in asked]


async def example(
    run: Run,
    compared: Compared,
    folder: Path,
    one: Case | AskedByPeople,
    *,
    known: bool = True,
    is_crossed: bool = False,
) -> Example:
    """Ask a question as a report does; its candidates are scored as `compared` says."""
    candidates = await candidates_of(run, folder, one.question)
    if not candidates:
        return Example(known, is_crossed, False, [], np.zeros(0))
    question = Question(one.question, candidates)
    chosen, read = await compared.scored(run, question, candidates)
    right = [one.answered_by(candidates[number].text) for number in chosen]
    rows = ranker.vectors(question, candidates, chosen, read)
    return Example(known, is_crossed, question.defines, rows, np.array(right, dtype=float))


async def candidates_of(run: Run, folder: Path, question: str) -> list[Candidate]:
    """Return what a report may answer a question with."""
    found = await retrieve(run, [folder], by_rules(question)[:QUERIES], PASSAGES)
    of_file: dict[str, list[Hit]] = defaultdict(list)
    for hit in found[:PASSAGES]:
        of_file[hit.path].append(hit)
    source_index = SourceIndex.of([record(run, hits) for hits in of_file.values()], run.journal)
    return [found.candidate for found in quotable(source_index)]


def record(run: Run, hits: Sequence[Hit]) -> dict[str, Any]:
    """Return the passages of a file as an agent hands them on."""
    first = hits[0]
    passages = joined([hit.passage for hit in hits], run.journal.snapshot(first.snapshot) or "")
    texts = {"title": first.title, "summary": "", "brief_summary": "", "keywords": [], "url": first.path}
    dumped = [passage.model_dump() for passage in passages]
    return {**texts, "kind": "file", "path": first.path, "snapshot": first.snapshot, "passages": dumped}
