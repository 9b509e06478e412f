"""How far reading is can be told in pages, and in time once there is something to go by."""

import asyncio
from pathlib import Path

from documents.files import paragraphs, pdf
from rag.shelf import configured, ingested, running
from spyglass.kernel.events import Event, IngestProgress
from spyglass.kernel.settings import Settings
from spyglass.rag.pace import TELLING, Pace
from spyglass.rag.walk import WalkedFile


def walked(path: str, size: int) -> WalkedFile:
    return WalkedFile(path, (size, 0, 0), (0, 0))


async def test_a_file_half_of_whose_pages_are_read_is_half_read(settings: Settings) -> None:
    events: list[Event] = []
    async with running(settings, events) as run:
        long, short = walked("long.pdf", 90_000), walked("short.pdf", 90_000)
        pace = Pace(run, [long, short])
        pace.at(long, 1, 1_000)
        pace.tell()
        await asyncio.sleep(TELLING)
        pace.at(long, 500, 1_000)
        pace.read(long)
        pace.tell()
    first, half, whole = (event for event in events if isinstance(event, IngestProgress))
    assert (first.done, first.pages, first.seconds_left) == (0, 1, None)
    assert (half.done, half.total, half.pages) == (0, 2, 500)
    assert half.seconds_left is not None
    assert whole.seconds_left is not None
    assert half.seconds_left > whole.seconds_left
    assert (whole.done, whole.pages) == (1, 1_000)


async def test_an_ingest_tells_the_pages_that_it_read(settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "two.pdf").write_bytes(pdf(paragraphs("A first page."), paragraphs("A second one.")))
    (tmp_path / "note.txt").write_text("A note.")
    events: list[Event] = []
    await ingested(configured(settings, data_dir=tmp_path / ".data"), tmp_path, events=events)
    assert [(one.done, one.pages) for one in events if isinstance(one, IngestProgress)][-1] == (2, 2)
