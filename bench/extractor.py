"""How long the extractor takes on hostile input, and how its time grows: `python bench/extractor.py [--strict]`."""

import gc
import math
import time

from spyglass.model.extract import extract
from table import Row, report

SIZES = {"10 KB": 10**4, "100 KB": 10**5, "1 MB": 10**6, "10 MB": 10**7}
LIMIT = 1.0
"""Seconds for 1 MB."""

STEEPEST = 1.2
"""Slope of log(seconds) over log(size) from 100 KB to 10 MB: 1 is linear, 2 quadratic."""

REPEATED = {
    "[": "[",
    '{"a":': '{"a":',
    '{"a":[': '{"a":[',
    "[x]": "[x]",
    "[]": "[]",
    "[1]": "[1]",
    "[1,": "[1,",
    "[[1]]": "[[1]]",
    '{"a":1}': '{"a":1}',
    '"': '"',
    "'": "'",
    '["': '["',
    "['a'": "['a'",
    "\\": "\\",
    '["\\': '["\\',
    "fences": "```json\n",
    "fences, inline": "```[",
    "tildes": "~~~\n{",
    "<think>": "<think>",
    "</think>": "</think>",
    "mixed literals": "{'a':true}",
    "spaces in brackets": "[" + " " * 99,
}


def inputs(size: int) -> dict[str, str]:
    """Return every kind of input at about `size` characters."""
    kinds = {name: piece * (size // len(piece)) for name, piece in REPEATED.items()}
    half = size // 2
    kinds["nested, too deep"] = "[" * half + "]" * half
    kinds["nested, 50 deep"] = ("[" * 50 + "1" + "]" * 50) * (size // 101)
    kinds["one string"] = '{"a": "' + "[]{}" * (size // 4)
    kinds["one valid list"] = "[" + "[1]," * (size // 4) + "[1]]"
    kinds["one open list"] = "[" + "1," * half
    kinds["one literal"] = "[" + "'a'," * (size // 4) + "]"
    return kinds


def seconds(text: str) -> float:
    """Return the processor's seconds, the least of some readings: what other programs take is not counted."""
    best = math.inf
    for _ in range(1 if len(text) > SIZES["1 MB"] else 5):
        gc.collect()
        start = time.process_time()
        extract(text)
        best = min(best, time.process_time() - start)
    return best


def main() -> None:
    extract("['warm']")
    times: dict[str, list[float]] = {name: [] for name in inputs(100)}
    for size in SIZES.values():
        for name, text in inputs(size).items():
            times[name].append(seconds(text))
    print("kind".ljust(20), *(label.rjust(9) for label in SIZES), "slope".rjust(7))
    rows = []
    for name, taken in times.items():
        slope = math.log10(max(taken[3], 1e-4) / max(taken[1], 1e-4)) / 2
        print(name.ljust(20), *(f"{each:9.4f}" for each in taken), f"{slope:7.2f}")
        rows.append((taken[2], slope, name))
    slowest, steepest = max(rows), max(rows, key=lambda row: row[1])
    report(
        "Extractor",
        [
            Row(f"1 MB, slowest kind ({slowest[2]})", slowest[0], "s", LIMIT),
            Row(f"growth, steepest kind ({steepest[2]})", steepest[1], "", STEEPEST),
        ],
    )


if __name__ == "__main__":
    main()
