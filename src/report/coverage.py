"""Which sub-questions a report answers, which it answers in part, and for which nothing was found."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ..answer import Told
from ..evidence import Relevance, roots
from ..evidence.statement import LEANING
from ..kernel.language import FUNCTION_WORDS, is_english
from ..kernel.plan import Task
from ..kernel.source import HOLDS, Citation
from .report import Claim, Coverage
from .source_index import SourceEntry, SourceIndex

ABOUT = 0.35
"""The share of a sub-question's weight that a claim has which is about it."""

ABOUT_BY_TASK = 0.25
"""The same for a claim from a source that was found for that sub-question."""

HIT = 0.45
"""The share that one claim at least has of a sub-question that is answered. In 20 runs over documentation the best
claim has 0.45 or more of its own question (76 of 80, the median is 0.8), and 0.46 or less of another one (377 of 380;
the three others share their subject)."""

ANSWERED = 0.5
"""The share that all claims about a sub-question that is answered have together."""

Verdict = Literal["answered", "partly", "not found"]

_RANKED: dict[Told, Verdict] = {
    "plainly": "answered",
    "answered": "answered",
    "perhaps": "partly",
    "not found": "not found",
}
_ASKING = roots(" ".join(FUNCTION_WORDS))
_WORD = re.compile(r"[^\W_](?:[\w.]*[^\W_])?")


def asked(question: str, tasks: Sequence[Task], index: SourceIndex, ranked: Mapping[str, Told]) -> list[Coverage]:
    """Return the sub-questions of the plan, or the question when there is no plan, with the sources found for each.

    What the ranker made of one is recorded with it; what became of it is not known yet, see `covered`.
    """
    tasks_of: dict[str, set[str]] = {}
    for task in tasks:
        tasks_of.setdefault(task.sub_question, set()).add(task.task)
    found = {one: [entry.source.id for entry in index.entries if entry.tasks & by] for one, by in tasks_of.items()}
    every = {question: [entry.source.id for entry in index.entries]}
    return [
        Coverage(question=one, verdict="not found", sources=len(own), found=own, ranked=ranked.get(one, ""))
        for one, own in (found or every).items()
    ]


def covered(
    recorded: Iterable[Coverage], index: SourceIndex, claims: Sequence[Claim], citations: Sequence[Citation]
) -> list[Coverage]:
    """Return what became of each sub-question, for which sources are recorded, in order.

    Where a sub-question is `ranked`, that decides. Else words do: those of the claims that stand, and of the titles
    and headings above what they cite. Only supported claims make a sub-question answered, and only when they speak of
    every name and number in it; claims that speak of none of them are not about it. Claims in another language than
    the sub-question are about it when they cite a source that was found for it, and answer it in part at most.
    """
    said = _said(index, claims, citations)
    ids = [entry.source.id for entry in index.entries]
    return [_covered(one, [own for own in ids if own in one.found], said, index.relevance) for one in recorded]


@dataclass(frozen=True, slots=True)
class _StandingClaim:
    """A claim that stands: its place among the claims, the words of it and above it, the sources that it cites."""

    place: int
    text: str
    words: frozenset[str]
    sources: frozenset[str]
    is_supported: bool


def _said(index: SourceIndex, claims: Sequence[Claim], citations: Sequence[Citation]) -> list[_StandingClaim]:
    entries = {entry.source.id: entry for entry in index.entries}
    around = [_above(entries.get(citation.source_id), citation) for citation in citations]
    return [
        _StandingClaim(
            place,
            claim.text,
            roots(claim.text).union(*(around[cited] for cited in claim.citations)),
            frozenset(citations[cited].source_id for cited in claim.citations),
            claim.verdict in ("supported", "unchecked"),
        )
        for place, claim in enumerate(claims)
        if claim.citations and claim.verdict in (*HOLDS, "unchecked")
    ]


def _above(entry: SourceEntry | None, citation: Citation) -> frozenset[str]:
    """Return the words of the title and the headings above a citation."""
    if entry is None:
        return frozenset()
    passages = (one.passage for one in entry.passages)
    headings = {one.heading for one in passages if one.start <= citation.start < one.end}
    return roots(" ".join([entry.source.title, *sorted(headings)]))


def _covered(one: Coverage, found: list[str], said: Sequence[_StandingClaim], relevance: Relevance) -> Coverage:
    about = _about(one.question, set(found), said, relevance)
    verdict: Verdict = "partly" if about else "not found"
    if about and _answers(one.question, [claim for claim in about if claim.is_supported], relevance):
        verdict = "answered"
    if one.ranked:
        verdict = _RANKED[one.ranked]
    claims = [claim.place for claim in about]
    return one.model_copy(update={"verdict": verdict, "sources": len(found), "found": found, "claims": claims})


def _about(asked: str, own: set[str], said: Sequence[_StandingClaim], relevance: Relevance) -> list[_StandingClaim]:
    """Return the claims that are about a sub-question, for which the sources `own` were found."""
    wanted = roots(asked) - _ASKING
    if not wanted or is_english(asked) != is_english("\n".join(one.text for one in said)):
        return [one for one in said if one.sources & own]  # of two languages, the words tell nothing
    about = [
        one for one in said if relevance.coverage(wanted, one.words) >= (ABOUT_BY_TASK if one.sources & own else ABOUT)
    ]
    named = names(asked)
    return about if not named or named & _together(about) else []


def _answers(asked: str, about: Sequence[_StandingClaim], relevance: Relevance) -> bool:
    """Say whether claims about a sub-question answer it: one hits it, and together they leave little of it out.

    One that has none of its words itself but stands below a heading that has does not hit it. A sub-question that
    speaks of `it` and has but one word of its own says too little for anybody to tell.
    """
    wanted, together = roots(asked) - _ASKING, _together(about)
    says_what = len(wanted) > 1 or not LEANING & {word.casefold() for word in _WORD.findall(asked)}
    return (
        bool(wanted)
        and says_what
        and any(wanted & roots(one.text) and relevance.coverage(wanted, one.words) >= HIT for one in about)
        and relevance.coverage(wanted, together) >= ANSWERED
        and names(asked) <= together
    )


def _together(said: Sequence[_StandingClaim]) -> frozenset[str]:
    return frozenset[str]().union(*(one.words for one in said))


def names(text: str) -> frozenset[str]:
    """Return the names and numbers in a text, cut to their roots: what has a digit or a capital that no rule gives it.

    None by their capitals where most words have one: in a title, or in German, that says nothing.
    """
    words = [match[0] for match in _WORD.finditer(text)]
    content = [word for word in words if roots(word)]
    capital = [word for word in content if word[0].isupper()]
    found = [word for word in content if word[0].isdigit() or any(_is_odd(char) for char in word[1:])]
    if 2 * len(capital) <= len(content):
        found += [word for word in capital if word != words[0]]
    return frozenset(root for word in found for root in roots(word))


def _is_odd(char: str) -> bool:
    return char.isupper() or char.isdigit() or char == "_"
