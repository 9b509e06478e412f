"""What checking a report of 100 claims costs: `python bench/checking.py`.

The claims and passages are our own. Each claim cites three passages of about 1,000 characters; half of the claims are
written in other words than their source, and every fifth cites passages that do not say it, so that all 300 are looked
through for one that does.
"""

import argparse
import json
import random
import time
from collections import Counter
from pathlib import Path

from forgery import CLAIMS
from spyglass.evidence.evidence import Evidence
from spyglass.kernel.source import HOLDS, Verdict
from table import Row, report

CASES, SEED = 100, 7
LONG = 1_000
"""Characters of a passage, about: other passages of the set stand around the one that counts."""


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    rows = [json.loads(line) for line in Path(CLAIMS).read_text(encoding="utf-8").splitlines()]
    random_of = random.Random(SEED)
    texts = [row["passage"] for row in rows]
    passages = [padded(random_of, texts, number % len(texts)) for number in range(3 * CASES)]
    claims = [rows[n % len(rows)][("near", "paraphrase")[n % 2]] for n in range(CASES)]
    began = time.process_time()
    read = Evidence(passages)
    found = [checked(read, claim, number) for number, claim in enumerate(claims)]
    whole = time.process_time() - began
    verdicts = Counter(verdict.verdict for verdict in found)
    length = sum(map(len, passages)) // len(passages)
    print(f"{CASES} claims, {len(passages)} passages of {length:,} characters: {dict(verdicts)}")
    report("Checking a report", [Row("the whole run looked through", whole, "CPU-s", 1.0)])


def padded(random_of: random.Random, texts: list[str], number: int) -> str:
    """Return a passage of the set among others, LONG characters in all."""
    parts = [texts[number]]
    while sum(map(len, parts)) < LONG:
        parts.insert(random_of.randrange(len(parts) + 1), random_of.choice(texts))
    return "\n\n".join(parts)


def checked(read: Evidence, claim: str, number: int) -> Verdict:
    """Return the verdict on a claim by the passages that it cites, else by the nearest of all."""
    own = [number, CASES + number, 2 * CASES + number] if number % 5 else [(number + 1) % CASES]
    verdict = read.judge(claim, own)
    return verdict if verdict.verdict in HOLDS else read.judge(claim, read.best(claim, 3))


if __name__ == "__main__":
    main()
