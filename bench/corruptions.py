"""How many claims made wrong on purpose are caught, and how many true ones are marked: `python bench/corruptions.py`.

The claims and passages of `claims.jsonl` are our own. A forged claim is caught when its verdict is not `supported`, or
is unsettled with a score below one half; a true one is marked then. The held-out third was written after the comparison
of facts was, and nothing is fitted on it.
Those of `distortions.jsonl` are written by hand, and far subtler: a role, a condition, a plan told as done. They have
no limit; nothing is fitted on their held-out half.
"""

import argparse
import time
from collections.abc import Collection, Sequence

from forgery import KINDS, Case, by_hand, forged, pairs, true_cases
from spyglass import support_all
from spyglass.evidence.alignment import LIKELY
from table import Row, report

SEED = 4
MOST = 40
"""Forged claims of each kind, in either part of the pairs."""

CAUGHT, MARKED = 98.0, 5.0
"""Percent."""


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--seed", type=int, default=SEED, help="of the choice of forged claims")
    arguments.add_argument("--misses", action="store_true", help="list the claims that were judged wrongly")
    arguments.add_argument("--strict", action="store_true", help="exit with 1 when a limit is missed")
    chosen = arguments.parse_args()
    rows = pairs()
    seen = [row for row in rows if not row.held]
    held = [row for row in rows if row.held]
    measured = []
    for name, some in (("", seen), ("held out: ", held)):
        cases = [*true_cases(some), *forged(some, rows, chosen.seed, MOST)]
        measured += measure(name, cases, chosen.misses)
    for name, held_out in (("by hand", False), ("by hand, held out", True)):
        measured += subtle(name, by_hand(held_out), chosen.misses and not held_out)
    report("Claims made wrong on purpose", measured)


def measure(name: str, cases: Sequence[Case], misses: bool) -> list[Row]:
    """Return the figures of some cases, and what one took."""
    began = time.process_time()
    taken = accepted(cases)
    each = (time.process_time() - began) * 1000 / len(cases)
    if misses:
        listed(name, cases, taken)
    rows = [
        Row(f"{name}caught, {kind}, of {sum(case.kind == kind for case in cases)}", caught(cases, taken, [kind]), "%")
        for kind in KINDS
    ]
    number = sum(case.kind in KINDS for case in cases)
    return [
        *rows,
        Row(f"{name}caught in all, of {number}", caught(cases, taken, KINDS), "%", CAUGHT, "least"),
        Row(f"{name}true but marked, of {len(cases) - number}", marked(cases, taken), "%", MARKED),
        Row(f"{name}a claim", each, "CPU-ms"),
    ]


def subtle(name: str, cases: Sequence[Case], misses: bool) -> list[Row]:
    """Return the figures of what was written by hand."""
    taken = accepted(cases)
    if misses:
        listed(f"{name}: ", cases, taken)
    kinds = {case.kind for case in cases} - {"true"}
    number = sum(case.kind in kinds for case in cases)
    return [
        Row(f"{name}: caught, of {number}", caught(cases, taken, kinds), "%"),
        Row(f"{name}: true but marked, of {len(cases) - number}", marked(cases, taken), "%"),
    ]


def accepted(cases: Sequence[Case]) -> list[bool]:
    """Say of each case whether it passes: one that words do not settle by its score."""
    verdicts = support_all([(case.claim, [case.passage]) for case in cases])
    return [one.verdict == "supported" or (one.verdict == "unsettled" and one.score >= LIKELY) for one in verdicts]


def caught(cases: Sequence[Case], taken: Sequence[bool], kinds: Collection[str]) -> float:
    wrong = [passes for case, passes in zip(cases, taken, strict=True) if case.kind in kinds]
    return 100 * (1 - sum(wrong) / max(1, len(wrong)))


def marked(cases: Sequence[Case], taken: Sequence[bool]) -> float:
    true = [passes for case, passes in zip(cases, taken, strict=True) if case.kind.startswith("true")]
    return 100 * (1 - sum(true) / len(true))


def listed(name: str, cases: Sequence[Case], taken: Sequence[bool]) -> None:
    for case, passes in zip(cases, taken, strict=True):
        if passes != case.kind.startswith("true"):
            print(f"{name}{case.kind}: {'passes' if passes else 'marked'}: {case.claim}")


if __name__ == "__main__":
    main()
