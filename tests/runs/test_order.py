"""Two runs of one question, whose pages come in another order, make the same report."""

import random
import socket
from datetime import UTC, datetime
from pathlib import Path

import pytest

from loopback.web import HOSTS
from runs import pages
from runs.test_crash import World, report_of, seeded

pytestmark = pytest.mark.slow

LAST = pages.HITS["hive with frames"][1].split()[1]
"""The page that is waited for in any order."""


def shuffled(seed: int) -> list[float]:
    """Return how many seconds the pages take: all come within the time in which one waits for the last anyway."""
    seconds = [0.01 + 0.021 * number for number in range(len(pages.SECONDS))]
    random.Random(seed).shuffle(seconds)
    seconds[int(LAST)] = 0.5
    return seconds


async def test_the_order_in_which_pages_come_does_not_show(tmp_path: Path) -> None:
    with socket.create_server((HOSTS[0], 0)) as free:
        port = free.getsockname()[1]
    day, reports = None, list[str]()
    while day != datetime.now(UTC).date():  # a report says on which day it retrieved a page
        day = datetime.now(UTC).date()
        reports = [await report_with(seed, tmp_path / f"{day}-{seed}", port) for seed in range(5)]
    assert reports == [reports[0]] * len(reports)


async def report_with(seed: int, folder: Path, port: int) -> str:
    seeded(folder)
    world = World(folder, pages.settings(port), pages.TASKS, port, shuffled(seed))
    [(place, ends)] = await world.live(("life", "", ""))
    assert ends == [0], (place / "error").read_text()
    _, markdown, _ = report_of(place)
    return markdown
