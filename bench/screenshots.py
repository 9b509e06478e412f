"""The pictures of the guides, made anew: `python bench/screenshots.py [docs/pictures]`, or `make screenshots`.

A real service over the documents that ship, in Debian's Chromium; nothing leaves this machine.
"""

import asyncio
import shutil
import sys
import tempfile
from pathlib import Path

from playwright.async_api import Page, async_playwright, expect

from service import served

ROOT = Path(__file__).parents[1]
QUESTION = "How did the telescope develop, and how should a lens be cleaned?"
TEXT = (
    "A lens should be cleaned seldom. Household glass cleaner contains no ammonia. Fungus grows on glass at 65 percent."
)
WIDTH, HEIGHT = 900, 640


async def plan(page: Page, url: str, folder: Path) -> None:
    """Ask, and show the plan before it is followed."""
    await page.goto(url)
    await page.get_by_label("Your question").fill(QUESTION)
    await page.get_by_label("show me the plan").set_checked(True)
    await page.get_by_label("Your question").press("Enter")
    await page.get_by_label("What to find out").first.wait_for()
    await page.screenshot(path=folder / "plan.png")
    await page.get_by_role("button", name="Go").click()


async def report(page: Page, folder: Path) -> None:
    """Show the report with the quote behind its first number."""
    frame = page.frame_locator("iframe")
    await expect(frame.locator("body")).to_contain_text("What was searched")
    await frame.locator("button.marker").first.click()
    await page.mouse.wheel(0, 200)
    await page.wait_for_timeout(500)
    await page.screenshot(path=folder / "report.png")


async def check(page: Page, url: str, folder: Path) -> None:
    """Show a text whose sentences are marked."""
    await page.goto(f"{url}/#check")
    await page.get_by_label("The text").fill(TEXT)
    await page.get_by_role("button", name="Check").click()
    await page.locator(".claims li").last.scroll_into_view_if_needed()
    await page.screenshot(path=folder / "check.png")


async def photograph(url: str, folder: Path) -> None:
    """Take all pictures."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=shutil.which("chromium"), chromium_sandbox=False)
        page = await browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
        page.set_default_timeout(120_000)
        await plan(page, url, folder)
        await report(page, folder)
        await check(page, url, folder)
        await browser.close()


def main() -> None:
    """Serve, and take the pictures."""
    expect.set_options(timeout=120_000)
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "docs/pictures")
    given = {"db": [str(ROOT / "local_files")], "web": False}
    with tempfile.TemporaryDirectory() as data, served(Path(data), given) as (url, _):
        asyncio.run(photograph(url, folder))


if __name__ == "__main__":
    main()
