"""A folder of small documents, and what tests do with it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from spyglass.kernel.events import Event
from spyglass.kernel.journal import Journal
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Settings
from spyglass.rag.hit import Hit
from spyglass.rag.ingest import IngestSummary, ingest
from spyglass.rag.retrieve import retrieve

BEES = "# Bees\n\nA colony of honey bees has one queen. The workers fly out for nectar and pollen.\n"
TIDES = "# Tides\n\nThe moon pulls at the sea. High water comes twice a day on most coasts.\n"
BREAD = "# Bread\n\nSourdough ferments overnight in a cool kitchen. Rye needs more water than wheat.\n"
DOCUMENTS = {"animals/bees.md": BEES, "tides.md": TIDES, "kitchen/bread.md": BREAD}


def fill(folder: Path, documents: dict[str, str] | None = None) -> Path:
    """Write documents into a folder, and return it."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in (DOCUMENTS if documents is None else documents).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
    return folder


def configured(settings: Settings, **changes: Any) -> Settings:
    """Return the settings with changes; words only, unless they say otherwise."""
    return settings.updated(**{"retrieval__dense": False, **changes})


@asynccontextmanager
async def running(
    settings: Settings, events: list[Event] | None = None, journal: Journal | None = None
) -> AsyncIterator[Run]:
    """A run with a journal in memory."""
    sink = None if events is None else events.append
    async with Run("What is known?", settings, on_event=sink, journal=journal or Journal()) as run:
        yield run


async def ingested(settings: Settings, folder: Path, *, events: list[Event] | None = None) -> IngestSummary:
    """Ingest a folder in a run of its own, vectors and all where the settings want them."""
    async with running(settings, events) as run:
        return await ingest(run, folder, embed=settings.retrieval.dense)


async def found(settings: Settings, folder: Path, query: str, top_k: int = 5) -> list[Hit]:
    """Ask a folder that is ingested, in a run of its own."""
    async with running(settings) as run:
        return await retrieve(run, [folder], [query], top_k)
