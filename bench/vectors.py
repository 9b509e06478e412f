"""What pages bring a browser to send past the guard, in each known way: `python bench/vectors.py [--strict]`.

Each way is a page of its own, opened on an island where every packet is counted: by a browser that nothing holds back,
by ours, and by ours where the system gives it no network namespace, so that only its flags hold it.
"""

import argparse
import sys
from pathlib import Path

from table import Row, report

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from fetch.vectors import measured
from loopback import island


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
    free, ours, flags = (
        island.run(measured, *way) for way in (("unguarded", True), ("guarded", True), ("guarded", False))
    )
    if each:
        print("packets: unguarded, ours, ours by its flags alone")
        for name, count in free["sent"].items():
            print(f"{count:6} {ours['sent'][name]:6} {flags['sent'][name]:6}  {name}")
    rows = [
        Row(f"ways of {len(free['sent'])} by which an unguarded browser sends", sum(map(bool, free["sent"].values())))
    ]
    for who, found in (("ours", ours), ("ours, by its flags alone", flags)):
        rows += [
            Row(f"ways by which {who} sends", sum(map(bool, found["sent"].values())), "", 0),
            Row(f"packets of {who} that no page asked for", len(found["others"]), "", 0),
        ]
    return rows


if __name__ == "__main__":
    main()
