"""Ranks statements by how well they answer a question, and estimates the probability that the best one does."""

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from statistics import fmean
from typing import TYPE_CHECKING, Any, Literal

from ..evidence import facts
from ..kernel.run import Run
from ..kernel.thread import in_thread
from ..rag import relevance, statement_comparer, text_nearness
from .candidate import ENTITLED, Candidate, Question, title_match, words
from .days import without_weekdays
from .features import FEATURES, UNSCORED, Comparison, ModelScores
from .outdated import less_if_outdated
from .wanted import DOCUMENTS, asks_legal, has, is_broad, is_legal, is_only_ahead, tells_default, wanted, wants_overview

if TYPE_CHECKING:
    from ..kernel.settings import Settings
    from ..rag import Comparer

COMPARED, READ = 120, 24
"""Most candidates that the late-interaction model compares with a question, chosen by `preselected`, and most that the
cross-encoder reads, too, the best of them. Of 102 questions of people about manuals, with 181 candidates on average, 94
have the answer among the latter, and for 71 one of the best three is one: as many as if 240 were compared, 67 if it is
one of the 48 best by words and rank that both read."""

COMPARED_BY_VECTORS = 48
"""Most candidates that an embedder compares with a question, chosen by `preselected`."""

HALVED = 5
"""Rank of a passage at which the bonus of its statements is half that of the first passage's. Of 154 questions in the
askers' own words, 88 have the answer among the 48 best candidates; 76 if these are chosen by words alone."""

LOOKED_AT = 24
"""Candidates that are ranked without the local models, the best by their words. Of 418 English questions, 96 % have the
answer among these, 97 % among sixty."""

RIVALS = 6
"""Number of best candidates whose scores are compared. If there are fewer, each missing one counts as `apart` behind
the best: the average distance of the others if the best one does not answer, or, for words, if it does."""

MOST_LEAD = 3.0
"""Largest lead over the rivals that counts, since the best of irrelevant statements may stand out too."""

STRANGE = 0.5
"""Share of a question's names missing from all texts from which nothing is found: Netflix, in texts on Activision."""

MOST_KNOWN = 0.75
"""Least share of a question's words in the texts for it to be answered: two of “salary of Anna Berg” do not suffice."""

MET = 0.6
"""Likeness from which a text has a word of the question."""

TOPICAL, TOPICAL_PASSAGES = 4, 3
"""Number of statements, the best by the fine-tuned models, and of passages, the first of the search, that the original
cross-encoder scores too: fine-tuned to tell answers from similar statements, the former are worse at detecting
unrelated ones. Of 88 questions about missing articles 82 are detected, of 210 about others 4 are lost."""

PART = 700
"""Most characters of several sentences of a passage that are compared with the question: some 150 tokens."""

NEAR = 0.1
"""Least odds, as a share of the best candidate's, of one of the `nearest`. Of 169 questions of people without a sure
answer, the five statements behind the best one are the answer in 52 of 538 cases above it, in 4 of 307 below."""

CONFIRMING = 0.6
"""Share of common words from which one statement confirms another."""

ENTRY = 7.0
"""Added to the score of a statement below a heading with the name whose default is asked for; it may omit the name."""

EXPLAINED = 0.9
"""Value of `introduced` from which a statement explains exactly the term asked for, as a manual does an option."""

TORN = 3.0
"""Subtracted from the score of a statement that lacks its beginning (`torn`)."""

DATED = 7.0
"""Added to the score of a statement that names a day of the question's, and subtracted if it names only others: the
models hardly tell “Tue 3 Mar” from “Tue 24 Feb” where “3 March” is asked for."""

_ENDS = re.compile(r"(?<=[.!?。])\s+|\n\s*\n")
_YEAR = re.compile(r"\b(?:1[5-9]|20)\d\d\b")

Answered = Literal["answered", "perhaps", "not found"]
DetailedVerdict = Literal["plainly", Answered]
Kind = Literal["relevance", "words", "vectors", "multilingual"]
"""What statements are scored by: the local models for English, words, a provider's embedder, or the local one."""


@dataclass(frozen=True, slots=True)
class RankedCandidate:
    """The number of a candidate, and its score; a difference of scores is the log-odds between two candidates."""

    number: int
    score: float


@dataclass(frozen=True, slots=True)
class Ranking:
    """The candidates that serve a question, best first; the best one is always included.

    `there` is the probability that the texts are about the question, `right` that the best candidate answers it;
    `verdict` follows from these. `absent` means that questions with an answer hardly ever have such scores, that no
    statement, with its context, has a word of the question, and that both are in one language. `plain`
    means that `right` is high, the statement explains exactly the term asked for, or two documents agree. `nearest` are
    the numbers of those that models have compared with the question, best first, whether they serve or not, whose odds
    are at least NEAR of the best one's.
    """

    ranked: tuple[RankedCandidate, ...]
    there: float
    right: float
    verdict: Answered
    absent: bool
    plain: bool = False
    nearest: tuple[int, ...] = ()

    @property
    def detailed_verdict(self) -> DetailedVerdict:
        """The verdict, or `plainly` for a plain answer."""
        return "plainly" if self.plain and self.verdict == "answered" else self.verdict


NOTHING = Ranking((), 0.0, 0.0, "not found", absent=True)


async def ranked(run: Run, settings: "Settings", question: str, candidates: Sequence[Candidate]) -> Ranking:
    """Rank candidates; by the local models, as an effect of the run, if they support the language."""
    if not candidates:
        return NOTHING
    if wanted(question) == DOCUMENTS:
        return openings(candidates)
    analysed = await in_thread(lambda: Question(without_weekdays(question), candidates))
    chosen, kind, model_scores = await choose_and_score(run, settings, analysed, candidates)
    return await in_thread(_ranking, analysed, candidates, chosen, kind, model_scores)


def openings(candidates: Sequence[Candidate]) -> Ranking:
    """Return a statement for each document that describes it: the first that can be read alone, else the first."""
    documents: dict[str, list[int]] = {}
    for number, candidate in enumerate(candidates):
        documents.setdefault(candidate.around.partition("\n")[0], []).append(number)
    first = (
        next((number for number in numbers if not (candidates[number].leans or candidates[number].row)), numbers[0])
        for numbers in documents.values()
    )
    ranked = tuple(RankedCandidate(number, 0.0) for number in first)
    return Ranking(ranked, 1.0, 1.0, "answered", absent=False, plain=True)


async def choose_and_score(
    run: Run, settings: "Settings", question: Question, candidates: Sequence[Candidate]
) -> tuple[list[int], Kind, Sequence[ModelScores]]:
    """Return the numbers of the candidates to rank, the kind of weights to use, and the models' scores.

    The local models for English score the candidates in the question's language, or all if there are none. In another
    language an embedder compares them: that of a provider, if one is set. Each is an effect of the run.
    """
    chosen = await in_thread(preselected, question, candidates, COMPARED)
    native = [number for number in chosen if not question.is_foreign(candidates[number])] or chosen
    query = f"{question.text} By default?" if question.default else question.text  # texts seldom say "if I set nothing"
    if likeness := await relevance(run, settings, query, _texts(candidates, native), by="late"):
        of_number = dict(zip(native, likeness, strict=True))
        best = sorted(native, key=lambda number: (not _names(question, candidates[number]), -of_number[number]))[:READ]
        read = list(dict.fromkeys([*best, *_after(best[:RIVALS], native, candidates)]))
        if scores := await relevance(run, settings, query, _texts(candidates, read)):
            topical = [read[place] for place in sorted(range(len(read)), key=lambda place: -scores[place])[:TOPICAL]]
            passages = _first_passages(question, [candidates[number] for number in native])
            topic = await _topic(run, settings, query, _texts(candidates, topical), passages)
            return read, "relevance", [ModelScores(score, max(scores) if topic is None else topic) for score in scores]
    chosen = chosen[:COMPARED_BY_VECTORS]
    if comparer := statement_comparer(settings, question.text):
        compared = [candidates[number] for number in chosen]
        if similar := await by_vectors(run, comparer, question, compared):
            return chosen, "vectors" if comparer.unrelated is None else "multilingual", similar
    chosen = chosen[:LOOKED_AT]
    return chosen, "words", [UNSCORED] * len(chosen)


def _names(question: Question, candidate: Candidate) -> bool:
    """Whether a statement explains the term or names the day asked for, or is in the setting's whose default is."""
    is_entry = question.default and question.entered(candidate) > 0
    return is_entry or question.dated(candidate) > 0 or question.introduced(candidate) >= EXPLAINED


def _after(numbers: Sequence[int], among: Sequence[int], candidates: Sequence[Candidate]) -> list[int]:
    """Return the statements after some in their passages: a number often stands there alone, as a surplus does."""
    following = {number + 1 for number in numbers} & {*among}
    return [number for number in sorted(following) if candidates[number].passage == candidates[number - 1].passage]


def _texts(candidates: Sequence[Candidate], numbers: Sequence[int]) -> list[str]:
    return [candidates[number].below_headings for number in numbers]


async def _topic(
    run: Run, settings: "Settings", query: str, statements: Sequence[str], passages: Sequence[str]
) -> float | None:
    """Return the mean of the best scores of a statement and of a passage, by the original cross-encoder."""
    scores = await relevance(run, settings, query, [*statements, *passages], by="original")
    return (max(scores[: len(statements)]) + max(scores[len(statements) :])) / 2 if scores else None


async def by_vectors(
    run: Run, comparer: "Comparer", question: Question, candidates: Sequence[Candidate]
) -> list[ModelScores]:
    """Return the scores of candidates by an embedder; none if it fails.

    Cosines of one embedder lie between .7 and .9, of another between 0 and .6: only if that of an unrelated text is
    known do they say what a text is about. Such a text is then compared, too, so that a single statement stands out.
    """
    beside = [] if comparer.unrelated is None else [comparer.unrelated]
    texts = [one.below_headings for one in candidates]
    joint = [one.under_headings(" ".join(filter(None, (one.before, one.text)))) for one in candidates]
    passages = _first_passages(question, candidates) if beside else []
    if (found := await text_nearness(run, comparer, question.text, [*texts, *joint, *passages])) is None:
        return []
    alone, joined, of_passages = found[: len(texts)], found[len(texts) : 2 * len(texts)], found[2 * len(texts) :]
    topic = (max(alone) + max(of_passages)) / 2 if beside else 0.0
    pairs = zip(_deviations(alone, beside), _deviations(joined, beside), strict=True)
    relevant = alone if beside else [0.0] * len(alone)
    return [
        ModelScores(one, topic, whole, with_before) for one, (whole, with_before) in zip(relevant, pairs, strict=True)
    ]


def _deviations(values: Sequence[float], beside: Sequence[float]) -> list[float]:
    """Return the deviation of each value from the mean of all, and of those `beside` them, divided by their range."""
    every = [*values, *beside]
    mean, range_ = fmean(every), max(every) - min(every)
    return [(value - mean) / range_ if range_ else 0.0 for value in values]


def _first_passages(question: Question, candidates: Sequence[Candidate]) -> list[str]:
    """Return the first passages found, each below the headings of the first of its candidates, or the best part of one.

    Neighbouring passages may have been joined, and models do not read a long text to its end.
    """
    of_rank = {one.rank: one for one in reversed(candidates)}
    first = (of_rank[rank] for rank in sorted(of_rank)[:TOPICAL_PASSAGES])
    return [one.under_headings(" ".join(_best_part(question, one.passage).split())) for one in first]


def _best_part(question: Question, text: str) -> str:
    """Return the neighbouring sentences, of at most PART characters, that have most of a question's words."""
    parts = [""]
    for sentence in _ENDS.split(text):
        if parts[-1] and len(parts[-1]) + len(sentence) > PART:
            parts.append("")
        parts[-1] += f"{sentence} "
    return max(parts, key=lambda part: question.share(question.match(part)))


def preselected(question: Question, candidates: Sequence[Candidate], most: int) -> list[int]:
    """Return the numbers of at most `most` candidates: those with most of the question's words or the best rank.

    Left out are statements that only point to another place, and those of a licence or a list of authors, unless it is
    asked for or all are such; and repetitions below the same heading, as in another format of a document.
    """

    def worth(number: int) -> float:
        compared = Comparison(question, candidates[number])
        own, near = question.share(compared.text), question.share(compared.near)
        found = 1 / (1 + candidates[number].rank / HALVED)
        named = 3 * question.introduced(candidates[number]) + question.dated(candidates[number])
        return own + 0.5 * near + found + named

    legal = asks_legal(question.text)
    telling = [number for number, one in enumerate(candidates) if not one.points and (legal or not _is_legal(one))]
    telling = telling or list(range(len(candidates)))
    distinct: dict[tuple[str, str], int] = {}
    for number in sorted(telling, key=lambda number: -worth(number)):
        distinct.setdefault(candidates[number].said, number)
    return list(distinct.values())[:most]


def _is_legal(candidate: Candidate) -> bool:
    return any(map(is_legal, (candidate.title, *candidate.path[-1:])))


def vectors(
    question: Question, candidates: Sequence[Candidate], chosen: Sequence[int], model_scores: Sequence[ModelScores]
) -> list[dict[str, float]]:
    """Return the features of each chosen candidate, given its models' scores."""
    pairs = zip(chosen, model_scores, strict=True)
    compared = (Comparison(question, candidates[number], scores) for number, scores in pairs)
    return [{name: function(one) for name, function in FEATURES.items()} for one in compared]


def gate(model: Mapping[str, Any], rows: Sequence[Mapping[str, float]], scores: Sequence[float]) -> dict[str, float]:
    """Return the features that decide whether the question is answered: the best candidate's, and its lead."""
    best = max(range(len(rows)), key=lambda place: scores[place])
    highest = sorted(scores, reverse=True)[:RIVALS]
    highest += [highest[0] - model["apart"]] * (RIVALS - len(highest))
    most = {f"most_{name}": max(row[name] for row in rows) for name in ("passage_words", "near_words")}
    return {**rows[best], **most, "lead": min(MOST_LEAD, highest[0] - fmean(highest))}


def _ranking(
    question: Question,
    candidates: Sequence[Candidate],
    chosen: Sequence[int],
    kind: Kind,
    model_scores: Sequence[ModelScores],
) -> Ranking:
    model = weights()[kind]
    rows = vectors(question, candidates, chosen, model_scores)
    scores = [
        score + model["besides"] * _adjustment(question, candidates[number])
        for number, score in zip(chosen, scored(model, rows, defines=question.defines), strict=True)
    ]
    lead = gate(model, rows, scores)["lead"]  # the age of others does not make an answer surer
    scores = less_if_outdated(question.text, [candidates[number].published for number in chosen], scores)
    features = gate(model, rows, scores)
    features["lead"] = min(features["lead"], lead)
    there, right = (probability(linear(model[name], features)) for name in ("there", "right"))
    order = sorted(range(len(chosen)), key=lambda place: (-scores[place], chosen[place]))
    serving = [place for place in order if place == order[0] or serves(model, rows[place])]
    ranked = tuple(RankedCandidate(chosen[place], round(scores[place], 4)) for place in serving)
    best = candidates[ranked[0].number]
    is_plain = _is_titled(question, best) or (question.introduced(best) >= EXPLAINED and not best.row)
    if question.strange >= STRANGE or (there < model["least_there"] and not is_plain):
        verdict: Answered = "not found"
    else:
        is_right = right >= model["least_right"] and _may_answer(question, best)
        verdict = "answered" if is_plain or is_right else "perhaps"
    is_foreign = question.is_foreign(best)
    absent = there < model["surely_absent"] and not features["most_near_words"] and not is_foreign
    plain = is_plain or right >= model["surely_right"] or _is_confirmed(candidates, ranked)
    least = scores[order[0]] + math.log(NEAR)
    nearest = tuple(chosen[place] for place in order if scores[place] >= least) if kind != "words" else ()
    return Ranking(ranked, round(there, 4), round(right, 4), verdict, absent, plain, nearest)


def _adjustment(question: Question, candidate: Candidate) -> float:
    """Return a correction of the score: negative for a torn statement or another day, positive for an entry."""
    entry = ENTRY * question.entered(candidate) if question.default else 0.0
    return entry + DATED * question.dated(candidate) - TORN * candidate.torn


def _may_answer(question: Question, candidate: Candidate) -> bool:
    """Whether a statement meets the necessary conditions of an answer, which the models hardly distinguish.

    It has its beginning; it, or the text around it, has the numbers of the question (bridge 4321 is no other bridge),
    and itself no other year or day than that asked for; it has a date or a number if one is asked for; it says what has
    happened if that is asked, not what is to; and it mentions a default if one is asked for. The texts have every name
    and most words of the question.
    """
    is_known = not question.strange and len(question.known_roots) >= MOST_KNOWN * len(question.roots)
    if (
        not is_known
        or candidate.torn
        or question.dated(candidate) < 0
        or (question.default and not tells_default(candidate.text))
    ):
        return False
    asked, told = ({*_YEAR.findall(text)} for text in (question.text, candidate.text))
    if (asked and told and not asked & told) or is_only_ahead(question.text, candidate.text):
        return False
    if question.wanted in ("date", "number") and not _tells_when_or_how_much(question, candidate.text):
        return False
    own, above = question.match(candidate.text), question.match(candidate.around)
    return all(max(own[number], above[number]) >= MET for number in question.numbers)


def _tells_when_or_how_much(question: Question, text: str) -> bool:
    """Whether a text has a date or a number; of 355 sentences that answer for one, 12 have none: “before the war”."""
    found = facts(text)
    return bool(found.dates or found.quantities) or has(question.wanted, text, set(words(text)) - {*question.roots})


def scored(model: Mapping[str, Any], rows: Sequence[Mapping[str, float]], *, defines: bool) -> list[float]:
    """Return the score of each candidate; `defines` says that the question asks for the definition of a term."""
    return [linear(model["explain" if defines else "rank"], row) for row in rows]


def _is_confirmed(candidates: Sequence[Candidate], ranked: Sequence[RankedCandidate]) -> bool:
    """Whether another document says the same as the best statement, in other words."""
    best, *rivals = (candidates[one.number] for one in ranked[:RIVALS])
    best_words = set(words(best.text))
    for rival in rivals:
        rival_words = set(words(rival.text))
        common = len(best_words & rival_words) / max(1, len(best_words | rival_words))
        is_alike = CONFIRMING <= common < 1 and rival.title != best.title
        if is_alike and facts(rival.text).denies == facts(best.text).denies:
            return True
    return False


def _is_titled(question: Question, candidate: Candidate) -> bool:
    """Whether a question asks for an overview or steps, and its subject is the title of a statement's document.

    Words of the question that are in no text are ignored for an overview: "How did the telescope develop".
    """
    if wants_overview(question.text):
        known = set(question.known_roots)
        return 2 * len(known) >= len(question.roots) and known <= set(words(candidate.title))
    return is_broad(question.text) and title_match(candidate.title, question.text) >= ENTITLED


def serves(model: Mapping[str, Any], row: Mapping[str, float]) -> bool:
    """Whether a statement serves the question at all, by its features."""
    return probability(linear(model["serves"], row)) >= float(model["least_serving"])


def linear(weights: Mapping[str, float], row: Mapping[str, float]) -> float:
    """Return the weighted sum of features plus the weight `bias`."""
    return math.fsum(
        [weights.get("bias", 0.0), *(weight * row[name] for name, weight in weights.items() if name in row)]
    )


def probability(odds: float) -> float:
    """Return the probability of log-odds."""
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, odds))))


@cache
def weights() -> dict[str, Any]:
    """Return the fitted weights of each kind (`bench/fit_answers.py`).

    `rank` orders candidates, `explain` those for the definition of a term: these are short, often not a sentence, and
    at the beginning. `there` and `right` judge the best candidate, `serves` any candidate.
    """
    fitted: dict[str, Any] = json.loads(files(__package__).joinpath("weights.json").read_text(encoding="utf-8"))
    return fitted
