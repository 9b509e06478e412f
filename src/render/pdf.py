"""Renders a report as PDF: a Chromium without network access prints its HTML page."""

import asyncio
import os
import shutil
import signal
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ..fetch.chromium import FLAGS, environment_in, installed, lacking, remedy, temporary_folder
from ..fetch.enclosure import Enclosure
from ..kernel import host
from ..kernel.cleanup import shielded
from ..kernel.errors import BrowserError
from ..kernel.thread import in_thread
from .html import html

if TYPE_CHECKING:
    from ..kernel.settings import Settings
    from ..report import Report

DEADLINE: Final = 120.0  # seconds that starting a browser and printing may take together

PRINTING: Final = (
    "--headless",
    "--no-pdf-header-footer",
    "--generate-pdf-document-outline",
    "--export-tagged-pdf",
    "--proxy-server=127.0.0.1:1",  # it never connects to port 1
    "--proxy-bypass-list=<-loopback>",
)


async def pdf(report: "Report", settings: "Settings") -> bytes:
    """Return the report's page as a tagged PDF with an outline, and with page numbers and the title at the bottom.

    Starts a browser without network access, and ends it. Raises BrowserError if there is none or it fails.
    """
    if missing := lacking(settings):
        raise BrowserError("A browser is needed to print a PDF, and none was found", remedy=missing)
    page = await in_thread(html, report)
    folder = await in_thread(temporary_folder)
    try:
        await in_thread((folder / "report.html").write_text, page, "utf-8")
        async with Enclosure() as enclosure:
            return await _printed(enclosure, enclosure.entrance(installed(settings), folder), folder)
    finally:
        await in_thread(shutil.rmtree, folder, ignore_errors=True)


async def _printed(enclosure: Enclosure, program: str, folder: Path) -> bytes:
    """Return the PDF that a browser prints of the page in a folder; all its processes are ended."""
    printed = folder / "report.pdf"
    sandbox = ["--no-sandbox"] if host.is_root() else []
    process = await asyncio.create_subprocess_exec(
        *(program, *FLAGS, *PRINTING, *sandbox, f"--user-data-dir={folder / 'profile'}"),
        *(f"--print-to-pdf={printed}", (folder / "report.html").as_uri()),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        env=environment_in(folder),
        start_new_session=True,
    )
    try:
        async with asyncio.timeout(DEADLINE):
            _, output = await process.communicate()
    except TimeoutError as error:
        raise BrowserError(f"The browser did not print the report within {DEADLINE:g} s") from error
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await shielded(process.wait())
    content = await in_thread(lambda: printed.read_bytes() if printed.exists() else b"")
    if process.returncode or not content:
        why = (output.decode(errors="replace").strip().splitlines() or [f"exit code {process.returncode}"])[-1]
        raise BrowserError(
            f"The browser did not start or did not print the report: {why[:200]}", remedy=remedy(enclosure)
        )
    return content
