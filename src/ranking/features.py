"""Features of a statement as answer to a question: numbers, mostly from 0 to 1, which the ranker weights."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from .candidate import Candidate, Question, words
from .wanted import SHOWN, has, tells_default


@dataclass(frozen=True, slots=True)
class ModelScores:
    """The scores of a candidate by models: `relevance` by both local models for English, or similarities.

    By the multilingual model `relevance` is the nearness of statement and question.
    `topic` is the mean of the best score of any candidate and of any passage, by the cross-encoder before fine-tuning
    or, as a cosine, by the multilingual model.
    `whole` is the cosine of statement and question, `joint` the same with the statement before it.
    """

    relevance: float = 0.0
    topic: float = 0.0
    whole: float = 0.0
    joint: float = 0.0


UNSCORED = ModelScores()


class Comparison:
    """A candidate compared with a question: the question's words matched by its parts, and the models' scores.

    `roots` are those of its text, `new` the ones that are not in the question.
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
    """Return the share of the question's two weightiest words that the passage lacks."""
    most = sorted(compared.question.roots, key=lambda root: -compared.question.weights[root])[:2]
    return sum(1 - compared.passage[root] for root in most) / max(1, len(most))


def names_missing(compared: Comparison) -> float:
    """Return the share of the question's names that neither the passage nor the headings above it contain."""
    names = compared.question.names & set(compared.passage)
    return sum(compared.passage[name] < 0.7 for name in names) / len(names) if names else 0.0


def own_names(compared: Comparison) -> float:
    """Return the share of the question's names in the statement itself, 0.5 without names."""
    names = compared.question.names & set(compared.text)
    return sum(compared.text[name] for name in names) / len(names) if names else 0.5


def numbers_missing(compared: Comparison) -> float:
    """Return the share of the question's numbers that the statement and its headings lack."""
    numbers = compared.question.numbers
    return sum(compared.near[number] < 1 for number in numbers) / len(numbers) if numbers else 0.0


def pairs(compared: Comparison) -> float:
    """Return the share of the question's pairs of adjacent words that are near each other in the statement."""
    wanted_pairs = list(pairwise(compared.question.roots))
    if not wanted_pairs:
        return compared.question.share(compared.text)
    place = {root: number for number, root in enumerate(compared.roots)}
    close = (one in place and two in place and abs(place[one] - place[two]) <= 2 for one, two in wanted_pairs)
    return sum(close) / len(wanted_pairs)


def close(compared: Comparison) -> float:
    """Return how close together the question's words are in the statement: their share of the words between them."""
    places = [number for number, root in enumerate(compared.roots) if compared.text.get(root)]
    return len(places) / (places[-1] - places[0] + 1) if len(places) > 1 else 0.0


def heading_words(compared: Comparison) -> float:
    """Return the share of the question's words in the nearest heading above the statement."""
    return compared.question.share(compared.question.match(compared.candidate.heading))


def has_wanted(compared: Comparison) -> bool:
    """Return whether a statement has what the question asks for, such as a date that is not in the question itself."""
    return has(compared.question.wanted, compared.candidate.text, compared.new)


FEATURES: dict[str, Callable[[Comparison], float]] = {
    # The share of the question's words in the statement,
    "own_words": lambda it: it.question.share(it.text),
    # … in the statement, its headings and its neighbours,
    "near_words": lambda it: it.question.share(it.near),
    # … in the statement before it: one often names the subject and the next one has the answer,
    "before_words": lambda it: it.question.share(it.before),
    # … in its passage,
    "passage_words": lambda it: it.question.share(it.passage),
    # … in its file name, title and headings,
    "title_words": lambda it: it.question.share(it.around),
    "heading_words": heading_words,
    # … in the heading, if the statement is the first below it: the answer, if the heading is the question,
    "opens_heading": lambda it: heading_words(it) if it.candidate.opens else 0.0,
    # … in the statement, in the same form.
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
    # If the question asks for a definition: how well the term that the statement explains matches.
    "introduces": lambda it: it.question.introduced(it.candidate),
    # Whether the question asks for a date or a number, and the statement has none.
    "lacks_number": lambda it: float(it.question.wanted in ("date", "number") and not has_wanted(it)),
    # Whether the question asks for a default, and the statement mentions one.
    "default": lambda it: float(it.question.default and tells_default(it.candidate.text)),
    # The number of words that are not in the question, and the length, both on a logarithmic scale.
    "news": lambda it: math.log1p(len(it.new)) / 4,
    "length": lambda it: math.log1p(len(it.candidate.text)) / 6,
    # Whether it depends on the statement before it, and whether it is a table row or a line of data.
    "leans": lambda it: float(it.candidate.leans),
    "row": lambda it: float(it.candidate.row),
    # The reciprocal rank of its passage in the search results.
    "first_passage": lambda it: 1 / (1 + it.candidate.rank),
    # The number of passages before its own in the search results, on a logarithmic scale.
    "behind": lambda it: math.log1p(it.candidate.rank),
    # The score of the statement with its headings by both local models for English, or its nearness by the other one.
    "relevance": lambda it: it.scores.relevance,
    # The best scores of a candidate and of a passage by a model that was not fine-tuned: they detect unrelated texts.
    "topic": lambda it: it.scores.topic,
    # The cosine of the embeddings of statement and question, and the same with the statement before it.
    "meaning": lambda it: it.scores.whole,
    "joint_meaning": lambda it: it.scores.joint,
}
"""All features by name, in the order in which the weights are fitted."""
