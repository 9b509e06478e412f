"""What pages bring a browser to send past the guard, in each known way: `python bench/vectors.py [--strict]`.

Each way is a page of its own, opened on an island where every packet is counted: by a browser that nothing holds back,
by ours and by crawl4ai's, and by these where the system gives no network namespace, so that only their flags hold them.
"""

import argparse
import sys
from pathlib import Path

from table import Row, report

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from fetch.vectors import measured
from loopback import island

WAYS = {
    "an unguarded browser": ("unguarded", True),
    "ours": ("browser", True),
    "ours by its flags alone": ("browser", False),
    "crawl4ai's": ("crawl4ai", True),
    "crawl4ai's by its flags alone": ("crawl4ai", False),
}
"""Who opens the pages, and whether in a network namespace."""


def main() -> None:
    """Measure and print."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--each", action="store_true", help="print a line for each way, too")
    arguments.add_argument("--strict", action="store_true", help="exit 1 when a limit is missed")
    given = arguments.parse_args()
    if missing := island.reason():
        print(f"No island to measure the browser on: {missing}")
    else:
        report("Browser", measured_rows(each=given.each))


def measured_rows(*, each: bool = False) -> list[Row]:
    """Measure on an island; print a line for `each` way, too."""
    found = {who: island.run(measured, *way) for who, way in WAYS.items()}
    free, *held = found
    sent = found[free]["sent"]
    if each:
        print(f"packets: {', '.join(found)}")
        for name in sent:
            print(*(f"{one['sent'][name]:6}" for one in found.values()), f" {name}")
    rows = [Row(f"ways of {len(sent)} by which {free} sends", sum(map(bool, sent.values())))]
    for who in held:
        rows += [
            Row(f"ways by which {who} sends", sum(map(bool, found[who]["sent"].values())), "", 0),
            Row(f"packets of {who} that no page asked for", len(found[who]["others"]), "", 0),
        ]
    return rows


if __name__ == "__main__":
    main()
