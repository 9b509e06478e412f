"""Whatever a server does, a fetch ends in time, takes no more than it may, and leaves nothing open."""

import asyncio
import tracemalloc
from collections.abc import AsyncIterator

import pytest

from fetch.conftest import RunWith
from loopback import WebServer
from spyglass.fetch.fetcher import fetch
from spyglass.kernel.errors import FetchDeadlineError, FetchError, PageTooLargeError, UnreachableError
from spyglass.kernel.run import Run

OTHER = "127.0.0.2"

HURRIED = {"fetch.page_deadline": 0.8, "network.read_deadline": 0.4, "network.connect_deadline": 0.4}
"""What no page has to hold to that is expected to arrive."""


@pytest.fixture
async def bounded(run_with: RunWith) -> AsyncIterator[Run]:
    """A run that gives a page one attempt."""
    async with run_with(fetch__max_megabytes=2.0, fetch__attempts=1) as run:
        yield run


@pytest.mark.parametrize("path", ["/slow", "/hang", "/drip", "/stall", "/slow-headers", "/drip?s=0.3"])
async def test_a_page_that_does_not_end_is_given_up_at_its_deadline(
    web_server: WebServer, bounded: Run, path: str
) -> None:
    with pytest.raises(FetchDeadlineError) as late:
        await fetch(bounded, web_server.url(path), settings=bounded.settings.updated(**HURRIED))
    assert late.value.where.partition("?")[0] == web_server.url(path).partition("?")[0]


@pytest.mark.parametrize("path", ["/endless", "/huge", "/bomb"])
async def test_a_page_that_is_too_large_is_cut_off_before_it_fills_the_memory(
    web_server: WebServer, bounded: Run, path: str
) -> None:
    await fetch(bounded, web_server.url("/article"))  # what is imported on the way does not count
    tracemalloc.start()
    try:
        with pytest.raises((PageTooLargeError, FetchDeadlineError)):
            await fetch(bounded, web_server.url(path))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 30_000_000


@pytest.mark.parametrize("path", ["/truncated", "/reset", "/garbage", "/cut-gzip"])
async def test_a_page_that_breaks_off_is_told(web_server: WebServer, bounded: Run, path: str) -> None:
    with pytest.raises(UnreachableError):
        await fetch(bounded, web_server.url(path))


async def test_ten_bad_pages_beside_ten_good_ones_cost_no_good_one(web_server: WebServer, bounded: Run) -> None:
    bad = ("/slow", "/hang", "/drip", "/stall", "/endless", "/truncated", "/reset", "/garbage", "/loop", "/bomb")
    hurried = bounded.settings.updated(**HURRIED)
    both = [
        (fetch(bounded, web_server.url(path), settings=hurried), fetch(bounded, web_server.url(f"/article?{n}", OTHER)))
        for n, path in enumerate(bad)
    ]
    got = await asyncio.gather(*(one for pair in both for one in pair), return_exceptions=True)
    assert all(isinstance(one, FetchError) for one in got[::2]), got[::2]
    assert [type(one).__name__ for one in got[1::2]] == ["Page"] * 10


async def test_nothing_is_open_when_the_run_has_ended(web_server: WebServer, run_with: RunWith) -> None:
    async with run_with(fetch__page_deadline=0.3, fetch__attempts=1) as run:
        paths = ("/hang", "/drip", "/endless", "/article", "/pdf", "/bomb")
        await asyncio.gather(*(fetch(run, web_server.url(path)) for path in paths), return_exceptions=True)
    await web_server.all_closed()
    assert web_server.connections() == 0
