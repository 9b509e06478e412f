"""A page as crawl4ai shows it, after steps that the user asked for: an effect of the run, with its picture beside."""

import hashlib
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from ..documents.html import plain
from ..kernel import host
from ..kernel.budget import Amount
from ..kernel.errors import JournalError, WallError
from ..kernel.notice import Notice
from ..kernel.run import Run
from ..kernel.settings import Settings
from ..kernel.source import digest
from ..kernel.thread import in_thread
from ..kernel.url import masked
from ..net import Guard, Response
from ..net.host import without_www
from ..net.outage import host_of
from .browser import render
from .crawl4ai import Steps
from .download import now
from .extraction import read_markup
from .host_limiter import admitted
from .reading import Rendered
from .refusal import WALLS, refusal
from .robots import pause_asked


class Rendition(BaseModel, frozen=True):
    """What a browser shows of a page.

    `markdown` is the page's text by crawl4ai, links and all; the journal keeps it under its SHA-256, `snapshot`.
    `links` are absolute addresses, `extracted` is what a schema took out of the page. `screenshot` is the PNG file in
    the run's folder; None where none was asked for, or where the run is kept in memory only.
    """

    asked: str
    url: str
    title: str
    markdown: str
    snapshot: str
    links: tuple[str, ...] = ()
    extracted: Any = None
    screenshot: Path | None = None
    retrieved_at: str
    exposed: str = ""


async def rendered(run: Run, url: str, steps: Steps, settings: Settings) -> Rendition:
    """Render a page by crawl4ai, do the steps, and return what it shows then; equal requests of a run are one.

    Raises FetchError: AddressError before anything is asked, BrowserError where crawl4ai or the browser is missing.
    """
    address = Guard(settings).check_url(url)
    counting = {"fetch": {"max_megabytes", "robots"}, "network": {"user_agent"}}
    request = {"url": address, **asdict(steps), **settings.model_dump(mode="json", include=counting)}
    answer = await run.effect("render", request, lambda: _answer(run, address, steps, settings))
    text = run.journal.snapshot(answer["snapshot"])
    if text is None:
        raise JournalError("The text of a page is missing from the journal", where=address)
    picture = answer.pop("picture")
    path = _folder(run) / f"{picture}.png" if picture and run.journal.path else None
    found = Rendition(**answer, asked=url, markdown=text, screenshot=path)
    if found.exposed:
        run.notice(Notice("browser_exposed", why=found.exposed))
    run.ledger.add(masked(found.url), found.title, without_www(host_of(found.url)), text[:1000])
    return found


async def _answer(run: Run, url: str, steps: Steps, settings: Settings) -> dict[str, Any]:
    """Return the rendition without its text, which goes to the journal, and its picture, which goes to a file."""
    async with run.budget.hold("fetch", Amount(fetches=1)):
        pause = await pause_asked(run, url, settings) if settings.fetch.robots else 0.0
        async with admitted(run, host_of(url), settings, pause=pause):
            shown = await render(run, url, settings, steps)
    body = shown.html.encode("utf-8", "replace")
    if (error := refusal(Response(shown.url, shown.status, {}, body))) is not None:
        raise error
    content = await read_markup(body, shown.url, "text/html; charset=utf-8")
    if content.wall:
        raise WallError(WALLS[content.wall], where=shown.url)
    snapshot = digest(shown.markdown, size=64)
    run.journal.keep_snapshot(snapshot, shown.markdown)
    return {
        "url": shown.url,
        "title": plain.line(content.title),
        "snapshot": snapshot,
        "links": list(shown.links),
        "extracted": shown.extracted,
        "picture": await in_thread(_keep, run, shown),
        "retrieved_at": now(),
        "exposed": shown.exposed,
    }


def _keep(run: Run, shown: Rendered) -> str:
    """Write the picture of a page to the run's folder, and return its name, which is its SHA-256."""
    if not shown.screenshot or run.journal.path is None:
        return ""
    name = hashlib.sha256(shown.screenshot).hexdigest()
    path = _folder(run) / f"{name}.png"
    host.private_file(path)
    path.write_bytes(shown.screenshot)
    return name


def _folder(run: Run) -> Path:
    assert run.journal.path is not None
    return run.journal.path.parent
