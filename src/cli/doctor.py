"""`spyglass doctor`: calls each configured part once, and says how to mend what does not work."""

import asyncio
import os
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel, SecretStr
from rich.console import Console
from rich.markup import escape

from ..errors import SpyglassError
from ..journal import Journal
from ..model.model import Prompt
from ..run import Run
from ..settings import PREFIX, Settings

Check = Callable[[Run], Awaitable[str]]


def examine(settings: Settings) -> bool:
    """Print the effective settings and the outcome of every check; return whether all parts work."""
    console = Console(highlight=False, soft_wrap=True)
    console.print("[bold]Settings[/bold] (secrets are masked)")
    for name, value in _shown(settings):
        console.print(f"  {name} = {escape(value)}")
    for name in _unknown_variables():
        console.print(f"  [yellow]{name} is set, but there is no such setting[/yellow]")
    console.print("[bold]Parts[/bold]")
    return asyncio.run(_examine(settings, console))


async def _examine(settings: Settings, console: Console) -> bool:
    sound = True
    async with Run("doctor", settings, journal=Journal()) as run:
        for name, check in _checks(settings):
            try:
                said, mark = await check(run), "[green]works[/green]"
            except SpyglassError as error:
                said, mark, sound = str(error), "[red]fails[/red]", False
            console.print(f"  {name}: {mark}: {escape(said)}")
    return sound


def _shown(settings: BaseModel, prefix: str = "") -> Iterator[tuple[str, str]]:
    for name, value in settings:
        if isinstance(value, BaseModel):
            yield from _shown(value, f"{prefix}{name}.")
        elif value is not None or not prefix:
            yield f"{prefix}{name}", _masked(value)


def _masked(value: Any) -> str:
    if isinstance(value, SecretStr):
        return "********"
    if isinstance(value, list):
        return ", ".join(str(item) for item in value) or "none"
    return "not set" if value is None else str(value)


def _unknown_variables() -> list[str]:
    """Return variables that look like settings and are none: most likely misspelt."""
    known = {f"{PREFIX}{name}".upper() for name in Settings.model_fields}
    ours = [name for name in os.environ if name.upper().startswith(PREFIX)]
    return sorted(name for name in ours if name.upper().partition("__")[0] not in known)


def _checks(settings: Settings) -> Iterator[tuple[str, Check]]:
    yield "data folder", _data_folder
    for folder in settings.db:
        yield f"folder {folder}", _folder_check(folder)
    yield "documents", _documents
    yield "embedder", _embedder
    yield from _model_checks(settings)


async def _data_folder(run: Run) -> str:
    from ..errors import FolderError

    folder = run.settings.data_dir
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise FolderError(
            f"Nothing can be kept there: {error.strerror}", where=str(folder), remedy="Set data_dir to another folder."
        ) from error
    return str(folder)


def _folder_check(folder: Path) -> Check:
    async def check(_run: Run) -> str:
        from ..rag.walk import walk

        listing = await asyncio.to_thread(walk, folder)
        return f"{len(listing.files):,} files"

    return check


async def _documents(run: Run) -> str:
    from ..documents import Converter

    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        page.write_text("<html><body><h1>Ready</h1><p>A page with some words.</p></body></html>", encoding="utf-8")
        async with Converter(run.settings) as converter:
            document = await converter.convert(page)
    return f"converted a page to {len(document.text)} characters"


async def _embedder(run: Run) -> str:
    from ..rag.embed import embedder_of

    if not run.settings.dense:
        return "switched off (dense = false)"
    embedder = await embedder_of(run, run.settings)
    [vector] = await embedder.embed(run, ["ready"])
    return f"{embedder.id}, {len(vector)} dimensions"


def _model_checks(settings: Settings) -> Iterator[tuple[str, Check]]:
    from ..model.providers import model_for

    planner, writer = model_for(settings, "planner"), model_for(settings, "writer")
    if planner is None and writer is None:
        yield "model", _no_model
    for role, model in (("planner", planner), ("writer", writer)):
        if model is not None:
            yield f"{role} {model.provider}/{model.name}", _model_check(model, role)


async def _no_model(_run: Run) -> str:
    return "none is configured: rules plan, and reports quote their sources verbatim"


def _model_check(model: Any, role: str) -> Check:
    async def check(run: Run) -> str:
        prompt = Prompt("You are being tested.", f"Answer with the one word: ready ({role})")
        return f"answered {(await model.complete(run, prompt, role=role)).strip()[:60]!r}"

    return check
