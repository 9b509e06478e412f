"""What every test may use: settings that touch nothing outside `tmp_path`, a run, and a guard on the event loop."""

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from loopback import model_server as model_server
from loopback import search_server as search_server
from loopback import secret_server as secret_server
from loopback import web_server as web_server
from spyglass.events import Event
from spyglass.journal import Journal
from spyglass.run import Run
from spyglass.settings import Settings

LONGEST_BLOCK = 3.0
"""Seconds that one step may hold the event loop; generous, for the machines that run the tests are noisy."""


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No key, setting or folder of the person who runs the tests reaches them."""
    for name in ("OPENAI_API_KEY", "DEEPSEEK_API_KEY", "XAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    for name in ("TAVILY_API_KEY", "BRAVE_API_KEY", "SERPAPI_API_KEY", "AWS_REGION"):
        monkeypatch.delenv(name, raising=False)
    for name in ("OPENAI_BASE_URL", "OLLAMA_HOST", "SEARXNG_URL", "SPYGLASS_REQUIRE_BROWSER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SPYGLASS_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")


@pytest.fixture(autouse=True)
def _loop_stays_free(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Fail a test whose code held the event loop: a blocked loop is how research agents die."""
    yield
    blocked = [
        record.getMessage()
        for record in caplog.get_records("call")
        if record.name == "asyncio" and record.levelno == logging.WARNING and "took" in record.getMessage()
    ]
    assert not blocked, f"the event loop was blocked: {blocked}"


@pytest.fixture(autouse=True)
async def _watched_loop() -> AsyncIterator[None]:
    loop = asyncio.get_running_loop()
    loop.set_debug(True)
    loop.slow_callback_duration = LONGEST_BLOCK
    yield
    loop.set_debug(False)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(db=[tmp_path / "files"], data_dir=tmp_path / "data")


@pytest.fixture
def events() -> list[Event]:
    """What the `run` fixture's run emitted."""
    return []


@pytest.fixture
async def run(settings: Settings, events: list[Event]) -> AsyncIterator[Run]:
    async with Run("What is known?", settings, on_event=events.append, journal=Journal()) as run:
        yield run
