"""How many claims made wrong on purpose are caught, and how many true ones are marked: `python bench/corruptions.py`.

The claims and passages of `claims.jsonl` are our own. A forged claim is caught when its verdict is not `supported`, a
true one is marked then. The held-out third was written after the comparison of facts was, and nothing is fitted on it.
Those of `distortions.jsonl` are written by hand, and far subtler: a role, a condition, a plan told as done. They have
no limit; nothing is fitted on their held-out half.
"""

import argparse
import time
from collections.abc import Sequence

from forgery import KINDS, Case, by_hand, forged, pairs, true_cases
from spyglass.evidence.evidence import Evidence
from spyglass.evidence.support import support_all
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
    """Return the figures of some cases, judged by words alone, then with embeddings for the doubtful ones."""
    by_words, words_ms = by_word(cases)
    by_meaning, meaning_ms = with_embeddings(cases)
    if misses:
        listed(name, cases, by_words)
    rows = [
        Row(f"{name}caught, {kind}, of {sum(case.kind == kind for case in cases)}", share(cases, by_words, kind), "%")
        for kind in KINDS
    ]
    number = sum(case.kind in KINDS for case in cases)
    return [
        *rows,
        Row(f"{name}caught in all, of {number}", caught(cases, by_words), "%", CAUGHT, "least"),
        Row(f"{name}true but marked, of {len(cases) - number}", marked(cases, by_words), "%", MARKED),
        Row(f"{name}caught in all, with embeddings", caught(cases, by_meaning), "%", CAUGHT, "least"),
        Row(f"{name}true but marked, with embeddings", marked(cases, by_meaning), "%", MARKED),
        Row(f"{name}a claim by words", words_ms, "CPU-ms"),
        Row(f"{name}a claim with embeddings", meaning_ms, "CPU-ms"),
    ]


def subtle(name: str, cases: Sequence[Case], misses: bool) -> list[Row]:
    """Return the figures of what was written by hand, with embeddings for the doubtful ones."""
    verdicts, _ = with_embeddings(cases)
    if misses:
        listed(f"{name}: ", cases, verdicts)
    true = [verdict != "supported" for case, verdict in zip(cases, verdicts, strict=True) if case.kind == "true"]
    wrong = [verdict != "supported" for case, verdict in zip(cases, verdicts, strict=True) if case.kind != "true"]
    return [
        Row(f"{name}: caught, of {len(wrong)}", 100 * sum(wrong) / len(wrong), "%"),
        Row(f"{name}: true but marked, of {len(true)}", 100 * sum(true) / len(true), "%"),
    ]


def by_word(cases: Sequence[Case]) -> tuple[list[str], float]:
    """Return the verdict on each case by words alone, and what one took."""
    began = time.process_time()
    verdicts = [str(Evidence([case.passage]).judge(case.claim).verdict) for case in cases]
    return verdicts, (time.process_time() - began) * 1000 / len(cases)


def with_embeddings(cases: Sequence[Case]) -> tuple[list[str], float]:
    """Return the verdict on each case as `support_all` gives it in batches, each of which embeds its doubtful ones."""
    verdicts: list[str] = []
    began = time.process_time()
    for start in range(0, len(cases), 50):
        batch = [(case.claim, [case.passage]) for case in cases[start : start + 50]]
        verdicts += [str(verdict.verdict) for verdict in support_all(batch)]
    return verdicts, (time.process_time() - began) * 1000 / len(cases)


def share(cases: Sequence[Case], verdicts: Sequence[str], kind: str) -> float:
    of_kind = [verdict for case, verdict in zip(cases, verdicts, strict=True) if case.kind == kind]
    return 100 * sum(verdict != "supported" for verdict in of_kind) / max(1, len(of_kind))


def caught(cases: Sequence[Case], verdicts: Sequence[str]) -> float:
    wrong = [verdict for case, verdict in zip(cases, verdicts, strict=True) if case.kind in KINDS]
    return 100 * sum(verdict != "supported" for verdict in wrong) / len(wrong)


def marked(cases: Sequence[Case], verdicts: Sequence[str]) -> float:
    true = [verdict for case, verdict in zip(cases, verdicts, strict=True) if case.kind not in KINDS]
    return 100 * sum(verdict != "supported" for verdict in true) / len(true)


def listed(name: str, cases: Sequence[Case], verdicts: Sequence[str]) -> None:
    for case, verdict in zip(cases, verdicts, strict=True):
        if (verdict == "supported") != case.kind.startswith("true"):
            print(f"{name}{case.kind}: {verdict}: {case.claim}")


if __name__ == "__main__":
    main()
