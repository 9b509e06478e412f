"""Which ways around the guard it closes, and what it costs: `python bench/guard.py [--addresses N] [--strict]`.

Spellings come from a generator over known and drawn addresses of every network that is not public; names, mixed
answers, rebinding and redirects go through the client over real sockets. Legitimate addresses must all pass.
"""

import argparse
import asyncio
import random
import re
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path
from typing import Any

import aiohttp
from aiohttp import web

from spyglass.errors import AddressError
from spyglass.net import Client
from spyglass.net.guard import Guard
from spyglass.settings import Settings
from table import Row, report

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from loopback.names import Names
from net import spellings

BOUNDS: dict[str, Any] = {"max_bytes": 10**6, "connect_deadline": 2.0, "read_deadline": 2.0, "total_deadline": 4.0}
_RELATIVE = re.compile(r"https?:/?[^/\\\\]")
"""A URL without two slashes; in a redirect it is a path of the same host (WHATWG URL, "relative state")."""

FETCHES = 500
ROUNDS = 6
COST = 0.2
"""CPU milliseconds that a guarded fetch may take beyond one of bare aiohttp."""


class Tally:
    """Counts tries and refusals by class; `passed` holds what went through."""

    def __init__(self) -> None:
        self.tried: Counter[str] = Counter()
        self.passed: Counter[str] = Counter()

    def note(self, kind: str, what: str, *, refused: bool) -> None:
        self.tried[kind] += 1
        if not refused:
            self.passed[kind] += 1
            print(f"passed ({kind}): {what}")

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
    """Serve on this machine: `/to?url=` redirects there, everything else is a page of 20 kB."""

    async def answer(request: web.Request) -> web.Response:
        if request.path == "/to":
            return web.Response(status=302, headers={"Location": request.query["url"]})
        return web.Response(body=b"x" * 20_000)

    app = web.Application()
    app.router.add_get("/{path:.*}", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    await runner.cleanup()


async def check_redirects(tally: Tally, urls: Iterable[tuple[str, str]], place: str) -> None:
    async with Client(Settings()) as client:
        for _, url in urls:
            if not url.isprintable() or _RELATIVE.match(url):  # no header can hold it, or it stays where it is
                continue
            refused = await is_refused(client, f"{place}/to", params={"url": url}, max_redirects=1, configured=True)
            tally.note("redirect", url, refused=refused)


async def cost(place: str) -> float:
    """Return the CPU milliseconds of a fetch through the client beyond bare aiohttp's; the server's own is in both."""
    async with Client(Settings(allow_private=["127.0.0.1"])) as client, aiohttp.ClientSession() as bare:

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


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--addresses", type=int, default=500, help="how many addresses of each family are drawn")
    parser.add_argument("--strict", action="store_true", help="exit 1 when a limit is missed")
    count = parser.parse_args().addresses
    drawn = random.Random(2024)
    tally = Tally()
    check_spellings(tally, forbidden_urls(drawn, count))
    some: list[IPv4Address | IPv6Address] = [
        *spellings.some_v4(drawn, count // 10),
        *spellings.some_v6(drawn, count // 10),
    ]
    await check_names(tally, some)
    async with server() as place:
        await check_redirects(tally, forbidden_urls(drawn, 5), place)
        extra = await cost(place)
    rows = tally.rows()
    fine = Tally()
    check_spellings(fine, spellings.public_urls(drawn, count))
    for kind, tried in fine.tried.items():
        rows.append(Row(f"legitimate, {kind}: passed of {tried:,}", 100 * fine.passed[kind] / tried, "%", 100, "least"))
    report("Guard", [*rows, Row("CPU of a fetch beyond bare aiohttp", extra, "ms", COST)])


if __name__ == "__main__":
    asyncio.run(main())
