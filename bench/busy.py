"""Runs a command while other work keeps every core busy, so that what hangs on a quiet machine shows.

    python bench/busy.py [--times N] -- COMMAND

Ends with the exit code of the first run that failed, at once.
"""

import argparse
import multiprocessing
import subprocess
import sys
import time

from table import Row, report


def spin() -> None:
    """Use a core."""
    while True:
        pass


def main() -> int:
    """Return the exit code of the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("command", nargs="+")
    given = parser.parse_args()
    others = [multiprocessing.Process(target=spin, daemon=True) for _ in range(multiprocessing.cpu_count())]
    for one in others:
        one.start()
    rows: list[Row] = []
    code = 0
    try:
        for number in range(1, given.times + 1):
            began = time.monotonic()
            code = subprocess.run(given.command, check=False).returncode
            rows.append(Row(f"run {number}, exit code {code}", time.monotonic() - began, "s"))
            if code:
                break
    finally:
        for one in others:
            one.kill()
    report(f"{' '.join(given.command)}, beside {len(others)} busy loops", rows)
    return code


if __name__ == "__main__":
    sys.exit(main())
