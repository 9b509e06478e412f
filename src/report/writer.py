"""Asks the model for an outline and for sections, each from passages that fit its context window."""

import asyncio
from collections.abc import Collection, Sequence
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
from .draft import Draft
from .draft_parser import DraftParser
from .outline import SECTIONS, Outline, OutlinedSection
from .prompt_echo import echoes_prompt
from .source_index import CitedPassage, SourceEntry, SourceIndex

WORDS: dict[Length, int] = {"short": 120, "normal": 200, "long": 350}
"""The approximate number of words that the model is asked for per section."""

SUMMARY_WORDS: dict[Length, int] = {"short": 50, "normal": 90, "long": 130}
"""The approximate number of words that the model is asked for in the summary."""

MATERIAL: dict[Length, int] = {"short": 20_000, "normal": 20_000, "long": 24_000}
"""Most characters of passages in a prompt, of the summary or a section: bounds the cost of a report.

All that is found for a query usually fits, some thirty passages: what names the thing by other words is among the last
in every order.
"""

SPREAD = 5
"""Rank of a passage in one order at which it counts half as much as the first one (reciprocal rank fusion)."""

LETTERS_A_WORD = 10
"""Characters read per word asked for, before the answer is cut: about 1.6 times the need of most languages."""

LONGEST_QUESTION = 4000
"""Most characters of a question in a prompt; a longer question is cut."""

ROOM_FOR_SCHEMA = 800
"""Tokens that a structured answer's schema, and asking again, add to the outline's prompt."""

LONGEST_BRIEF = 300
"""Most characters of a source's brief summary in the outline's prompt."""


class Writer:
    """Writes for one run from one index of sources. Source text enters a prompt in labelled blocks only.

    `ranked` are labels of passages, that with the best statement first.
    """

    def __init__(
        self, model: Model, run: Run, settings: Settings, index: SourceIndex, ranked: Sequence[str] = ()
    ) -> None:
        self._model = model
        self._run = run
        self._settings = settings
        self._index = index
        self._ranked = list(ranked)
        language = resolved(settings.language, run.question)
        self._language = "the language of the question" if language == "auto" else language_name(language)
        self._question = run.question[:LONGEST_QUESTION]
        self._questions = [run.question, *(task.sub_question for task in run.plan.tasks)]

    async def outline(self) -> Outline:
        """Return the model's outline, empty if no answer could be parsed. Raises ModelError.

        Leaves out sections with a title that is copied from the prompt, the id of a source, or the question itself.
        """
        fewest, most = SECTIONS[self._settings.report.length]
        values = {
            "question": self._question,
            "today": self._run.today.isoformat(),
            "language": self._language,
            "sections": f"{fewest} to {most}",
        }
        blocks = [f"{_brief(entry)}\n\n" for entry in self._index.entries]
        template = render("outline", self._settings.models.prompts, sources="", **{**values, "question": ""})
        prompt = render("outline", self._settings.models.prompts, sources="", **values)
        fitting = blocks[: fit(blocks, self._room(prompt) - ROOM_FOR_SCHEMA)]
        prompt = render("outline", self._settings.models.prompts, sources="".join(fitting).rstrip(), **values)
        answer = await structured(
            self._model, self._run, prompt, Outline, role="writer", default=Outline(sections=[]), attempts=2
        )
        is_copied = echoes_prompt(template, self._question)
        usable = (section for section in answer.sections if self._names_subject(section.title))
        return Outline(sections=[section for section in usable if not is_copied(section.title)])

    def _names_subject(self, title: str) -> bool:
        """Whether a title names a subject: not only ids of sources, and not the question itself."""
        words = normalised(title)
        return words != normalised(self._question) and not {*words.split()} <= {
            entry.id.casefold() for entry in self._index.entries
        }

    async def section(
        self,
        section: OutlinedSection,
        others: Sequence[OutlinedSection],
        *,
        summary: bool = False,
        trying: Trying | None = None,
    ) -> Draft:
        """Return a section that the model writes from the best passages for it; it cites whole ones. Raises ModelError.

        A summary is written from those that are best for the question alone; without other sections it is all that
        there is.
        """
        words = (SUMMARY_WORDS if summary and others else WORDS)[self._settings.report.length]
        values = {
            "question": self._question,
            "section": section.title,
            "today": self._run.today.isoformat(),
            "language": self._language,
            "words": str(words),
            "aim": _aim([other.title for other in others], summary=summary),
        }
        prompt = render("section", self._settings.models.prompts, passages="", **values)
        passages = self._packed(section, self._room(prompt), summary=summary)
        blocks = "".join(passage.block for passage in passages).rstrip()
        prompt = render("section", self._settings.models.prompts, passages=blocks, **values)

        parser = asyncio.create_task(_parser(passages, self._questions))
        try:
            text, cut = await written(self._model, self._run, prompt, LETTERS_A_WORD * words, trying)
        finally:
            await parser
        return parser.result().draft(section.title, text).model_copy(update={"cut": cut})

    def _room(self, prompt: Prompt) -> int:
        return self._model.room() - count_tokens(prompt.system) - count_tokens(prompt.user)

    def _packed(self, section: OutlinedSection, room: int, *, summary: bool) -> list[CitedPassage]:
        """Return the best passages for a section that fit into `room` tokens, in the order of the index."""
        best_first = self._best_first("" if summary else section.title, section.sources)
        most_characters = MATERIAL[self._settings.report.length]
        characters = accumulate(len(passage.block) for passage in best_first)
        tokens_fit = room >= MOST_A_CHARACTER * most_characters
        tokens = accumulate(0 if tokens_fit else passage.tokens for passage in best_first)
        count = sum(n <= most_characters and t <= room for n, t in zip(characters, tokens, strict=True))
        chosen = best_first[: max(1, count)]
        return [passage for passage in self._index.passages if passage in chosen]

    def _best_first(self, title: str, sources: Collection[str]) -> list[CitedPassage]:
        """Return the passages by reciprocal rank fusion of four orders.

        These are the order of the search, also among the section's own `sources` alone, that of the best statements,
        and that by words: of the question and, twice as heavy, of the section's title that are not in the question.
        """
        asked, coverage, passages = roots(self._question), self._index.relevance.coverage, self._index.passages
        own = roots(title) - asked
        worth = {one: coverage(asked, one.roots) + 2 * coverage(own, one.roots) for one in passages}
        by_search = sorted(passages, key=lambda one: self._index.ranks[one.label])
        orders = (
            by_search,
            [one for one in by_search if one.label.partition(".")[0] in sources],
            [self._index.by_label[label] for label in self._ranked],
            sorted((one for one in passages if worth[one]), key=lambda one: -worth[one]),
        )
        fused = dict.fromkeys(passages, 0.0)
        for order in orders:
            for rank, passage in enumerate(order):
                fused[passage] += 1 / (1 + rank / SPREAD)
        return sorted(passages, key=lambda one: -fused[one])


async def _parser(passages: Sequence[CitedPassage], questions: Sequence[str]) -> DraftParser:
    """Build a parser while the model writes, once the calls of all sections are sent, which need the processor too."""
    await asyncio.sleep(WHEN_ASKED)
    return await in_thread(DraftParser, passages, questions)


async def written(
    model: Model, run: Run, prompt: Prompt, longest: int = 0, trying: Trying | None = None
) -> tuple[str, bool]:
    """Return the model's text, streamed, and whether it was cut; of a cut answer only the whole sentences.

    An answer is cut by the model's own limit, or after `longest` characters. Raises ModelError.
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
    if summary and others:
        return "This section opens the report: answer the question itself in a few sentences, what matters most first."
    if summary:
        return "It is the whole report: answer the question itself, in the first sentence if one will do."
    if not others:
        return "It is the report's only section."
    return f"Write about this section's subject only. The other sections are: {'; '.join(others)}."


def _brief(entry: SourceEntry) -> str:
    brief = entry.source.brief_summary.strip() or entry.passages[0].passage.text
    return quoted(entry.id, brief[:LONGEST_BRIEF], entry.source.title)
