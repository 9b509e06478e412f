"""Pages as crawl4ai renders them: what its users come for is there, nothing private is reached, nothing is left."""

import os
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from fetch.attacks import put_attack
from fetch.processes import all_ended, beneath, variables
from loopback import Reply, WebServer
from spyglass.agent import Search_agent
from spyglass.agent.crawl import Crawl
from spyglass.fetch.crawl4ai import Steps, is_installed
from spyglass.fetch.fetcher import fetch
from spyglass.kernel.errors import (
    AddressError,
    BrowserError,
    FetchDeadlineError,
    FetchError,
    PageKindError,
    PageTooLargeError,
    StatusError,
    UnreachableError,
)
from spyglass.kernel.journal import Journal
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Settings

pytestmark = [pytest.mark.browser, pytest.mark.slow]

RunWith = Callable[..., AbstractAsyncContextManager[Run]]

SHOP = """<!doctype html><title>The shop</title><h1>Telescopes</h1>
<nav><a href="/about">About</a> <a href="https://elsewhere.example/x">Elsewhere</a></nav>
<ul id=list><li class=item><b>Refractor</b> <i>120</i></li></ul><button id=more>More</button>
<script>more.onclick = () => setTimeout(() => {
    list.insertAdjacentHTML('beforeend', '<li class="item late"><b>Reflector</b> <i>240</i></li>') }, 300)</script>"""

FIELDS = {"css": ("li.item", "b", "i"), "xpath": ("//li[contains(@class, 'item')]", ".//b", ".//i")}


@pytest.fixture
def run_with(tmp_path: Path, web_server: WebServer, folders: Path) -> RunWith:
    """Open a run that may reach 127.0.0.1 at the web server's port; at its end no process of it is left."""

    @asynccontextmanager
    async def opened(**changes: Any) -> AsyncIterator[Run]:
        allowed = {
            "network.allow_private": [f"127.0.0.1:{web_server.port}"],
            "data_dir": tmp_path / "data",
            "fetch.page_deadline": 60,
        }
        async with Run(
            "q", Settings(**{**allowed, **changes}), journal=Journal(tmp_path / "run/journal.sqlite")
        ) as run:
            yield run
            processes = beneath()
        assert await all_ended(processes) == []

    return opened


def schema(kind: str) -> dict[str, Any]:
    base, name, price = FIELDS[kind]
    fields = [{"name": "name", "selector": name, "type": "text"}, {"name": "price", "selector": price, "type": "text"}]
    return {"name": "Shop", "baseSelector": base, "fields": fields}


async def refusal(run: Run, url: str, steps: Steps | None = None) -> FetchError:
    try:
        page = await Crawl(run).render(url, steps)
    except FetchError as error:
        return error
    raise AssertionError(f"there is a page: {page}")


def test_it_is_the_real_one() -> None:
    assert is_installed()


async def test_what_its_users_come_for_is_there(run_with: RunWith, web_server: WebServer, tmp_path: Path) -> None:
    url = web_server.put("/shop", SHOP)
    steps = Steps(js_code=("document.querySelector('#more').click()",), wait_for="css:.late")
    async with run_with() as run:
        crawl = Crawl(run)
        found = await crawl.render(url, Steps(**{**_fields(steps), "css": schema("css"), "screenshot": True}))
        by_path = await crawl.render(url, Steps(**{**_fields(steps), "xpath": schema("xpath")}))
        plain = await crawl.render(url)
        visits = len(web_server.visits)
        assert await crawl.render(url) == plain
        assert len(web_server.visits) == visits
        assert run.journal.snapshot(found.snapshot) == found.markdown
    everything = [{"name": "Refractor", "price": "120"}, {"name": "Reflector", "price": "240"}]
    assert found.extracted == by_path.extracted == everything
    assert "# Telescopes" in found.markdown
    assert "Reflector" in found.markdown
    assert "Reflector" not in plain.markdown, "nobody has pressed the button"
    assert {web_server.url("/about"), "https://elsewhere.example/x"} <= set(found.links)
    assert (found.title, plain.extracted, plain.screenshot) == ("The shop", None, None)
    assert found.screenshot is not None
    assert found.screenshot.parent == tmp_path / "run"
    assert found.screenshot.read_bytes().startswith(b"\x89PNG")


def _fields(steps: Steps) -> dict[str, Any]:
    return {name: getattr(steps, name) for name in Steps.__slots__}


async def test_no_address_but_one_of_the_web_comes_to_crawl4ai(
    run_with: RunWith, subtests: pytest.Subtests, tmp_path: Path
) -> None:
    secret = tmp_path / "secret.html"
    secret.write_text("<p>secret")
    cases = [
        f"file://{secret}",
        f"FILE://{secret}",
        f"view-source:file://{secret}",
        "raw:<p>hello",
        "raw://<script>fetch('http://127.0.0.1:1')</script>",
        "data:text/html,<p>x",
        "javascript:alert(1)",
        "about:blank",
        "http://me:secret@site.example/",
        "http://127.0.0.2/",
        "http://2130706434/",
        "http://0x7f.2/",
        "http://[::ffff:127.0.0.2]/",
        "http://169.254.169.254/",
    ]
    async with run_with() as run:
        for url in cases:
            with subtests.test(url=url):
                assert isinstance(await refusal(run, url), AddressError)
        assert beneath() == {}, "none of them started anything"


async def test_a_page_that_leads_to_a_forbidden_place_is_refused(
    run_with: RunWith, web_server: WebServer, subtests: pytest.Subtests, tmp_path: Path
) -> None:
    (tmp_path / "secret.html").write_text("<title>Secret</title><p>A secret that stands in a file.")
    async with WebServer().running() as other, run_with() as run:
        port = other.port
        places = [
            f"http://127.0.0.1:{port}/",
            f"https://127.0.0.1:{port}/",
            f"http://2130706433:{port}/",
            f"http://0x7f000001:{port}/",
            f"http://0177.0.0.1:{port}/",
            f"http://localhost:{port}/",
            f"http://[::1]:{port}/",
            f"http://[::ffff:127.0.0.1]:{port}/",
            "http://169.254.169.254/latest/meta-data/",
        ]
        for number, place in enumerate(places):
            with subtests.test(place=place):
                url = web_server.put(f"/redirect/{number}", Reply(status=302, headers={"Location": place}))
                assert isinstance(await refusal(run, url), AddressError)
        goes = web_server.put("/goes", f"<p>Wait.<script>location.href = '{places[0]}'</script>")
        assert isinstance(await refusal(run, goes), AddressError)
        for number, place in enumerate((f"file://{tmp_path}/secret.html", "data:text/html,<p>A secret")):
            with subtests.test(place=place):
                url = web_server.put(f"/odd/{number}", Reply(status=302, headers={"Location": place}))
                assert isinstance(await refusal(run, url), FetchError)
                url = web_server.put(f"/script/{number}", f"<p>Waits.<script>location.href = '{place}'</script>")
                assert "secret" not in (await Crawl(run).render(url)).markdown
        assert other.visits == []
        assert other.connections() == 0


async def test_a_page_and_its_steps_reach_nothing_that_they_may_not(run_with: RunWith, web_server: WebServer) -> None:
    async with WebServer().running() as other, run_with() as run:
        places = [f"127.0.0.1:{other.port}", f"localhost:{other.port}", f"[::1]:{other.port}", "169.254.169.254"]
        page = await Crawl(run).render(
            put_attack(web_server, *places), Steps(screenshot=True, scroll=True, wait_for="js:() => document.body")
        )
        assert "All told: " in page.markdown
        assert page.exposed == ""
        environments = [found for found in map(variables, beneath()) if found]
        assert environments != []
        assert [found for found in environments if "SPYGLASS" in found] == []
        assert other.visits == []
        assert other.connections() == 0
    assert web_server.visits_to("/leads-there") != []


async def test_what_goes_wrong_is_named_and_the_next_page_is_read(
    run_with: RunWith, web_server: WebServer, subtests: pytest.Subtests
) -> None:
    wrong: list[tuple[str, type[FetchError]]] = [
        (web_server.put("/large", "<p>" + "word " * 300_000), PageTooLargeError),
        (web_server.put("/sheet.bin", Reply(b"%PDF-1.4\n", content_type="application/pdf")), FetchError),
        (web_server.put("/feed", Reply("{}", content_type="application/json")), PageKindError),
        (web_server.url("/gone"), StatusError),
    ]
    fine, busy = web_server.put("/fine", "<p>Fine."), web_server.put("/busy", "<p>Busy.<script>for (;;);</script>")
    async with run_with(fetch__max_megabytes=1.0) as run:
        for url, kind in wrong:
            with subtests.test(url=url):
                assert isinstance(await refusal(run, url), kind)
        assert "Fine." in (await Crawl(run).render(fine)).markdown
    async with run_with(fetch__page_deadline=3.0) as run:
        assert isinstance(await refusal(run, busy), FetchError)
        assert isinstance(await refusal(run, fine, Steps(wait_for="css:.never")), FetchError)
    closed = f"http://127.0.0.1:{web_server.port}/"
    async with run_with(network__allow_private=["127.0.0.1"]) as run:
        error = await refusal(run, closed.replace(str(web_server.port), "9"))
        assert isinstance(error, AddressError | UnreachableError | BrowserError)


async def test_a_process_that_dies_or_hangs_is_replaced(run_with: RunWith, web_server: WebServer) -> None:
    fine = web_server.put("/fine", "<p>Fine.")
    late = web_server.put("/late", Reply("late", delay=300))
    async with run_with(browser__renderer="crawl4ai", browser__mode="always", cache__page_hours=0) as run:
        assert (await fetch(run, fine)).how == "browser"
        for process, line in beneath().items():
            if "crawl4ai_child" in line and "netns" not in line:
                os.kill(process, signal.SIGKILL)
        assert "Fine." in (await Crawl(run).render(fine, Steps(scroll=True))).markdown
        hurried = run.settings.updated(fetch__page_deadline=2.0)
        with pytest.raises(FetchError) as caught:
            await fetch(run, late, settings=hurried)
        assert isinstance(caught.value, FetchDeadlineError)
        assert "Fine." in (await Crawl(run).render(fine)).markdown


async def test_the_search_agent_uses_it_and_who_wants_the_light_way_does_not(
    run_with: RunWith, web_server: WebServer
) -> None:
    async with run_with(cache__page_hours=0) as run:
        agent = Search_agent()
        agent.attach(run)
        page = await fetch(run, web_server.url("/js"), settings=agent.settings)
        assert "said only by JavaScript" in page.text
        assert [line for line in beneath().values() if "crawl4ai_child" in line]
    async with run_with(cache__page_hours=0, browser__renderer="playwright") as run:
        agent = Search_agent()
        agent.attach(run)
        assert "said only by JavaScript" in (await fetch(run, web_server.url("/js"), settings=agent.settings)).text
        assert not [line for line in beneath().values() if "crawl4ai_child" in line]
