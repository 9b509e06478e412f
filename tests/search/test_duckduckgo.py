"""DuckDuckGo's page: real links out of its redirects, no advertisements, and a robot check is never "nothing found"."""

from pathlib import Path
from urllib.parse import quote

import pytest

from loopback import CHALLENGE, Reply, SearchServer
from search.asking import found, run_with
from spyglass.errors import SearchBlockedError, SearchBrokenError, SearchError
from spyglass.search.chain import ask
from spyglass.search.duckduckgo import DuckDuckGo
from spyglass.search.result import SearchQuery


def page(*boxes: str) -> Reply:
    return Reply(f'<html><body><div id="links" class="results">{"".join(boxes)}</div></body></html>')


def box(href: str, title: str = "Kites", kind: str = "web-result") -> str:
    return (
        f'<div class="result results_links {kind}"><h2><a class="result__a" href="{href}">{title}</a></h2>'
        f'<a class="result__snippet" href="{href}">Of <b>kites</b>.</a></div>'
    )


async def error_of(server: SearchServer, folder: Path, reply: Reply) -> SearchError:
    server.script(reply)
    async with run_with(server, folder, "duckduckgo") as run:
        with pytest.raises(SearchError) as caught:
            await ask(run, DuckDuckGo(run.settings), SearchQuery(text="red kites"))
    return caught.value


async def test_links_are_where_a_result_leads(search_server: SearchServer, tmp_path: Path) -> None:
    target = "https://kites.example/a?b=c&d=%C3%A9#e"
    search_server.script(
        page(
            box(f"//duckduckgo.com/l/?uddg={quote(target, safe='')}&amp;rut=1"),
            box("https://direct.example/x?y=1&amp;z=2", "Direct &amp; near"),
            box("https://duckduckgo.com/about"),
        )
    )
    async with run_with(search_server, tmp_path, "duckduckgo") as run:
        results = await found(run)
    assert [one.url for one in results] == [target, "https://direct.example/x?y=1&z=2", "https://duckduckgo.com/about"]
    assert results[1].title == "Direct & near"
    assert results[0].snippet == "Of kites."


async def test_advertisements_are_no_results(search_server: SearchServer, tmp_path: Path) -> None:
    ad = quote("https://duckduckgo.com/y.js?ad_domain=shop.example", safe="")
    search_server.script(
        page(
            box("https://duckduckgo.com/y.js?ad_domain=shop.example&u3=https%3A%2F%2Fshop.example"),
            box(f"//duckduckgo.com/l/?uddg={ad}"),
            box("https://shop.example/", kind="result--ad"),
            box("https://kites.example/"),
        )
    )
    async with run_with(search_server, tmp_path, "duckduckgo") as run:
        assert [(one.url, one.score) for one in await found(run)] == [("https://kites.example/", 1.0)]


@pytest.mark.parametrize(
    "reply",
    [
        Reply(CHALLENGE, 202),
        Reply(CHALLENGE),
        Reply("<html><body></body></html>", 202),
        Reply("forbidden", 403),
        Reply("slow down", 429),
        Reply(
            '<div class="anomaly-modal__title">Unfortunately, bots use DuckDuckGo too.</div>' + box("https://a.example")
        ),
    ],
)
async def test_a_robot_check_is_a_block(search_server: SearchServer, tmp_path: Path, reply: Reply) -> None:
    assert isinstance(await error_of(search_server, tmp_path, reply), SearchBlockedError)


@pytest.mark.parametrize(
    "reply",
    [
        Reply(""),
        Reply("<html><body><h1>We have moved</h1></body></html>"),
        page('<div class="new-result"><a href="https://a.example">the markup has changed</a></div>'),
        page(box("javascript:alert(1)")),
        page(box("https://[half")),
    ],
)
async def test_a_page_that_says_neither_is_broken(search_server: SearchServer, tmp_path: Path, reply: Reply) -> None:
    assert isinstance(await error_of(search_server, tmp_path, reply), SearchBrokenError)


@pytest.mark.parametrize(
    "nothing", ['<div class="no-results">No results.</div>', '<div class="result result--no-result">–</div>', ""]
)
async def test_a_page_that_says_that_there_is_nothing_is_empty(
    search_server: SearchServer, tmp_path: Path, nothing: str
) -> None:
    search_server.script(page(nothing))
    async with run_with(search_server, tmp_path, "duckduckgo") as run:
        assert await found(run) == []


async def test_it_is_asked_as_a_browser_asks(search_server: SearchServer, tmp_path: Path) -> None:
    async with run_with(search_server, tmp_path, "duckduckgo") as run:
        await found(run)
    headers = search_server.asked[0].headers
    assert "Firefox" in headers["user-agent"]
    assert headers["content-type"].startswith("application/x-www-form-urlencoded")
    assert "referer" in headers
