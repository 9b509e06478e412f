"""A report as PDF, printed by a real browser, of which nothing is left."""

import asyncio
import io
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pypdfium2
import pytest

from fetch.processes import all_ended, beneath, left_in
from report.sample import sample
from spyglass.kernel.errors import BrowserError
from spyglass.kernel.settings import Settings
from spyglass.render.pdf import pdf


@pytest.fixture
def folders(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where the browser keeps its temporary folders, with a name short enough for a socket; nothing is left in it."""
    folder = tmp_path_factory.mktemp("t")
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    yield folder
    assert left_in(folder) == []


def pages(printed: bytes) -> list[str]:
    with pypdfium2.PdfDocument(io.BytesIO(printed)) as document:
        return [page.get_textpage().get_text_bounded() for page in document]


async def processes_since(before: dict[int, str]) -> dict[int, str]:
    """Return the processes that a print has started, as soon as there are some."""
    for _ in range(6_000):
        if started := {process: line for process, line in beneath().items() if process not in before}:
            return started
        await asyncio.sleep(0.01)
    raise AssertionError("no process was started")


@pytest.mark.browser
async def test_the_printed_report_is_whole_and_its_pages_are_numbered(folders: Path) -> None:
    report = sample()
    printed = await pdf(report, Settings())
    texts = pages(printed)
    assert [f"{number + 1} / {len(texts)}" in text for number, text in enumerate(texts)] == [True] * len(texts)
    assert all(report.title in " ".join(text.split()) for text in texts)
    whole = " ".join(" ".join(texts).split())
    for said in ("Owners save 1,400 euros a year", "blocked: too many requests", "(partly supported)", "[9]"):
        assert said in whole
    assert "Open the page at this sentence" not in whole
    with pypdfium2.PdfDocument(io.BytesIO(printed)) as document:
        assert document.get_metadata_value("Title") == report.title
        assert "References" in [bookmark.get_title() for bookmark in document.get_toc()]


@pytest.mark.browser
def test_it_takes_a_browser_and_nothing_that_has_to_be_installed_for_it(tmp_path: Path) -> None:
    code = (
        "import asyncio, sys; from report.sample import sample; from spyglass.kernel.settings import Settings; "
        "from spyglass.render.pdf import pdf; printed = asyncio.run(pdf(sample(), Settings())); "
        "assert printed.startswith(b'%PDF-'); assert 'playwright' not in sys.modules"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120, env=environment
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.browser
async def test_nothing_of_the_browser_is_left(folders: Path) -> None:
    before = beneath()
    printing = asyncio.ensure_future(pdf(sample(), Settings()))
    started = await processes_since(before)
    await printing
    assert await all_ended(started) == []


@pytest.mark.browser
async def test_a_print_that_is_cancelled_leaves_nothing_either(folders: Path) -> None:
    before = beneath()
    printing = asyncio.ensure_future(pdf(sample(), Settings()))
    started = await processes_since(before)
    printing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await printing
    assert await all_ended(started) == []


async def test_without_a_browser_it_is_said_how_to_get_one(tmp_path: Path) -> None:
    with pytest.raises(BrowserError) as caught:
        await pdf(sample(), Settings(browser__chromium=tmp_path / "none"))
    assert "not a program" in str(caught.value.remedy) or "not installed" in str(caught.value.remedy)


@pytest.mark.browser
async def test_a_browser_that_does_not_start_is_an_error_with_a_remedy(tmp_path: Path, folders: Path) -> None:
    broken = tmp_path / "chromium"
    broken.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    broken.chmod(0o700)
    with pytest.raises(BrowserError, match="did not start") as caught:
        await pdf(sample(), Settings(browser__chromium=broken))
    assert caught.value.remedy
