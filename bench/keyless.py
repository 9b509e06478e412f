"""Search without a key while two of five engines block and one is broken: `python bench/keyless.py [--strict]`.

Every way in which the five can stand in the chain is tried, each with three queries at once, as many as a task has.
The engines speak over loopback sockets; the healthy ones take 0.3 and 0.6 seconds. A query may take as long as the
slower of these and one second.
"""

import asyncio
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import permutations
from pathlib import Path
from tempfile import TemporaryDirectory

from spyglass.kernel.journal import Journal
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Settings
from spyglass.search.chain import search
from spyglass.search.limits import close_breakers
from spyglass.search.result import SearchQuery
from table import Row, report

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from loopback.fault import Fault
from loopback.search import CHALLENGE, Act, SearchCall, SearchServer, some
from loopback.web import Reply

FIVE = ("duckduckgo", "brave-web", "mojeek", "startpage", "yahoo")
STATES = ("blocked (202)", "blocked (429)", "broken", "0.3 s", "0.6 s")
DELAYS = {"0.3 s": 0.3, "0.6 s": 0.6}
FAULTS: dict[str, Act] = {
    "blocked (202)": Reply(CHALLENGE, 202, delay=0.1),
    "blocked (429)": Reply("", 429, headers={"Retry-After": "30"}, delay=0.1),
    "broken": Fault("half"),
}
QUERIES = ("red kites", "black kites", "kites of prey")
LONGEST = max(DELAYS.values()) + 1.0


def placements() -> Iterator[dict[str, str]]:
    """Yield which engine is in which state, in each way that differs by more than which of two blocks it is."""
    for states in permutations(STATES):
        if states.index(STATES[0]) < states.index(STATES[1]):
            yield dict(zip(FIVE, states, strict=True))


def acting(states: dict[str, str], asked: SearchCall) -> Act:
    """Return what an engine does in its state."""
    state = states[asked.engine]
    return replace(some(asked), delay=DELAYS[state]) if state in DELAYS else FAULTS[state]


async def measured() -> tuple[list[float], int, int]:
    """Return the seconds of each query, how many were answered, and how many requests the engines had."""
    seconds: list[float] = []
    answered = 0
    with TemporaryDirectory() as folder:
        async with SearchServer().running() as server:
            for place, states in enumerate(placements()):
                close_breakers()
                server.play(partial(acting, states))
                settings = Settings(data_dir=Path(folder, str(place)), **server.settings(*FIVE))
                async with Run("q", settings, journal=Journal()) as run:
                    for took, found in await asyncio.gather(*(_timed(run, text) for text in QUERIES)):
                        seconds.append(took)
                        answered += found
            return seconds, answered, len(server.requests)


async def _timed(run: Run, text: str) -> tuple[float, bool]:
    began = time.perf_counter()
    found = await search(run, SearchQuery(text=text))
    return time.perf_counter() - began, bool(found)


def main() -> None:
    """Measure, and print the table."""
    seconds, answered, asked = asyncio.run(measured())
    rows = [
        Row(f"answered of {len(seconds)} queries", answered, "", len(seconds), "least"),
        Row("median query", sorted(seconds)[len(seconds) // 2], "s"),
        Row("slowest query", max(seconds), "s", LONGEST),
        Row("requests a query", asked / len(seconds)),
    ]
    report("Search without a key: two of five engines block, one is broken", rows)


if __name__ == "__main__":
    main()
