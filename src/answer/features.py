"""What is looked at to tell whether a statement answers a question: each feature a number, mostly from 0 to 1."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from .candidate import Candidate, Question, words
from .wanted import SHOWN, has, tells_default


@dataclass(frozen=True, slots=True)
class ModelScores:
    """What models make of a candidate: its `relevance` by a cross-encoder; or how near it is by an embedder."""

    relevance: float = 0.0
    whole: float = 0.0
    joint: float = 0.0


UNSCORED = ModelScores()


@dataclass(frozen=True, slots=True)
class Comparison:
    """A candidate beside a question: which words of the question its parts meet, and what models make of it."""

    question: Question
    candidate: Candidate
    own: dict[str, float]
    before: dict[str, float]
    near: dict[str, float]
    passage: dict[str, float]
    around: dict[str, float]
    roots: list[str]
    new: set[str]
    scores: ModelScores

    @classmethod
    def of(cls, question: Question, candidate: Candidate, scores: ModelScores = UNSCORED) -> "Comparison":
        """Align a candidate with a question."""
        roots = words(candidate.text)
        own, around, passage = (question.met(text) for text in (candidate.text, candidate.around, candidate.passage))
        before, after = question.met(candidate.before), question.met(candidate.after)
        near = {root: max(own[root], around[root], 0.8 * before[root], 0.8 * after[root]) for root in own}
        passage = {root: max(value, around[root]) for root, value in passage.items()}
        new = {root for root in roots if max((own[one] for one in own if one == root), default=0.0) == 0.0}
        return cls(question, candidate, own, before, near, passage, around, roots, new, scores)


Feature = Callable[[Comparison], float]
FEATURES: dict[str, Feature] = {}
"""All features by name, in the order in which the weights are fitted."""


def feature(function: Feature) -> Feature:
    """Register a feature under the name of its function."""
    FEATURES[function.__name__] = function
    return function


@feature
def own_words(seen: Comparison) -> float:
    """The share of the question's words that the statement has."""
    return seen.question.share(seen.own)


@feature
def near_words(seen: Comparison) -> float:
    """The same, with its headings and its neighbours."""
    return seen.question.share(seen.near)


@feature
def before_words(seen: Comparison) -> float:
    """The share that the statement before it has: what is asked about often stands in one, the answer in the next."""
    return seen.question.share(seen.before)


@feature
def passage_words(seen: Comparison) -> float:
    """The same, with its whole passage."""
    return seen.question.share(seen.passage)


@feature
def title_words(seen: Comparison) -> float:
    """The share that its file, title and headings have."""
    return seen.question.share(seen.around)


@feature
def heading_words(seen: Comparison) -> float:
    """The share that the heading has below which it stands."""
    return seen.question.share(seen.question.met(seen.candidate.heading))


@feature
def opens_heading(seen: Comparison) -> float:
    """The same of a statement that comes first below its heading: the answer, where the heading is the question."""
    return heading_words(seen) if seen.candidate.opens else 0.0


@feature
def exact_words(seen: Comparison) -> float:
    """The share of the question's words that the statement has in the same form."""
    return seen.question.share({root: float(value == 1.0) for root, value in seen.own.items()})


@feature
def weightiest_missing(seen: Comparison) -> float:
    """How much of the question's two weightiest words the passage lacks."""
    most = sorted(seen.question.roots, key=lambda root: -seen.question.weights[root])[:2]
    return sum(1 - seen.passage[root] for root in most) / max(1, len(most))


@feature
def passage_missing(seen: Comparison) -> float:
    """How many words of the question the passage lacks, up to three."""
    return min(3.0, sum(value < 0.6 for value in seen.passage.values())) / 3


@feature
def names_missing(seen: Comparison) -> float:
    """The share of the question's names that neither the passage nor what stands above it has."""
    names = seen.question.names & set(seen.passage)
    return sum(seen.passage[name] < 0.7 for name in names) / len(names) if names else 0.0


@feature
def own_names(seen: Comparison) -> float:
    """The share of the question's names that the statement has itself."""
    names = seen.question.names & set(seen.own)
    return sum(seen.own[name] for name in names) / len(names) if names else 0.5


@feature
def numbers_missing(seen: Comparison) -> float:
    """The share of the question's numbers that the statement and its headings lack."""
    numbers = seen.question.numbers
    return sum(seen.near[number] < 1 for number in numbers) / len(numbers) if numbers else 0.0


@feature
def pairs(seen: Comparison) -> float:
    """The share of the question's neighbouring words that stand near each other in the statement."""
    roots = seen.question.roots
    wanted_pairs = list(pairwise(roots))
    if not wanted_pairs:
        return own_words(seen)
    place = {root: number for number, root in enumerate(seen.roots)}
    close = (one in place and two in place and abs(place[one] - place[two]) <= 2 for one, two in wanted_pairs)
    return sum(close) / len(wanted_pairs)


@feature
def close(seen: Comparison) -> float:
    """How close together the question's words stand in the statement."""
    places = [number for number, root in enumerate(seen.roots) if seen.own.get(root)]
    return len(places) / (places[-1] - places[0] + 1) if len(places) > 1 else 0.0


@feature
def has_wanted(seen: Comparison) -> float:
    """Whether it has what the question wants, beyond what the question says itself."""
    kind = seen.question.wanted
    return float(has(kind, seen.candidate.text, seen.new)) if kind in SHOWN else 0.5


@feature
def introduces(seen: Comparison) -> float:
    """Where a term is to be explained: how far that is what it explains."""
    return seen.question.introduced(seen.candidate)


@feature
def lacks_number(seen: Comparison) -> float:
    """Whether a date or a number is wanted, and it has none."""
    kind = seen.question.wanted
    return float(kind in ("date", "number") and not has(kind, seen.candidate.text, seen.new))


@feature
def default(seen: Comparison) -> float:
    """Whether it tells what holds by default, where that is asked."""
    return float(seen.question.default and tells_default(seen.candidate.text))


@feature
def news(seen: Comparison) -> float:
    """How many words it adds to the question's, on a logarithmic scale."""
    return math.log1p(len(seen.new)) / 4


@feature
def length(seen: Comparison) -> float:
    """How long it is, on a logarithmic scale."""
    return math.log1p(len(seen.candidate.text)) / 6


@feature
def leans(seen: Comparison) -> float:
    """Whether its first word points to what stands before it."""
    return float(seen.candidate.leans)


@feature
def row(seen: Comparison) -> float:
    """Whether it is a row of a table or a line of data."""
    return float(seen.candidate.row)


@feature
def first_passage(seen: Comparison) -> float:
    """How early its passage was found."""
    return 1 / (1 + seen.candidate.rank)


@feature
def relevance(seen: Comparison) -> float:
    """How well it answers by the model that reads it, below its headings, together with the question."""
    return seen.scores.relevance


@feature
def meaning(seen: Comparison) -> float:
    """The cosine of statement and question by a provider's embedder, beside the other statements."""
    return seen.scores.whole


@feature
def joint_meaning(seen: Comparison) -> float:
    """The same with the statement before it."""
    return seen.scores.joint
