"""Coverage: which sub-questions a report answers, answers in part, or does not answer."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ..evidence import Relevance, roots
from ..evidence.leaning import LEANING
from ..kernel.language import FUNCTION_WORDS, is_english
from ..kernel.plan import Task
from ..kernel.source import HOLDS, Citation, Ranked
from .report import Claim, Coverage
from .source_index import SourceEntry, SourceIndex

ABOUT = 0.35
"""The least share of a sub-question's weight (see `Relevance.coverage`) in a claim that is about it."""

ABOUT_BY_TASK = 0.25
"""The same as ABOUT for a claim that cites a source found for that sub-question."""

HIT = 0.45
"""The least share in the best claim about an answered sub-question. In 20 runs over documentation the best claim has
0.45 or more of its own sub-question (76 of 80, median 0.8), and 0.46 or less of another sub-question (377 of 380; the
three others share their subject)."""

ANSWERED = 0.5
"""The least share in all claims about an answered sub-question together."""

Verdict = Literal["answered", "partly", "not found"]

_RANKED: dict[Ranked, Verdict] = {
    "plainly": "answered",
    "answered": "answered",
    "perhaps": "partly",
    "partly": "partly",
    "not found": "not found",
}
_FUNCTION_ROOTS = roots(" ".join(FUNCTION_WORDS))
_WORD = re.compile(r"[^\W_](?:[\w.]*[^\W_])?")


def planned_coverage(
    question: str, tasks: Sequence[Task], index: SourceIndex, ranked: Mapping[str, Ranked]
) -> list[Coverage]:
    """Return the sub-questions of the plan, or the question without a plan, with the sources found for each.

    Each carries the verdict of the ranker or the model from `ranked`; `covered` fills in its coverage by the claims.
    """
    tasks_of: dict[str, set[str]] = {}
    for task in tasks:
        tasks_of.setdefault(task.sub_question, set()).add(task.task)
    sources = {
        part: [entry.source.id for entry in index.entries if entry.tasks & names] for part, names in tasks_of.items()
    }
    sources = sources or {question: [entry.source.id for entry in index.entries]}
    return [
        Coverage(question=part, verdict="not found", sources=len(ids), found=ids, ranked=ranked.get(part, ""))
        for part, ids in sources.items()
    ]


def covered(
    recorded: Iterable[Coverage], index: SourceIndex, claims: Sequence[Claim], citations: Sequence[Citation]
) -> list[Coverage]:
    """Return each recorded sub-question with its verdict and the claims about it, in order.

    The verdict of the ranker or the model (`ranked`) decides if there is one, else the words of the claims that hold
    and of the titles and headings above the passages they cite. A sub-question is answered only by supported claims
    that together contain every name and number in it; claims that contain none of these are not about it. Claims in
    another language than the sub-question are about it if they cite a source found for it, and answer it in part at
    most.
    """
    holding = _holding_claims(index, claims, citations)
    ids = [entry.source.id for entry in index.entries]
    return [_covered(part, [i for i in ids if i in part.found], holding, index.relevance) for part in recorded]


def is_answered(question: str, claims: Iterable[tuple[str, str]], relevance: Relevance) -> bool:
    """Whether supported claims answer a question by their words; each is a text and what stands above its citation."""
    holding = [
        _HoldingClaim(number, text, roots(text) | roots(above), frozenset(), is_supported=True)
        for number, (text, above) in enumerate(claims)
    ]
    about = _about(question, set(), holding, relevance)
    return bool(about) and _answers(question, about, relevance)


@dataclass(frozen=True, slots=True)
class _HoldingClaim:
    """A claim that holds: its number, its text, the roots of it and of the headings above it, the sources it cites."""

    number: int
    text: str
    words: frozenset[str]
    sources: frozenset[str]
    is_supported: bool


def _holding_claims(index: SourceIndex, claims: Sequence[Claim], citations: Sequence[Citation]) -> list[_HoldingClaim]:
    entries = {entry.source.id: entry for entry in index.entries}
    heading_words = [_words_above(entries.get(citation.source_id), citation) for citation in citations]
    return [
        _HoldingClaim(
            number,
            claim.text,
            roots(claim.text).union(*(heading_words[cited] for cited in claim.citations)),
            frozenset(citations[cited].source_id for cited in claim.citations),
            claim.verdict in ("supported", "unchecked"),
        )
        for number, claim in enumerate(claims)
        if claim.citations and claim.verdict in (*HOLDS, "unchecked")
    ]


def _words_above(entry: SourceEntry | None, citation: Citation) -> frozenset[str]:
    """Return the roots of the title and the headings above a citation."""
    if entry is None:
        return frozenset()
    passages = (cited.passage for cited in entry.passages)
    headings = {passage.heading for passage in passages if passage.start <= citation.start < passage.end}
    return roots(" ".join([entry.source.title, *sorted(headings)]))


def _covered(part: Coverage, ids: list[str], claims: Sequence[_HoldingClaim], relevance: Relevance) -> Coverage:
    about = _about(part.question, set(ids), claims, relevance)
    verdict: Verdict = "partly" if about else "not found"
    if about and _answers(part.question, [claim for claim in about if claim.is_supported], relevance):
        verdict = "answered"
    if part.ranked:
        verdict = _RANKED[part.ranked]
    numbers = [claim.number for claim in about]
    return part.model_copy(update={"verdict": verdict, "sources": len(ids), "found": ids, "claims": numbers})


def _about(question: str, ids: set[str], claims: Sequence[_HoldingClaim], relevance: Relevance) -> list[_HoldingClaim]:
    """Return the claims about a sub-question, for which the sources `ids` were found."""
    wanted = roots(question) - _FUNCTION_ROOTS
    if not wanted or is_english(question) != is_english("\n".join(claim.text for claim in claims)):
        return [claim for claim in claims if claim.sources & ids]  # words do not match across languages
    about = [
        claim
        for claim in claims
        if relevance.coverage(wanted, claim.words) >= (ABOUT_BY_TASK if claim.sources & ids else ABOUT)
    ]
    question_names = names(question)
    return about if not question_names or question_names & _all_words(about) else []


def _answers(question: str, about: Sequence[_HoldingClaim], relevance: Relevance) -> bool:
    """Whether claims about a sub-question answer it: one reaches HIT, and all together reach ANSWERED.

    A claim that shares words with the sub-question only through its headings does not count as a hit. A sub-question
    with `it` and only one content word is too vague to be answered.
    """
    wanted, all_words = roots(question) - _FUNCTION_ROOTS, _all_words(about)
    is_specific = len(wanted) > 1 or not LEANING & {word.casefold() for word in _WORD.findall(question)}
    return (
        bool(wanted)
        and is_specific
        and any(wanted & roots(claim.text) and relevance.coverage(wanted, claim.words) >= HIT for claim in about)
        and relevance.coverage(wanted, all_words) >= ANSWERED
        and names(question) <= all_words
    )


def _all_words(claims: Sequence[_HoldingClaim]) -> frozenset[str]:
    return frozenset[str]().union(*(claim.words for claim in claims))


def names(text: str) -> frozenset[str]:
    """Return the roots of the names and numbers in a text: words with a digit, or a capital that no rule requires.

    If most words have a capital, as in a title or in German, capitals at the start of words are ignored.
    """
    words = [match[0] for match in _WORD.finditer(text)]
    content = [word for word in words if roots(word)]
    capitalised = [word for word in content if word[0].isupper()]
    found = [word for word in content if word[0].isdigit() or any(_is_odd(char) for char in word[1:])]
    if 2 * len(capitalised) <= len(content):
        found += [word for word in capitalised if word != words[0]]
    return frozenset(root for word in found for root in roots(word))


def _is_odd(char: str) -> bool:
    return char.isupper() or char.isdigit() or char == "_"
