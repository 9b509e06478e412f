"""Pages are read side by side: a failure is replaced, a slow one is hedged, and nobody waits for the last one."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from loopback import Reply, WebServer, article
from spyglass.gather import read_pages
from spyglass.gather.found import TOO_SLOW
from spyglass.gather.reading import LAST_GRACE, PATIENCE, PageReader
from spyglass.gather.shelf import PageShelf
from spyglass.journal import Journal
from spyglass.run import Run
from spyglass.search.result import SearchResult
from spyglass.settings import Settings


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(
        data_dir=tmp_path / "data",
        allow_private=["127.0.0.0/8"],
        fetch_attempts=1,
        page_cache_hours=0,
        read_deadline=120,
        page_deadline=120,
    )


@pytest.fixture
async def run(settings: Settings) -> AsyncIterator[Run]:
    async with Run("What is known?", settings, journal=Journal()) as run:
        yield run


def articles(server: WebServer, number: int, start: int = 0) -> list[str]:
    names = range(start, start + number)
    return [
        server.put_article(f"/article-{name}", f"Article {name}", f"Text number {name} about bees. " * 8)
        for name in names
    ]


def hits(urls: list[str]) -> list[SearchResult]:
    return [SearchResult(url=url, title=url) for url in urls]


async def test_as_many_pages_are_read_as_are_wanted_in_the_order_of_the_candidates(
    run: Run, web_server: WebServer
) -> None:
    urls = articles(web_server, 5)
    reading = await read_pages(run, hits(urls), wanted=3)
    assert [page.url for page in reading.pages] == urls[:3]
    assert not reading.failed
    assert len(web_server.visits) == 3


async def test_a_page_that_fails_is_replaced_by_the_next_candidate(run: Run, web_server: WebServer) -> None:
    missing, wall = web_server.url("/nowhere"), web_server.url("/cookie-wall")
    good = articles(web_server, 2)
    reading = await read_pages(run, hits([missing, wall, *good]), wanted=2)
    assert [page.url for page in reading.pages] == good
    assert list(reading.failed) == [missing, wall]
    assert "404" in reading.failed[missing]
    assert "cookie" in reading.failed[wall]


async def test_two_addresses_of_one_text_are_one_page(run: Run, web_server: WebServer) -> None:
    twins = [web_server.url("/twin-1"), web_server.url("/twin-2")]
    other = articles(web_server, 1)
    reading = await read_pages(run, hits([*twins, *other]), wanted=2)
    assert len({page.snapshot for page in reading.pages}) == len(reading.pages) == 2
    [(url, why)] = reading.failed.items()
    assert url in twins
    assert "same text" in why


async def test_pages_that_hang_are_not_waited_for_when_enough_others_are_in(run: Run, web_server: WebServer) -> None:
    good = articles(web_server, 3)
    hanging = web_server.url("/hang")
    reading = await read_pages(run, hits([hanging, *good]), wanted=4)
    assert ([page.url for page in reading.pages], reading.failed) == (good, {hanging: TOO_SLOW})


async def test_a_page_that_is_slow_is_hedged_by_the_next_candidate(run: Run, web_server: WebServer) -> None:
    good = articles(web_server, 2)
    hanging = web_server.url("/hang")
    reading = await read_pages(run, hits([hanging, *good]), wanted=2)
    assert ([page.url for page in reading.pages], reading.failed) == (good, {hanging: TOO_SLOW})


async def test_a_slow_page_is_waited_for_when_it_is_all_there_is(run: Run, web_server: WebServer) -> None:
    slow = web_server.put(
        "/late", Reply(article("Late", "It came late but it came, after all. " * 6), delay=PATIENCE + 0.3)
    )
    reading = await read_pages(run, hits([slow]), wanted=3)
    assert [page.url for page in reading.pages] == [slow]


async def test_when_every_page_fails_each_says_why(run: Run, web_server: WebServer) -> None:
    urls = [web_server.url(path) for path in ("/empty", "/picture", "/robot-check")]
    reading = await read_pages(run, hits(urls), wanted=2)
    assert reading.pages == []
    assert list(reading.failed) == urls
    assert all(reading.failed.values())


async def test_only_so_many_pages_are_tried(run: Run, web_server: WebServer) -> None:
    urls = [web_server.url(f"/nowhere-{number}") for number in range(20)]
    reading = await read_pages(run, hits(urls), wanted=1)
    assert len(reading.failed) == len(web_server.visits) == 6


async def test_candidates_may_come_while_pages_are_read(run: Run, web_server: WebServer) -> None:
    urls = articles(web_server, 2)
    reader = PageReader(run, 2)
    reading = asyncio.create_task(reader.read())
    reader.offer(urls[:1])
    await asyncio.sleep(0.2)
    assert not reading.done()
    reader.offer(urls)
    assert [page.url for page in (await reading).pages] == urls


async def test_no_candidate_at_all_is_an_end_too(run: Run) -> None:
    reading = await read_pages(run, [], wanted=3)
    assert (reading.pages, reading.failed) == ([], {})


async def test_a_stopped_run_has_the_pages_that_were_in(run: Run, web_server: WebServer) -> None:
    good = articles(web_server, 1)
    reader = PageReader(run, 2)
    reader.offer([*good, web_server.url("/hang")])
    reader.close()
    reading = asyncio.create_task(reader.read())
    while not reader.reading.pages:  # noqa: ASYNC110 a reader tells nobody
        await asyncio.sleep(0.01)
    run.stop()
    done = await asyncio.wait_for(reading, 60)
    assert [page.url for page in done.pages] == good


async def test_a_page_that_leads_to_a_blocked_domain_is_not_taken(run: Run, web_server: WebServer) -> None:
    target = web_server.put_article("/there", "There", "What is over there is of no use to us. " * 8, host="127.0.0.2")
    away = web_server.put("/away", Reply("", status=302, headers={"Location": target}))
    blocked = run.settings.model_copy(update={"block": ["127.0.0.2"]})
    reading = await read_pages(run, hits([away]), wanted=1, settings=blocked)
    assert reading.pages == []
    assert "block" in reading.failed[away]


@pytest.mark.parametrize(("failed", "begun"), [(0, 2), (1, 3), (3, 6)])
async def test_the_more_pages_of_the_run_fail_the_more_are_begun_at_once(
    run: Run, web_server: WebServer, failed: int, begun: int
) -> None:
    shelf = PageShelf(enough=10)
    shelf.failed = failed
    reader = PageReader(run, 2, shelf=shelf)
    reader.offer(web_server.put(f"/late-{number}", Reply("", delay=10)) for number in range(20))
    asyncio.get_running_loop().call_soon(run.stop)
    assert len((await reader.read()).failed) == begun


async def test_a_page_that_is_asked_for_again_is_replaced_at_once(run: Run, web_server: WebServer) -> None:
    patient = run.settings.model_copy(update={"fetch_attempts": 3})
    busy = web_server.put("/busy", Reply("", status=503, headers={"Retry-After": "3"}))
    [good] = articles(web_server, 1)
    reading = await read_pages(run, hits([busy, good]), wanted=1, settings=patient)
    assert [page.url for page in reading.pages] == [good]
    assert len(web_server.asked("/busy")) == 1


async def test_pages_that_go_on_coming_one_by_one_are_not_waited_for_for_long(run: Run, web_server: WebServer) -> None:
    slow = [
        web_server.put(f"/slow-{number}", Reply(article(f"Slow {number}", f"Number {number}. " * 20), delay=number / 2))
        for number in range(12)
    ]
    shelf = PageShelf(enough=1)
    reader = PageReader(run, 12, shelf=shelf)
    reader.offer(slow)
    reading = await reader.read()
    assert 1 <= len(reading.pages) < 11, f"after {LAST_GRACE} s it has enough"
    assert len(shelf.pages) == len(reading.pages)
