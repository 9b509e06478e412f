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


class Comparison:
    """A candidate beside a question: which words of the question its parts meet, and what models make of it.

    `roots` are those of its text, `new` the ones that the question has not.
    """

    def __init__(self, question: Question, candidate: Candidate, scores: ModelScores = UNSCORED) -> None:
        self.question, self.candidate, self.scores = question, candidate, scores
        self.text, self.around = question.match(candidate.text), question.match(candidate.around)
        self.before, after = question.match(candidate.before), question.match(candidate.after)
        self.near = {
            root: max(own, self.around[root], 0.8 * self.before[root], 0.8 * after[root])
            for root, own in self.text.items()
        }
        passage = question.match(candidate.passage)
        self.passage = {root: max(value, self.around[root]) for root, value in passage.items()}
        self.roots = words(candidate.text)
        self.new = {root for root in self.roots if not self.text.get(root)}


def weightiest_missing(compared: Comparison) -> float:
    """Return how much of the question's two weightiest words the passage lacks."""
    most = sorted(compared.question.roots, key=lambda root: -compared.question.weights[root])[:2]
    return sum(1 - compared.passage[root] for root in most) / max(1, len(most))


def names_missing(compared: Comparison) -> float:
    """Return the share of the question's names that neither the passage nor what stands above it has."""
    names = compared.question.names & set(compared.passage)
    return sum(compared.passage[name] < 0.7 for name in names) / len(names) if names else 0.0


def own_names(compared: Comparison) -> float:
    """Return the share of the question's names that the statement has itself."""
    names = compared.question.names & set(compared.text)
    return sum(compared.text[name] for name in names) / len(names) if names else 0.5


def numbers_missing(compared: Comparison) -> float:
    """Return the share of the question's numbers that the statement and its headings lack."""
    numbers = compared.question.numbers
    return sum(compared.near[number] < 1 for number in numbers) / len(numbers) if numbers else 0.0


def pairs(compared: Comparison) -> float:
    """Return the share of the question's neighbouring words that stand near each other in the statement."""
    wanted_pairs = list(pairwise(compared.question.roots))
    if not wanted_pairs:
        return compared.question.share(compared.text)
    place = {root: number for number, root in enumerate(compared.roots)}
    close = (one in place and two in place and abs(place[one] - place[two]) <= 2 for one, two in wanted_pairs)
    return sum(close) / len(wanted_pairs)


def close(compared: Comparison) -> float:
    """Return how close together the question's words stand in the statement."""
    places = [number for number, root in enumerate(compared.roots) if compared.text.get(root)]
    return len(places) / (places[-1] - places[0] + 1) if len(places) > 1 else 0.0


def heading_words(compared: Comparison) -> float:
    """Return the share of the question's words that the heading has below which the statement stands."""
    return compared.question.share(compared.question.match(compared.candidate.heading))


def has_wanted(compared: Comparison) -> bool:
    """Return whether a statement has what the question wants, beyond what the question says itself."""
    return has(compared.question.wanted, compared.candidate.text, compared.new)


FEATURES: dict[str, Callable[[Comparison], float]] = {
    # The share of the question's words that the statement has,
    "own_words": lambda it: it.question.share(it.text),
    # … with its headings and its neighbours,
    "near_words": lambda it: it.question.share(it.near),
    # … that the statement before it has: what is asked about often stands in one, the answer in the next,
    "before_words": lambda it: it.question.share(it.before),
    # … that its passage has,
    "passage_words": lambda it: it.question.share(it.passage),
    # … that its file, title and headings have,
    "title_words": lambda it: it.question.share(it.around),
    "heading_words": heading_words,
    # … of a statement that comes first below its heading: the answer, where the heading is the question,
    "opens_heading": lambda it: heading_words(it) if it.candidate.opens else 0.0,
    # … that the statement has in the same form.
    "exact_words": lambda it: it.question.share({root: float(value == 1.0) for root, value in it.text.items()}),
    "weightiest_missing": weightiest_missing,
    # How many words of the question the passage lacks, up to three.
    "passage_missing": lambda it: min(3.0, sum(value < 0.6 for value in it.passage.values())) / 3,
    "names_missing": names_missing,
    "own_names": own_names,
    "numbers_missing": numbers_missing,
    "pairs": pairs,
    "close": close,
    "has_wanted": lambda it: float(has_wanted(it)) if it.question.wanted in SHOWN else 0.5,
    # Where a term is to be explained: how far that is what it explains.
    "introduces": lambda it: it.question.introduced(it.candidate),
    # Whether a date or a number is wanted, and it has none.
    "lacks_number": lambda it: float(it.question.wanted in ("date", "number") and not has_wanted(it)),
    # Whether it tells what holds by default, where that is asked.
    "default": lambda it: float(it.question.default and tells_default(it.candidate.text)),
    # How many words it adds to the question's, and how long it is, on a logarithmic scale.
    "news": lambda it: math.log1p(len(it.new)) / 4,
    "length": lambda it: math.log1p(len(it.candidate.text)) / 6,
    # Whether its first word points to what stands before it, and whether it is a row of a table or a line of data.
    "leans": lambda it: float(it.candidate.leans),
    "row": lambda it: float(it.candidate.row),
    # How early its passage was found.
    "first_passage": lambda it: 1 / (1 + it.candidate.rank),
    # How well it answers by the model that reads it, below its headings, together with the question.
    "relevance": lambda it: it.scores.relevance,
    # How well any candidate fits the question by a model that tells what is about something else altogether.
    "topic": lambda it: it.scores.topic,
    # The cosine of statement and question by a provider's embedder, and the same with the statement before it.
    "meaning": lambda it: it.scores.whole,
    "joint_meaning": lambda it: it.scores.joint,
}
"""All features by name, in the order in which the weights are fitted."""
