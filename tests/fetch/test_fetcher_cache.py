"""Pages of earlier runs are used again while they are fresh, asked about when they are not, and never when failed."""

import asyncio
import sqlite3
from pathlib import Path

import pytest

from documents.files import paragraphs, pdf, zipped
from fetch.conftest import RunWith
from loopback import PROSE, Reply, WebServer, article
from spyglass.fetch.fetcher import fetch
from spyglass.fetch.page import Page
from spyglass.kernel.cache import Cache
from spyglass.kernel.errors import FetchError
from spyglass.kernel.settings import Settings

BODY = article("The harbour", *PROSE)


async def read(run_with: RunWith, url: str, hours: float = 1.0) -> Page:
    """Fetch in a run of its own."""
    async with run_with(cache__page_hours=hours) as run:
        return await fetch(run, url)


async def test_a_page_of_an_earlier_run_is_not_asked_for_again(web_server: WebServer, run_with: RunWith) -> None:
    first = await read(run_with, web_server.url("/article"))
    second = await read(run_with, web_server.url("/article"))
    assert (first.how, second.how) == ("http", "cache")
    assert second == first.model_copy(update={"how": "cache"})
    assert len(web_server.visits) == 1


async def test_a_document_and_a_redirected_page_are_kept_too(web_server: WebServer, run_with: RunWith) -> None:
    for path in ("/pdf", "/redirect?to=/article"):
        first = await read(run_with, web_server.url(path))
        second = await read(run_with, web_server.url(path))
        assert (second.how, second.text, second.url, second.pages) == ("cache", first.text, first.url, first.pages)
    assert len(web_server.visits) == 3


async def test_no_hours_switch_it_off(web_server: WebServer, run_with: RunWith, settings: Settings) -> None:
    for _ in range(2):
        assert (await read(run_with, web_server.url("/article"), hours=0)).how == "http"
    assert len(web_server.visits) == 2
    assert not (settings.data_dir / "cache.sqlite").exists()


@pytest.mark.parametrize("control", ["no-store", "private", "private, max-age=60"])
async def test_what_may_not_be_kept_is_not(web_server: WebServer, run_with: RunWith, control: str) -> None:
    url = web_server.put("/page", Reply(BODY, headers={"Cache-Control": control, "ETag": '"1"'}))
    for _ in range(2):
        assert (await read(run_with, url)).how == "http"
    assert "if-none-match" not in web_server.visits[1].headers


async def test_a_page_that_is_no_longer_fresh_is_asked_about_and_used_when_it_still_holds(
    web_server: WebServer, run_with: RunWith
) -> None:
    url = web_server.put("/page", Reply(BODY, headers={"Cache-Control": "no-cache", "ETag": '"v1"'}))
    first, second = await read(run_with, url), await read(run_with, url)
    assert (first.how, second.how, second.text) == ("http", "cache", first.text)
    assert [visit.headers.get("if-none-match") for visit in web_server.visits] == [None, '"v1"']


async def test_a_page_that_has_changed_is_read_anew(web_server: WebServer, run_with: RunWith) -> None:
    headers = {"Cache-Control": "max-age=0"}
    old = Reply(BODY, headers={**headers, "ETag": '"v1"'})
    new = Reply(article("The new harbour", *PROSE), headers={**headers, "ETag": '"v2"'})
    url = web_server.put("/page", old, new)
    titles = [(await read(run_with, url)).title for _ in range(3)]
    assert titles == ["The harbour", "The new harbour", "The new harbour"]
    assert [visit.headers.get("if-none-match") for visit in web_server.visits] == [None, '"v1"', '"v2"']


async def test_a_page_that_still_holds_is_fresh_again(web_server: WebServer, run_with: RunWith) -> None:
    def serve(path: str) -> str:
        headers = {"ETag": '"v1"', "Cache-Control": "max-age=0"}
        later = {**headers, "Cache-Control": "max-age=600"}
        return web_server.put(path, Reply(BODY, headers=headers), Reply(BODY, headers=later))

    url = serve("/page")
    assert [(await read(run_with, url)).how for _ in range(3)] == ["http", "cache", "cache"]
    assert len(web_server.visits) == 2


async def test_a_stale_page_that_its_server_gives_no_means_to_ask_about_is_read_anew(
    web_server: WebServer, run_with: RunWith
) -> None:
    url = web_server.put("/page", Reply(BODY, headers={"Cache-Control": "max-age=0"}))
    assert [(await read(run_with, url)).how for _ in range(2)] == ["http", "http"]


async def test_our_own_hours_bound_what_a_server_allows(web_server: WebServer, run_with: RunWith) -> None:
    url = web_server.put("/page", Reply(BODY, headers={"Cache-Control": "max-age=86400"}))
    await read(run_with, url, hours=0.00005)
    await asyncio.sleep(0.2)
    assert (await read(run_with, url, hours=0.00005)).how == "http"
    assert (await read(run_with, url)).how == "cache"


@pytest.mark.parametrize("path", ["/status?code=404", "/cookie-wall", "/blank", "/binary", "/broken-pdf"])
async def test_a_failure_is_not_kept(web_server: WebServer, run_with: RunWith, path: str) -> None:
    for _ in range(2):
        with pytest.raises(FetchError):
            await read(run_with, web_server.url(path))
    assert len(web_server.visits) == 2


async def test_a_page_kept_while_its_address_was_allowed_is_not_shown_when_it_is_not(
    web_server: WebServer, run_with: RunWith
) -> None:
    url = web_server.url("/redirect?to=" + web_server.url("/article", "127.0.0.2"))
    await read(run_with, url)
    async with run_with(cache__page_hours=1.0, network__allow_private=["127.0.0.1"]) as run:
        with pytest.raises(FetchError, match="loopback"):
            await fetch(run, url)


async def test_a_cache_that_cannot_be_used_costs_a_notice_and_no_page(
    web_server: WebServer, run_with: RunWith, settings: Settings
) -> None:
    settings.data_dir.mkdir()
    (settings.data_dir / "cache.sqlite").write_bytes(b"not a database" * 1000)
    async with run_with(cache__page_hours=1.0) as run:
        pages = await asyncio.gather(*(fetch(run, web_server.url(f"/article?{number}")) for number in range(3)))
        assert [page.how for page in pages] == ["http"] * 3
        assert len(run.notices) == 2
        assert all("not a database" in str(notice) for notice in run.notices)


async def test_runs_of_one_folder_share_one_file(web_server: WebServer, run_with: RunWith, settings: Settings) -> None:
    await read(run_with, web_server.url("/article"))
    path: Path = settings.data_dir / "cache.sqlite"
    async with Cache(path) as cache:
        entry = await cache.get("page", web_server.url("/article"))
    assert entry is not None
    assert entry.data.decode() == BODY


@pytest.mark.parametrize(
    "value", ["a text", {}, {"url": 7}, {"url": "http://127.0.0.1/", "headers": "none"}, ["url"], None], ids=str
)
async def test_a_kept_entry_that_is_no_page_counts_as_not_kept(
    web_server: WebServer, run_with: RunWith, settings: Settings, value: object
) -> None:
    url = web_server.url("/article")
    async with Cache(settings.data_dir / "cache.sqlite") as cache:
        await cache.put("page", url, value, b"?")
    assert [(await read(run_with, url)).how for _ in range(2)] == ["http", "cache"]


async def test_a_page_that_is_asked_about_stays_for_a_day(
    web_server: WebServer, run_with: RunWith, settings: Settings
) -> None:
    for hours in (1.0, 48.0):
        await read(run_with, web_server.url(f"/article?{hours}"), hours)
    with sqlite3.connect(settings.data_dir / "cache.sqlite") as db:
        lasts = [round(seconds / 3600) for (seconds,) in db.execute("SELECT ends_at - stored_at FROM entry")]
    db.close()
    assert sorted(lasts) == [24, 48]


async def kinds_kept(run_with: RunWith) -> list[str]:
    async with run_with() as run, Cache(run.settings.data_dir / "cache.sqlite") as cache:
        return [share.kind for share in await cache.shares()]


async def test_a_document_is_converted_once_for_all_runs(web_server: WebServer, run_with: RunWith) -> None:
    first = await read(run_with, web_server.url("/pdf"))
    assert await kinds_kept(run_with) == ["conversion", "page"]
    async with run_with(cache__page_hours=1.0, documents__deadline=0.000_001) as run:
        second = await fetch(run, web_server.url("/pdf"))
    assert (second.text, second.title, second.pages) == (first.text, first.title, first.pages)


async def test_a_document_that_nobody_may_keep_is_not_kept_converted(web_server: WebServer, run_with: RunWith) -> None:
    body = pdf(paragraphs(*PROSE))
    secret = Reply(body, content_type="application/pdf", headers={"Cache-Control": "no-store"})
    await read(run_with, web_server.put("/secret.pdf", secret))
    assert await kinds_kept(run_with) == []
    await read(run_with, web_server.put("/open.pdf", Reply(body, content_type="application/pdf")))
    assert await kinds_kept(run_with) == ["conversion", "page"]


async def test_with_no_page_cache_no_document_is_kept_either(web_server: WebServer, run_with: RunWith) -> None:
    await read(run_with, web_server.url("/pdf"), hours=0)
    assert await kinds_kept(run_with) == []


async def test_a_document_of_which_something_was_left_out_is_not_kept_converted(
    web_server: WebServer, run_with: RunWith
) -> None:
    box = zipped({"a.txt": "The harbour was built in 1871.", "b.bin": bytes(range(256)) * 4})
    await read(run_with, web_server.put("/box.zip", Reply(box, content_type="application/zip")))
    assert await kinds_kept(run_with) == ["page"]
