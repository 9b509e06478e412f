"""How well references alone tell claims apart, without a model: `python bench/attribution.py --data DIR`.

DIR holds `attribution-dev.jsonl` (AttributionBench, development split): claims of four systems, their references, and
whether people call them attributable. Only `supported` counts as that. Every row but the baselines' is the verdict of
`Evidence.judge` with all its rules; a row that is fitted is fitted on one half of the claims and measured on the other,
over twenty seeded halvings, and the shipped weights are measured on the same halves. `--fit` prints the weights.

In this set the length of a reference tells something of the label: who found support left the sentence, who did not
left the page. The row `without breadth` shows what is left when the feature that could use it is taken out.
"""

import argparse
import json
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import fmean, pstdev

import numpy as np
import numpy.typing as npt

from spyglass.evidence.alignment import DOUBTFUL, MEANING, SUPPORTED, WORDS, Alignment
from spyglass.evidence.evidence import Evidence
from spyglass.evidence.relevance import ordered_roots, roots
from spyglass.evidence.statement import visible
from spyglass.rag.embed import local_embedder
from table import Row, report

HALVINGS = 20
PENALTY = 1.0
BY_WORDS = ("coverage", "order", "breadth")
BY_MEANING = ("pairs", "breadth", "cosine")
"""The features of the two models."""

LONGEST = 2_000
"""Characters of a reference that the baseline embeds."""

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Measured:
    """A claim of the set: its label and source, its features, and what the rules of a verdict make of it."""

    attributable: bool
    source: str
    alignment: Alignment
    cosine: float
    forbidden: bool
    lifted: bool
    plain: tuple[float, ...]
    supported: bool
    supported_by_meaning: bool

    def feature(self, name: str) -> float:
        """Return one of the features by its name."""
        return self.cosine if name == "cosine" else float(getattr(self.alignment, name))


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--data", type=Path, required=True, help="the folder that holds attribution-dev.jsonl")
    arguments.add_argument("--fit", action="store_true", help="print the weights fitted on all claims, and end")
    arguments.add_argument("--strict", action="store_true", help="exit with 1 when a limit is missed")
    chosen = arguments.parse_args()
    lines = (chosen.data / "attribution-dev.jsonl").read_text(encoding="utf-8").splitlines()
    claims = [measure(json.loads(line)) for line in lines]
    if chosen.fit:
        print_weights(claims)
    else:
        report("Claims told apart by their references, without a model", rows_of(claims))


def measure(row: dict[str, str]) -> Measured:
    """Return all that is compared of one claim; two to three embeddings."""
    claim, references = visible(row["claim"]), list(row["references"])
    evidence = Evidence(references)
    match = evidence.match(claim)
    verdict = evidence.judge(claim)
    text = verdict.span.text if verdict.span else ""
    cosine = likeness(claim, text)
    doubtful = match is not None and DOUBTFUL[0] < match.probability < DOUBTFUL[1]
    by_meaning = evidence.judge(claim, cosine=cosine) if doubtful else verdict
    return Measured(
        attributable=row["attribution_label"] == "attributable",
        source=row["src_dataset"],
        alignment=match.alignment if match else Alignment(0.0, 0.0, 0.0, 0.0),
        cosine=cosine,
        forbidden=match is None
        or bool(match.mismatches or match.unheard)
        or any(part.unheard for part in evidence.parts(claim)),
        lifted=match is not None and verdict.verdict == "supported" and match.probability < SUPPORTED,
        plain=plain_features(claim, "\n".join(references)),
        supported=verdict.verdict == "supported",
        supported_by_meaning=by_meaning.verdict == "supported",
    )


def likeness(one: str, other: str) -> float:
    """Return the cosine of two texts."""
    if not (one.strip() and other.strip()):
        return 0.0
    first, second = local_embedder().vectors([visible(one), visible(other)])
    return math.fsum(x * y for x, y in zip(first, second, strict=True))


def plain_features(claim: str, reference: str) -> tuple[float, ...]:
    """Return what a rival would compare: words in common, pairs of words in common, cosine, missing numbers."""
    asked, known = ordered_roots(visible(claim)), ordered_roots(visible(reference))
    pairs = list(pairwise(asked))
    held = set(pairwise(known))
    numbers = set(re.findall(r"\d+(?:[.,]\d+)*", visible(claim))) - set(re.findall(r"\d+(?:[.,]\d+)*", reference))
    overlap = len(roots(visible(claim)) & set(known)) / max(1, len(set(asked)))
    shared = sum(pair in held for pair in pairs) / max(1, len(pairs))
    return overlap, shared, likeness(claim, reference[:LONGEST]), float(min(2, len(numbers)))


def rows_of(claims: Sequence[Measured]) -> list[Row]:
    labels = np.array([claim.attributable for claim in claims])
    plain = np.array([claim.plain for claim in claims])
    words, meaning = features_of(claims, BY_WORDS), features_of(claims, BY_MEANING)
    narrow = features_of(claims, [name for name in BY_MEANING if name != "breadth"])
    none = np.zeros(len(claims), dtype=bool)
    forbidden = np.array([claim.forbidden for claim in claims])
    lifted = np.array([claim.lifted for claim in claims]) & ~forbidden
    fitted = [
        ("word overlap alone", plain[:, :1], none, none),
        ("plain linear fit", plain, none, none),
        ("words, fitted on the other half", words, forbidden, lifted),
        ("and meaning, fitted on the other half", meaning, forbidden, lifted),
        ("and meaning, without breadth", narrow, forbidden, lifted),
        ("score alone, no rule forbids", np.column_stack([meaning, forbidden]), none, none),
    ]
    shipped = [
        ("words, shipped weights", np.array([claim.supported for claim in claims])),
        ("and meaning, shipped weights", np.array([claim.supported_by_meaning for claim in claims])),
    ]
    rows = []
    for name, features, no, yes in fitted:
        halves = [half_fitted(features, labels, no, yes, seed) for seed in range(HALVINGS)]
        rows += told(name, halves, 0.73 if name.startswith("and meaning, fitted") else None)
    for name, answers in shipped:
        rows += told(
            name, [scores(labels[half], answers[half]) for half in map(second_half(len(claims)), range(HALVINGS))]
        )
    sources = sorted({claim.source for claim in claims})
    answers = shipped[-1][1]
    for source in sources:
        own = np.array([claim.source == source for claim in claims])
        rows.append(Row(f"of {source} alone ({own.sum()}), shipped", scores(labels[own], answers[own])[0]))
    return rows


def told(name: str, halves: Sequence[tuple[float, float]], limit: float | None = None) -> list[Row]:
    """Return the rows of one way of judging: macro-F1 with its spread over the halvings, and its false accepts."""
    values = [value for value, _ in halves]
    return [
        Row(f"macro-F1, {name} (±{pstdev(values):.3f})", fmean(values), "", limit, "least"),
        Row("   false accepts", 100 * fmean(wrong for _, wrong in halves), "%"),
    ]


def second_half(number: int) -> Callable[[int], npt.NDArray[np.intp]]:
    """Return what gives the reported half of a seeded halving."""
    return lambda seed: halves_of(number, seed)[1]


def halves_of(number: int, seed: int) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    order = np.random.RandomState(seed).permutation(number)
    return order[: number // 2], order[number // 2 :]


def half_fitted(features: Floats, labels: Flags, forbidden: Flags, lifted: Flags, seed: int) -> tuple[float, float]:
    """Return macro-F1 and false accepts on one half of weights fitted on the other, where rules leave it to them."""
    one, other = halves_of(len(labels), seed)
    free = one[~forbidden[one]]
    weights = fit(features[free], labels[free])
    answers = probabilities(weights, features[other]) >= SUPPORTED
    return scores(labels[other], (answers & ~forbidden[other]) | lifted[other])


def fit(features: Floats, labels: Flags) -> Floats:
    """Return bias and weights of a logistic model, penalised on standardised features, by Newton's method."""
    mean, spread = features.mean(axis=0), features.std(axis=0) + 1e-9
    standard = np.column_stack([np.ones(len(features)), (features - mean) / spread])
    penalty = np.diag([0.0, *[PENALTY] * features.shape[1]])
    weights = np.zeros(standard.shape[1])
    for _ in range(25):
        likely = 1 / (1 + np.exp(-standard @ weights))
        slope = standard.T @ (likely - labels) + penalty @ weights
        bend = (standard * (likely * (1 - likely))[:, None]).T @ standard + penalty
        weights = weights - np.linalg.solve(bend, slope)
    plain = weights[1:] / spread
    return np.array([weights[0] - plain @ mean, *plain])


def probabilities(weights: Floats, features: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-(weights[0] + features @ weights[1:]))))


def scores(labels: Flags, answers: Flags) -> tuple[float, float]:
    """Return macro-F1 of the answers, and the share of what is not attributable that they accept."""
    f1 = []
    for asked in (True, False):
        right = np.sum((answers == asked) & (labels == asked))
        f1.append(2 * right / max(1, np.sum(answers == asked) + np.sum(labels == asked)))
    return float(fmean(f1)), float(np.mean(answers[~labels]))


def features_of(claims: Sequence[Measured], names: Sequence[str]) -> Floats:
    """Return the features of these names, a row a claim."""
    return np.array([[claim.feature(name) for name in names] for claim in claims])


def print_weights(claims: Sequence[Measured]) -> None:
    free = [claim for claim in claims if not claim.forbidden]
    labels = np.array([claim.attributable for claim in free])
    for title, names, known in (("WORDS", BY_WORDS, WORDS), ("MEANING", BY_MEANING, MEANING)):
        fitted = zip(["bias", *names], fit(features_of(free, names), labels), strict=True)
        print(f"{title} = Weights({', '.join(f'{name}={weight:.2f}' for name, weight in fitted)})")
        print(f"   shipped: {known}")


if __name__ == "__main__":
    main()
