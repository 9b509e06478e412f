"""robots.txt (RFC 9309): the pages that a site forbids to robots, and the delay that it demands between requests."""

import asyncio
import re
from typing import Final
from urllib.parse import urlsplit

from ..kernel.errors import FetchError, PageTooLargeError, RobotsError
from ..kernel.notice import Notice
from ..kernel.run import Run
from ..kernel.settings import Settings
from ..net import client_of

LARGEST: Final = 512_000  # bytes of a robots.txt that are read; the RFC requires at least 500 kibibytes
REDIRECTS: Final = 5  # redirects to a robots.txt that are followed, by the RFC
_PRODUCT = re.compile(r"(?:.*?compatible;\s*)?([A-Za-z_-]+)")


async def pause_of_host(run: Run, url: str, settings: Settings) -> float:
    """Return the seconds that the page's host demands between two requests of a robot, 0 if it demands nothing.

    Reads the host's robots.txt once per run. Raises RobotsError if it forbids the page, or if the server fails to
    return it, which by the RFC forbids everything. A host without robots.txt forbids nothing.
    """
    parts = urlsplit(url)
    address = f"{parts.scheme}://{parts.netloc}/robots.txt"
    request = {"url": address, "user_agent": settings.network.user_agent}
    text = await run.effect("robots", request, lambda: _read(run, address, settings))
    robot = product(settings.network.user_agent)
    pause = await asyncio.to_thread(_judge, text, url, robot)
    if pause is None:
        remedy = Notice("read_it_all_the_same")
        raise RobotsError(Notice("robots_forbid_it", robot=robot), where=url, remedy=remedy)
    return pause


def product(user_agent: str) -> str:
    """Return a robot's name for robots.txt: "Spyglass" for `Mozilla/5.0 (compatible; Spyglass/0.1)`."""
    match = _PRODUCT.match(user_agent)
    return match[1] if match else user_agent


async def _read(run: Run, address: str, settings: Settings) -> str:
    client = await client_of(run, settings)
    try:
        response = await client.request(
            "GET",
            address,
            max_bytes=LARGEST,
            connect_deadline=settings.network.connect_deadline,
            read_deadline=settings.network.read_deadline,
            total_deadline=settings.fetch.page_deadline,
            max_redirects=REDIRECTS,
        )
    except PageTooLargeError:
        return ""  # no rules are that long: it is another page, served for every address
    except FetchError as error:
        raise RobotsError(Notice("robots_unreadable", why=error.bare_message), where=address) from error
    if response.status >= 500:
        reason = Notice("server_in_trouble", status=response.status)
        raise RobotsError(Notice("robots_unreadable", why=reason), where=address)
    return response.body.decode("utf-8", "replace") if response.status < 300 else ""


def _judge(text: str, url: str, robot: str) -> float | None:
    from protego import Protego

    rules = Protego.parse(text)
    return (rules.crawl_delay(robot) or 0.0) if rules.can_fetch(url, robot) else None
