"""`spyglass fetch`."""

import asyncio
import json
import re

from ..errors import FetchError
from ..fetch.fetcher import fetch
from ..fetch.page import Page
from ..journal import Journal
from ..run import Run
from ..settings import Settings
from .console import write

_SEQUENCES = re.compile(
    r"(?:\x1b\]|\x9d)[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"  # titles, links, the clipboard
    r"|(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x1b\x9c]*(?:\x1b\\|\x9c)?"
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # colours, cursor
    r"|\x1b[ -/]*[0-~]"
)
"""What a terminal takes for commands (ECMA-48)."""

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def show_page(url: str, settings: Settings, *, as_json: bool) -> bool:
    """Print a page's text and what is known of it; return whether it could be read, which JSON tells by `error`.

    Raises FetchError unless JSON is asked for.
    """
    try:
        page = asyncio.run(_read(url, settings))
    except FetchError as error:
        if not as_json:
            raise
        write(json.dumps({"asked": url, "error": error.to_record()}, indent=2) + "\n")
        return False
    write(json.dumps(page.model_dump(mode="json"), indent=2) + "\n" if as_json else _told(page))
    return True


async def _read(url: str, settings: Settings) -> Page:
    async with Run(f"fetch {url}", settings, journal=Journal()) as run:
        page = await fetch(run, url)
        run.outcome = "complete"
        return page.model_copy(update={"notices": (*page.notices, *run.notices)})


def _told(page: Page) -> str:
    """Return a page as a person reads it."""
    known = {
        "Address": page.url,
        "Asked for": "" if page.asked == page.url else page.asked,
        "Read by": f"{page.how}, {page.retrieved_at}",
        "Kind": page.kind,
        "Size": f"{page.size:,} bytes, {len(page.text):,} characters of text",
        "Pages": str(len(page.pages) or ""),
        "Author": page.author,
        "Published": page.published,
        "Language": page.language,
        "Site": page.site,
        "Snapshot": page.snapshot,
    }
    lines = [plain(f"{name + ':':<11} {' '.join(value.split())}") for name, value in known.items() if value]
    notes = [plain(f"Note: {notice}") for notice in page.notices]
    return "\n".join([plain(page.title), *lines, *notes, "", plain(page.text).rstrip(), ""])


def plain(text: str) -> str:
    """Return a stranger's text without anything that a terminal would obey; line ends and tabs stay."""
    return _CONTROLS.sub("", _SEQUENCES.sub("", text))
