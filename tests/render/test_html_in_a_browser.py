"""The page in a real browser: offline, by pointer, touch and key, for everybody."""

import asyncio
import itertools
from pathlib import Path
from typing import Any, Literal

import pytest
from axe_playwright_python.async_playwright import Axe

from render.chromium import opened
from report.sample import sample
from spyglass.render.html import html

pytestmark = pytest.mark.browser

BOXES = """(async () => {
    const boxes = [];
    for (const button of document.querySelectorAll(".cite > button")) {
        button.scrollIntoView({block: "nearest"});
        button.click();
        await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
        const {left, top, right, bottom} = document.querySelector(":popover-open .sheet").getBoundingClientRect();
        boxes.push([left, top, right, bottom]);
    }
    return boxes;
})()"""
"""Opens one card after the other, and says where on the window each is."""


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "report.html"
    path.write_text(html(sample()), encoding="utf-8")
    return path


SHOWN = "[...document.querySelectorAll('.card')].filter(card => card.checkVisibility({visibilityProperty: true}))"


async def shown(tab: Any) -> list[str]:
    """Return the ids of the cards that are to be seen."""
    return list(await tab.evaluate(f"{SHOWN}.map(card => card.id)"))


async def comes(tab: Any, cards: list[str]) -> bool:
    """Wait until these cards are to be seen; a pointer that rests has to wait for a moment."""
    for _ in range(1_200):
        if await shown(tab) == cards:
            return True
        await asyncio.sleep(0.05)
    return False


async def test_it_asks_for_nothing_and_breaks_no_policy(page: Path) -> None:
    async with opened(page) as at:
        for summary in await at.tab.locator("summary").all():
            await summary.click()
        await at.tab.locator(".marker").first.click()
        assert await at.tab.evaluate("getComputedStyle(document.querySelector('.banner')).color") == "rgb(122, 74, 0)"
        assert (at.requests, at.messages) == ([], [])


async def test_a_card_opens_by_pointer_and_by_key_and_closes_again(page: Path) -> None:
    async with opened(page) as at:
        marker = at.tab.locator(".marker").nth(2)
        assert await shown(at.tab) == []
        await marker.hover()
        assert await comes(at.tab, ["c3"])
        await at.tab.mouse.move(2, 2)
        assert await comes(at.tab, [])
        await marker.focus()
        await at.tab.keyboard.press("Enter")
        assert await shown(at.tab) == ["c3"]
        await at.tab.keyboard.press("Tab")
        await at.tab.keyboard.press("Tab")
        assert await at.tab.evaluate("document.activeElement.closest('.card').id") == "c3"
        await at.tab.keyboard.press("Escape")
        assert await shown(at.tab) == []
        assert await at.tab.evaluate("document.activeElement.className") == "marker"


async def test_why_a_sentence_is_marked_opens_too(page: Path) -> None:
    async with opened(page) as at:
        await at.tab.locator("button.flag").first.click()
        (card,) = await shown(at.tab)
        assert "This part is not supported: “paid out within a month”." in await at.tab.inner_text(f"#{card}")


@pytest.mark.slow
async def test_no_card_leaves_the_window_and_the_page_is_not_wider_than_it(page: Path) -> None:
    async with opened(page) as at:
        await at.tab.emulate_media(reduced_motion="reduce")  # else it is still scrolling when the card is measured
        for width, height in ((360, 640), (640, 360), (1280, 900)):
            await at.tab.set_viewport_size({"width": width, "height": height})
            assert await at.tab.evaluate("document.documentElement.scrollWidth") <= width
            boxes = await at.tab.evaluate(BOXES)
            assert len(boxes) == 22
            for left, top, right, bottom in boxes:
                assert 0 <= left < right <= width
                assert 0 <= top < bottom <= height


@pytest.mark.slow
async def test_nothing_stands_in_the_way_of_those_who_see_or_move_otherwise(page: Path) -> None:
    async with opened(page) as at:
        for summary in await at.tab.locator("summary").all():
            await summary.click()
        schemes: tuple[Literal["light", "dark"], ...] = ("light", "dark")
        for width, scheme in itertools.product((1280, 390), schemes):
            await at.tab.set_viewport_size({"width": width, "height": 900})
            await at.tab.emulate_media(color_scheme=scheme)
            await at.tab.locator(".marker").nth(1).click()
            found = await Axe().run(at.tab)
            assert found.violations_count == 0, found.generate_report()
            assert len(found.response["passes"]) > 30
            await at.tab.keyboard.press("Escape")


async def test_print_shows_the_folded_parts_and_no_cards(page: Path) -> None:
    async with opened(page) as at:
        await at.tab.locator(".marker").first.click()
        await at.tab.emulate_media(media="print")
        assert await shown(at.tab) == []
        assert await at.tab.locator(".gone").first.is_visible()
        assert not await at.tab.locator("nav").is_visible()
