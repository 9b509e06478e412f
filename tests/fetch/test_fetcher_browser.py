"""A page that shows its text only in a browser is read in one, and in no other case is one started."""

import pytest

from fetch.conftest import RunWith
from loopback import PROSE, WebServer, article
from spyglass.fetch.fetcher import fetch
from spyglass.kernel.errors import NoPageTextError
from spyglass.kernel.notice import text_of

pytestmark = [pytest.mark.browser, pytest.mark.slow]

APP = "<div id=root></div><noscript>You need to enable JavaScript to run this app.</noscript>"


async def test_the_text_that_a_script_writes_arrives(web_server: WebServer, run_with: RunWith) -> None:
    async with run_with(browser__mode="auto") as run:
        page = await fetch(run, web_server.url("/js"))
    assert "The naptime default is one minute, said only by JavaScript." in page.text
    assert (page.how, page.title) == ("browser", "An app")


async def test_a_page_that_was_rendered_is_kept_as_the_browser_showed_it(
    web_server: WebServer, run_with: RunWith
) -> None:
    pages = []
    for _ in range(2):
        async with run_with(browser__mode="auto", cache__page_hours=1.0) as run:
            pages.append(await fetch(run, web_server.url("/js")))
    assert [page.how for page in pages] == ["browser", "cache"]
    assert pages[0].text == pages[1].text


async def test_a_page_that_stays_empty_in_a_browser_too_is_told(web_server: WebServer, run_with: RunWith) -> None:
    url = web_server.put("/page", article("Empty", head="<script></script>", body=APP))
    async with run_with(browser__mode="auto") as run:
        with pytest.raises(NoPageTextError, match="no text"):
            await fetch(run, url)


async def test_a_page_that_says_something_without_a_browser_is_read_with_a_notice_when_the_browser_fails(
    web_server: WebServer, run_with: RunWith
) -> None:
    endless = "<script>document.getElementById('root').textContent = 'busy'; for (;;) {}</script>"
    url = web_server.put("/page", article("Half a page", PROSE[0], body=APP + endless))
    async with run_with(browser__mode="auto", fetch__page_deadline=10.0) as run:
        page = await fetch(run, url)
    assert PROSE[0] in page.text
    assert page.how == "http"
    assert any("without a browser" in text_of(notice) for notice in page.notices)
