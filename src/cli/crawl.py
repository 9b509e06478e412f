"""`spyglass crawl`."""

import json
import re
from pathlib import Path

from ..kernel.errors import UsageError
from ..kernel.outcome import Outcome
from ..kernel.settings import Settings
from ..tools import crawl_site
from ..tools.crawl_site import CrawledPage, SiteCrawl
from .console import show_markdown, write
from .loop import run_context

LONGEST_NAME = 60  # characters of a page's title in the name of its file


def show_site(
    question: str,
    settings: Settings,
    out: Path | None = None,
    *,
    as_json: bool,
    quiet: bool,
    resume: Path | None = None,
) -> Outcome:
    """Read the site of the settings, or go on with the run to `resume`; print and write its pages, return the outcome.

    A Ctrl-C prints what is there by then. Raises UsageError for a folder that is not empty.
    """
    if out is not None and out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError(f"{out} is there already", where="--out", remedy="Name a folder that is new or empty.")
    arguments = {"url": settings.sites[0] if resume is None else "", "question": question}
    with run_context() as begun:
        found: SiteCrawl = begun.call(crawl_site, arguments, settings, quiet, resume)
        if out is not None:
            _write_pages(found, out)
        show_pages(found, as_json=as_json)
        return begun.run.outcome


def show_pages(found: SiteCrawl, *, as_json: bool) -> None:
    """Print what was read: as JSON with texts and links."""
    if as_json:
        write(json.dumps(found.to_record(texts=True), indent=2) + "\n")
    else:
        show_markdown(found.markdown)


def _write_pages(found: SiteCrawl, folder: Path) -> None:
    """Write each page to a file of its own; the names are in the order in which the pages were read."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, page in enumerate(found.pages, 1):
        path = folder / f"{number:04d}-{_name(page)}.md"
        path.write_text(f"<!-- {page.url.replace('--', '%2D%2D')} -->\n\n{page.text}\n", encoding="utf-8")


def _name(page: CrawledPage) -> str:
    return re.sub(r"\W+", "-", page.title.lower()).strip("-")[:LONGEST_NAME] or "page"
