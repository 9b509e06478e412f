"""Links land on the sentence: what they say, and where a real browser goes with them."""

import html
import re
import shutil
from collections.abc import AsyncIterator
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from playwright.async_api import Page, async_playwright

from loopback import WebServer
from spyglass.documents.html.reader import read_html
from spyglass.render.fragment import LinkTarget

APART = 3000
"""Pixels between the beginnings of two blocks of a test's page; a browser has far fewer in view."""


def to(text: str, quote: str, url: str = "https://example.org/a", *, last: bool = False) -> str:
    start = text.rindex(quote) if last else text.index(quote)
    return LinkTarget(text).link(start, start + len(quote), url)


def said(address: str) -> str:
    """Return what an address tells the browser to look for, readable."""
    return unquote(address.partition(":~:text=")[2])


def test_a_short_quote_is_told_as_a_whole() -> None:
    text = "# Bees\n\nThey dance. Foragers tell where flowers are.\n"
    assert to(text, "Foragers tell where flowers are.") == (
        "https://example.org/a#:~:text=Foragers%20tell%20where%20flowers%20are."
    )


def test_a_long_quote_is_told_by_its_first_and_last_words() -> None:
    quote = "The honey bee, " + "which lives in colonies of many thousands of workers, " * 3 + "sleeps in winter."
    assert said(to(f"Before. {quote} After.", quote)) == (
        "The honey bee, which lives in,thousands of workers, sleeps in winter."
    )


def test_what_means_something_in_a_directive_is_escaped() -> None:
    quote = "Peas, beans & rye-bread: 50 %?"
    assert to(quote, quote).endswith("#:~:text=Peas%2C%20beans%20%26%20rye%2Dbread%3A%2050%20%25%3F")


@pytest.mark.parametrize(
    ("url", "begin"),
    [
        ("https://a.org/x#part", "https://a.org/x#part:~:text="),
        ("https://a.org/x#part:~:text=old", "https://a.org/x#part:~:text="),
        ("https://a.org/x?q=1#", "https://a.org/x?q=1#:~:text="),
    ],
)
def test_a_fragment_stays_and_a_directive_does_not(url: str, begin: str) -> None:
    assert to("Bees dance in the dark.", "Bees dance in the dark.", url).startswith(begin)


@pytest.mark.parametrize("url", ["file:notes.md", "javascript:alert(1)", "", "ftp://a.org/x"])
def test_only_web_addresses_get_a_directive(url: str) -> None:
    assert to("Bees dance in the dark.", "Bees dance in the dark.", url) == url


def test_a_quote_without_words_leads_to_the_page() -> None:
    assert to("Bees. *** Wasps.", "***") == "https://example.org/a"


def test_words_that_the_span_cuts_are_left_out() -> None:
    assert said(to("Beekeepers keep bees in hives.", "keepers keep bees in hi")) == "keep bees in"


def test_marks_that_may_be_markup_or_meant_are_avoided() -> None:
    assert said(to("A **bold** claim that stands in the middle.", "A **bold** claim that stands in the middle.")) == (
        "claim that stands in the middle."
    )
    quote = "See [the list of installers](https://agency.example/x) before you sign any contract."
    assert said(to(quote, quote)) == "before you sign any contract."


def test_the_word_of_a_table_row_that_is_alone_on_the_page_is_enough() -> None:
    table = "| Hive | Frames |\n| --- | --- |\n| Langstroth hive | 10 |\n| Dadant-Blatt hive | 10 |\n"
    assert said(to(table, "| Dadant-Blatt hive | 10 |")) == "Dadant-Blatt hive"


def test_a_row_of_numbers_is_told_by_its_neighbours() -> None:
    table = "| a | b |\n| --- | --- |\n| 1 | 2 |\n| 3 | 2 |\n| 3 | 4 |\n"
    assert said(to(table, "| 3 | 4 |")) == "3,-4"


@given(st.text(max_size=80), st.integers(0, 80), st.integers(0, 80))
def test_any_text_makes_an_address_of_plain_characters(text: str, one: int, other: int) -> None:
    start, end = sorted((min(one, len(text)), min(other, len(text))))
    address = LinkTarget(text).link(start, end, "https://a.org/x")
    assert address.isascii()
    assert re.fullmatch(r"(?:[\w.~%]+-,)?[\w.~%]+(?:,[\w.~%]+)?(?:,-[\w.~%]+)?|", address.partition(":~:text=")[2])


def test_a_million_characters_are_linked_into_where_they_have_words() -> None:
    linked = {
        "word ": "word word",
        "x": "",
        "蜂": "蜂蜂",
        "*_`[": "",
        "| a ": "a,a",
        "same one.\n": "same one.,same one.",
    }
    for piece, words in linked.items():
        target = LinkTarget(piece * (1_000_000 // len(piece)))
        for start in (0, 500_000, 999_600):
            to_it = said(target.link(start, start + 400, "https://a.org/x"))
            assert to_it.startswith(words) if words else not to_it, piece


@pytest.fixture
async def tab() -> AsyncIterator[Page]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=shutil.which("chromium"), chromium_sandbox=False)
        yield await browser.new_page(viewport={"width": 800, "height": 600})
        await browser.close()


class Place:
    """A page of blocks far apart, as our reader and as Chromium see it."""

    def __init__(self, server: WebServer, tab: Page, *blocks: str) -> None:
        body = "".join(f'<div style="height: {APART}px">{block}</div>' for block in blocks)
        self.url = server.put("/far", f"<title>Far</title><body style='margin: 0'><main>{body}</main>")
        self.text = read_html(f"<main>{''.join(blocks)}</main>".encode(), self.url, "text/html; charset=utf-8").text
        self._target = LinkTarget(self.text)
        self._tab = tab

    async def lands(self, start: int, end: int) -> int | None:
        """Return the number of the block that Chromium shows for a span of the text."""
        await self._tab.goto("about:blank")
        await self._tab.goto(self._target.link(start, end, self.url))
        top = int(await self._tab.evaluate("window.scrollY"))
        return (top + 300) // APART if top else None

    async def finds(self, quote: str, *, at: int = 0) -> int | None:
        start = self.text.index(quote)
        for _ in range(at):
            start = self.text.index(quote, start + 1)
        return await self.lands(start, start + len(quote))


@pytest.mark.browser
async def test_chromium_lands_on_each_of_fifty_equal_sentences(web_server: WebServer, tab: Page) -> None:
    same = "The quick bee jumps over the lazy wasp."
    names = [f"{one} {other}" for one in ("red", "blue", "grey", "pale", "dark") for other in "abcdefghij"]
    page = Place(web_server, tab, "<p>Begin.</p>", *(f"<p>About {name} ones. {same} So they do.</p>" for name in names))
    assert page.text.count(same) == 50
    assert [await page.finds(same, at=number) for number in (0, 7, 23, 49)] == [1, 8, 24, 50]


@pytest.mark.browser
async def test_chromium_finds_words_wherever_they_stand(web_server: WebServer, tab: Page) -> None:
    line = (
        "<p>Bees <b>dance</b> in\n the <a href='/x'>dark</a> <code>hive</code> &amp; on it, 10<sup>6</sup> times.</p>"
    )
    rows = "<tr><td>Layens</td><td>20</td></tr><tr><td>Warre</td><td>20</td></tr>"
    table = f"<table><tr><th>Hive</th><th>Frames</th></tr>{rows}</table>"
    items = "<ol><li>Open the hive.</li><li>Take a frame out.</li><li>Open the hive.</li></ol>"
    code = "<pre>bees = 1\nwasps   = bees + 41\nprint(bees,   wasps)</pre>"
    chapters = [f"<h2>Chapter {name}</h2><p>It is cold.</p>" for name in ("one", "two", "three")]
    page = Place(web_server, tab, "<p>Bees dance.</p>", line, table, items, code, *chapters)
    assert await page.finds("Bees dance in the dark hive & on it, 10⁶ times.") == 1
    assert await page.finds("| Warre | 20 |") == 2
    assert await page.finds("Take a frame out.") == 3
    assert await page.finds("Open the hive.", at=1) == 3
    assert await page.finds("wasps   = bees + 41\nprint(bees,   wasps)") == 4
    assert [await page.finds("It is cold.", at=number) for number in range(3)] == [5, 6, 7]


QUOTES = [
    "寒冷地向けのヒートポンプは、外気温がマイナス25度でも暖房能力を維持します。",
    "研究表明蜜蜂通过舞蹈告诉同伴花的方向和距离并且在黑暗的蜂巢里也能做到这一点因此它们被认为是非常聪明的昆虫并且研究者们"
    "已经观察了许多年而且仍然在继续观察它们的行为以便更好地理解这种现象背后的原因和机制。",
    "أظهرت دراسة أن المضخات الحرارية تعمل جيدا في البيوت القديمة عندما تبقى حرارة الماء دون 55 درجة.",
    "מחקר הראה כי הדבורים רוקדות בחושך, ולכן הן מוצאות את הפרחים.",
    "Cafe\u0301 nai\u0308ve Zoe\u0308 re\u0301sume\u0301: e\u0301te\u0301 a\u0300 la campagne.",
    "ผึ้งเต้นรำในความมืดเพื่อบอกทิศทางของดอกไม้",
    "꿀벌은 어둠 속에서 춤을 추어 꽃의 방향을 알려 줍니다.",
    "The emoji 🐝 and 👩‍🌾 stand here, don’t they – “yes”, at f(x) = -3.5 & x_1 < 2!",
]


@pytest.mark.browser
async def test_chromium_finds_a_quote_in_any_script(web_server: WebServer, tab: Page) -> None:
    blocks = [f"<p>Before it. {html.escape(quote, quote=False)} And after it.</p>" for quote in QUOTES]
    page = Place(web_server, tab, "<p>Something else stands here.</p>", *blocks)
    assert [await page.finds(quote) for quote in QUOTES] == [*range(1, len(QUOTES) + 1)]
