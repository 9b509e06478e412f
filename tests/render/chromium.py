"""A page in a real browser: what it asks for, what it complains of."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from spyglass.fetch.chromium import Chromium
from spyglass.fetch.enclosure import Enclosure
from spyglass.kernel.settings import Settings
from spyglass.net.filter_proxy import FilterProxy
from spyglass.net.guard import Guard

if TYPE_CHECKING:
    from playwright.async_api import Page


@dataclass
class Opened:
    """A tab with a page of ours: the addresses that it asked for beside its own, and what its console said."""

    tab: "Page"
    requests: list[str] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)


@asynccontextmanager
async def opened(path: Path) -> AsyncIterator[Opened]:
    """Open a file in a window of 1280 by 900 pixels."""
    settings = Settings()
    async with Enclosure() as enclosure, FilterProxy(enclosure.listener) as proxy:
        chromium = await Chromium.start(settings, proxy.url, enclosure, 1)
        try:
            with proxy.visit(Guard(settings), settings) as visit:
                window = await chromium.open(proxy.url, visit, settings.network.user_agent)
                page = Opened(await window.new_page())
                page.tab.on("request", lambda request: page.requests.append(request.url))
                page.tab.on("console", lambda message: page.messages.append(message.text))
                page.tab.on("pageerror", lambda error: page.messages.append(str(error)))
                await page.tab.set_viewport_size({"width": 1280, "height": 900})
                await page.tab.goto(path.as_uri())
                page.requests.remove(path.as_uri())
                yield page
        finally:
            await chromium.close()
