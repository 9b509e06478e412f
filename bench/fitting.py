"""Fits weights of features by gradient descent."""

from collections.abc import Sequence
from typing import Any

import numpy as np

RARE = 0.2
"""By so much a feature varies at least, when it is to tell whether a question is answered. By chance, one that few
texts have would weigh ten times the others, and texts of another kind may have it often."""

Array = np.ndarray[Any, np.dtype[np.float64]]


def matrix(rows: Sequence[dict[str, float]], names: Sequence[str]) -> Array:
    return np.array([[row[name] for name in names] for row in rows], dtype=float)


def logistic(samples: Sequence[tuple[dict[str, float], bool, float]], names: Sequence[str]) -> dict[str, float]:
    """Return the weights of a logistic regression in which both classes weigh the same; a row comes with its weight."""
    rows = [row for row, _, _ in samples]
    features = matrix(rows, names)
    mean, spread = features.mean(axis=0), features.std(axis=0).clip(RARE)
    scaled = np.c_[(features - mean) / spread, np.ones(len(rows))]
    truth, weight = (
        np.array(column, dtype=float) for column in zip(*((is_so, own) for _, is_so, own in samples), strict=True)
    )
    share = float(weight @ truth / weight.sum())
    weight = weight * np.where(truth > 0, 0.5 / share, 0.5 / (1 - share)) / weight.mean()

    def slope(weights: Array) -> Array:
        predicted = 1 / (1 + np.exp(-scaled @ weights))
        gradient: Array = scaled.T @ ((predicted - truth) * weight) / len(rows) + 0.03 * np.r_[weights[:-1], 0.0]
        return gradient

    found = descended(slope, len(names) + 1)
    plain_weights = found[:-1] / spread
    bias = float(found[-1] - plain_weights @ mean)
    return rounded({"bias": bias, **dict(zip(names, plain_weights, strict=True))})


def descended(slope: Any, size: int, steps: int = 600, rate: float = 0.05) -> Array:
    """Return where Adam (Kingma and Ba, 2015) ends."""
    weights, first, second = np.zeros(size), np.zeros(size), np.zeros(size)
    for step in range(1, steps + 1):
        gradient = slope(weights)
        first = 0.9 * first + 0.1 * gradient
        second = 0.999 * second + 0.001 * gradient**2
        weights = weights - rate * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
    return weights


def rounded(weights: dict[str, Any]) -> dict[str, float]:
    return {name: round(float(value), 4) for name, value in weights.items()}
