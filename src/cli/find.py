"""`spyglass find`."""

import asyncio
import json
import sys
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.markup import escape

from ..journal import Journal
from ..rag.ingest import ingest
from ..rag.retrieve import Hit, retrieve
from ..run import Run
from ..settings import Settings


def find_passages(query: str, settings: Settings, top: int, *, as_json: bool) -> None:
    """Print the best passages for a query, best first."""
    hits, notices = asyncio.run(_found(query, settings, top))
    if as_json:
        json.dump(
            {"query": query, "notices": notices, "passages": [_record(hit) for hit in hits]}, sys.stdout, indent=2
        )
        print()
        return
    console = Console(highlight=False, soft_wrap=True)
    for notice in notices:
        console.print(f"[dim]{escape(notice)}[/dim]")
    for number, hit in enumerate(hits, 1):
        passage = hit.passage
        place = ", ".join(part for part in (passage.place, f"characters {passage.start}-{passage.end}") if part)
        console.print(f"\n[bold]{number}. {escape(hit.path)}[/bold] ({place}; score {passage.score:.3f})")
        console.print(escape(passage.text))
    if not hits:
        console.print("Nothing found.")


async def _found(query: str, settings: Settings, top: int) -> tuple[list[Hit], list[str]]:
    async with Run(query, settings, journal=Journal()) as run:
        for folder in settings.db:
            await ingest(run, folder, embed=False)
        hits = await retrieve(run, settings.db, [query], top)
        run.outcome = "complete"
        return hits[:top], run.notices


def _record(hit: Hit) -> dict[str, Any]:
    record = asdict(hit)
    return {**record, "passage": hit.passage.model_dump(mode="json")}
