"""Pages that need JavaScript, in a real Chromium: their text arrives, nothing else is reached, nothing is left."""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from fetch.attacks import put_attack
from fetch.processes import all_ended, beneath, left_in, variables
from loopback import Reply, WebServer
from loopback.certificate import certificate
from spyglass.fetch.browser import AT_ONCE, Browser, available, browser_of, render
from spyglass.fetch.chromium import Chromium
from spyglass.fetch.enclosure import Enclosure
from spyglass.kernel.errors import (
    AddressError,
    BrowserError,
    FetchDeadlineError,
    FetchError,
    PageKindError,
    PageTooLargeError,
    RedirectError,
    UnreachableError,
)
from spyglass.kernel.journal import Journal
from spyglass.kernel.pool import Pool
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Settings

pytestmark = pytest.mark.browser

RunWith = Callable[..., AbstractAsyncContextManager[Run]]


@pytest.fixture
def run_with(tmp_path: Path, web_server: WebServer, folders: Path) -> RunWith:
    """Open a run that may reach 127.0.0.1 at the web server's port, and nothing else of this machine."""

    @asynccontextmanager
    async def opened(**changes: Any) -> AsyncIterator[Run]:
        allowed = {"network.allow_private": [f"127.0.0.1:{web_server.port}"], "data_dir": tmp_path / "data"}
        async with Run("q", Settings(**{**allowed, **changes}), journal=Journal()) as run:
            yield run

    return opened


async def refusal(run: Run, url: str, settings: Settings | None = None) -> FetchError:
    try:
        page = await render(run, url, settings or run.settings)
    except FetchError as error:
        return error
    raise AssertionError(f"there is a page: {page}")


@pytest.mark.slow
async def test_text_that_only_scripts_say_arrives(run_with: RunWith, web_server: WebServer) -> None:
    at_once = web_server.put(
        "/at-once",
        "<div id=root></div><script>document.getElementById('root').textContent = 'said ' + 'at once'</script>",
    )
    web_server.put("/data", Reply('{"said": "after a while"}', content_type="application/json", delay=0.5))
    fetched = web_server.put(
        "/fetched",
        "<div id=root></div><script>fetch('/data').then(it => it.json()).then(it => setTimeout(() => {"
        "root.textContent = 'said ' + it.said }, 200))</script>",
    )
    folded = web_server.put(
        "/folded",
        "<my-page><b>in the slot</b></my-page><form name=documentElement></form><script>"
        "customElements.define('my-page', class extends HTMLElement { connectedCallback() {"
        "this.attachShadow({mode: 'open'}).innerHTML = '<p>before <slot></slot> after</p>' } })</script>",
    )
    moved = web_server.put("/moved", f"<script>location.replace('{fetched}?moved#there')</script>")
    async with run_with() as run:
        assert "said at once" in (await render(run, at_once, run.settings)).html
        page = await render(run, moved, run.settings)
        assert "said after a while" in page.html
        assert (page.url, page.status) == (f"{fetched}?moved", 200)
        assert "<p>before <slot><b>in the slot</b></slot> after</p>" in (await render(run, folded, run.settings)).html
        assert (await render(run, web_server.url("/not-there"), run.settings)).status == 404


@pytest.mark.slow
async def test_a_page_reaches_nothing_that_it_may_not(run_with: RunWith, web_server: WebServer) -> None:
    async with WebServer().running() as other, run_with() as run:
        secrets = [f"127.0.0.1:{other.port}", f"localhost:{other.port}", f"127.0.0.2:{web_server.port}"]
        secrets += ["169.254.169.254", "10.0.0.1", f"[::ffff:127.0.0.1]:{other.port}", f"[::1]:{other.port}"]
        page = await render(run, put_attack(web_server, *secrets), run.settings)
        assert "All told: " in page.html
        assert other.visits == []
        assert other.connections() == 0
    assert web_server.visits_to(host="127.0.0.2") == []
    assert web_server.visits_to("/secret") == []
    assert web_server.visits_to("/leads-there") != []
    assert web_server.visits_to("/service.js") == []


async def test_the_same_page_reaches_what_it_may(run_with: RunWith, web_server: WebServer) -> None:
    async with WebServer().running() as other:
        async with run_with(network__allow_private=["127.0.0.1"]) as run:
            await render(run, put_attack(web_server, f"127.0.0.1:{other.port}"), run.settings)
        asked = other.visits_to("/secret")
    assert {visit.method for visit in asked} == {"GET", "POST"}
    assert {visit.headers.get("upgrade") for visit in asked} == {None, "websocket"}
    assert len(asked) > 10


@pytest.mark.slow
async def test_a_page_that_leads_to_a_forbidden_place_is_refused(run_with: RunWith, web_server: WebServer) -> None:
    async with WebServer().running() as other:
        there = f"http://127.0.0.1:{other.port}/secret"
        ways = [
            web_server.put("/redirects", Reply(status=302, headers={"Location": there})),
            web_server.put("/tunnels", Reply(status=302, headers={"Location": there.replace("http:", "https:")})),
            web_server.put(
                "/refreshes", '<meta http-equiv="refresh" content="0; url=http://169.254.169.254/"><p>Wait.'
            ),
            web_server.put("/goes", f"<p>Wait.<script>location.href = '{there}'</script>"),
            web_server.put(
                "/sends", f"<form action='{there}' method=post></form><script>document.forms[0].submit()</script>"
            ),
        ]
        async with run_with() as run:
            for way in ways:
                assert isinstance(await refusal(run, way), AddressError), way
        assert other.visits == []
        assert other.connections() == 0


async def test_an_address_that_is_none_of_the_web_starts_no_browser(
    run_with: RunWith, subtests: pytest.Subtests
) -> None:
    cases = [
        "file:///etc/passwd",
        "data:text/html,<p>x",
        "view-source:http://site.example/",
        "chrome://version",
        "about:blank",
        "javascript:alert(1)",
        "http://me:secret@site.example/",
        "http://127.0.0.2/",
    ]
    for url in cases:
        with subtests.test(url=url):
            async with run_with() as run:
                assert isinstance(await refusal(run, url), AddressError)
                assert beneath() == {}


async def test_pictures_and_fonts_are_not_loaded_and_pages_share_nothing(
    run_with: RunWith, web_server: WebServer
) -> None:
    web_server.put("/style.css", Reply("@font-face { font-family: f; src: url(/font.woff) }", content_type="text/css"))
    url = web_server.put(
        "/rich",
        "<link rel=stylesheet href=/style.css><style>p { font-family: f; background: url(/back.png) }</style>"
        "<img src=/picture.png><video src=/film.mp4 autoplay></video><audio src=/song.mp3 autoplay></audio>"
        "<p>Seen <span id=count></span> times.<script>"
        "localStorage.seen = +(localStorage.seen || 0) + 1; document.cookie = 'seen=' + localStorage.seen;"
        "count.textContent = localStorage.seen; alert('Hello'); confirm('Really?'); onbeforeunload = () => 'Stay!';"
        "</script>",
    )
    async with run_with() as run:
        for _ in range(2):
            assert 'Seen <span id="count">1</span> times.' in (await render(run, url, run.settings)).html
    assert {visit.path for visit in web_server.visits} <= {"/rich", "/style.css", "/favicon.ico"}
    assert not [visit for visit in web_server.visits if "cookie" in visit.headers]


@pytest.mark.slow
async def test_what_goes_wrong_is_named(run_with: RunWith, web_server: WebServer, folders: Path) -> None:
    wrong = {
        web_server.put("/circle", Reply(status=302, headers={"Location": "/circle"})): RedirectError,
        web_server.put("/binary", Reply(bytes(range(256)), content_type="application/octet-stream")): PageKindError,
        web_server.put("/sheet.pdf", Reply(b"%PDF-1.4\n", content_type="application/pdf")): PageKindError,
        web_server.put("/large", "<p>" + "word " * 300_000): PageTooLargeError,
        web_server.put("/grows", "<p>Grows.<script>document.body.append('x'.repeat(2e6))</script>"): PageTooLargeError,
        web_server.put("/late", Reply("late", delay=300)): FetchDeadlineError,
        web_server.put("/busy", "<p>Busy.<script>for (;;);</script>"): FetchDeadlineError,
        web_server.put("/hoards", "<script>const a = []; for (;;) a.push(Array(1e6).fill(0.5))</script>"): BrowserError,
        web_server.put("/cut", Reply("<p>Only a part", headers={"Content-Encoding": "gzip"})): UnreachableError,
    }
    fine = web_server.put("/fine", "<p>Fine.")
    async with run_with(fetch__max_megabytes=1.0, network__read_deadline=60.0, fetch__page_deadline=90.0) as run:
        await (await browser_of(run, run.settings)).version()  # its start is none of the pages' time
        hurried = run.settings.updated(network__read_deadline=1.0, fetch__page_deadline=5.0)
        for url, kind in wrong.items():
            error = await refusal(run, url, hurried if kind is FetchDeadlineError else run.settings)
            assert type(error) is kind, f"{url}: {error!r}"
            assert url.rpartition("/")[2] in str(error)
        assert "Fine." in (await render(run, fine, run.settings)).html
    assert left_in(folders) == []


async def test_a_certificate_of_no_known_authority_is_not_trusted(run_with: RunWith, tmp_path: Path) -> None:
    said = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        said.append(await reader.read())
        writer.close()

    authority, tls = certificate(tmp_path, "127.0.0.1")
    async with await asyncio.start_server(serve, "127.0.0.1", 0, ssl=tls) as server:
        place = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
        async with run_with(network__allow_private=[place], network__ca_file=authority) as run:
            error = await refusal(run, f"https://{place}/")
    assert isinstance(error, BrowserError)
    assert "CERT" in str(error)
    assert "ca_file" in str(error)
    assert b"GET" not in b"".join(said)


@pytest.mark.slow
async def test_a_page_that_never_rests_is_taken_as_it_is(run_with: RunWith, web_server: WebServer) -> None:
    url = web_server.put(
        "/restless",
        "<p>The text.</p><b id=clock></b><script>setInterval(() => { clock.textContent = Date.now() }, 50);"
        "Object.defineProperty(Element.prototype, 'outerHTML', {get: () => 'a lie'});"
        "String.prototype.toWellFormed = () => 'another lie'</script>",
    )
    async with run_with() as run:
        html = (await render(run, url, run.settings)).html
    assert "<p>The text.</p>" in html
    assert not html.startswith(("a lie", "another lie"))


def browsers(processes: dict[int, str]) -> set[int]:
    return {process for process, line in processes.items() if "-debugging-pipe" in line and "--type=" not in line}


@pytest.mark.slow
async def test_a_few_pages_at_once_share_one_browser_which_ends_with_the_run(
    run_with: RunWith, web_server: WebServer, folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "very-secret")
    url = web_server.put("/page", Reply("<p>Here.", delay=1.0))
    async with run_with() as run:
        pages = await asyncio.gather(*(render(run, f"{url}?{number}", run.settings) for number in range(AT_ONCE + 2)))
        assert all("Here." in page.html for page in pages)
        assert web_server.most_at_once["127.0.0.1"] == AT_ONCE
        running = beneath()
        [browser] = browsers(running)
        environment = variables(browser)
        assert environment != ""
        assert "very-secret" not in environment
        assert left_in(folders) != []
    assert await all_ended(running) == []
    assert left_in(folders) == []
    await web_server.all_closed()


@pytest.mark.kill
@pytest.mark.slow
async def test_a_browser_is_replaced_after_its_pages_when_it_crashes_and_when_its_driver_does(
    web_server: WebServer, folders: Path
) -> None:
    settings = Settings(network__allow_private=[f"127.0.0.1:{web_server.port}"])
    url = web_server.put("/page", "<p>Here.")

    async with Browser(settings, recycle=2) as browser:
        first: set[int] = set()
        ever: dict[int, str] = {}
        for _ in range(2):
            await browser.render(url, settings)
            first |= browsers(beneath())
            ever |= beneath()
        assert len(first) == 1
        await browser.render(url, settings)
        assert len(browsers(beneath()) - first) == 1
        ever |= beneath()
        [crashing] = browsers(beneath()) - first
        os.kill(crashing, signal.SIGKILL)
        assert "Here." in (await browser.render(url, settings)).html
        ever |= beneath()
        [driver] = [process for process, line in beneath().items() if "run-driver" in line]
        os.kill(driver, signal.SIGKILL)
        assert "Here." in (await browser.render(url, settings)).html
        ever |= beneath()
    assert await all_ended(ever) == []
    for left in left_in(folders):  # what the killed driver would have removed
        assert left.startswith("playwright")
        shutil.rmtree(folders / left)


@pytest.mark.slow
async def test_runs_share_a_browser_and_each_goes_only_where_its_own_settings_allow(
    web_server: WebServer, tmp_path: Path, folders: Path
) -> None:
    url = web_server.put("/page", "<p>Here.")
    own = {"free": [f"127.0.0.1:{web_server.port}"], "bound": []}
    async with Pool() as pool, AsyncExitStack() as opened:
        runs = {}
        for name, allowed in own.items():
            given = Settings(
                network__allow_private=allowed, network__user_agent=f"Mozilla/5.0 {name}", data_dir=tmp_path / "data"
            )
            runs[name] = await opened.enter_async_context(Run("q", given, journal=Journal(), pool=pool))
        assert "Here." in (await render(runs["free"], url, runs["free"].settings)).html
        assert isinstance(await refusal(runs["bound"], url), AddressError)
        browser = await browser_of(runs["bound"], runs["bound"].settings)
        assert browser is await browser_of(runs["free"], runs["free"].settings)
        page = web_server.put("/embedding", f"<p>Outside.<iframe src='{url}'></iframe>", host="127.0.0.2")
        outside = runs["bound"].settings.updated(network__allow_private=[f"127.0.0.2:{web_server.port}"])
        assert "Outside." in (await render(runs["bound"], page, outside)).html
        assert len(browsers(beneath())) == 1
    assert [visit.headers["user-agent"] for visit in web_server.visits_to("/page")] == ["Mozilla/5.0 free"]
    assert await all_ended(beneath()) == []


@pytest.mark.slow
async def test_whoever_gives_up_leaves_nothing_behind(run_with: RunWith, web_server: WebServer, folders: Path) -> None:
    late = web_server.put("/late", Reply("late", delay=300))
    for seconds in (0.05, 0.4, 0.8, 1.6):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(seconds), run_with() as run:
                await render(run, late, run.settings)
        assert await all_ended(beneath()) == []
        assert left_in(folders) == []
    await web_server.all_closed()


@pytest.mark.slow
async def test_who_gives_up_while_the_driver_makes_its_folders_leaves_none(folders: Path) -> None:
    async with Enclosure() as enclosure:
        starting = asyncio.ensure_future(Chromium.start(Settings(), "http://127.0.0.1:9", enclosure, 1))
        while not any(name.startswith("playwright") for name in left_in(folders)):  # noqa: ASYNC110 nobody tells
            await asyncio.sleep(0)
        starting.cancel()
        await asyncio.wait([starting])
    assert starting.cancelled()
    assert await all_ended(beneath()) == []
    assert left_in(folders) == []


@pytest.mark.slow
async def test_an_end_that_is_cancelled_is_an_end_all_the_same(
    run_with: RunWith, web_server: WebServer, folders: Path
) -> None:
    url = web_server.put("/page", "<p>Here.")
    ending = asyncio.Event()

    async def one_page() -> None:
        async with run_with() as run:
            await render(run, url, run.settings)
            ending.set()

    task = asyncio.ensure_future(one_page())
    await ending.wait()
    running = beneath()
    for _ in range(3):
        await asyncio.sleep(0)
        task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await all_ended(running) == []
    assert left_in(folders) == []


KILLED = """
import asyncio, sys
from pathlib import Path
from spyglass.fetch.browser import Browser
from spyglass.kernel.settings import Settings

async def main():
    settings = Settings(network__allow_private=["127.0.0.0/8"])
    async with Browser(settings) as browser:
        await browser.render(sys.argv[1], settings)
        print("rendered", flush=True)
        await asyncio.sleep(60)

asyncio.run(main())
"""


@pytest.mark.kill
@pytest.mark.slow
async def test_a_process_that_is_killed_takes_its_browser_with_it(web_server: WebServer, folders: Path) -> None:
    url = web_server.put("/page", "<p>Here.")
    killed = await asyncio.create_subprocess_exec(sys.executable, "-c", KILLED, url, stdout=subprocess.PIPE)
    assert killed.stdout is not None
    assert await killed.stdout.readline() == b"rendered\n"
    running = beneath(killed.pid)
    assert len(running) > 2
    killed.kill()
    await killed.wait()
    assert await all_ended(running) == []
    [ours] = left_in(folders)  # the browser's own folders are gone; this one was this process's to remove
    shutil.rmtree(folders / ours)


async def test_a_browser_that_is_none_is_told(run_with: RunWith, tmp_path: Path, web_server: WebServer) -> None:
    url = web_server.put("/page", "<p>Here.")
    missing = Settings(browser__chromium=tmp_path / "missing")
    assert str(missing.browser.chromium) in str(available(missing))
    async with run_with(browser__chromium=missing.browser.chromium) as run:
        assert isinstance(await refusal(run, url), BrowserError)
    async with run_with(browser__chromium=Path("/bin/false")) as run:
        for _ in range(2):
            error = await refusal(run, url)
            assert isinstance(error, BrowserError)
            assert "did not start" in str(error)
    assert beneath() == {}


async def test_pages_that_keep_a_window_share_it_and_nobody_else_does(run_with: RunWith, web_server: WebServer) -> None:
    count = "<p>Seen <b id=count></b> times.<script>localStorage.n = +(localStorage.n || 0) + 1; count.textContent = "
    urls = [web_server.put(f"/count/{number}", f"{count}localStorage.n</script>") for number in range(3)]
    there = web_server.put("/leads", Reply(status=302, headers={"Location": "http://127.0.0.2/"}))
    async with run_with() as run:
        for number, url in enumerate(urls, 1):
            html = (await render(run, url, run.settings, keeps_window=True)).html
            assert f'<b id="count">{number}</b>' in html
        assert '<b id="count">1</b>' in (await render(run, urls[0], run.settings)).html
        with pytest.raises(AddressError):
            await render(run, there, run.settings, keeps_window=True)
        other = run.settings.updated(fetch__max_megabytes=9.0)
        assert '<b id="count">1</b>' in (await render(run, urls[0], other, keeps_window=True)).html
        assert '<b id="count">1</b>' in (await render(run, urls[0], run.settings, keeps_window=True)).html, "it is lost"
