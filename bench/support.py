"""How far verdicts can be trusted, without a model: `python bench/support.py --data DIR [--fit]`.

DIR holds `attribution-dev.jsonl` (AttributionBench, development split) and `support/*.jsonl`: claims, the passages that
they rest on, and whether people call them supported. Two sets more are our own, of `forgery.py`. The weights of the
verdict are fitted on all of these, each counting alike; a row `not fitted` judges a set by weights that the other sets
give. What is written by hand and held out is fitted on nowhere. `--fit` writes the weights into the package, and with
them the least probability from which, of the claims of a set that is not fitted on, as many are supported as `RIGHT`
says, on average over the sets.

A claim is decided by its verdict, one that is unsettled by whether its score reaches one half.
"""

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import numpy as np
import numpy.typing as npt

from forgery import by_hand, forged, pairs, true_cases
from spyglass.evidence import alignment
from spyglass.evidence.alignment import LIKELY, WEIGHTS, Weights, unlike_length
from spyglass.evidence.evidence import Evidence
from spyglass.evidence.visible_text import visible
from spyglass.kernel.source import Verdict
from table import Row, report

WRITTEN = Path(alignment.__file__).with_name("weights.toml")

SEED, MOST = 4, 40
PENALTY, WHOLE = 1.0, 1_000.0
"""Of the logistic model, and what a set counts in it, whatever its size."""

RIGHT, LEFT_OPEN = 0.85, 0.4
"""Least share of claims called supported that are, and the most that may be unsettled."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Judged:
    """A claim: whether people call it supported, its verdict, and its features if the model decides on it."""

    label: bool
    verdict: Verdict
    features: tuple[float, float] | None

    def settled(self, weights: Weights) -> str:
        """Return the verdict under other weights: supported, unsettled or not, and how an unsettled one leans."""
        if self.features is None:
            verdict = self.verdict.verdict
            return verdict if verdict != "unsettled" else "open, no"
        likely = weights.probability(*self.features)
        if likely >= weights.supported:
            return "supported"
        return "open, yes" if likely >= LIKELY else "open, no"


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--data", type=Path, required=True, help="the folder that holds attribution-dev.jsonl")
    arguments.add_argument("--fit", action="store_true", help="write the weights fitted on all sets, and end")
    arguments.add_argument("--strict", action="store_true", help="exit with 1 when a limit is missed")
    chosen = arguments.parse_args()
    sets = {name: list(map(judged, cases)) for name, cases in read(chosen.data).items()}
    if chosen.fit:
        fitted = fit(list(sets.values()))._replace(supported=chosen_from(sets))
        told = "".join(f"{name} = {value}\n" for name, value in fitted._asdict().items())
        WRITTEN.write_text(f"# Written by `bench/support.py --fit`.\n{told}", encoding="utf-8")
        print(f"fitted: {fitted}\nbefore: {WEIGHTS}")
        return
    rows: list[Row] = []
    for name, claims in sets.items():
        others = [other for known, other in sets.items() if known != name]
        rows += rows_of(f"{name}, not fitted", claims, fit(others))
    rows += rows_of("by hand, held out", [judged(case) for case in own(held=True)], WEIGHTS)
    report("Claims told apart by their passages, without a model", rows)


def chosen_from(sets: Mapping[str, Sequence[Judged]]) -> float:
    """Return the least probability from which claims of sets not fitted on are supported as often as is wanted."""
    others = {name: fit([other for known, other in sets.items() if known != name]) for name in sets}
    for supported in (percent / 100 for percent in range(50, 100)):
        weights = {name: one._replace(supported=supported) for name, one in others.items()}
        called = [
            [claim.label for claim in claims if claim.settled(weights[name]) == "supported"]
            for name, claims in sets.items()
        ]
        if fmean(map(fmean, filter(None, called))) >= RIGHT:
            return supported
    return 1.0


Case = tuple[str, Sequence[str], bool]
"""A claim, its passages, and whether it is supported."""


def read(data: Path) -> dict[str, list[Case]]:
    """Return the sets by their names."""
    lines = (data / "attribution-dev.jsonl").read_text(encoding="utf-8").splitlines()
    found = {
        "AttributionBench": [
            (row["claim"], row["references"], row["attribution_label"] == "attributable")
            for row in map(json.loads, lines)
        ]
    }
    for path in sorted((data / "support").glob("*.jsonl")):
        listed = map(json.loads, path.read_text(encoding="utf-8").splitlines())
        found[path.stem] = [(row["claim"], row["passages"], bool(row["label"])) for row in listed]
    seen = [row for row in pairs() if not row.held]
    cases = [*true_cases(seen), *forged(seen, pairs(), SEED, MOST)]
    found["corruptions"] = [(case.claim, [case.passage], case.kind.startswith("true")) for case in cases]
    found["by hand"] = own(held=False)
    return found


def own(*, held: bool) -> list[Case]:
    return [(case.claim, [case.passage], case.kind == "true") for case in by_hand(held)]


def judged(case: Case) -> Judged:
    """Return what the rules make of a claim, and what they leave to the model."""
    text, passages, label = visible(case[0]), case[1], case[2]
    evidence = Evidence(list(passages))
    verdict, match = evidence.judge(text), evidence.match(text)
    is_free = verdict.method == "words" and verdict.verdict in ("supported", "unsettled") and match is not None
    if not is_free or match is None or match.mismatches or match.unmatched:
        return Judged(label, verdict, None)
    return Judged(label, verdict, (match.alignment.likeness, unlike_length(text, match.window.text)))


def rows_of(name: str, claims: Sequence[Judged], weights: Weights) -> list[Row]:
    found = [claim.settled(weights) for claim in claims]
    labels = [claim.label for claim in claims]
    called = [label for label, verdict in zip(labels, found, strict=True) if verdict == "supported"]
    taken = [verdict in ("supported", "open, yes") for verdict in found]
    sides = [fmean(one == side for one, label in zip(taken, labels, strict=True) if label == side) for side in (0, 1)]
    left = fmean(verdict.startswith("open") for verdict in found)
    title = f"{name} ({len(claims)}): called supported ({len(called)}), and is"
    return [
        Row(title, fmean(called or [0]), "", RIGHT if called else None, "least"),
        Row("   unsettled", left, "", LEFT_OPEN),
        Row("   decided at one half: balanced accuracy", fmean(sides)),
        Row("   decided at one half: macro-F1", macro_f1(labels, taken)),
    ]


def macro_f1(labels: Sequence[bool], answers: Sequence[bool]) -> float:
    both = list(zip(labels, answers, strict=True))
    right = {side: sum(label == answer == side for label, answer in both) for side in (False, True)}
    known = {side: labels.count(side) + answers.count(side) for side in (False, True)}
    return fmean(2 * right[side] / max(1, known[side]) for side in (False, True))


def fit(sets: Sequence[Sequence[Judged]]) -> Weights:
    """Return the weights of a logistic model, penalised on standardised features, by Newton's method."""
    free = [[claim for claim in claims if claim.features] for claims in sets]
    features: Floats = np.array([claim.features for claims in free for claim in claims])
    labels = np.array([claim.label for claims in free for claim in claims], dtype=float)
    counts = np.concatenate([np.full(len(claims), WHOLE / max(1, len(claims))) for claims in free])
    mean, spread = features.mean(axis=0), features.std(axis=0) + 1e-9
    standard = np.column_stack([np.ones(len(features)), (features - mean) / spread])
    penalty = np.diag([0.0, *[PENALTY] * features.shape[1]])
    weights = np.zeros(standard.shape[1])
    for _ in range(25):
        likely = 1 / (1 + np.exp(-standard @ weights))
        slope = standard.T @ (counts * (likely - labels)) + penalty @ weights
        bend = (standard * (counts * likely * (1 - likely))[:, None]).T @ standard + penalty
        weights = weights - np.linalg.solve(bend, slope)
    plain = weights[1:] / spread
    bias = weights[0] - plain @ mean
    bias, likeness, length = (round(float(value), 2) for value in (bias, *plain))
    return WEIGHTS._replace(bias=bias, likeness=likeness, length=length)


if __name__ == "__main__":
    main()
