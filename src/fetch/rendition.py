"""Rendering of a page by crawl4ai after the user's steps, as an effect of the run; a screenshot is a separate file."""

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
from .robots import pause_of_host
from .status_errors import WALLS, refusal


class Rendition(BaseModel, frozen=True):
    """A page as a browser shows it.

    `markdown` is the page's text by crawl4ai, including links; the journal stores it under its SHA-256, `snapshot`.
    `links` are absolute addresses, `extracted` is the data that a schema extracted. `screenshot` is the PNG file in the
    run's folder; None if it was not requested, or if the run is kept in memory only.
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
    """Render a page by crawl4ai, perform the steps, and return the result; equal requests of a run are made once.

    Raises FetchError: AddressError before any request, BrowserError if crawl4ai or the browser is missing.
    """
    address = Guard(settings).check_url(url)
    fields = {"fetch": {"max_megabytes", "robots"}, "network": {"user_agent"}}
    request = {"url": address, **asdict(steps), **settings.model_dump(mode="json", include=fields)}
    answer = await run.effect("render", request, lambda: _answer(run, address, steps, settings))
    text = run.journal.snapshot(answer["snapshot"])
    if text is None:
        raise JournalError("The text of a page is missing from the journal", where=address)
    picture = answer.pop("picture")
    path = _folder(run) / f"{picture}.png" if picture and run.journal.path else None
    rendition = Rendition(**answer, asked=url, markdown=text, screenshot=path)
    if rendition.exposed:
        run.notice(Notice("browser_exposed", why=rendition.exposed))
    run.ledger.add(masked(rendition.url), rendition.title, without_www(host_of(rendition.url)), text[:1000])
    return rendition


async def _answer(run: Run, url: str, steps: Steps, settings: Settings) -> dict[str, Any]:
    """Return the rendition without its text, which is stored in the journal, and its picture, which is a file."""
    async with run.budget.hold("fetch", Amount(fetches=1)):
        pause = await pause_of_host(run, url, settings) if settings.fetch.robots else 0.0
        async with admitted(run, host_of(url), settings, pause=pause):
            page = await render(run, url, settings, steps)
    body = page.html.encode("utf-8", "replace")
    if (error := refusal(Response(page.url, page.status, {}, body))) is not None:
        raise error
    content = await read_markup(body, page.url, "text/html; charset=utf-8")
    if content.wall:
        raise WallError(WALLS[content.wall], where=page.url)
    snapshot = digest(page.markdown, size=64)
    run.journal.keep_snapshot(snapshot, page.markdown)
    return {
        "url": page.url,
        "title": plain.line(content.title),
        "snapshot": snapshot,
        "links": list(page.links),
        "extracted": page.extracted,
        "picture": await in_thread(_save_screenshot, run, page),
        "retrieved_at": now(),
        "exposed": page.exposed,
    }


def _save_screenshot(run: Run, page: Rendered) -> str:
    """Write the screenshot to the run's folder, and return its name, its SHA-256; "" if there is none."""
    if not page.screenshot or run.journal.path is None:
        return ""
    name = hashlib.sha256(page.screenshot).hexdigest()
    path = _folder(run) / f"{name}.png"
    host.private_file(path)
    path.write_bytes(page.screenshot)
    return name


def _folder(run: Run) -> Path:
    assert run.journal.path is not None
    return run.journal.path.parent
