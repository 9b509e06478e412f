"""One Chromium process and the driver through which Playwright steers it, started and ended together."""

import asyncio
import importlib
import importlib.util
import os
import shutil
import tempfile
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

import platformdirs

from ..kernel import host
from ..kernel.ending import to_the_end
from ..kernel.errors import BrowserError
from ..kernel.notice import Notice

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext

    from ..kernel.settings import Settings
    from ..net import Visit
    from .enclosure import Enclosure

START_DEADLINE: Final = 30.0  # seconds in which a browser has to start
CLOSE_DEADLINE: Final = 5.0
"""Seconds that a page, the browser and the driver may each take to close before they are ended the hard way."""

LONGEST_FOLDER: Final = 40
"""Characters of the path of a temporary folder in which Chromium can keep its socket, of some hundred at most."""

NAMES: Final = ("chromium", "chromium-browser", "google-chrome")

FLAGS: Final = (
    # Past the proxy there is nobody. A name of mDNS becomes an address: the network would be asked for another name.
    "--host-resolver-rules=MAP *.local 192.0.2.1 , MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",  # its name until 2025
    "--disable-quic",
    "--dns-prefetch-disable",
    "--autofill-server-url=http://127.0.0.1:1/",  # else it tells Google of each form; to port 1 it never connects
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-dev-shm-usage",  # a container has 64 MB there
    "--disable-gpu",
    "--js-flags=--max-old-space-size=512",  # megabytes that a page's scripts may hoard
)
"""What Chromium is told besides what Playwright tells it."""

REMEDY: Final = Notice("install_chromium")
DENIED: Final = Notice("allow_namespaces")


def available(settings: "Settings") -> Notice | None:
    """Return None when pages can be rendered, which takes Playwright, else why not and how to mend it."""
    if importlib.util.find_spec("playwright") is None:
        remedy = Notice("install_with", command="pip install spyglass[browser]")
        return Notice("with_remedy", what=Notice("not_installed", what="Playwright"), remedy=remedy)
    return lacking(settings)


def remedy(enclosure: "Enclosure") -> Notice:
    """Return how to mend that a browser which is there did not start in an enclosure."""
    return DENIED if enclosure.missing and host.has_namespaces() and not host.is_root() else REMEDY


def lacking(settings: "Settings") -> Notice | None:
    """Return None when there is a browser, else why not and how to mend it."""
    if executable(settings) is not None:
        return None
    what = Notice("no_chromium")
    if settings.browser.chromium is not None:
        what = Notice("is_no_program", what=str(settings.browser.chromium))
    elif any(_shells()) or any(_downloads().glob("chromium-*")):
        return None
    return Notice("with_remedy", what=what, remedy=REMEDY)


def installed(settings: "Settings") -> str:
    """Return the path of a browser where `lacking` says that there is one."""
    whole = map(str, _downloads().glob("chromium-*/chrome-*/chrome*"))
    return executable(settings) or [*sorted(whole), *_shells()][-1]


class Chromium:
    """A running browser. Made by `start`, ended by `close`; `pages` counts those that are open."""

    def __init__(self, folder: Path, manager: Any, browser: "Browser", most: int) -> None:
        self.pages = 0
        self._folder = folder
        self._manager = manager
        self._browser = browser
        self._left = most
        self._closed = False

    @classmethod
    async def start(cls, settings: "Settings", proxy: str, enclosure: "Enclosure", most: int) -> Self:
        """Start the driver, and in the enclosure a browser for `most` pages that goes out by the proxy.

        Raises BrowserError.

        Cancelled, it ends what it has started: the driver when that is up, for Playwright forgets one whose start is
        cancelled, and the browser when that is up, or after CLOSE_DEADLINE: a driver that ends before leaves the
        folders that it has made.
        """
        api = await asyncio.to_thread(importlib.import_module, "playwright.async_api")
        manager = api.async_playwright()
        folder = temporary_folder()
        try:
            playwright = await to_the_end(manager.start())
            program = executable(settings) or downloaded(playwright.chromium.executable_path)
            options = launch_options(enclosure.entrance(program, folder), folder, proxy)
            launching = asyncio.ensure_future(playwright.chromium.launch(**options))
            giving_up = partial(asyncio.get_running_loop().call_later, CLOSE_DEADLINE, launching.cancel)
            browser = await to_the_end(launching, left=giving_up)
        except asyncio.CancelledError:
            await to_the_end(_stop(manager, folder))
            raise
        except Exception as error:  # Playwright's errors have no common base class
            await _stop(manager, folder)
            said = (str(error).strip() or type(error).__name__).splitlines()[0]
            raise BrowserError(Notice("browser_unstarted", why=said), remedy=remedy(enclosure)) from error
        return cls(folder, manager, browser, most)

    @property
    def version(self) -> str:
        """The version of the browser."""
        return self._browser.version

    @property
    def is_fresh(self) -> bool:
        """Whether it may open more pages."""
        return self._left > 0 and self._browser.is_connected()

    def is_gone(self, error: BaseException | None) -> bool:
        """Whether an error comes from the browser or its driver having ended; then it opens no more pages."""
        if self._browser.is_connected() and "has been closed" not in str(error):
            return False
        self.retire()
        return True

    def retire(self) -> None:
        """Let it open no more pages."""
        self._left = 0

    async def open(self, proxy: str, visit: "Visit", user_agent: str) -> "BrowserContext":
        """Return a new incognito window without any rights, which goes out as the visit."""
        self._left -= 1
        return await self._browser.new_context(**window_options(proxy, visit.user, visit.password, user_agent))

    async def close(self) -> None:
        """End the browser and the driver, whatever they are doing; once."""
        if self._closed:
            return
        self._closed = True
        with suppress(Exception):  # one that crashed or hangs: the driver ends what is left of it
            async with asyncio.timeout(CLOSE_DEADLINE):
                await self._browser.close()
        await _stop(self._manager, self._folder)


async def _stop(manager: Any, folder: Path) -> None:
    """End the driver, which ends its browser and removes the profile; then remove what a crash has left."""
    try:
        async with asyncio.timeout(CLOSE_DEADLINE):
            await manager.__aexit__()
    except Exception:  # noqa: BLE001 a driver that no longer answers
        transport = getattr(getattr(manager, "_client", None), "_transport", None)
        driver = getattr(transport, "_proc", None)  # Playwright shows it to nobody
        if driver is not None and driver.returncode is None:
            driver.kill()
            await driver.wait()
    await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)


def launch_options(program: str, folder: Path, proxy: str) -> dict[str, Any]:
    """Return the arguments with which Playwright starts a program as a browser that goes out by the proxy."""
    return {
        "executable_path": program,
        "args": FLAGS,
        "env": {**environment_in(folder)},
        # As root, which one mostly is in a container, Chromium starts only without its sandbox.
        "chromium_sandbox": not host.is_root(),
        "proxy": {"server": proxy, "bypass": "<-loopback>"},
        "handle_sigint": False,
        "timeout": START_DEADLINE * 1000,
    }


def window_options(proxy: str, user: str, password: str, user_agent: str) -> dict[str, Any]:
    """Return the arguments with which Playwright opens an incognito window without rights, which goes out as a user."""
    return {
        "accept_downloads": False,
        "permissions": [],
        "service_workers": "block",
        "user_agent": user_agent,
        "proxy": {"server": proxy, "bypass": "<-loopback>", "username": user, "password": password},
    }


def executable(settings: "Settings") -> str | None:
    """Return the path of a browser; None stands for the one that Playwright downloads."""
    if settings.browser.chromium is not None:
        return shutil.which(str(settings.browser.chromium))
    return next(filter(None, map(shutil.which, NAMES)), None)


def downloaded(whole: str) -> str:
    """Return the path of the browser that Playwright has installed: the whole one, or just its headless shell."""
    shells = _shells()
    return whole if Path(whole).exists() or not shells else shells[-1]


def _shells() -> list[str]:
    return sorted(map(str, _downloads().glob("chromium_headless_shell-*/*/*headless?shell")))


def _downloads() -> Path:
    elsewhere = os.environ.get("PLAYWRIGHT_BROWSERS_PATH")  # Playwright's own variable, set in its container images
    default = platformdirs.user_cache_path("ms-playwright", appauthor=False, opinion=False)
    return Path(elsewhere) if elsewhere else default


def temporary_folder() -> Path:
    """Make a folder for the browser's temporary files; its path is short, for a socket will be in it."""
    usual = tempfile.gettempdir()
    return Path(tempfile.mkdtemp(prefix="spyglass-", dir=usual if len(usual) <= LONGEST_FOLDER else "/tmp"))  # noqa: S108


def environment_in(folder: Path) -> dict[str, str]:
    """Return what the browser sees of ours: no secrets, and no home to leave anything in."""
    return {**host.environment(), "HOME": os.devnull, "TMPDIR": str(folder)}
