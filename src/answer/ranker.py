"""Ranks statements by how well they answer a question, and says how likely it is that the best one does."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from statistics import fmean
from typing import TYPE_CHECKING, Any, Literal

from ..evidence import facts
from ..kernel.run import Run
from ..kernel.thread import in_thread
from ..rag import relative, relevance
from .candidate import ENTITLED, Candidate, Question, entitled, words
from .features import FEATURES, UNSCORED, Comparison, ModelScores, heading_words
from .wanted import (
    DOCUMENTS,
    also_wanted,
    has,
    is_broad,
    is_topic,
    numbered,
    tells_default,
    version_in,
    wanted,
    wants_overview,
    wants_version,
)
from .words import alike

if TYPE_CHECKING:
    from ..kernel.settings import Settings

READ = 48
"""Candidates that are read together with the question: the best by their words. Of 215 questions that people asked in
English 79 % have the answer among the best 24 of these, 71 % among the best 24 by words alone, 85 % among all."""

LOOKED_AT = 24
"""Candidates that are ranked where none is read so: the best by their words. Of 418 English questions 96 % have the
answer among so many, 97 % among sixty."""

RIVALS = 6
"""The candidates whose scores are compared. Where a small text has fewer, the missing ones count as so far behind the
best one (`apart`) as the others are where the best one does not answer, or, by words, where it does."""

MOST_LEAD = 3.0
"""No lead counts for more: a statement that stands out among nonsense need not be sense."""

STRICT, MOST_SAID, DENIED = ("date", "number", "person", "reason", "whether"), 0.6, 0.3
"""What a question wants that an answer cannot do without, and the share of the words of a question whether something is
so that a statement says again which tells that; the last one is for a statement that denies."""

STRANGE = 0.5
"""A question so much of whose names no text has is not answered: of Netflix nothing is said where Activision is."""

ASKED, LEAST_ASKED = 0.8, 2
"""How much of a question a heading has, and that of it, where the heading asks it, and words that it has at least."""

LITTLE = 0.34
"""A question is surely not spoken of only where no statement and what is around it has so much of its words."""

MET = 0.6
"""From this likeness on a word of a question stands in a text."""

MOST_KNOWN = 0.75
"""How many of the words of a question that is answered any text has at least: not two of “salary of Anna Berg”."""

READ_WELL, NEARLY, LEAST_RIGHT = 5.0, 4.0, 0.4
"""A statement to which the cross-encoder gives the first score answers although another nearly does, from this
probability on: of 14 such ones that had been held back, of two sets of questions by people, 11 had the answer, as many
as of those that were called one. Not where it is asked whether something is so: all of its words may say another
thing."""

TOLD_AGAIN = 0.6
"""How much of the words of two statements is the same where one confirms the other."""

PREDICATE = 3.0
"""By how much the score of a statement rises that has what is asked whether it is so."""

ENTRY = 7.0
"""By how much the score of a statement rises below the name that is asked what it is by default, for all of the weight
that the question has besides: it need not say the name again, as one does that stands elsewhere."""

BARE = 3.0
"""By how much the score of a line of data falls that explains nothing where a term is to be explained."""

TORN = 3.0
"""The same of a statement that lacks its beginning."""

PLAIN = 0.9
"""How far a statement explains just the term that is to be explained which does so plainly."""

Answered = Literal["answered", "perhaps", "not found"]
Told = Literal["plainly", Answered]
Kind = Literal["relevance", "words", "vectors"]


@dataclass(frozen=True, slots=True)
class RankedCandidate:
    """A candidate by its number, and its score: the log-odds of two candidates are the difference of theirs."""

    number: int
    score: float


@dataclass(frozen=True, slots=True)
class Ranking:
    """The candidates for a question, best first; those that do not serve it, unless it is the best one, are left out.

    `there` is the probability that the texts are about what is asked at all, `right` that the best candidate answers;
    `verdict` is what follows from these; it is `absent` where hardly any question that has an answer looks like this.
    It is `plain` where an answer has every word of the question and what it wants, or two documents tell it.
    """

    ranked: tuple[RankedCandidate, ...]
    there: float
    right: float
    verdict: Answered
    absent: bool
    plain: bool = False

    @property
    def told(self) -> Told:
        """The verdict, with whether it is plain."""
        return "plainly" if self.plain and self.verdict == "answered" else self.verdict


NOTHING = Ranking((), 0.0, 0.0, "not found", absent=True)


async def ranked(run: Run, settings: "Settings", question: str, candidates: Sequence[Candidate]) -> Ranking:
    """Rank candidates, by what a cross-encoder reads in them where it knows the language, an effect of the run."""
    if not candidates:
        return NOTHING
    if wanted(question) == DOCUMENTS:
        return openings(candidates)
    asked = await in_thread(Question, question, candidates)
    chosen, kind, read = await looked_at(run, settings, asked, candidates)
    return await in_thread(_ranking, asked, candidates, chosen, kind, read)


def openings(candidates: Sequence[Candidate]) -> Ranking:
    """Return the statement that tells best what each document is: the first that reads on its own, else the first."""
    documents: dict[str, list[int]] = {}
    for number, one in enumerate(candidates):
        documents.setdefault(one.around.partition("\n")[0], []).append(number)
    first = [
        next((n for n in own if not (candidates[n].leans or candidates[n].row)), own[0]) for own in documents.values()
    ]
    found = tuple(RankedCandidate(number, 0.0) for number in first)
    return Ranking(found, 1.0, 1.0, "answered", absent=False, plain=True)


async def looked_at(
    run: Run, settings: "Settings", question: Question, candidates: Sequence[Candidate]
) -> tuple[list[int], Kind, Sequence[ModelScores]]:
    """Return the numbers of the candidates that are looked at, which weights that takes, and what models make of them.

    A cross-encoder reads them in its language, those of another one only where there are no others, else a provider's
    embedder compares them where one is set; each is an effect of the run.
    """
    chosen = await in_thread(preselected, question, candidates, READ)
    native = [number for number in chosen if not question.is_foreign(candidates[number])]
    texts = [candidates[number].below_headings for number in native or chosen]
    asked = f"{question.text} By default?" if question.default else question.text  # "if I set nothing" is seldom told
    if answers := await relevance(run, settings, asked, texts):
        return native or chosen, "relevance", [ModelScores(answer) for answer in answers]
    chosen = chosen[:LOOKED_AT]
    own = [candidates[number] for number in chosen]
    texts, before = [one.text for one in own], [one.before for one in own]
    if near := await relative(run, settings, question.text, texts, before):
        return chosen, "vectors", [ModelScores(whole=whole, joint=joint) for whole, joint in near]
    return chosen, "words", [UNSCORED] * len(chosen)


def preselected(question: Question, candidates: Sequence[Candidate], most: int) -> list[int]:
    """Return the numbers of `most` candidates that have most of the question's words, themselves and around them.

    What only points to another place is none, unless nothing else is there.
    """

    def worth(number: int) -> float:
        seen = Comparison.of(question, candidates[number])
        own, near, passage = (question.share(met) for met in (seen.own, seen.near, seen.passage))
        return own + 0.5 * near + 0.3 * passage + 3 * question.introduced(candidates[number])

    say = [number for number, one in enumerate(candidates) if not one.points] or range(len(candidates))
    return sorted(say, key=lambda number: -worth(number))[:most]


def vectors(
    question: Question, candidates: Sequence[Candidate], chosen: Sequence[int], read: Sequence[ModelScores]
) -> list[dict[str, float]]:
    """Return every feature of the chosen candidates, of which models made what `read` says."""
    seen = (Comparison.of(question, candidates[number], own) for number, own in zip(chosen, read, strict=True))
    return [{name: function(one) for name, function in FEATURES.items()} for one in seen]


def gate(model: Mapping[str, Any], rows: Sequence[Mapping[str, float]], scores: Sequence[float]) -> dict[str, float]:
    """Return what tells whether the question is answered: the best candidate's features, and how it compares."""
    best = max(range(len(rows)), key=lambda place: scores[place])
    highest = sorted(scores, reverse=True)[:RIVALS]
    highest += [highest[0] - model["apart"]] * (RIVALS - len(highest))
    most = {f"most_{name}": max(row[name] for row in rows) for name in ("passage_words", "near_words", "relevance")}
    return {**rows[best], **most, "lead": min(MOST_LEAD, highest[0] - fmean(highest))}


def _ranking(
    question: Question,
    candidates: Sequence[Candidate],
    chosen: Sequence[int],
    kind: Kind,
    read: Sequence[ModelScores],
) -> Ranking:
    rows = vectors(question, candidates, chosen, read)
    model = weights()[kind]
    scores = scored(model, rows, defines=question.defines)
    besides = (model["besides"] * _besides(question, candidates[number]) for number in chosen)
    scores = [score + more for score, more in zip(scores, besides, strict=True)]
    seen = gate(model, rows, scores)
    there, right = (probability(linear(model[name], seen)) for name in ("there", "right"))
    order = sorted(range(len(chosen)), key=lambda place: (-scores[place], chosen[place]))
    serving = [place for place in order if place == order[0] or serves(model, rows[place])]
    found = tuple(RankedCandidate(chosen[place], round(scores[place], 4)) for place in serving)
    verdict, plain = _verdict(there, right, model), False
    own_words = right >= LEAST_RIGHT and question.wanted != "whether" and _is_read_well([rows[n] for n in order[:2]])
    if question.strange >= STRANGE:
        verdict = "not found"
    else:
        verdict = "answered" if own_words else verdict
        is_sure = right >= model["surely_right"]
        verdict, plain = _judged(question, candidates[found[0].number], verdict, is_sure, own_words=own_words)
    absent = there < model["surely_absent"] and seen["most_near_words"] < LITTLE
    plain = plain or _is_told_again(candidates, found)
    return Ranking(found, round(there, 4), round(right, 4), verdict, absent, plain)


def _besides(question: Question, candidate: Candidate) -> float:
    """Return by how much a score rises or falls for what only some questions want, beside its features."""
    found = -TORN * candidate.torn
    if question.defines and candidate.row and not question.introduced(candidate):
        found -= BARE
    if question.default:
        found += ENTRY * question.entered(candidate)
    if question.wanted == "whether":
        found += PREDICATE * _tells_whether(question, candidate)
    return found


def _is_read_well(best: Sequence[Mapping[str, float]]) -> bool:
    """Say whether the best of two statements surely answers by what the cross-encoder makes of both."""
    return len(best) == 2 and best[0]["relevance"] >= READ_WELL and best[1]["relevance"] >= NEARLY


def _judged(
    question: Question, best: Candidate, verdict: Answered, is_sure: bool, *, own_words: bool
) -> tuple[Answered, bool]:
    """Return whether the best statement answers, and whether it does so plainly, from what the model says of both.

    What stands below a heading that is the question answers, and so does what explains just the term that is asked for,
    as a manual does of an option; else it has what an answer cannot do without.
    """
    explains = question.introduced(best) >= PLAIN and not best.row
    if explains or asked_there(question, best) or _is_titled(question, best):
        return "answered", True
    if verdict == "answered" and (best.torn or not may_answer(question, best, own_words=own_words)):
        return "perhaps", False
    return verdict, is_sure


def scored(model: Mapping[str, Any], rows: Sequence[Mapping[str, float]], *, defines: bool) -> list[float]:
    """Return the score of each candidate; `defines` says that the question wants a term to be explained."""
    return [linear(model["explain" if defines else "rank"], row) for row in rows]


def fits(question: Question, candidate: Candidate, *, own_words: bool = False) -> bool:
    """Say whether a statement has what alone can answer: a number where one is wanted, a date, a name, a yes or no.

    Most of what the question says is as good as a yes or no, and so is some of it where something is denied: "MD5 is no
    longer acceptable". What holds by default is told as such. A version may stand in a heading above. A reason may be
    told in `own_words`.
    """
    if question.default and not tells_default(candidate.text):
        return False
    if wants_version(question.text) and not (version_in(candidate.text) or any(map(numbered, candidate.path))):
        return False
    seen = Comparison.of(question, candidate)
    besides = also_wanted(question.text)
    if besides and not has(besides, candidate.text, seen.new):
        return False
    if own_words and question.wanted == "reason":
        return True
    shows = question.wanted not in STRICT or has(question.wanted, candidate.text, seen.new)
    return shows or (question.wanted == "whether" and question.share(seen.own) >= _least_said(candidate.text))


def may_answer(question: Question, candidate: Candidate, *, own_words: bool = False) -> bool:
    """Say whether a statement has what an answer cannot do without, and the texts most of the question's words."""
    is_known = len(question.known) >= MOST_KNOWN * len(question.roots)
    return is_known and fits(question, candidate, own_words=own_words) and names_all(question, candidate)


def names_all(question: Question, candidate: Candidate) -> bool:
    """Say whether a statement, or what stands above it, has the words that an answer cannot do without.

    These are the names and numbers of the question and, where one thing is wanted, something besides these. Where all
    that it says is a topic, or it asks whether something is so, it is the weightiest word of those that do not stand
    above it; what denies something need not say all of it.
    """
    said = _said(question, candidate)
    whether = question.wanted == "whether" and not facts(candidate.text).denies
    needed = {root for root in question.named if root in said}
    if whether or question.wanted in ("date", "person"):
        others = said.keys() - needed
        if (others or whether) and not any(said[root] >= MET for root in others):
            return False
    if whether or is_topic(question.text):
        needed |= {question.weightiest(candidate.around)} & said.keys()
    return all(said[root] >= MET for root in needed)


def _said(question: Question, candidate: Candidate) -> dict[str, float]:
    own, above = question.met(candidate.text), question.met(candidate.around)
    return {root: max(own[root], above[root]) for root in own}


def _tells_whether(question: Question, candidate: Candidate) -> bool:
    """Say whether a statement has most of what is asked whether it is so, but for what stands above it."""
    above, own = question.met(candidate.around), question.met(candidate.text)
    left = [root for root in question.roots if above[root] < MET]
    whole = sum(question.weights[root] for root in left)
    return bool(left) and sum(question.weights[root] * own[root] for root in left) >= MOST_SAID * whole


def _is_told_again(candidates: Sequence[Candidate], found: Sequence[RankedCandidate]) -> bool:
    """Say whether another document tells what the best statement tells, in other words."""
    best = candidates[found[0].number]
    own = set(words(best.text))
    for one in (candidates[rival.number] for rival in found[1:RIVALS]):
        said = set(words(one.text))
        same = len(own & said) / len(own | said) if own | said else 0.0
        if TOLD_AGAIN <= same < 1 and one.title != best.title and facts(one.text).denies == facts(best.text).denies:
            return True
    return False


def _is_titled(question: Question, candidate: Candidate) -> bool:
    """Say whether an overview, or how something is done, is wanted of just what a statement's document is about.

    What an overview is wanted of is in the title, as far as the texts have its words: "How did the telescope develop".
    """
    if wants_overview(question.text):
        return 2 * len(question.known) >= len(question.roots) and set(question.known) <= set(words(candidate.title))
    return is_broad(question.text) and entitled(candidate.title, question.text) >= ENTITLED


def _least_said(text: str) -> float:
    return DENIED if facts(text).denies else MOST_SAID


def asked_there(question: Question, candidate: Candidate) -> bool:
    """Say whether a statement opens what stands below a heading that asks just this, as in a list of questions."""
    heading = words(candidate.heading)
    asks = candidate.heading.rstrip().endswith(("?", "？")) or wanted(candidate.heading)
    if not (candidate.opens and asks) or len(heading) < LEAST_ASKED:
        return False
    said = [root for root in heading if any(alike(root, one) for one in question.roots)]
    return heading_words(Comparison.of(question, candidate)) >= ASKED and len(said) >= ASKED * len(heading)


def _verdict(there: float, right: float, model: Mapping[str, Any]) -> Answered:
    if there < model["least_there"]:
        return "not found"
    return "answered" if right >= model["least_right"] else "perhaps"


def serves(model: Mapping[str, Any], row: Mapping[str, float]) -> bool:
    """Say whether a statement serves the question at all, by its features."""
    return probability(linear(model["serves"], row)) >= float(model["least_serving"])


def linear(weights: Mapping[str, float], row: Mapping[str, float]) -> float:
    """Return the weighted sum of features; the weight of `bias` stands alone."""
    return math.fsum(
        [weights.get("bias", 0.0), *(weight * row[name] for name, weight in weights.items() if name in row)]
    )


def probability(odds: float) -> float:
    """Return the probability of log-odds."""
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, odds))))


@cache
def weights() -> dict[str, Any]:
    """Return the fitted weights of each kind (`bench/fit_answers.py`).

    `rank` orders candidates, `explain` those for a term that is to be explained: what explains one is short, often no
    sentence, and at the beginning. `there`, `right` and `serves` say of the best one, or of any, what their names say.
    """
    found: dict[str, Any] = json.loads(files(__package__).joinpath("weights.json").read_text(encoding="utf-8"))
    return found
