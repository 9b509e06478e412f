"""A Chromium process and the driver by which Playwright controls it, started and ended together."""

import asyncio
import importlib
import importlib.util
import os
import shutil
import tempfile
import time
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

import platformdirs

from ..kernel import host
from ..kernel.cleanup import shielded
from ..kernel.errors import BrowserError
from ..kernel.notice import Notice

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext

    from ..kernel.settings import Settings
    from ..net import Visit
    from .enclosure import Enclosure

START_DEADLINE: Final = 30.0  # seconds in which a browser must start
CLOSE_DEADLINE: Final = 5.0
"""Seconds that a page, the browser and the driver may each take to close before they are killed."""

STEP: Final = 0.1  # seconds between two attempts to remove a folder

LONGEST_FOLDER: Final = 40
"""Longest path of a temporary folder for Chromium's socket, whose own path may have about a hundred characters."""

NAMES: Final = ("chromium", "chromium-browser", "google-chrome")

FLAGS: Final = (
    # Nothing is reachable except through the proxy. mDNS names map to an address, else the network would be asked.
    "--host-resolver-rules=MAP *.local 192.0.2.1 , MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",  # the flag's name until 2025
    "--disable-quic",
    "--dns-prefetch-disable",
    "--autofill-server-url=http://127.0.0.1:1/",  # else each form is reported to Google; it never connects to port 1
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-dev-shm-usage",  # in a container it has only 64 MB
    "--disable-gpu",
    "--js-flags=--max-old-space-size=512",  # megabytes that a page's scripts may use
)
"""Flags for Chromium in addition to Playwright's."""

REMEDY: Final = Notice("install_chromium")
DENIED: Final = Notice("allow_namespaces")


def available(settings: "Settings") -> Notice | None:
    """Return None if pages can be rendered, which requires Playwright, else a notice with the reason and a remedy."""
    if importlib.util.find_spec("playwright") is None:
        remedy = Notice("install_with", command="pip install spyglass[browser]")
        return Notice("with_remedy", what=Notice("not_installed", what="Playwright"), remedy=remedy)
    return lacking(settings)


def remedy(enclosure: "Enclosure") -> Notice:
    """Return the remedy for an installed browser that did not start in an enclosure."""
    return DENIED if enclosure.missing and host.has_namespaces() and not host.is_root() else REMEDY


def lacking(settings: "Settings") -> Notice | None:
    """Return None if there is a browser, else a notice with the reason and a remedy."""
    if executable(settings) is not None:
        return None
    reason = Notice("no_chromium")
    if settings.browser.chromium is not None:
        reason = Notice("is_no_program", what=str(settings.browser.chromium))
    elif any(_shells()) or any(_downloads().glob("chromium-*")):
        return None
    return Notice("with_remedy", what=reason, remedy=REMEDY)


def installed(settings: "Settings") -> str:
    """Return the path of the browser; call it only if `lacking` returns None."""
    browsers = map(str, _downloads().glob("chromium-*/chrome-*/chrome*"))
    return executable(settings) or [*sorted(browsers), *_shells()][-1]


class Chromium:
    """A running browser, made by `start` and ended by `close`; `pages` counts the open pages."""

    def __init__(self, folder: Path, manager: Any, browser: "Browser", most: int) -> None:
        self.pages = 0
        self._folder = folder
        self._manager = manager
        self._browser = browser
        self._left = most
        self._closed = False

    @classmethod
    async def start(cls, settings: "Settings", proxy: str, enclosure: "Enclosure", most: int) -> Self:
        """Start the driver, and in the enclosure a browser for `most` pages that uses the proxy.

        Raises BrowserError. If cancelled, it waits until the driver has started, and ends it, because Playwright loses
        a driver whose start is cancelled. It also waits up to CLOSE_DEADLINE seconds for the browser, because a driver
        that ends earlier does not remove its folders.
        """
        api = await asyncio.to_thread(importlib.import_module, "playwright.async_api")
        manager = api.async_playwright()
        folder = temporary_folder()
        try:
            playwright = await shielded(manager.start())
            program = executable(settings) or downloaded(playwright.chromium.executable_path)
            options = launch_options(enclosure.entrance(program, folder), folder, proxy)
            launching = asyncio.ensure_future(playwright.chromium.launch(**options))
            give_up = partial(asyncio.get_running_loop().call_later, CLOSE_DEADLINE, launching.cancel)
            browser = await shielded(launching, on_cancel=give_up)
        except asyncio.CancelledError:
            await shielded(_stop(manager, folder))
            raise
        except Exception as error:  # Playwright's errors have no common base class
            await _stop(manager, folder)
            reason = (str(error).strip() or type(error).__name__).splitlines()[0]
            raise BrowserError(Notice("browser_unstarted", why=reason), remedy=remedy(enclosure)) from error
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
        """Return whether, judged by an error, the browser or its driver has ended; if so, retire it."""
        if self._browser.is_connected() and "has been closed" not in str(error):
            return False
        self.retire()
        return True

    def retire(self) -> None:
        """Open no more pages in this browser."""
        self._left = 0

    async def open(self, proxy: str, visit: "Visit", user_agent: str) -> "BrowserContext":
        """Return a new incognito window without permissions, which uses the proxy with the visit's credentials."""
        self._left -= 1
        return await self._browser.new_context(**window_options(proxy, visit.user, visit.password, user_agent))

    async def close(self) -> None:
        """End the browser and the driver, whatever they are doing; further calls do nothing."""
        if self._closed:
            return
        self._closed = True
        with suppress(Exception):  # the browser crashed or hangs: the driver ends it
            async with asyncio.timeout(CLOSE_DEADLINE):
                await self._browser.close()
        await _stop(self._manager, self._folder)


async def _stop(manager: Any, folder: Path) -> None:
    """End the driver, which ends its browser and removes the profile; then end and remove what a crash has left."""
    try:
        async with asyncio.timeout(CLOSE_DEADLINE):
            await manager.__aexit__()
    except Exception:  # noqa: BLE001 a driver that no longer answers
        transport = getattr(getattr(manager, "_client", None), "_transport", None)
        driver = getattr(transport, "_proc", None)  # Playwright has no public access to it
        if driver is not None and driver.returncode is None:
            driver.kill()
            await driver.wait()
    await remove(folder)


def launch_options(program: str, folder: Path, proxy: str) -> dict[str, Any]:
    """Return Playwright's arguments for starting a program as a browser that uses the proxy."""
    return {
        "executable_path": program,
        "args": [*FLAGS, f"--crash-dumps-dir={folder}"],  # by which `remove` finds it
        "env": {**environment_in(folder)},
        # As root, which is usual in a container, Chromium starts only without its sandbox.
        "chromium_sandbox": not host.is_root(),
        "proxy": {"server": proxy, "bypass": "<-loopback>"},
        "handle_sigint": False,
        "timeout": START_DEADLINE * 1000,
    }


def window_options(proxy: str, user: str, password: str, user_agent: str) -> dict[str, Any]:
    """Return Playwright's arguments for an incognito window without permissions, which logs in to the proxy."""
    return {
        "accept_downloads": False,
        "permissions": [],
        "service_workers": "block",
        "user_agent": user_agent,
        "proxy": {"server": proxy, "bypass": "<-loopback>", "username": user, "password": password},
    }


def executable(settings: "Settings") -> str | None:
    """Return the path of a browser, or None for the browser that Playwright downloads."""
    if settings.browser.chromium is not None:
        return shutil.which(str(settings.browser.chromium))
    return next(filter(None, map(shutil.which, NAMES)), None)


def downloaded(browser: str) -> str:
    """Return the path of the browser that Playwright has installed: the full browser, or else its headless shell."""
    shells = _shells()
    return browser if Path(browser).exists() or not shells else shells[-1]


def _shells() -> list[str]:
    return sorted(map(str, _downloads().glob("chromium_headless_shell-*/*/*headless?shell")))


def _downloads() -> Path:
    configured = os.environ.get("PLAYWRIGHT_BROWSERS_PATH")  # Playwright's own variable, set in its container images
    default = platformdirs.user_cache_path("ms-playwright", appauthor=False, opinion=False)
    return Path(configured) if configured else default


def temporary_folder() -> Path:
    """Make a folder for the browser's temporary files; its path is short because it will contain a socket."""
    default = tempfile.gettempdir()
    return Path(tempfile.mkdtemp(prefix="spyglass-", dir=default if len(default) <= LONGEST_FOLDER else "/tmp"))  # noqa: S108


async def remove(folder: Path) -> None:
    """Remove a temporary folder, and end what still uses it: a browser outlives its killed driver and goes on writing.

    Gives up after CLOSE_DEADLINE seconds. Without psutil, which the extras with a browser install, it ends nothing.
    """
    ends = time.monotonic() + CLOSE_DEADLINE
    while True:
        in_use = await asyncio.to_thread(_end_users, folder)
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
        if time.monotonic() > ends or not (in_use or await asyncio.to_thread(folder.exists)):
            return
        await asyncio.sleep(STEP)


def _end_users(folder: Path) -> int:
    """End the processes that have a folder as an argument or in a switch, and return their number."""
    try:
        psutil = importlib.import_module("psutil")
    except ImportError:
        return 0
    ended = 0
    for process in psutil.process_iter(["cmdline"]):
        arguments = process.info["cmdline"] or ()
        if any(one == str(folder) or (one.startswith("--") and str(folder) in one) for one in arguments):
            with suppress(psutil.Error):  # it has just ended, or is another user's
                process.kill()
                ended += 1
    return ended


def environment_in(folder: Path) -> dict[str, str]:
    """Return the environment of the browser: no secrets, and no home folder to write to."""
    return {**host.environment(), "HOME": os.devnull, "TMPDIR": str(folder)}
