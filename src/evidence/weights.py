"""The fitted part of a verdict: logistic models over how a claim and its evidence align.

Fitted on the 1,198 claims of the development split of AttributionBench, those that a rule of the verdict
forbids or limits left out, with a penalty of 1 on the standardised weights: `bench/attribution.py --fit` prints them.
"""

import math
from dataclasses import dataclass

from .alignment import Alignment


@dataclass(frozen=True, slots=True)
class Weights:
    """A logistic model: the log-odds that a person would call a claim supported are a sum of bias and features."""

    bias: float
    coverage: float = 0.0
    order: float = 0.0
    pairs: float = 0.0
    breadth: float = 0.0
    cosine: float = 0.0

    def probability(self, alignment: Alignment, cosine: float = 0.0) -> float:
        """Return the probability, from 0 to 1, given the alignment and the cosine of claim and span."""
        weights = (self.coverage, self.order, self.pairs, self.breadth, self.cosine)
        parts = (weight * value for weight, value in zip(weights, (*alignment, cosine), strict=True))
        return 1 / (1 + math.exp(-math.fsum((self.bias, *parts))))


WORDS = Weights(bias=-1.47, coverage=1.27, order=2.78, breadth=-2.01)
"""By words alone."""

MEANING = Weights(bias=-2.59, pairs=1.90, breadth=-2.01, cosine=3.94)
"""With embeddings, beside which coverage tells nothing more."""

SUPPORTED = 0.5
"""Probability from which a claim counts as supported."""

PARTIAL = 0.3
"""Probability from which part of it does."""

DOUBTFUL = (0.15, 0.8)
"""Probabilities between which words alone do not settle it."""
