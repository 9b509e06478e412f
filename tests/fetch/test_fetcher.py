"""A page is read once a run, with what is known of it, and every failure says why."""

import asyncio
import socket
from pathlib import Path

import pytest

from fetch.conftest import RunWith
from loopback import PROSE, Reply, WebServer, article
from loopback.awkward import METADATA
from loopback.clock import noted_waits
from spyglass.fetch.fetcher import fetch
from spyglass.kernel.errors import (
    AddressError,
    FetchDeadlineError,
    FetchError,
    NoPageTextError,
    RedirectError,
    ServerFaultError,
    StatusError,
    StoppedError,
    UnreachableError,
    WallError,
)
from spyglass.kernel.events import Event, PageRead, Retrying
from spyglass.kernel.journal import Journal
from spyglass.kernel.run import Run
from spyglass.kernel.source import digest


def pages_read(events: list[Event]) -> list[PageRead]:
    return [event for event in events if isinstance(event, PageRead)]


async def test_a_page_has_its_text_and_what_is_known_of_it(
    web_server: WebServer, run: Run, events: list[Event]
) -> None:
    url = web_server.url("/article")
    page = await fetch(run, url)
    assert all(paragraph in page.text for paragraph in PROSE)
    assert (page.title, page.language) == ("The harbour", "en")
    assert (page.asked, page.url, page.kind, page.how) == (url, url, "html", "http")
    assert page.snapshot == digest(page.text, size=64)
    assert run.journal.snapshot(page.snapshot) == page.text
    assert page.size == len(article("The harbour", *PROSE))
    assert page.retrieved_at.endswith("+00:00")
    assert pages_read(events) == [PageRead(url, "The harbour", len(page.text), "http")]


async def test_a_page_enters_the_ledger_with_the_start_of_its_text(web_server: WebServer, run: Run) -> None:
    page = await fetch(run, web_server.url("/article"))
    (record,) = run.ledger.records
    assert (record.url, record.title, record.domain) == (page.url, page.title, "127.0.0.1")
    assert record.snippet == " ".join(page.text.split())[:200]


async def test_equal_fetches_are_one_request(web_server: WebServer, run: Run) -> None:
    url = web_server.url("/slow?s=0.05")
    pages = await asyncio.gather(*(fetch(run, f"{url}#part-{number}") for number in range(5)), fetch(run, url))
    assert len({page.text for page in pages}) == 1
    assert len(web_server.visits) == 1
    assert pages[3].asked == f"{url}#part-3"
    assert pages[3].url == url


async def test_a_replayed_run_asks_nobody_and_has_the_same_pages(
    web_server: WebServer, run_with: RunWith, tmp_path: Path
) -> None:
    urls = [web_server.url(path) for path in ("/article", "/pdf", "/status?code=404", "/cookie-wall")]
    seen = []
    for _ in range(2):
        async with run_with(journal=Journal(tmp_path / "journal.sqlite")) as run:
            got = await asyncio.gather(*(fetch(run, url) for url in urls), return_exceptions=True)
            seen.append([one.to_record() if isinstance(one, FetchError) else one for one in got])
    assert seen[0] == seen[1]
    assert [type(one).__name__ for one in seen[0]] == ["Page", "Page", "dict", "dict"]
    assert len(web_server.visits) == len(urls)


async def test_a_failure_is_remembered_and_told_once(web_server: WebServer, run: Run, events: list[Event]) -> None:
    url = web_server.url("/status?code=404")
    for _ in range(2):
        with pytest.raises(StatusError, match=r"The page does not exist \(status 404\)"):
            await fetch(run, url)
    assert len(web_server.visits) == 1
    assert [event.error for event in pages_read(events)] == [f"The page does not exist (status 404) ({url})."]


async def test_a_server_that_says_no_is_quoted_in_words_and_asked_once(web_server: WebServer, run: Run) -> None:
    words = {
        401: "requires a log-in",
        402: "requires payment",
        403: "refuses access",
        404: "page does not exist",
        407: "proxy requires a log-in",
        410: "gone",
        418: "I'm a Teapot",
        451: "legal reasons",
        999: "unknown status",
    }
    for code, said in words.items():
        url = web_server.url(f"/status?code={code}")
        with pytest.raises(StatusError, match=said) as refused:
            await fetch(run, url)
        assert (refused.value.details["status"], refused.value.where) == (code, url)
    assert len(web_server.visits) == len(words)


async def test_a_server_in_trouble_is_asked_again(web_server: WebServer, run: Run, events: list[Event]) -> None:
    page = await fetch(run, web_server.url("/flaky"))
    assert page.title == "Flaky"
    assert len(web_server.visits) == 2
    assert [event.kind for event in events if isinstance(event, Retrying)] == ["fetch"]


@pytest.mark.parametrize("code", [429, 500, 502, 503, 504, 521])
async def test_a_server_that_stays_in_trouble_is_given_up_after_the_attempts(
    web_server: WebServer, run_with: RunWith, code: int
) -> None:
    async with run_with(fetch__attempts=3) as run:
        with pytest.raises(ServerFaultError) as failed:
            await fetch(run, web_server.url(f"/status?code={code}&after=0"))
    assert failed.value.details == {"status": code, "retry_after": 0.0}
    assert len(web_server.visits) == 3


async def test_the_pause_that_a_server_asks_for_is_kept(web_server: WebServer, run: Run) -> None:
    web_server.put("/busy", Reply(status=429, headers={"Retry-After": "0.3"}), article("Busy", *PROSE))
    waits = noted_waits()
    assert (await fetch(run, web_server.url("/busy"))).title == "Busy"
    assert 0.3 in waits


async def test_a_pause_of_minutes_is_not_waited_for(web_server: WebServer, run: Run) -> None:
    with pytest.raises(ServerFaultError, match="too many requests") as failed:
        await fetch(run, web_server.url("/status?code=429&after=120"))
    assert failed.value.details["retry_after"] == 120
    assert len(web_server.visits) == 1


async def test_no_further_attempt_begins_that_could_not_end_in_time(
    web_server: WebServer, run_with: RunWith, events: list[Event]
) -> None:
    async with run_with(fetch__attempts=10, fetch__page_deadline=3.0) as run:
        with pytest.raises((ServerFaultError, FetchDeadlineError)):  # the latter where three seconds are no time
            await fetch(run, web_server.url("/status?code=500&after=3"))
    assert len(web_server.visits) == 1
    assert not [event for event in events if isinstance(event, Retrying)]


@pytest.mark.slow
async def test_a_deadline_in_the_second_attempt_tells_of_the_first(web_server: WebServer, run_with: RunWith) -> None:
    web_server.put("/page", Reply(status=502, headers={"Retry-After": "0"}), Reply("late", delay=300))
    async with run_with(fetch__page_deadline=5, network__read_deadline=200) as run:
        with pytest.raises(FetchDeadlineError, match=r"longer than 5 s; before that: .*502"):
            await fetch(run, web_server.url("/page"))


@pytest.mark.parametrize(
    ("path", "hops"), [("/redirect?to=/article", 1), ("/redirect?to=/article&code=301", 1), ("/deep-redirect?n=3", 4)]
)
async def test_redirects_are_followed(web_server: WebServer, run: Run, path: str, hops: int) -> None:
    page = await fetch(run, web_server.url(path))
    assert (page.asked, page.url) == (web_server.url(path), web_server.url("/article"))
    assert len(web_server.visits) == hops + 1


async def test_a_page_that_sends_the_reader_on_is_followed(web_server: WebServer, run: Run) -> None:
    page = await fetch(run, web_server.url("/refresh"))
    assert (page.title, page.url) == ("The harbour", web_server.url("/article"))


@pytest.mark.parametrize("path", ["/loop", "/refresh-loop", "/deep-redirect?n=8"])
async def test_redirects_without_end_are_refused(web_server: WebServer, run: Run, path: str) -> None:
    with pytest.raises(RedirectError):
        await fetch(run, web_server.url(path))
    assert len(web_server.visits) <= 7


async def test_redirects_of_both_kinds_are_counted_together(web_server: WebServer, run_with: RunWith) -> None:
    for number in range(6):
        onward = f'<meta http-equiv="refresh" content="0; url=/hop?to=/page-{number + 1}">'
        web_server.put(f"/page-{number}", article("Moved", head=onward))
    web_server.put("/hop", lambda visit: Reply(status=302, headers={"Location": visit.path.partition("to=")[2]}))
    web_server.put("/page-6", article("The end", *PROSE))
    async with run_with(fetch__max_redirects=12) as run:
        assert (await fetch(run, web_server.url("/page-0"))).title == "The end"
    async with run_with(fetch__max_redirects=11) as run:
        with pytest.raises(RedirectError, match="more"):
            await fetch(run, web_server.url("/page-0"))


@pytest.mark.parametrize("path", [f"/redirect?to={METADATA}", "/refresh-private", "/redirect?to=file:///etc/passwd"])
async def test_a_redirect_to_where_nobody_may_go_is_refused(web_server: WebServer, run: Run, path: str) -> None:
    with pytest.raises(AddressError):
        await fetch(run, web_server.url(path))


async def test_an_address_that_is_refused_causes_no_effect(run_with: RunWith, events: list[Event]) -> None:
    refused = (
        "file:///etc/passwd",
        "data:text/html,<p>hello",
        "javascript:alert(1)",
        "ftp://a.example/",
        "http://user:secret@a.example/",
        "http://10.0.0.1/",
        "http://[::1]/",
        "http://2130706433/",
        "nothing",
        "",
        "http://",
    )
    async with run_with(network__allow_private=[]) as run:
        before = len(run.journal.effects())
        got = await asyncio.gather(*(fetch(run, url) for url in refused), return_exceptions=True)
        assert len(run.journal.effects()) == before
    assert [url for url, one in zip(refused, got, strict=True) if not isinstance(one, AddressError)] == []
    told = pages_read(events)
    assert len(told) == len(refused)
    assert all(event.error for event in told)
    assert "secret" not in str(told)


async def test_a_server_that_is_not_there_is_told(run: Run) -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        with pytest.raises(UnreachableError, match="refuses connections"):
            await fetch(run, f"http://127.0.0.1:{held.getsockname()[1]}/")


@pytest.mark.parametrize("path", ["/cookie-wall", "/robot-check", "/log-in"])
async def test_a_wall_is_no_text(web_server: WebServer, run: Run, path: str) -> None:
    with pytest.raises(WallError):
        await fetch(run, web_server.url(path))
    assert run.ledger.records == []


async def test_a_challenge_is_known_by_its_header_and_not_tried_again(web_server: WebServer, run: Run) -> None:
    web_server.put("/page", Reply("<p>busy", status=503, headers={"cf-mitigated": "challenge"}))
    with pytest.raises(WallError, match="robot check"):
        await fetch(run, web_server.url("/page"))
    assert len(web_server.visits) == 1


async def test_no_more_of_one_host_are_asked_for_at_once_than_allowed(web_server: WebServer, run_with: RunWith) -> None:
    hosts = ("127.0.0.2", "127.0.0.3")
    async with run_with(fetch__host_concurrency=2) as run:
        urls = [web_server.url(f"/slow?s=0.4&n={number}", host) for number in range(4) for host in hosts]
        await asyncio.gather(*(fetch(run, url) for url in urls))
    assert dict(web_server.most_at_once) == dict.fromkeys(hosts, 2)


async def test_a_pause_lies_between_pages_of_one_host(web_server: WebServer, run_with: RunWith) -> None:
    async with run_with(fetch__host_pause=600) as run:
        await fetch(run, web_server.url("/article?1"))
        hurried = run.settings.updated(fetch__page_deadline=1.0)
        with pytest.raises(FetchDeadlineError):
            await fetch(run, web_server.url("/article?2"), settings=hurried)
        await fetch(run, web_server.url("/article", "127.0.0.2"))
    assert [visit.host for visit in web_server.visits] == ["127.0.0.1", "127.0.0.2"]


async def test_the_server_is_told_who_asks_and_for_what(web_server: WebServer, run: Run) -> None:
    await fetch(run, web_server.url("/article"))
    (visit,) = web_server.visits
    assert visit.headers["user-agent"] == run.settings.network.user_agent
    assert visit.headers["accept"].startswith("text/html,")
    assert "accept-language" in visit.headers
    assert "cookie" not in visit.headers


async def test_a_cancelled_fetch_leaves_nothing_open_and_nothing_behind(web_server: WebServer, run: Run) -> None:
    reading = asyncio.create_task(fetch(run, web_server.url("/drip")))
    await web_server.first_visit.wait()
    reading.cancel()
    await asyncio.wait([reading], timeout=60)
    assert reading.cancelled()
    await web_server.all_closed()
    assert [kind for kind, _, _ in run.journal.effects()] == ["clock"]


async def test_a_stopped_run_gives_up_its_pages_at_once(web_server: WebServer, run: Run) -> None:
    reading = asyncio.create_task(fetch(run, web_server.url("/hang")))
    await web_server.first_visit.wait()
    run.stop()
    with pytest.raises(StoppedError):
        async with asyncio.timeout(60):
            await reading


async def test_a_page_without_text_is_told(web_server: WebServer, run: Run) -> None:
    for path in ("/empty", "/blank", "/status?code=204"):
        with pytest.raises(NoPageTextError):
            await fetch(run, web_server.url(path))


async def test_a_page_without_a_title_is_called_by_its_address(web_server: WebServer, run: Run) -> None:
    url = web_server.put("/docs/h%C3%A4fen.html", Reply("".join(f"<p>{paragraph}</p>" for paragraph in PROSE)))
    assert (await fetch(run, url)).title == "häfen.html"


async def test_a_title_that_is_made_of_an_address_is_plain(web_server: WebServer, run: Run) -> None:
    web_server.put("/%1Bthe%C2%9Bplan%E2%80%AE.txt", Reply(PROSE[0], content_type="text/plain"))
    assert (await fetch(run, web_server.url("/%1Bthe%C2%9Bplan%E2%80%AE.txt"))).title == "theplan"
