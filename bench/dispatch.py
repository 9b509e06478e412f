"""Time of one dispatch at 10 KB of data: through Router and Server, with a journal in memory and with one on disk."""

import asyncio
import json
import tempfile
import time
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from spyglass.agent import Agent
from spyglass.agent.agent import Received, Sent
from spyglass.kernel.journal import Journal
from spyglass.kernel.message import Message
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Settings
from spyglass.kernel.source import Passage, Source
from spyglass.router import Router, Server
from table import Row, report

MESSAGES = 2_000
IN_MEMORY, ON_DISK = 0.3, 1.0
"""Milliseconds a message."""


def records(size: int) -> list[dict[str, Any]]:
    """Return `size` bytes, as JSON, of results such as the house's own agents make, roughly."""
    text = "A sentence of a source, as long as such sentences are. " * 12
    found: list[dict[str, Any]] = []
    while len(json.dumps(found)) < size:
        passage = Passage(text=text, start=0, end=len(text), line=1, last_line=9)
        source = Source(
            title="A title",
            summary=text,
            brief_summary=text[:55],
            keywords=["one", "two", "three"],
            url=f"file:///folder/{len(found)}.md",
            kind="file",
            passages=[passage],
        )
        found.append(source.model_dump(mode="json"))
    return found


class Carrier(Agent):
    """Hands its data back, as checked as any agent of the house."""

    def __init__(self, name: str, following: str) -> None:
        self.name = name
        self.following = following
        self.left = MESSAGES + 1

    def get_recv_format(self) -> type[BaseModel] | None:
        return Received

    def get_send_format(self) -> type[BaseModel] | None:
        return Sent

    async def run(self, response: str, data: list[Any] | None = None) -> Message:
        self.left -= 1
        return {"agent": self.following if self.left else "TERMINATE", "task": response, "data": data or []}


async def milliseconds(journal: Journal, folder: Path) -> float:
    """Return the time of a dispatch, in milliseconds."""
    async with Run("bench", Settings(data_dir=folder), journal=journal) as run:
        server, router = Server(run), Router(Carrier("planner", "planner"), run)
        server._serving = run
        data = records(10_000)
        began = time.perf_counter()
        for _ in range(MESSAGES):
            await server._dispatch(router, "task", data)  # the loop's own step, without the loop's waiting
        return (time.perf_counter() - began) * 1_000 / MESSAGES


async def main() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        in_memory = await milliseconds(Journal(), Path(folder))
        on_disk = await milliseconds(Journal(Path(folder) / "journal.sqlite"), Path(folder))
    return [
        Row("dispatch, journal in memory", in_memory, "ms", IN_MEMORY),
        Row("dispatch, journal on disk", on_disk, "ms", ON_DISK),
    ]


if __name__ == "__main__":
    report("Dispatch at 10 KB of data", asyncio.run(main()))
