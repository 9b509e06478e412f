"""Download of a page's bytes: from the cache that runs share, else from its server, by robots.txt and host limits."""

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
from .robots import pause_of_host
from .status_errors import refusal

CACHE_KIND: Final = "page"  # the kind of pages in the cache; the key is the requested address

_REQUEST_HEADERS: Final = {
    "accept": "text/html,application/xhtml+xml,application/pdf;q=0.9,text/plain;q=0.9,*/*;q=0.8",
    "accept-language": "en;q=0.8, *;q=0.5",
}
_KEPT_HEADERS: Final = ("content-type", "etag", "last-modified", "cache-control", "pragma", "vary")


@dataclass(frozen=True, slots=True)
class Download:
    """The response for an address: `asked` is that address, `url` the address after `redirects` redirects.

    `rendered` is true if the body is the HTML of a browser; `exposed` is the reason why that browser was exposed to the
    network; `retrieved_at` is an ISO time, in UTC.
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
    """Return the time in UTC as ISO text; use it only in the recorded answers of effects."""
    return datetime.now(UTC).isoformat(timespec="seconds")


async def download(run: Run, url: str, settings: Settings, *, redirects: int) -> Download:
    """Return the bytes of a page, after at most `redirects` redirects.

    A fresh cached response replaces the request; a stale response is revalidated, if its server gave a validator.
    Raises FetchError: the client's errors, RobotsError, and the error of a status other than success.
    """
    cached, is_fresh = await _from_cache(run, url, settings)
    if cached and is_fresh:
        return cached
    response = await _request(run, url, settings, redirects, freshness.validators(cached.headers) if cached else {})
    if cached and response.status == 304:
        cached = replace(cached, headers={**cached.headers, **_kept_headers(response)}, retrieved_at=now())
        await keep(run, cached, settings)
        return cached
    if (error := refusal(response)) is not None:
        raise error
    return Download(
        url, response.url, _kept_headers(response), response.body, "http", now(), redirects=len(response.redirects)
    )


def _kept_headers(response: Response) -> dict[str, str]:
    return {name: response.headers[name] for name in _KEPT_HEADERS if name in response.headers}


async def keep(run: Run, page: Download, settings: Settings) -> None:
    """Put a page into the cache for later runs, if its server does not forbid it.

    It stays in the cache for at least a day, longer than it is fresh, so that it can be revalidated.
    """
    if settings.cache.page_hours and freshness.may_keep(page.headers):
        try:
            lasts = max(DAY, settings.cache.page_hours * 3600)
            value = {name: getattr(page, name) for name in ("url", "retrieved_at", "redirects", "rendered")}
            value["headers"] = dict(page.headers)
            await (await cache_of(run)).put(CACHE_KIND, page.asked, value, page.body, lasts=lasts)
        except CacheError as error:
            run.notice(Notice("pages_not_kept", why=error.message))


async def _from_cache(run: Run, url: str, settings: Settings) -> tuple[Download | None, bool]:
    """Return the cached response for an address, or None if there is no usable one, and whether it is fresh."""
    if not settings.cache.page_hours:
        return None, False
    try:
        entry = await (await cache_of(run)).get(CACHE_KIND, url)
        if entry is None:
            return None, False
        value = {**entry.value, "asked": url, "body": entry.data, "how": "cache"}
        cached = TypeAdapter(Download).validate_python(value)
        Guard(settings).check_url(cached.url)
    except CacheError as error:
        run.notice(Notice("pages_not_reused", why=error.message))
        return None, False
    except (AddressError, TypeError, ValueError):  # other code has written it: this one caches only allowed addresses
        return None, False
    if freshness.is_fresh(cached.headers, entry.age, settings.cache.page_hours * 3600):
        return cached, True
    return (cached if freshness.validators(cached.headers) else None), False


async def _request(run: Run, url: str, settings: Settings, redirects: int, validators: Mapping[str, str]) -> Response:
    pause = await pause_of_host(run, url, settings) if settings.fetch.robots else 0.0
    client = await client_of(run, settings)
    async with admitted(run, host_of(url), settings, pause=pause):
        response = await client.request(
            "GET",
            url,
            headers={**_REQUEST_HEADERS, **validators},
            max_bytes=int(settings.fetch.max_megabytes * 1_000_000),
            connect_deadline=settings.network.connect_deadline,
            read_deadline=settings.network.read_deadline,
            total_deadline=settings.fetch.page_deadline,
            max_redirects=redirects,
        )
    if settings.fetch.robots and response.url != url:
        await pause_of_host(run, response.url, settings)
    return response
