"""A report as PDF: its page, printed by a browser that reaches nothing."""

import asyncio
from typing import TYPE_CHECKING, Final

from ..fetch.browser import available
from ..fetch.chromium import Chromium, to_the_end
from ..fetch.enclosure import Enclosure
from ..fetch.reading import error_type
from ..kernel.errors import BrowserError
from ..net.filter_proxy import FilterProxy, Visit
from ..net.guard import Guard
from .html import html

if TYPE_CHECKING:
    from ..kernel.settings import Settings
    from ..report.report import Report

DEADLINE: Final = 120.0
"""Seconds that starting a browser and printing may take together."""


async def pdf(report: "Report", settings: "Settings") -> bytes:
    """Return the report's page as a tagged PDF with an outline, and with page numbers and the title at its foot.

    A browser is started for it, without a network, and ended. Raises BrowserError when there is none or it failed.
    """
    if missing := available(settings):
        raise BrowserError("A PDF is printed by a browser, and there is none", remedy=missing)
    page = await asyncio.to_thread(html, report)
    async with Enclosure() as enclosure, FilterProxy(enclosure.listener) as proxy:
        chromium: Chromium | None = None
        try:
            async with asyncio.timeout(DEADLINE):
                chromium = await Chromium.start(settings, proxy.url, enclosure, 1)
                with proxy.visit(Guard(settings), settings) as visit:
                    return await _printed(chromium, page, proxy.url, visit, settings.network.user_agent)
        except TimeoutError as error:
            raise BrowserError(f"The browser has not printed the report within {DEADLINE:g} s") from error
        except error_type() as error:
            raise BrowserError(f"The browser failed to print: {str(error).splitlines()[0]}") from error
        finally:
            if chromium is not None:
                await to_the_end(chromium.close())


async def _printed(chromium: Chromium, page: str, proxy: str, visit: Visit, user_agent: str) -> bytes:
    window = await chromium.open(proxy, visit, user_agent)
    await window.set_offline(True)
    tab = await window.new_page()
    await tab.set_content(page, timeout=DEADLINE * 1000)
    # Whatever time it takes, the deadline of the whole bounds it.
    return await tab.pdf(prefer_css_page_size=True, print_background=True, tagged=True, outline=True)
