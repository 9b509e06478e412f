"""`spyglass fetch`: reads one page."""

from ..fetch import Page, fetch
from ..kernel.errors import FetchError
from ..kernel.journal import Journal
from ..kernel.notice import text_of
from ..kernel.one_line import sanitized
from ..kernel.run import Run
from ..kernel.settings import Settings
from ..kernel.url import masked
from .console import write_json, write_result
from .loop import run_until_done


def show_page(url: str, settings: Settings, *, as_json: bool) -> bool:
    """Print a page's text and metadata; return whether it could be read.

    A page that cannot be read raises FetchError, or with `as_json` is printed with the field `error`.
    """
    try:
        page = run_until_done(lambda _: _read(url, settings), settings)
    except FetchError as error:
        if not as_json:
            raise
        write_json({"asked": masked(url), "error": error.to_record()})
        return False
    write_result(page.model_dump(mode="json"), _text(page), as_json=as_json)
    return True


async def _read(url: str, settings: Settings) -> Page:
    async with Run(f"fetch {url}", settings, journal=Journal()) as run:
        page = await fetch(run, url)
        run.outcome = "complete"
        return page.model_copy(update={"asked": masked(page.asked), "notices": (*page.notices, *map(str, run.notices))})


def _text(page: Page) -> str:
    known = {
        "Address": page.url,
        "Requested": "" if page.asked == page.url else page.asked,
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
    lines = [sanitized(f"{name + ':':<11} {' '.join(value.split())}") for name, value in known.items() if value]
    notes = [sanitized(f"Note: {text_of(notice)}") for notice in page.notices]
    return "\n".join([sanitized(page.title), *lines, *notes, "", sanitized(page.text).rstrip()])
