"""The model as a writer: asks it for an outline and for sections, each from passages that fit its window."""

import asyncio
from collections.abc import Sequence
from itertools import accumulate

from ..evidence import roots
from ..kernel.errors import OutputCutError
from ..kernel.language import language_name, resolved
from ..kernel.run import Run
from ..kernel.sentence import sentence_spans
from ..kernel.settings import Length, Settings
from ..kernel.thread import in_thread
from ..model import Model, Prompt
from ..model.asking import WHEN_ASKED, Trying
from ..model.structured import structured
from ..model.tokens import MOST_A_CHARACTER, count_tokens, fit
from ..prompts import quoted, render
from ..search.queries import normalised
from .copied import copied_from
from .draft import Draft
from .draft_parser import DraftParser
from .outline import SECTIONS, Outline, OutlinedSection
from .source_index import CitedPassage, SourceEntry, SourceIndex

WORDS: dict[Length, int] = {"short": 120, "normal": 200, "long": 350}
"""Words of a section that the model is asked for, about."""

SUMMARY_WORDS: dict[Length, int] = {"short": 50, "normal": 90, "long": 130}
"""Words of the summary that the model is asked for, about."""

MATERIAL: dict[Length, int] = {"short": 5_000, "normal": 6_000, "long": 12_000}
"""Characters of passages that a section's prompt holds at most, a summary's half: a report's cost is bounded."""

LETTERS_A_WORD = 10
"""Characters that are read for each word that is asked for: about 1.6 times what it takes in most languages."""

LONGEST_QUESTION = 4000
"""Characters of a question that a section's prompt holds; a longer one is cut, the outline has been made from it."""

ROOM_FOR_SCHEMA = 800
"""Tokens that asking for a structured answer, and asking again, add to the outline's prompt."""

LONGEST_BRIEF = 300
"""Characters of a source's brief summary that the outline's prompt holds."""


class Writer:
    """Writes for one run from one index of sources. What the sources say enters a prompt in labelled blocks only."""

    def __init__(self, model: Model, run: Run, settings: Settings, index: SourceIndex) -> None:
        self._model = model
        self._run = run
        self._settings = settings
        self._index = index
        language = resolved(settings.language, run.question)
        self._language = "the language of the question" if language == "auto" else language_name(language)
        self._question = run.question[:LONGEST_QUESTION]
        self._asked = [run.question, *(task.sub_question for task in run.plan.tasks)]

    async def outline(self) -> Outline:
        """Return the model's outline, empty when no answer could be read. Raises ModelError.

        Sections whose title is copied from the prompt, is the id of a source or says the question back are left out.
        """
        fewest, most = SECTIONS[self._settings.report.length]
        values = {
            "question": self._question,
            "today": self._run.today.isoformat(),
            "language": self._language,
            "sections": f"{fewest} to {most}",
        }
        blocks = [f"{_brief(entry)}\n\n" for entry in self._index.entries]
        bare = render("outline", self._settings.models.prompts, sources="", **{**values, "question": ""})
        prompt = render("outline", self._settings.models.prompts, sources="", **values)
        shown = blocks[: fit(blocks, self._room(prompt) - ROOM_FOR_SCHEMA)]
        prompt = render("outline", self._settings.models.prompts, sources="".join(shown).rstrip(), **values)
        answer = await structured(
            self._model, self._run, prompt, Outline, role="writer", default=Outline(sections=[]), attempts=2
        )
        copied = copied_from(bare, self._question)
        return Outline(sections=[one for one in answer.sections if not copied(one.title) and self._titles(one.title)])

    def _titles(self, title: str) -> bool:
        """Say whether a title names a subject: more than ids of sources, and not just the question."""
        words = normalised(title)
        return words != normalised(self._question) and not {*words.split()} <= {
            one.id.casefold() for one in self._index.entries
        }

    async def section(
        self,
        section: OutlinedSection,
        others: Sequence[OutlinedSection],
        *,
        summary: bool = False,
        trying: Trying | None = None,
    ) -> Draft:
        """Return a section from the passages of its sources, its citations whole passages as yet. Raises ModelError.

        A passage goes to the one of several sections whose title it fits best, and to the summary.
        """
        words = (SUMMARY_WORDS if summary else WORDS)[self._settings.report.length]
        values = {
            "question": self._question,
            "section": section.title,
            "today": self._run.today.isoformat(),
            "language": self._language,
            "words": str(words),
            "aim": _aim([other.title for other in others], summary=summary),
        }
        prompt = render("section", self._settings.models.prompts, passages="", **values)
        own = self._own(section, () if summary else others)
        passages = self._packed(
            section, own, self._room(prompt), MATERIAL[self._settings.report.length] // (2 if summary else 1)
        )
        blocks = "".join(passage.block for passage in passages).rstrip()
        prompt = render("section", self._settings.models.prompts, passages=blocks, **values)

        reader = asyncio.create_task(_reader(passages, self._asked))
        try:
            text, cut = await written(self._model, self._run, prompt, LETTERS_A_WORD * words, trying)
        finally:
            await reader
        return reader.result().draft(section.title, text).model_copy(update={"cut": cut})

    def _room(self, prompt: Prompt) -> int:
        return self._model.room() - count_tokens(prompt.system) - count_tokens(prompt.user)

    def _own(self, section: OutlinedSection, others: Sequence[OutlinedSection]) -> list[CitedPassage]:
        """Return the passages of a section's sources that fit no other section better; all where none is left."""

        def fit(title: str, passage: CitedPassage) -> float:
            return self._index.relevance.coverage(roots(title) - roots(self._question), passage.roots)

        every = [(entry.id, passage) for entry in self._index.chosen(section.sources) for passage in entry.passages]
        own = [
            passage
            for source, passage in every
            if all(
                fit(section.title, passage) >= fit(other.title, passage) for other in others if source in other.sources
            )
        ]
        return own or [passage for _, passage in every]

    def _packed(
        self, section: OutlinedSection, own: Sequence[CitedPassage], room: int, left: int
    ) -> list[CitedPassage]:
        """Return the most relevant of a section's passages that fit into `room` tokens and `left` characters."""
        query = roots(f"{self._question} {section.title}")
        ranked = sorted(own, key=lambda one: -self._index.relevance.coverage(query, one.roots))
        letters = accumulate(len(passage.block) for passage in ranked)
        roomy = room >= MOST_A_CHARACTER * left
        tokens = accumulate(0 if roomy else passage.tokens for passage in ranked)
        most = sum(n <= left and t <= room for n, t in zip(letters, tokens, strict=True))
        chosen = ranked[: max(1, most)]
        return [passage for passage in own if passage in chosen]


async def _reader(passages: Sequence[CitedPassage], asked: Sequence[str]) -> DraftParser:
    """Make a reader while the model writes; not before all sections are asked for, for that needs the processor too."""
    await asyncio.sleep(WHEN_ASKED)
    return await in_thread(DraftParser, passages, asked)


async def written(
    model: Model, run: Run, prompt: Prompt, longest: int = 0, trying: Trying | None = None
) -> tuple[str, bool]:
    """Return what the model writes, told as it comes; of an answer that was cut, its whole sentences, and that it was.

    An answer is cut by the model's own limit, and after `longest` characters. Raises ModelError.
    """
    try:
        text = await model.complete(run, prompt, role="writer", stream=True, longest=longest, trying=trying)
        return text, False
    except OutputCutError as error:
        text = str(error.details["text"])
        spans = sentence_spans(text)
        if len(spans) < 2:
            raise
        return text[: spans[-2][1]], True


def _aim(others: Sequence[str], *, summary: bool) -> str:
    if summary:
        return "This section opens the report: answer the question itself in a few sentences, what matters most first."
    if not others:
        return "It is the report's only section."
    return f"Write about this section's subject only. The other sections are: {'; '.join(others)}."


def _brief(entry: SourceEntry) -> str:
    brief = entry.source.brief_summary.strip() or entry.passages[0].passage.text
    return quoted(entry.id, brief[:LONGEST_BRIEF], entry.source.title)
