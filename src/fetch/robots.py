"""robots.txt (RFC 9309): what a site asks robots not to read, and how fast to read the rest."""

import asyncio
import re
from typing import Final
from urllib.parse import urlsplit

from ..kernel.errors import FetchError, PageTooLargeError, RobotsError
from ..kernel.notice import Notice
from ..kernel.run import Run
from ..kernel.settings import Settings
from ..net import client_of

LARGEST: Final = 512_000  # bytes of a robots.txt that are read; the RFC asks for at least 500 kibibytes
REDIRECTS: Final = 5  # redirects on the way to a robots.txt that the RFC asks to follow
_PRODUCT = re.compile(r"(?:.*?compatible;\s*)?([A-Za-z_-]+)")


async def pause_asked(run: Run, url: str, settings: Settings) -> float:
    """Return the seconds that the page's host asks robots to leave between two pages, 0 when it asks for nothing.

    Reads the host's robots.txt, once a run. Raises RobotsError when that forbids the page, or cannot be read because
    of the server: then the RFC has it that everything is forbidden. A host without one forbids nothing.
    """
    parts = urlsplit(url)
    place = f"{parts.scheme}://{parts.netloc}/robots.txt"
    request = {"url": place, "user_agent": settings.network.user_agent}
    text = await run.effect("robots", request, lambda: _read(run, place, settings))
    robot = product(settings.network.user_agent)
    pause = await asyncio.to_thread(_judge, text, url, robot)
    if pause is None:
        remedy = Notice("read_it_all_the_same")
        raise RobotsError(Notice("robots_forbid_it", robot=robot), where=url, remedy=remedy)
    return pause


def product(user_agent: str) -> str:
    """Return the name by which robots.txt calls a robot: "Spyglass" of `Mozilla/5.0 (compatible; Spyglass/0.1)`."""
    found = _PRODUCT.match(user_agent)
    return found[1] if found else user_agent


async def _read(run: Run, place: str, settings: Settings) -> str:
    client = await client_of(run, settings)
    try:
        response = await client.request(
            "GET",
            place,
            max_bytes=LARGEST,
            connect_deadline=settings.network.connect_deadline,
            read_deadline=settings.network.read_deadline,
            total_deadline=settings.fetch.page_deadline,
            max_redirects=REDIRECTS,
        )
    except PageTooLargeError:
        return ""  # nobody writes rules of that length: it is some other page, served for every address
    except FetchError as error:
        raise RobotsError(Notice("robots_unreadable", why=error.bare), where=place) from error
    if response.status >= 500:
        why = Notice("server_in_trouble", status=response.status)
        raise RobotsError(Notice("robots_unreadable", why=why), where=place)
    return response.body.decode("utf-8", "replace") if response.status < 300 else ""


def _judge(text: str, url: str, robot: str) -> float | None:
    from protego import Protego

    rules = Protego.parse(text)
    return (rules.crawl_delay(robot) or 0.0) if rules.can_fetch(url, robot) else None
