"""What is looked at to tell whether a statement answers a question: each feature a number, mostly from 0 to 1."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from .candidate import Candidate, Question, words
from .wanted import SHOWN, has, tells_default


@dataclass(frozen=True, slots=True)
class ModelScores:
    """What models make of a candidate: its `relevance` by a cross-encoder; or how near it is by an embedder.

    `topic` is how well the best of all candidates fit the question by the cross-encoder as it came.
    """

    relevance: float = 0.0
    topic: float = 0.0
    whole: float = 0.0
    joint: float = 0.0


UNSCORED = ModelScores()


@dataclass(frozen=True, slots=True)
class Comparison:
    """A candidate beside a question: which words of the question its parts meet, and what models make of it."""

    question: Question
    candidate: Candidate
    text: dict[str, float]
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
        own, around, passage = (question.match(text) for text in (candidate.text, candidate.around, candidate.passage))
        before, after = question.match(candidate.before), question.match(candidate.after)
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
def own_words(compared: Comparison) -> float:
    """The share of the question's words that the statement has."""
    return compared.question.share(compared.text)


@feature
def near_words(compared: Comparison) -> float:
    """The same, with its headings and its neighbours."""
    return compared.question.share(compared.near)


@feature
def before_words(compared: Comparison) -> float:
    """The share that the statement before it has: what is asked about often stands in one, the answer in the next."""
    return compared.question.share(compared.before)


@feature
def passage_words(compared: Comparison) -> float:
    """The same, with its whole passage."""
    return compared.question.share(compared.passage)


@feature
def title_words(compared: Comparison) -> float:
    """The share that its file, title and headings have."""
    return compared.question.share(compared.around)


@feature
def heading_words(compared: Comparison) -> float:
    """The share that the heading has below which it stands."""
    return compared.question.share(compared.question.match(compared.candidate.heading))


@feature
def opens_heading(compared: Comparison) -> float:
    """The same of a statement that comes first below its heading: the answer, where the heading is the question."""
    return heading_words(compared) if compared.candidate.opens else 0.0


@feature
def exact_words(compared: Comparison) -> float:
    """The share of the question's words that the statement has in the same form."""
    return compared.question.share({root: float(value == 1.0) for root, value in compared.text.items()})


@feature
def weightiest_missing(compared: Comparison) -> float:
    """How much of the question's two weightiest words the passage lacks."""
    most = sorted(compared.question.roots, key=lambda root: -compared.question.weights[root])[:2]
    return sum(1 - compared.passage[root] for root in most) / max(1, len(most))


@feature
def passage_missing(compared: Comparison) -> float:
    """How many words of the question the passage lacks, up to three."""
    return min(3.0, sum(value < 0.6 for value in compared.passage.values())) / 3


@feature
def names_missing(compared: Comparison) -> float:
    """The share of the question's names that neither the passage nor what stands above it has."""
    names = compared.question.names & set(compared.passage)
    return sum(compared.passage[name] < 0.7 for name in names) / len(names) if names else 0.0


@feature
def own_names(compared: Comparison) -> float:
    """The share of the question's names that the statement has itself."""
    names = compared.question.names & set(compared.text)
    return sum(compared.text[name] for name in names) / len(names) if names else 0.5


@feature
def numbers_missing(compared: Comparison) -> float:
    """The share of the question's numbers that the statement and its headings lack."""
    numbers = compared.question.numbers
    return sum(compared.near[number] < 1 for number in numbers) / len(numbers) if numbers else 0.0


@feature
def pairs(compared: Comparison) -> float:
    """The share of the question's neighbouring words that stand near each other in the statement."""
    roots = compared.question.roots
    wanted_pairs = list(pairwise(roots))
    if not wanted_pairs:
        return own_words(compared)
    place = {root: number for number, root in enumerate(compared.roots)}
    close = (one in place and two in place and abs(place[one] - place[two]) <= 2 for one, two in wanted_pairs)
    return sum(close) / len(wanted_pairs)


@feature
def close(compared: Comparison) -> float:
    """How close together the question's words stand in the statement."""
    places = [number for number, root in enumerate(compared.roots) if compared.text.get(root)]
    return len(places) / (places[-1] - places[0] + 1) if len(places) > 1 else 0.0


@feature
def has_wanted(compared: Comparison) -> float:
    """Whether it has what the question wants, beyond what the question says itself."""
    kind = compared.question.wanted
    return float(has(kind, compared.candidate.text, compared.new)) if kind in SHOWN else 0.5


@feature
def introduces(compared: Comparison) -> float:
    """Where a term is to be explained: how far that is what it explains."""
    return compared.question.introduced(compared.candidate)


@feature
def lacks_number(compared: Comparison) -> float:
    """Whether a date or a number is wanted, and it has none."""
    kind = compared.question.wanted
    return float(kind in ("date", "number") and not has(kind, compared.candidate.text, compared.new))


@feature
def default(compared: Comparison) -> float:
    """Whether it tells what holds by default, where that is asked."""
    return float(compared.question.default and tells_default(compared.candidate.text))


@feature
def news(compared: Comparison) -> float:
    """How many words it adds to the question's, on a logarithmic scale."""
    return math.log1p(len(compared.new)) / 4


@feature
def length(compared: Comparison) -> float:
    """How long it is, on a logarithmic scale."""
    return math.log1p(len(compared.candidate.text)) / 6


@feature
def leans(compared: Comparison) -> float:
    """Whether its first word points to what stands before it."""
    return float(compared.candidate.leans)


@feature
def row(compared: Comparison) -> float:
    """Whether it is a row of a table or a line of data."""
    return float(compared.candidate.row)


@feature
def first_passage(compared: Comparison) -> float:
    """How early its passage was found."""
    return 1 / (1 + compared.candidate.rank)


@feature
def relevance(compared: Comparison) -> float:
    """How well it answers by the model that reads it, below its headings, together with the question."""
    return compared.scores.relevance


@feature
def topic(compared: Comparison) -> float:
    """How well any candidate fits the question by a model that tells what is about something else altogether."""
    return compared.scores.topic


@feature
def meaning(compared: Comparison) -> float:
    """The cosine of statement and question by a provider's embedder, beside the other statements."""
    return compared.scores.whole


@feature
def joint_meaning(compared: Comparison) -> float:
    """The same with the statement before it."""
    return compared.scores.joint
