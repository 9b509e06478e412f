"""The page of the service in a real browser: from a question to its report and on, over one connection and the next."""

import asyncio
import contextlib
import json
import re
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import ConsoleMessage, Page, Request, async_playwright, expect
from playwright.async_api import Error as PageError
from pydantic import SecretStr

from loopback import Fault, SearchServer, WebServer
from serve.conftest import Serving
from spyglass.serve.page import FILES
from tools.sites import FILLER, finds

QUESTION = "How deep is the Altmere harbour basin?"
DEPTH = "The basin of the Altmere harbour is seven metres deep at low water."
RECONNECTS = 4_000  # milliseconds: Chromium connects anew to a stream that has ended after three seconds
TOKEN = "a token of twenty-six signs"

expect.set_options(timeout=120_000)


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "harbour.md").write_text(f"# The harbour\n\n{DEPTH}\n\nIts quay was built of oak.\n")
    return tmp_path / "files"


class Tab:
    """A window on the page, and what it complained of and asked others for."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.troubles = list[str]()
        self.foreign = list[str]()
        page.on("console", self._heard)
        page.on("pageerror", lambda error: self.troubles.append(str(error)))
        page.on("request", self._asked)

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.troubles.append(message.text)

    def _asked(self, request: Request) -> None:
        if not request.url.startswith("http://127.0.0.1:"):
            self.foreign.append(request.url)

    async def ask(self, base: str, question: str = QUESTION, *, plan: bool = False) -> None:
        """Ask, with the keyboard alone."""
        await self.page.goto(base)
        await self.page.get_by_label("Your question").fill(question)
        await self.page.get_by_label("show me the plan").set_checked(plan)
        await self.page.get_by_label("Your question").press("Enter")

    async def report(self) -> str:
        """Return the text of the report, once it is there."""
        body = self.page.frame_locator("iframe").locator("body")
        await expect(body).to_contain_text("What was searched")
        return await body.inner_text()

    async def assert_everybody_can_use_it(self) -> None:
        """Fail for what axe finds wrong with the page as it is, and for one that has to be moved sideways."""
        found = await Axe().run(self.page)
        assert found.violations_count == 0, found.generate_report()
        assert await self.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), self.page.url

    async def shows(self, text: str) -> bool:
        """Say whether a line of the report with that text is on the screen, without moving the page."""
        box = await self.page.frame_locator("iframe").locator(f'section p:has-text("{text}")').first.bounding_box()
        size = self.page.viewport_size
        assert size is not None
        return box is not None and box["y"] > 0 and box["y"] + 24 < size["height"]


@pytest.fixture
async def tab() -> AsyncIterator[Tab]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=shutil.which("chromium"), chromium_sandbox=False)
        window = await browser.new_context(viewport={"width": 1000, "height": 800})
        tab = Tab(await window.new_page())
        yield tab
        await browser.close()


pytestmark = pytest.mark.browser


async def test_a_question_becomes_a_report_that_a_reload_shows_again(serving: Serving, files: Path, tab: Tab) -> None:
    async with serving(db=[files]) as base:
        await tab.ask(base)
        assert DEPTH in await tab.report()
        await tab.page.reload()
        assert DEPTH in await tab.report()
        await expect(tab.page.get_by_role("status")).to_have_text("complete")
        await expect(tab.page.get_by_role("img", name=re.compile("1 supported|2 supported"))).to_be_visible()
        link = tab.page.get_by_role("link", name="docx")
        async with tab.page.expect_download() as download:
            await link.click()
        assert (await download.value).suggested_filename.endswith(".docx")
    await tab.page.wait_for_timeout(RECONNECTS)
    assert (tab.troubles, tab.foreign) == ([], []), "the page asks nothing more of the service that is gone"


async def test_a_plan_is_changed_before_it_is_carried_out(serving: Serving, files: Path, tab: Tab) -> None:
    async with serving(db=[files]) as base:
        await tab.ask(base, plan=True)
        await expect(tab.page.get_by_label("What to find out")).to_have_value(QUESTION)
        await expect(tab.page.get_by_label("Plan")).to_contain_text("no model call")
        await tab.page.get_by_role("button", name="Add something").click()
        await tab.page.get_by_label("What to find out").nth(1).fill("What was the quay of Altmere built of?")
        await tab.page.get_by_role("button", name="Remove task: How deep").click()
        await tab.page.get_by_role("button", name="Go").click()
        assert "built of oak" in await tab.report()
        await expect(tab.page.get_by_label("What to find out")).to_have_count(0)
    assert tab.troubles == []


async def test_asking_on_keeps_the_subject_and_history_finds_and_compares(
    serving: Serving, files: Path, tab: Tab
) -> None:
    async with serving(db=[files]) as base:
        await tab.ask(base)
        await tab.report()
        await tab.page.get_by_label("Follow-up question").fill("Of what was its quay built?")
        await tab.page.get_by_role("button", name="Ask follow-up").click()
        await expect(tab.page).to_have_title(re.compile(r"^Of what was .*Altmere.* quay built\?"))
        await tab.report()
        await tab.page.get_by_role("link", name="Runs").click()
        await expect(tab.page.locator(".runs a")).to_have_count(2)
        for box in await tab.page.locator(".runs input").all():
            await box.check()
        await tab.page.get_by_role("button", name="Compare two").click()
        await expect(tab.page.locator("iframe")).to_have_count(2)
        for frame in await tab.page.locator("iframe").all():
            await expect(frame.content_frame.locator("body")).to_contain_text("What was searched")
        await tab.assert_everybody_can_use_it()
        await tab.page.go_back()
        await tab.page.get_by_label("Search the questions").fill("HOW DEEP")
        await expect(tab.page.locator(".runs a")).to_have_text([QUESTION])
    assert tab.troubles == []


async def test_a_run_goes_on_while_nobody_looks_and_can_be_stopped(
    serving: Serving, files: Path, tab: Tab, search_server: SearchServer
) -> None:
    search_server.script(Fault("hang"))
    async with serving(db=[files], web=True) as base:
        await tab.ask(base)
        await expect(tab.page.get_by_role("status")).to_have_text("running")
        await tab.assert_everybody_can_use_it()
        await tab.page.goto("about:blank")
        await tab.page.go_back()
        await tab.page.get_by_role("button", name="Stop").click()
        await expect(tab.page.get_by_role("status")).to_have_text("stopped")
        assert "stopped before it finished" in await tab.report()
    assert (tab.troubles, tab.foreign) == ([], [])


async def test_files_are_put_in_read_and_asked_about(serving: Serving, tab: Tab) -> None:
    async with serving(retrieval__dense=False) as base:
        await tab.page.goto(f"{base}/#collections")
        await tab.page.get_by_label("New collection").fill("Harbour papers")
        await tab.page.get_by_role("button", name="Create").click()
        documents = [
            {"name": "depth.md", "mimeType": "text/markdown", "buffer": f"# Depth\n\n{DEPTH}\n".encode()},
            {"name": "cut.pdf", "mimeType": "application/pdf", "buffer": b"%PDF-1.7\n and no more"},
            {"name": "song.mp3", "mimeType": "audio/mpeg", "buffer": b"ID3\x04" + bytes(99)},
        ]
        await tab.page.get_by_label("Add documents here").set_input_files(documents)  # type: ignore[arg-type]
        await expect(tab.page.get_by_role("alert")).to_contain_text("song.mp3")
        rows = tab.page.get_by_label("Harbour papers").locator("li:has(.badge)")
        await expect(rows.filter(has_text="depth.md")).to_contain_text("ready")
        await expect(rows.filter(has_text="cut.pdf")).to_contain_text("no text found")
        await tab.page.get_by_role("button", name="Delete cut.pdf").click()
        await expect(rows).to_have_count(1)
        await tab.assert_everybody_can_use_it()
        await tab.page.get_by_role("link", name="Ask about these").click()
        await tab.page.get_by_label("Your question").fill(QUESTION)
        await tab.page.get_by_label("show me the plan").uncheck()
        await tab.page.get_by_label("Your question").press("Enter")
        assert DEPTH in await tab.report()
        await tab.page.get_by_label("Follow-up question").fill("How deep is it at low water?")
        await tab.page.get_by_role("button", name="Ask follow-up").click()
        await expect(tab.page).to_have_title(re.compile("^How deep is .* at low water"))
        assert DEPTH in await tab.report(), "it is looked for in the same files"
    assert tab.foreign == []
    assert [trouble for trouble in tab.troubles if "415" not in trouble] == []


async def test_at_the_cap_there_is_a_report_of_what_is_there(
    serving: Serving, files: Path, tab: Tab, search_server: SearchServer
) -> None:
    async with serving(db=[files], web=True) as base:
        await tab.ask(base)
        assert DEPTH in await tab.report(), "so a slow machine, too, has loaded what a first run needs"
        search_server.script(Fault("hang"))
        await tab.page.goto(base)
        await tab.page.get_by_label("Your question").fill("What depth does the Altmere harbour basin have?")
        await tab.page.get_by_label("minutes").fill("0.3")
        await tab.page.get_by_label("show me the plan").uncheck()
        await tab.page.get_by_role("button", name="Ask", exact=True).click()
        told = await tab.report()
        assert DEPTH in told
        assert "time" in told.lower()
        await expect(tab.page.get_by_role("status")).to_have_text("incomplete")
    assert (tab.troubles, tab.foreign) == ([], [])


async def test_a_plan_that_another_window_has_approved_is_carried_out_in_both(
    serving: Serving, files: Path, tab: Tab
) -> None:
    async with serving(db=[files]) as base:
        await tab.ask(base, plan=True)
        await tab.page.get_by_role("button", name="Go").wait_for()
        other = await tab.page.context.new_page()
        await other.goto(tab.page.url)
        await other.get_by_role("button", name="Go").click()
        await other.frame_locator("iframe").locator("body").wait_for()
        with contextlib.suppress(PageError):  # unless this one has seen by itself that it goes on
            await tab.page.get_by_role("button", name="Go").click(timeout=500)
        assert DEPTH in await tab.report()


class Line:
    """A connection to the service that can be cut."""

    def __init__(self, base: str) -> None:
        self._port = int(base.rpartition(":")[2])
        self._open = list[asyncio.StreamWriter]()

    async def carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Carry what comes, both ways."""
        theirs, ours = await asyncio.open_connection("127.0.0.1", self._port)
        self._open += [writer, ours]
        await asyncio.gather(self._copy(reader, ours), self._copy(theirs, writer))

    async def _copy(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            while piece := await reader.read(65_536):
                writer.write(piece)
                await writer.drain()
        writer.close()

    def cut(self) -> None:
        """Cut whatever is under way."""
        for writer in self._open:
            writer.transport.abort()


async def test_a_line_that_is_cut_in_mid_run_and_a_reload_lose_nothing(
    serving: Serving, files: Path, tab: Tab, search_server: SearchServer
) -> None:
    search_server.script(Fault("hang"))
    async with serving(db=[files], web=True) as base:
        line = Line(base)
        relay = await asyncio.start_server(line.carry, "127.0.0.1", 0)
        async with relay:
            await tab.ask(f"http://127.0.0.1:{relay.sockets[0].getsockname()[1]}")
            await expect(tab.page.get_by_role("status")).to_have_text("running")
            line.cut()
            await tab.page.reload()
            await tab.page.locator("summary", has_text="Steps of the run").click()
            await expect(tab.page.locator(".steps")).to_contain_text("Read 1 files")
            line.cut()
            await tab.page.get_by_role("button", name="Stop").click()
            assert "stopped before it finished" in await tab.report()
            steps = await tab.page.locator(".steps li").all_text_contents()
            assert len(steps) == len({*steps}), "no event is shown twice"
            line.cut()


async def test_the_keyboard_alone_leads_from_the_question_to_a_quote(serving: Serving, files: Path, tab: Tab) -> None:
    async def reach(name: str) -> None:
        for _ in range(60):
            if name == await tab.page.evaluate(
                "(document.activeElement.labels?.[0] ?? document.activeElement).textContent.trim()"
            ):
                return
            await tab.page.keyboard.press("Tab")
        raise AssertionError(f"{name} cannot be reached")

    async with serving(db=[files]) as base:
        await tab.page.goto(base)
        await expect(tab.page.get_by_label("Your question")).to_be_focused()
        await tab.page.keyboard.type(QUESTION)
        await tab.page.keyboard.press("Enter")
        await tab.page.get_by_role("button", name="Go").wait_for()
        await reach("Go")
        await tab.page.keyboard.press("Enter")
        assert DEPTH in await tab.report()
        await reach("Follow-up question")
        await tab.page.keyboard.type("Of what was its quay built?")
        await tab.page.keyboard.press("Enter")
        await expect(tab.page).to_have_title(re.compile("quay built"))
        assert "built of oak" in await tab.report()
    assert tab.troubles == []


DATED = """<!doctype html><html lang="en"><title>{title}</title>
<meta property="article:published_time" content="{published}"><article><h1>{title}</h1><p>{said}</p></article></html>"""


async def test_when_sources_were_published_and_how_many_sentences_hold_are_pictures(
    serving: Serving, search_server: SearchServer, web_server: WebServer, tab: Tab
) -> None:
    says = {
        "1998-05-03": DEPTH,
        "1998-05-20": "The basin of the Altmere harbour is dredged in spring.",
        "2023-02-14": "The basin of the Altmere harbour is deep enough for ships.",
    }
    finds(
        search_server,
        *(
            web_server.put(
                f"/{published}", DATED.format(title=f"Of {published}", published=published, said=f"{said} {FILLER}")
            )
            for published, said in says.items()
        ),
    )
    async with serving(web=True) as base:
        await tab.ask(base)
        bar, line = tab.page.locator("figure").first, tab.page.locator("figure").last
        await expect(line).to_contain_text("3 sources, published 1998-05-03 to 2023-02-14")
        await expect(bar).to_contain_text(re.compile(r"Sentences: \d+ supported"))
        assert await line.locator("circle[data-state=cited]").count() >= 1
        for width in (1000, 360):
            await tab.page.set_viewport_size({"width": width, "height": 800})
            dots = [await dot.bounding_box() for dot in await line.locator("circle").all()]
            (first, second, third) = filter(None, dots)
            assert abs(first["y"] - second["y"]) >= first["height"] - 1, "no dot hides another"
            assert third["x"] - first["x"] > width / 2
            assert {round(dot["width"]) for dot in (first, second, third)} == {16}, "as large on a phone"
            await tab.assert_everybody_can_use_it()
    assert (tab.troubles, tab.foreign) == ([], [])


async def test_each_sentence_of_a_text_is_marked(serving: Serving, files: Path, tab: Tab) -> None:
    async with serving(db=[files], web=False) as base:
        await tab.page.goto(f"{base}/#check")
        await tab.page.get_by_label("The text").fill(f"{DEPTH} Its quay was built by Napoleon in 1805.")
        await tab.page.get_by_role("button", name="Check").click()
        marks = tab.page.locator(".claims li")
        await expect(marks).to_have_count(2)
        assert [await mark.get_attribute("data-state") for mark in await marks.all()] == ["supported", "unsupported"]
        await expect(marks.first).to_contain_text("harbour.md")
    assert tab.troubles == []


async def test_a_service_with_a_token_asks_for_it_once(serving: Serving, files: Path, tab: Tab) -> None:
    async with serving(db=[files], serve__token=SecretStr(TOKEN)) as base:
        await tab.page.goto(base)
        await tab.page.get_by_label("Token").fill("another token of some length")
        await tab.page.get_by_role("button", name="Enter").click()
        await expect(tab.page.get_by_role("alert")).to_contain_text("token is not valid")
        await tab.page.get_by_label("Token").fill(TOKEN)
        await tab.page.get_by_role("button", name="Enter").click()
        await tab.page.get_by_label("Your question").wait_for()
        assert await tab.page.evaluate("document.cookie") == "", "no script can read it"
        await tab.page.reload()
        await tab.page.get_by_label("Your question").wait_for()


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_everybody_can_use_it_on_a_phone_too(serving: Serving, files: Path, tab: Tab, scheme: Any) -> None:
    await tab.page.emulate_media(color_scheme=scheme)
    await tab.page.set_viewport_size({"width": 360, "height": 640})
    async with serving(db=[files]) as base:
        await tab.ask(base, plan=True)
        await tab.page.get_by_label("What to find out").wait_for()
        run = tab.page.url
        for address in (base, f"{base}/#check", f"{base}/#runs", run):
            await tab.page.goto("about:blank")
            await tab.page.goto(address)
            await tab.page.locator("main :is(textarea, input)").first.wait_for()
            await tab.assert_everybody_can_use_it()


async def test_the_answer_is_on_the_first_screen_of_a_laptop_and_of_a_phone(
    serving: Serving, files: Path, tab: Tab
) -> None:
    async with serving(db=[files]) as base:
        await tab.ask(base)
        await tab.report()
        for width, height in ((1280, 720), (360, 640)):
            await tab.page.set_viewport_size({"width": width, "height": height})
            await tab.page.reload()
            await tab.report()
            assert await tab.shows(DEPTH), f"at {width} by {height}"
            await tab.assert_everybody_can_use_it()


async def test_what_a_source_says_is_never_markup(serving: Serving, tmp_path: Path, tab: Tab) -> None:
    (tmp_path / "evil").mkdir()
    title = "<img src=x onerror=document.title='owned'>"
    (tmp_path / "evil" / "a.md").write_text(f"# {title} harbour\n\nThe Altmere harbour basin is {title} deep.\n")
    async with serving(db=[tmp_path / "evil"]) as base:
        await tab.ask(base, f"How deep is the Altmere harbour basin {title}?")
        await tab.page.locator("iframe").wait_for()
        await tab.page.locator("summary").last.click()
        assert await tab.page.evaluate("document.querySelectorAll('img').length") == 0
        assert "owned" not in (await tab.page.title()).split("document")[0]
    assert tab.foreign == []


async def test_its_files_are_a_page_and_nothing_that_could_run_elsewhere() -> None:
    for name, content in FILES.items():
        text = content.decode()
        assert not re.search(
            r"(?:src|href)=\"(?:https?:)?//|innerHTML|insertAdjacentHTML|document\.write|eval\(", text
        ), name


async def test_the_answers_of_the_page_are_there_for_any_client(serving: Serving, files: Path) -> None:
    async with serving(db=[files], web=False) as base, aiohttp.ClientSession() as session:
        async with session.get(base) as response:
            assert "script-src 'self'" in response.headers["Content-Security-Policy"]
        async with session.get(f"{base}/page/..%2Fapp.py") as response:
            assert response.status == 404
        async with session.post(f"{base}/check", json={"text": DEPTH}) as response:
            checked = await response.json()
        assert checked["counts"]["supported"] == 1
        assert checked["claims"][0]["quote"]["text"] == DEPTH
        async with session.post(f"{base}/check", json={"text": DEPTH, "web": True}) as response:
            assert (response.status, "does not search the web" in await response.text()) == (422, True)
        async with session.post(f"{base}/runs", json={"q": QUESTION, "files": False}) as response:
            assert response.status == 422, "there is nothing else to search"
        async with session.post(f"{base}/runs", json={"q": QUESTION}) as response:
            run = f"{base}/runs/{(await response.json())['id']}"
        async with asyncio.timeout(120):
            while True:
                async with session.get(run) as response:
                    if (await response.json())["outcome"] == "complete":
                        break
                await asyncio.sleep(0.2)
        async with session.get(f"{run}/evidence") as response:
            evidence = await response.json()
        assert evidence["counts"]["supported"] == len(evidence["claims"]) > 0
        assert DEPTH in [quote["text"] for claim in evidence["claims"] for quote in claim["quotes"]]
        assert "harbour.md" in json.dumps(evidence["sources"])
