"""Pages are read side by side: a failure is replaced, a slow one is hedged, and nobody waits for the last one."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from loopback import Reply, WebServer, article
from spyglass.kernel.journal import Journal
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Settings
from spyglass.search.result import SearchResult
from spyglass.web import read_pages
from spyglass.web.collected import TOO_SLOW, Collected
from spyglass.web.collector import ENOUGH, PATIENCE, Collector, ReadingList


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(
        data_dir=tmp_path / "data",
        network__allow_private=["127.0.0.0/8"],
        fetch__attempts=1,
        cache__page_hours=0,
        network__read_deadline=120,
        fetch__page_deadline=120,
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


def collector(run: Run, wanted: int, failed: int = 0) -> Collector:
    """Return a collector of a run in which so many pages have failed: the more, the more are begun at once."""
    reader = Collector(run, run.settings, ENOUGH * wanted)
    reader.restore([], {f"http://127.0.0.1/{number}": "It is gone" for number in range(failed)})
    return reader


async def until_in(reader: Collector, number: int) -> None:
    while len(reader.pages) < number:  # noqa: ASYNC110 a collector tells nobody
        await asyncio.sleep(0.01)


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
    assert "404" in str(reading.failed[missing])
    assert "cookie" in str(reading.failed[wall])


async def test_two_addresses_of_one_text_are_one_page(run: Run, web_server: WebServer) -> None:
    twins = [web_server.url("/twin-1"), web_server.url("/twin-2")]
    other = articles(web_server, 1)
    reading = await read_pages(run, hits([*twins, *other]), wanted=2)
    assert len({page.snapshot for page in reading.pages}) == len(reading.pages) == 2
    [(url, why)] = reading.failed.items()
    assert url in twins
    assert "same text" in str(why)


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
    wanted = ReadingList(2)
    reading = asyncio.create_task(collector(run, 2).read(wanted))
    wanted.rank(urls[:1])
    await asyncio.sleep(0.2)
    assert not reading.done()
    wanted.rank(urls)
    assert [page.url for page in (await reading).pages] == urls


async def test_no_candidate_at_all_is_an_end_too(run: Run) -> None:
    reading = await read_pages(run, [], wanted=3)
    assert (reading.pages, reading.failed) == ([], {})


async def test_a_stopped_run_has_the_pages_that_were_in(run: Run, web_server: WebServer) -> None:
    good = articles(web_server, 1)
    reader, wanted = collector(run, 2), ReadingList(2, [*good, web_server.url("/hang")])
    wanted.close()
    reading = asyncio.create_task(reader.read(wanted))
    await until_in(reader, 1)
    run.stop()
    done = await asyncio.wait_for(reading, 60)
    assert [page.url for page in done.pages] == good


async def test_a_page_that_leads_to_a_blocked_domain_is_not_taken(run: Run, web_server: WebServer) -> None:
    target = web_server.put_article("/there", "There", "What is over there is of no use to us. " * 8, host="127.0.0.2")
    away = web_server.put("/away", Reply("", status=302, headers={"Location": target}))
    blocked = run.settings.updated(search__block=["127.0.0.2"])
    reading = await read_pages(run, hits([away]), wanted=1, settings=blocked)
    assert reading.pages == []
    assert "block" in str(reading.failed[away])


@pytest.mark.parametrize(("failed", "begun"), [(0, 2), (1, 3), (3, 6)])
async def test_the_more_pages_of_the_run_fail_the_more_are_begun_at_once(
    run: Run, web_server: WebServer, failed: int, begun: int
) -> None:
    reader = collector(run, 10, failed)
    late = [web_server.put(f"/late-{number}", Reply("", delay=10)) for number in range(20)]
    reading = asyncio.create_task(reader.read(ReadingList(2, late)))
    while len(web_server.visits) < begun:  # noqa: ASYNC110 a server tells nobody
        await asyncio.sleep(0.01)
    run.stop()
    found: Collected = await reading
    assert len(found.failed) == begun


async def test_a_page_that_is_asked_for_again_is_replaced_at_once(run: Run, web_server: WebServer) -> None:
    patient = run.settings.updated(fetch__attempts=3)
    busy = web_server.put("/busy", Reply("", status=503, headers={"Retry-After": "3"}))
    [good] = articles(web_server, 1)
    reading = await read_pages(run, hits([busy, good]), wanted=1, settings=patient)
    assert [page.url for page in reading.pages] == [good]
    assert len(web_server.visits_to("/busy")) == 1


async def test_a_page_that_comes_late_is_waited_for_as_long_as_the_settings_say(
    run: Run, web_server: WebServer
) -> None:
    reply = Reply(article("Late", "It comes when the others have been read. " * 20), delay=2.0)
    pages = [*articles(web_server, 3), web_server.put("/late", reply)]
    for grace, read in ((0.1, 3), (60.0, 4)):
        settings = run.settings.updated(research__grace=grace)
        reading = await Collector(run, settings, 1).read(ReadingList(4, pages))
        assert len(reading.pages) == read


async def test_pages_that_go_on_coming_one_by_one_are_not_waited_for_for_long(run: Run, web_server: WebServer) -> None:
    slow = [
        web_server.put(f"/slow-{number}", Reply(article(f"Slow {number}", f"Number {number}. " * 20), delay=number / 2))
        for number in range(12)
    ]
    reader = Collector(run, run.settings, 1)
    reading = await reader.read(ReadingList(12, slow))
    assert 1 <= len(reading.pages) < 11, f"after {run.settings.research.grace} s it has enough"
    assert len(reader.pages) == len(reading.pages)


async def test_a_better_page_that_comes_later_is_taken_as_long_as_another_list_is_waited_for(
    run: Run, web_server: WebServer
) -> None:
    [quick] = articles(web_server, 1)
    coming = [asyncio.Event(), asyncio.Event()]
    better, last = (
        web_server.put(f"/held-{number}", Reply(article("Held", f"Number {number}. " * 20), after=event))
        for number, event in enumerate(coming)
    )
    reader = collector(run, 10, failed=3)
    reading = asyncio.gather(*(reader.read(ReadingList(1, urls)) for urls in ([better, quick], [last])))
    for number, event in enumerate(coming, start=1):
        await until_in(reader, number)
        event.set()
    assert [[page.url for page in found.pages] for found in await reading] == [[better], [last]]


async def test_of_two_lists_the_first_has_the_page_that_both_want_whichever_comes_first(
    run: Run, web_server: WebServer
) -> None:
    both, other = articles(web_server, 2)
    reader = collector(run, 10)
    later = asyncio.create_task(reader.read(wanted := ReadingList(1, [both, other], order=2)))
    wanted.close()
    first = ReadingList(1, [both], order=1)
    found = await asyncio.gather(reader.read(first), later)
    assert [[page.url for page in one.pages] for one in found] == [[both], [other]]


async def test_who_is_cancelled_takes_no_page_from_the_others(run: Run, web_server: WebServer) -> None:
    [good] = articles(web_server, 1)
    reader = collector(run, 10)
    given_up = asyncio.create_task(reader.read(ReadingList(1, [good, web_server.url("/hang")], order=1)))
    wanted = ReadingList(1)
    reading = asyncio.create_task(reader.read(wanted))
    await until_in(reader, 1)
    given_up.cancel()
    wanted.rank([good])
    found: Collected = await reading
    assert [page.url for page in found.pages] == [good]
