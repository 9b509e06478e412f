"""The bytes of a page: from the cache that runs share, or politely from its server."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final, Literal

from pydantic import TypeAdapter

from ..kernel.cache import DAY, cache_of
from ..kernel.errors import AddressError, CacheError
from ..kernel.notice import Notice
from ..kernel.run import Run
from ..kernel.settings import Settings
from ..net import Guard, Response, client_of
from ..net.outage import host_of
from . import freshness
from .host_limiter import admitted
from .refusal import refusal
from .robots import pause_asked

CACHE_KIND: Final = "page"  # the kind under which the cache keeps pages; the key is the address that was asked for

_ASKED: Final = {
    "accept": "text/html,application/xhtml+xml,application/pdf;q=0.9,text/plain;q=0.9,*/*;q=0.8",
    "accept-language": "en;q=0.8, *;q=0.5",
}
_KEPT: Final = ("content-type", "etag", "last-modified", "cache-control", "pragma", "vary")


@dataclass(frozen=True, slots=True)
class Download:
    """What came from an address: `asked` is that address, `url` the one after `redirects` redirects.

    `rendered` says that the body is what a browser made of the page, one that was as `exposed` as it says;
    `retrieved_at` is an ISO time, in UTC.
    """

    asked: str
    url: str
    headers: Mapping[str, str]
    body: bytes
    how: Literal["http", "browser", "cache"]
    retrieved_at: str
    redirects: int = 0
    rendered: bool = False
    exposed: str = ""


def now() -> str:
    """Return the time in UTC as ISO text; only what an effect records may hold it."""
    return datetime.now(UTC).isoformat(timespec="seconds")


async def download(run: Run, url: str, settings: Settings, *, redirects: int) -> Download:
    """Return the bytes of a page, after at most so many redirects.

    A kept answer that is fresh stands for a request; an older one is asked about, if its server gave something to
    ask by. Raises FetchError: what the client raises, RobotsError, and what a status other than success amounts to.
    """
    kept, is_fresh = await _kept(run, url, settings)
    if kept and is_fresh:
        return kept
    response = await _request(run, url, settings, redirects, freshness.validators(kept.headers) if kept else {})
    if kept and response.status == 304:
        kept = replace(kept, headers={**kept.headers, **_kept_headers(response)}, retrieved_at=now())
        await keep(run, kept, settings)
        return kept
    if (error := refusal(response)) is not None:
        raise error
    return Download(
        url, response.url, _kept_headers(response), response.body, "http", now(), redirects=len(response.redirects)
    )


def _kept_headers(response: Response) -> dict[str, str]:
    return {name: response.headers[name] for name in _KEPT if name in response.headers}


async def keep(run: Run, page: Download, settings: Settings) -> None:
    """Keep a page for later runs, if its server does not forbid it.

    It stays longer than it stands for a new one: for a day, in which its server may be asked whether it still holds.
    """
    if settings.cache.page_hours and freshness.may_keep(page.headers):
        try:
            lasts = max(DAY, settings.cache.page_hours * 3600)
            value = {name: getattr(page, name) for name in ("url", "retrieved_at", "redirects", "rendered")}
            value["headers"] = dict(page.headers)
            await (await cache_of(run)).put(CACHE_KIND, page.asked, value, page.body, lasts=lasts)
        except CacheError as error:
            run.notice(Notice("pages_not_kept", why=error.told))


async def _kept(run: Run, url: str, settings: Settings) -> tuple[Download | None, bool]:
    """Return the kept answer to an address, and whether it is fresh; None when there is none that is of use."""
    if not settings.cache.page_hours:
        return None, False
    try:
        entry = await (await cache_of(run)).get(CACHE_KIND, url)
        if entry is None:
            return None, False
        value = {**entry.value, "asked": url, "body": entry.data, "how": "cache"}
        kept = TypeAdapter(Download).validate_python(value)
        Guard(settings).check_url(kept.url)
    except CacheError as error:
        run.notice(Notice("pages_not_reused", why=error.told))
        return None, False
    except (AddressError, TypeError, ValueError):  # it was allowed when it was kept; somebody else has written there
        return None, False
    if freshness.is_fresh(kept.headers, entry.age, settings.cache.page_hours * 3600):
        return kept, True
    return (kept if freshness.validators(kept.headers) else None), False


async def _request(run: Run, url: str, settings: Settings, redirects: int, more: Mapping[str, str]) -> Response:
    pause = await pause_asked(run, url, settings) if settings.fetch.robots else 0.0
    client = await client_of(run, settings)
    async with admitted(run, host_of(url), settings, pause=pause):
        response = await client.request(
            "GET",
            url,
            headers={**_ASKED, **more},
            max_bytes=int(settings.fetch.max_megabytes * 1_000_000),
            connect_deadline=settings.network.connect_deadline,
            read_deadline=settings.network.read_deadline,
            total_deadline=settings.fetch.page_deadline,
            max_redirects=redirects,
        )
    if settings.fetch.robots and response.url != url:
        await pause_asked(run, response.url, settings)
    return response
