"""A site is read whole and once, best first, within its bounds, and nothing beyond it is asked."""

from collections import Counter
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from loopback import Reply, Visit, WebServer
from loopback.prose import article
from loopback.site import QUESTION, put_site
from spyglass.crawl import Crawled, crawl
from spyglass.crawl.crawler import AT_ONCE, polite
from spyglass.kernel.events import Event, PageRead
from spyglass.kernel.journal import Journal
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Settings

RunWith = Callable[..., AbstractAsyncContextManager[Run]]

PAGES = 300


def paths(found: Crawled) -> list[str]:
    return [urlsplit(page.url).path for page in found.pages]


def asked(server: WebServer) -> Counter[str]:
    """Count the requests for pages of the site, however they were written."""
    return Counter(urlsplit(visit.path).path for visit in server.visits)


async def test_a_site_is_read_whole_and_no_page_twice_whatever_leads_astray(
    run_with: RunWith, web_server: WebServer
) -> None:
    start = put_site(web_server, PAGES)
    async with run_with() as run:
        found = await crawl(run, start, "", run.settings)
    wanted = {"/", *(f"/page/{number}" for number in range(1, PAGES))}
    assert wanted == set(paths(found)) - {"/calendar"}
    requests = asked(web_server)
    assert {path for path in wanted if requests[path] != 1} == set()
    assert requests["/robots.txt"] == 1
    assert not [path for path in requests if path.startswith(("/private/", "/away", "/picture"))]
    assert {visit.host for visit in web_server.visits} == {"127.0.0.1"}
    assert (found.denied, found.failed, found.limit) == (PAGES, {}, "")
    assert found.outside >= 1
    assert [urlsplit(url).path for url in found.alike] == ["/calendar"], "an endless calendar is left"
    assert requests["/calendar"] < 40


async def test_what_answers_the_question_is_read_first(run_with: RunWith, web_server: WebServer) -> None:
    start = put_site(web_server, PAGES)
    async with run_with(crawl__pages=25) as run:
        found = await crawl(run, start, QUESTION, run.settings)
        assert len(found.pages) == 25
        assert f"/page/{PAGES - 1}" in paths(found)
        assert found.limit == "crawl.pages: 25"
        assert found.left > 0
        found.tell(run, start)
        assert [
            notice
            for notice in run.notices
            if f"Of {start}, 25 pages were read" in str(notice) and "crawl.pages" in str(notice)
        ]


async def test_depth_and_time_and_the_budget_bound_a_crawl(run_with: RunWith, web_server: WebServer) -> None:
    start = put_site(web_server, PAGES)
    async with run_with(crawl__depth=1) as run:
        near = await crawl(run, start, "", run.settings)
    assert set(paths(near)) == {"/", "/page/1", "/page/2", "/page/3", "/calendar"}
    async with run_with(budget__max_fetches=10) as run:
        few = await crawl(run, start, "", run.settings)
    assert len(few.pages) <= 10
    assert "max_fetches" in str(few.limit)
    web_server.put("/page/2", Reply("late", delay=300))
    async with run_with(crawl__time=1.5) as run:
        short = await crawl(run, start, "", run.settings)
    assert "/" in paths(short)
    assert short.limit == "crawl.time: 1.5 s"


async def test_a_crawl_that_was_broken_off_goes_on_and_asks_for_no_page_again(
    run_with: RunWith, web_server: WebServer, tmp_path: Path, events: list[Event]
) -> None:
    start = put_site(web_server, 60)
    path = tmp_path / "journal.sqlite"

    async with run_with(Journal(tmp_path / "whole.sqlite")) as run:
        whole = await crawl(run, start, QUESTION, run.settings)
    web_server.visits.clear()
    events.clear()
    async with run_with(Journal(path)) as run:

        def stop(_: Visit) -> Reply:
            run.stop()
            return Reply("too late")

        web_server.put("/page/30", stop)
        broken = await crawl(run, start, QUESTION, run.settings)
        assert 0 < len(broken.pages) < 60
    put_site(web_server, 60)
    async with run_with(Journal(path)) as run:
        resumed = await crawl(run, start, QUESTION, run.settings)
    assert paths(resumed) == paths(whole)
    again = {page for page, times in asked(web_server).items() if times > 1} - {"/calendar"}
    assert not again & set(paths(broken))
    assert len(again) <= AT_ONCE, "what was under way when it was stopped was never answered"
    async with run_with(Journal(path), cache__page_hours=0) as run:
        before = len(web_server.visits)
        assert await crawl(run, start, QUESTION, run.settings) == resumed
        assert len(web_server.visits) == before
    assert [event for event in events if isinstance(event, PageRead)]


async def test_a_site_that_has_moved_or_denies_its_first_page_says_so(run_with: RunWith, web_server: WebServer) -> None:
    moved = web_server.put("/moved", Reply(status=301, headers={"Location": web_server.url("/", "127.0.0.2")}))
    closed = web_server.put("/closed", article("Closed", "Nobody may read this. " * 9))
    upgraded = web_server.put("/docs", Reply(status=301, headers={"Location": "/docs/"}))
    web_server.put("/docs/", article("Docs", "All that there is to know of the harbour. " * 9))
    web_server.put("/robots.txt", Reply("User-agent: *\nDisallow: /closed\n", content_type="text/plain"))
    async with run_with() as run:
        for url, why in ((moved, "not part of the site"), (closed, "robots.txt"), (web_server.url("/gone"), "404")):
            found = await crawl(run, url, "", run.settings)
            assert not found.pages
            assert why in str(found.failed[url])
            found.tell(run, url)
            assert why in str(run.failures[-1].why)
        assert paths(await crawl(run, upgraded, "", run.settings)) == ["/docs/"]
    assert not web_server.visits_to(host="127.0.0.2")


def test_a_site_is_asked_with_a_pause_whatever_is_set_for_single_pages() -> None:
    assert polite(Settings(crawl__pause=0.5, fetch__robots=False)).fetch.host_pause == 0.5
    assert polite(Settings(crawl__pause=0.5, fetch__host_pause=2)).fetch.host_pause == 2
    assert polite(Settings(fetch__robots=False)).fetch.robots


async def test_pages_that_do_nothing_but_lead_on_are_followed_and_not_kept(
    run_with: RunWith, web_server: WebServer
) -> None:
    start = web_server.put(
        "/", "<title>Hub</title><a href=/one><img src=x></a><a rel=nofollow href=/two><img src=y></a>"
    )
    web_server.put("/one", article("One", "The only page that says something about the harbour. " * 5))
    web_server.put("/two", article("Two", "Robots are asked not to go here, to the other harbour. " * 5))
    async with run_with() as run:
        assert paths(await crawl(run, start, "", run.settings)) == ["/one"]
    assert not web_server.visits_to("/two")


@pytest.mark.browser
@pytest.mark.slow
async def test_a_site_that_programs_make_is_read_in_a_browser(run_with: RunWith, web_server: WebServer) -> None:
    start = put_site(web_server, 12, script=True)
    away = web_server.url("/away", "127.0.0.2")
    goes = f"<div id=root></div><script>root.innerHTML = '<p>It stays.'; location.href = '{away}'</script>"
    web_server.put("/page/11", goes)
    both = [f"127.0.0.1:{web_server.port}", f"127.0.0.2:{web_server.port}"]
    async with run_with(browser__mode="auto", crawl__depth=2, network__allow_private=both) as run:
        found = await crawl(run, start, QUESTION, run.settings)
    assert {page.how for page in found.pages if "/page/" in page.url} == {"browser"}
    assert {"/", *(f"/page/{number}" for number in range(1, 12))} <= set(paths(found))
    assert {visit.host for visit in web_server.visits} == {"127.0.0.1"}
