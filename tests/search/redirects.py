"""What ddgs sends, on an island, when an engine redirects it to addresses that it must not reach."""

import asyncio
from contextlib import suppress

from loopback import Reply, SearchServer
from loopback.island import NAMES, watched
from spyglass.kernel.errors import SearchError
from spyglass.kernel.settings import Settings
from spyglass.net.client import Client
from spyglass.search.engines import ENGINES
from spyglass.search.result import SearchQuery

AWAY = (
    "http://10.99.0.8/",
    "https://10.99.0.9/",
    "http://0x0a63000a/",
    "http://[fd99::8]/",
    "https://[fd99::9]:8443/",
    "http://v11.example/",
    "https://v12.example/",
    "https://v13.example:8443/",
    "http://169.254.169.254/latest/",
)


def packets(guarded: bool) -> list[str]:
    """Return where packets went, but for questions to the name server; unguarded, ddgs' own client is asked alone."""
    with watched() as seen:
        asyncio.run(_ask(guarded))
    return sorted({f"{one.protocol} {one.address}" for one in seen if (one.address, one.port) != (NAMES, 53)})


async def _ask(guarded: bool) -> None:
    async with SearchServer().running() as server:
        server.script(*(Reply("", 302, headers={"Location": url}) for url in AWAY))
        settings = Settings(**server.settings("mojeek"), search__deadline=60.0, network__connect_deadline=2.0)
        if not guarded:
            await asyncio.gather(*(asyncio.to_thread(_bare, f"{server.url}/mojeek/search") for _ in AWAY))
            return
        async with Client(settings) as client:
            for _ in AWAY:
                with suppress(SearchError):
                    await ENGINES.get("mojeek")(settings).search(client, SearchQuery(text="kites"))


def _bare(url: str) -> None:
    from ddgs.exceptions import DDGSException
    from ddgs.http_client import HttpClient

    with suppress(DDGSException):
        HttpClient(timeout=2).request("GET", url)
