"""Which ways around the guard it closes, and what it costs: `python bench/guard.py [--addresses N] [--strict]`.

Spellings come from a generator over known and drawn addresses of every network that is not public; names, mixed
answers and rebinding go through the client over real sockets. `--redirects N` draws so many addresses to which a page
redirects in each of the ways that the client, the fetcher and (but for every `--sparse`th) the browser follow.
Legitimate addresses must all pass; with `--docs DIR` those that the documentation in a folder links to, too.
"""

import argparse
import asyncio
import html
import json
import random
import re
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlencode

import aiohttp
from aiohttp import web

from links import links_of, no_page_of_the_web
from spyglass.fetch.browser import available, render
from spyglass.fetch.crawl4ai import is_installed
from spyglass.fetch.fetcher import fetch
from spyglass.kernel.errors import AddressError, FetchError, SearchError, SearchRequestError
from spyglass.kernel.journal import Journal
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Settings
from spyglass.net import Client
from spyglass.net.guard import Guard
from spyglass.search.engines import ENGINES
from spyglass.search.result import SearchQuery
from table import Row, report

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from loopback import Reply, SearchServer
from loopback.names import Names
from net import spellings

BOUNDS: dict[str, Any] = {"max_bytes": 10**6, "connect_deadline": 2.0, "read_deadline": 2.0, "total_deadline": 4.0}
_RELATIVE = re.compile(r"https?:/?[^/\\\\]")
"""A URL without two slashes; in a redirect it is a path of the same host (WHATWG URL, "relative state")."""

_PUBLIC_HOST = re.compile(r"https?://[^/\\?#]*@example\.com")
"""A URL that only its credentials forbid; a browser leaves them out, and asks a public host."""

FETCHES = 500
ROUNDS = 6
COST = 0.2
"""CPU milliseconds that a guarded fetch may take beyond one of bare aiohttp."""


class Tally:
    """Counts tries and refusals by class; `passed` holds what went through, and what should not have is printed."""

    def __init__(self, *, may_pass: bool = False) -> None:
        self._may_pass = may_pass
        self.tried: Counter[str] = Counter()
        self.passed: Counter[str] = Counter()

    def note(self, kind: str, what: str, *, refused: bool) -> None:
        self.tried[kind] += 1
        self.passed[kind] += not refused
        if refused == self._may_pass:
            print(f"{'refused' if refused else 'passed'} ({kind}): {what!r}")

    def rows(self) -> list[Row]:
        return [
            Row(f"{kind}: refused of {tried:,}", 100 * (1 - self.passed[kind] / tried), "%", 100, "least")
            for kind, tried in self.tried.items()
        ]


def forbidden_urls(drawn: random.Random, count: int) -> Iterable[tuple[str, str]]:
    """Yield every class and URL that no request may leave for."""
    for v4 in spellings.some_v4(drawn, count):
        yield from spellings.urls_of(v4)
    for v6 in spellings.some_v6(drawn, count):
        yield from spellings.urls_of_v6(v6)
    yield from spellings.urls_of_names()


def check_spellings(tally: Tally, urls: Iterable[tuple[str, str]]) -> None:
    guard = Guard(Settings())
    for kind, url in urls:
        try:
            guard.check_url(url)
        except AddressError:
            tally.note(kind, url, refused=True)
        else:
            tally.note(kind, url, refused=False)


async def check_names(tally: Tally, addresses: list[IPv4Address | IPv6Address]) -> None:
    """Names that lead to these addresses: alone, under an IDN, among public ones, and only at the second question."""
    names = Names()
    async with Client(Settings(), lookup=names) as client:
        for number, address in enumerate(addresses):
            for place, other in enumerate(("8.8.8.8", "2606:4700::1")):
                names.put(f"mixed{number}-{place}.example", [other, str(address)], [str(address), other])
            names.put(f"private{number}.example", [str(address)])
            names.put(f"xn--bcher{number}-kva.example", [str(address)])
            names.put(f"rebind{number}.example", ["8.8.8.8"], [str(address)])
            await client.guard.resolve(f"rebind{number}.example", 80)
            for kind, host in (
                ("name", f"private{number}.example"),
                ("IDN name", f"xn--bcher{number}-kva.example"),
                ("mixed answer", f"mixed{number}-0.example"),
                ("mixed answer", f"mixed{number}-0.example"),
                ("mixed answer", f"mixed{number}-1.example"),
                ("mixed answer", f"mixed{number}-1.example"),
                ("rebinding", f"rebind{number}.example"),
            ):
                tally.note(kind, f"{host} at {address}", refused=await is_refused(client, f"http://{host}/"))


async def is_refused(client: Client, url: str, **options: Any) -> bool:
    try:
        await client.request("GET", url, **BOUNDS, **options)
    except AddressError:
        return True
    return False


@asynccontextmanager
async def server() -> AsyncIterator[str]:
    """Serve on this machine: `/to?url=&by=` leads there by that way, everything else is a page of 20 kB."""

    async def answer(request: web.Request) -> web.Response:
        if request.path != "/to":
            return web.Response(text="<p>" + "word " * 4_000, content_type="text/html")
        url, by = request.query["url"], request.query["by"]
        if by.isdecimal():
            return web.Response(status=int(by), headers={"Location": url})
        headers = {"Refresh": f"0; url={url}"} if by == "Refresh" else {}
        return web.Response(text=PAGES[by](url), content_type="text/html", headers=headers)

    app = web.Application()
    app.router.add_get("/{path:.*}", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    await runner.cleanup()


STATUSES = ("301", "302", "303", "307", "308")
PAGES: dict[str, Callable[[str], str]] = {
    "meta": lambda url: f'<meta http-equiv="refresh" content="0; url={html.escape(url)}">',
    "Refresh": lambda _: "<p>Wait.</p>",
    "script": lambda url: f"<p>Wait.</p><script>location.replace({json.dumps(url)})</script>",
}


async def check_redirects(tally: Tally, urls: Sequence[tuple[str, str]], place: str) -> None:
    """Redirect the client by every status, and the fetcher by a page."""
    given = Settings(network__allow_private=[place.partition("//")[2]], fetch__attempts=1, cache__page_hours=0)
    with TemporaryDirectory() as data:
        async with (
            Client(Settings()) as client,
            Run("q", given.model_copy(update={"data_dir": Path(data)}), journal=Journal()) as run,
        ):
            for _, url in urls:
                if _RELATIVE.match(url):  # it stays where it is
                    continue
                for by in STATUSES if url.isprintable() else ():  # no header can hold the others
                    to = {"url": url, "by": by}
                    refused = await is_refused(client, f"{place}/to", params=to, max_redirects=1, configured=True)
                    tally.note(f"redirect {by}", url, refused=refused)
                reached = await leads_away(fetch(run, leading(place, url, "meta")), place)
                tally.note("redirect by meta refresh", url, refused=not reached)
            assert (await fetch(run, leading(place, f"{place}/page", "meta"))).url == f"{place}/page", "not followed"


async def check_browser(tally: Tally, urls: Sequence[tuple[str, str]], place: str) -> None:
    """Redirect the browser, as Playwright and as crawl4ai steer it, by the header, the element and the script."""
    for renderer in ("playwright", *(["crawl4ai"] if is_installed() else [])):
        given = Settings(
            network__allow_private=[place.partition("//")[2]], fetch__page_deadline=60, browser__renderer=renderer
        )
        await check_renderer(tally, urls, place, given)


async def check_renderer(tally: Tally, urls: Sequence[tuple[str, str]], place: str, given: Settings) -> None:
    async with Run("q", given, journal=Journal()) as run:
        for _, url in urls:
            if _RELATIVE.match(url) or _PUBLIC_HOST.match(url):
                continue
            for by in PAGES if url.isprintable() else ("meta", "script"):
                reached = await leads_away(render(run, leading(place, url, by), run.settings), place)
                tally.note(f"redirect of the browser by {by} ({given.browser.renderer})", url, refused=not reached)
        for by in PAGES:
            page = await render(run, leading(place, f"{place}/page", by), run.settings)
            assert page.url == f"{place}/page", f"not followed: {by}"


async def check_engine(tally: Tally, urls: Sequence[tuple[str, str]]) -> None:
    """Have a search engine that is asked by ddgs redirect it."""
    async with SearchServer().running() as engine:
        left = iter(urls)
        engine.play(lambda _: Reply("", 302, headers={"Location": spellings.in_a_header(next(left)[1])}))
        given = Settings(search__deadline=60, **engine.settings("mojeek"))
        async with Client(given, lookup=Names()) as client:
            for _, url in urls:
                try:
                    await ENGINES.get("mojeek")(given).search(client, SearchQuery(text="kites"))
                    refused = False
                except SearchError as error:  # or it stayed with the engine, whose own status this is then
                    refused = isinstance(error, SearchRequestError)
                tally.note("redirect of a search engine", url, refused=refused)


def leading(place: str, url: str, by: str) -> str:
    return f"{place}/to?{urlencode({'url': url, 'by': by}, errors='surrogatepass')}"


async def leads_away(reading: Awaitable[Any], place: str) -> bool:
    """Say whether what was read, or could not be read, is elsewhere than at `place`, and was not refused."""
    try:
        page = await reading
    except AddressError:
        return False
    except FetchError as error:
        return not error.where.startswith(place)
    return not page.url.startswith(place)


def check_links(folder: Path) -> list[Row]:
    """Return how many of the links in a folder that lead to the web pass; print why others do not."""
    guard = Guard(Settings())
    refused, tried, passed = Counter[str](), 0, 0
    for link in sorted(links_of(folder)):
        why = no_page_of_the_web(link)
        tried += not why
        try:
            guard.check_url(link)
            passed += not why
        except AddressError as error:
            refused[why] += 1
            if not why:
                print(f"refused (link): {link}: {error}")
    print(f"links refused: {', '.join(f'{count} ({why})' for why, count in refused.items() if why) or 'none'}")
    return [Row(f"links to the web: passed of {tried:,}", 100 * passed / tried, "%", 100, "least")]


async def cost(place: str) -> float:
    """Return the CPU milliseconds of a fetch through the client beyond bare aiohttp's; the server's own is in both."""
    async with Client(Settings(network__allow_private=["127.0.0.1"])) as client, aiohttp.ClientSession() as bare:

        async def guarded() -> None:
            await client.request("GET", f"{place}/page", **BOUNDS)

        async def unguarded() -> None:
            async with bare.get(f"{place}/page") as answer:
                await answer.read()

        taken = []
        for fetch in (guarded, unguarded) * ROUNDS:
            start = time.process_time()
            for _ in range(FETCHES):
                await fetch()
            taken.append(time.process_time() - start)
    return 1000 * (min(taken[::2]) - min(taken[1::2])) / FETCHES


async def forbidden(drawn: random.Random, count: int, redirects: int, sparse: int, *, every: int = 1) -> Tally:
    """Try to reach what nobody may, by so many addresses of each family, and `redirects` of them by redirects.

    Of the URLs to redirect to `every` so many is taken, and of these `sparse` so many for the browser.
    """
    tally = Tally()
    check_spellings(tally, forbidden_urls(drawn, count))
    some: list[IPv4Address | IPv6Address] = [
        *spellings.some_v4(drawn, count // 10),
        *spellings.some_v6(drawn, count // 10),
    ]
    await check_names(tally, some)
    async with server() as place:
        urls = list(forbidden_urls(drawn, redirects))[::every]
        await check_redirects(tally, urls, place)
        await check_engine(tally, urls)
        if missing := available(Settings()):
            print(f"no browser: {missing}")
        else:
            await check_browser(tally, urls[::sparse], place)
    return tally


def legitimate(drawn: random.Random, count: int) -> Tally:
    """Try public addresses, so many of each family, that must pass."""
    tally = Tally(may_pass=True)
    check_spellings(tally, spellings.public_urls(drawn, count))
    return tally


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--addresses", type=int, default=500, help="how many addresses of each family are drawn")
    parser.add_argument("--redirects", type=int, default=5, help="how many of them pages redirect to, in every way")
    parser.add_argument("--sparse", type=int, default=100, help="of how many of these one is for the browser, too")
    parser.add_argument("--docs", type=Path, help="a folder whose links must pass")
    parser.add_argument("--strict", action="store_true", help="exit 1 when a limit is missed")
    given = parser.parse_args()
    count = given.addresses
    drawn = random.Random(2024)
    rows = (await forbidden(drawn, count, given.redirects, given.sparse)).rows()
    async with server() as place:
        extra = await cost(place)
    fine = legitimate(drawn, count)
    for kind, tried in fine.tried.items():
        rows.append(Row(f"legitimate, {kind}: passed of {tried:,}", 100 * fine.passed[kind] / tried, "%", 100, "least"))
    if given.docs:
        rows += check_links(given.docs)
    report("Guard", [*rows, Row("CPU of a fetch beyond bare aiohttp", extra, "ms", COST)])


if __name__ == "__main__":
    asyncio.run(main())
