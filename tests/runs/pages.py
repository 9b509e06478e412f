"""A small web whose engine and pages take their time: some are slow, one is broken, one never comes in time."""

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from loopback import Reply, WebServer, article
from loopback.web import HOSTS
from web.engine import put_engine

HITS = {
    "": (0.10, "0 1 2 3 4 5 12"),
    "waggle dance": (0.15, "6 0 7 8 1"),
    "round dance": (0.45, "6 2 9 10"),
    "nests of paper": (0.30, "3 11 8 10 12 7"),
    "hive with frames": (0.35, "4 13 5 12"),
}
"""What the engine finds for a query, after how many seconds; "" is the question itself."""

SUBJECTS = ("Bees dance a waggle dance.", "Wasps build nests of paper.", "A hive is kept with frames.")
SECONDS = (0.121, 0.333, 0.457, 2.501, 0.223, 0.061, 0.443, 0.409, 0.281, 0.303, 0.389, 0.167, 9.001, 0.417)
BROKEN = 8
"""The number of a page."""

TASKS = {
    "how bees dance": ("quick-searcher", ["waggle dance", "round dance"]),
    "how wasps build": ("quick-searcher", ["nests of paper"]),
    "how a hive is kept": ("quick-searcher", ["hive with frames"]),
}


@asynccontextmanager
async def serving(port: int, seconds: Sequence[float] = SECONDS) -> AsyncIterator[None]:
    """Serve the engine and the pages on a port; each page takes its seconds."""
    server = WebServer()
    server.port = port
    urls = []
    for number, delay in enumerate(seconds):
        text = f"{SUBJECTS[number % 3]} Page {number} has {number + 3} things to say of it. " * 8
        reply = Reply(article(f"Page {number}", text), delay=delay, status=500 if number == BROKEN else 200)
        urls.append(server.put(f"/{number}", reply, host=HOSTS[number % len(HOSTS)]))

    def answer(query: str) -> Reply:
        delay, found = HITS.get(query, HITS[""])
        results = [{"url": urls[int(number)], "title": f"Page {number}", "content": ""} for number in found.split()]
        return Reply(json.dumps({"results": results}), content_type="application/json", delay=delay)

    put_engine(server, answer)
    async with server.running():
        yield


def settings(port: int) -> dict[str, Any]:
    """Return the settings of a run in it."""
    return {
        "web": True,
        "searxng_url": f"http://{HOSTS[0]}:{port}",
        "report.sections": ["How bees dance", "How wasps build", "How a hive is kept"],
        "research.summarise": False,
        "research.max_pages": 8,
        "fetch.attempts": 1,
        "network.allow_private": ["127.0.0.0/8"],
        "cache.page_hours": 0,
    }
