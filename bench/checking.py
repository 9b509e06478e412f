"""What checking a report of 100 claims costs: `python bench/checking.py`.

The claims and passages are our own. Each claim cites three passages of about 1,000 characters; half of the claims are
written in other words than their source, and every fifth cites passages that do not say it, so that all 300 are looked
through for one that does. The embedder is loaded before, and embeds what words leave doubtful, twenty pairs at most.
"""

import argparse
import json
import random
import time
from collections import Counter
from pathlib import Path

from forgery import CLAIMS
from spyglass.evidence.evidence import Evidence
from spyglass.evidence.meaning import MOST_EMBEDDED
from spyglass.kernel.source import Verdict
from spyglass.rag.embed import cosine, local_embedder
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
    local_embedder().vectors(["It is loaded."])
    began = time.process_time()
    read = Evidence(passages)
    found = [checked(read, claim, number) for number, claim in enumerate(claims)]
    by_words = time.process_time() - began
    doubtful = [(n, one.span.text) for n, (_, one) in enumerate(found) if one.doubtful and one.span][:MOST_EMBEDDED]
    vectors = local_embedder().vectors([text for n, evidence in doubtful for text in (claims[n], evidence)])
    for place, (n, _) in enumerate(doubtful):
        near = cosine(vectors[2 * place], vectors[2 * place + 1])
        found[n] = (found[n][0], read.judge(claims[n], found[n][0], cosine=near))
    whole = time.process_time() - began
    verdicts = Counter(verdict.verdict for _, verdict in found)
    length = sum(map(len, passages)) // len(passages)
    print(
        f"{CASES} claims, {len(passages)} passages of {length:,} characters: {dict(verdicts)}, {len(doubtful)} embedded"
    )
    report(
        "Checking a report",
        [
            Row("by words, whole run looked through", by_words, "CPU-s"),
            Row(f"with {MOST_EMBEDDED} doubts embedded", whole, "CPU-s", 1.5),
        ],
    )


def padded(random_of: random.Random, texts: list[str], number: int) -> str:
    """Return a passage of the set among others, LONG characters in all."""
    parts = [texts[number]]
    while sum(map(len, parts)) < LONG:
        parts.insert(random_of.randrange(len(parts) + 1), random_of.choice(texts))
    return "\n\n".join(parts)


def checked(read: Evidence, claim: str, number: int) -> tuple[list[int], Verdict]:
    """Return the verdict on a claim by the passages that it cites, else by the nearest of all, and which these are."""
    own = [number, CASES + number, 2 * CASES + number] if number % 5 else [(number + 1) % CASES]
    verdict = read.judge(claim, own)
    if verdict.verdict != "supported" and not verdict.doubtful:
        own = read.best(claim, 3)
        verdict = read.judge(claim, own)
    return own, verdict


if __name__ == "__main__":
    main()
