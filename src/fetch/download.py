"""The bytes of a page: from the cache that runs share, or politely from its server."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Final, Literal, Self
from urllib.parse import urlsplit

from pydantic import TypeAdapter

from ..kernel.cache import DAY, CacheEntry, cache_of
from ..kernel.errors import AddressError, CacheError
from ..kernel.notice import Notice
from ..kernel.run import Run
from ..kernel.settings import Settings
from ..net import Guard, Response, client_of
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

    @classmethod
    def of(cls, asked: str, response: Response) -> Self:
        """Return what a server sent just now."""
        headers = {name: response.headers[name] for name in _KEPT if name in response.headers}
        return cls(asked, response.url, headers, response.body, "http", now(), len(response.redirects))

    @classmethod
    def kept(cls, asked: str, entry: CacheEntry) -> Self:
        """Return what the cache has kept. Raises TypeError and ValueError when it is no page."""
        return TypeAdapter(cls).validate_python({**entry.value, "asked": asked, "body": entry.data, "how": "cache"})

    def to_value(self) -> dict[str, Any]:
        """Return what the cache keeps beside the body."""
        return {
            "url": self.url,
            "headers": dict(self.headers),
            "retrieved_at": self.retrieved_at,
            "redirects": self.redirects,
            "rendered": self.rendered,
        }


def now() -> str:
    """Return the time in UTC as ISO text; only what an effect records may hold it."""
    return datetime.now(UTC).isoformat(timespec="seconds")


async def download(run: Run, url: str, settings: Settings, *, redirects: int) -> Download:
    """Return the bytes of a page, after at most so many redirects.

    A kept answer that is fresh stands for a request; an older one is asked about, if its server gave something to
    ask by. Raises FetchError: what the client raises, RobotsError, and what a status other than success amounts to.
    """
    found = await _kept(run, url, settings)
    if found is not None:
        kept, fresh = found
        if fresh:
            return kept
        response = await _request(run, url, settings, redirects, freshness.validators(kept.headers))
        if response.status == 304:
            headers = {**kept.headers, **{name: response.headers[name] for name in _KEPT if name in response.headers}}
            kept = replace(kept, headers=headers, retrieved_at=now())
            await keep(run, kept, settings)
            return kept
    else:
        response = await _request(run, url, settings, redirects, {})
    if (error := refusal(response)) is not None:
        raise error
    return Download.of(url, response)


async def keep(run: Run, page: Download, settings: Settings) -> None:
    """Keep a page for later runs, if its server does not forbid it.

    It stays longer than it stands for a new one: for a day, in which its server may be asked whether it still holds.
    """
    if settings.cache.page_hours and freshness.may_keep(page.headers):
        try:
            lasts = max(DAY, settings.cache.page_hours * 3600)
            await (await cache_of(run)).put(CACHE_KIND, page.asked, page.to_value(), page.body, lasts=lasts)
        except CacheError as error:
            run.notice(Notice("pages_not_kept", why=error.told))


async def _kept(run: Run, url: str, settings: Settings) -> tuple[Download, bool] | None:
    """Return the kept answer to an address, and whether it is fresh; None when there is none that is of use."""
    if not settings.cache.page_hours:
        return None
    try:
        entry = await (await cache_of(run)).get(CACHE_KIND, url)
        if entry is None:
            return None
        kept = Download.kept(url, entry)
        Guard(settings).check_url(kept.url)
    except CacheError as error:
        run.notice(Notice("pages_not_reused", why=error.told))
        return None
    except (AddressError, TypeError, ValueError):  # it was allowed when it was kept; somebody else has written there
        return None
    if freshness.is_fresh(kept.headers, entry.age, settings.cache.page_hours * 3600):
        return kept, True
    return (kept, False) if freshness.validators(kept.headers) else None


async def _request(run: Run, url: str, settings: Settings, redirects: int, more: Mapping[str, str]) -> Response:
    pause = await pause_asked(run, url, settings) if settings.fetch.robots else 0.0
    client = await client_of(run, settings)
    async with admitted(run, urlsplit(url).hostname or "", settings, pause=pause):
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
