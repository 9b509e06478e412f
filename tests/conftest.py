"""What every test may use: settings that touch nothing outside `tmp_path`, a run, and a guard on the event loop."""

import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import hypothesis
import pytest
from blockbuster import blockbuster_ctx
from hypothesis import HealthCheck

from loopback import model_server as model_server
from loopback import search_server as search_server
from loopback import secret_server as secret_server
from loopback import web_server as web_server
from postgres import database as database
from postgres import database_url as database_url
from postgres import postgres as postgres
from spyglass.documents import ocr
from spyglass.fetch.browser import available
from spyglass.kernel.events import Event
from spyglass.kernel.journal import Journal
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Settings
from spyglass.search.limits import close_breakers


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what needs a browser or OCR where there is none, unless REQUIRE_BROWSER, say, asks for it."""
    lacking = {"browser": available(Settings()), "ocr": "" if {"eng", "deu"} <= {*ocr.languages()} else ocr.missing()}
    for mark, missing in lacking.items():
        for item in items if missing and not os.environ.get(f"REQUIRE_{mark.upper()}") else []:
            if item.get_closest_marker(mark):
                item.add_marker(pytest.mark.skip(reason=f"no {mark}: {missing}"))


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No key, setting or folder of the person who runs the tests reaches them."""
    for name in ("OPENAI_API_KEY", "DEEPSEEK_API_KEY", "XAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    for name in ("TAVILY_API_KEY", "BRAVE_API_KEY", "SERPAPI_API_KEY", "AWS_REGION"):
        monkeypatch.delenv(name, raising=False)
    for name in ("OPENAI_BASE_URL", "OLLAMA_HOST", "SEARXNG_URL", "REQUIRE_BROWSER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SPYGLASS_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")


@pytest.fixture(scope="session", autouse=True)
def _kept_models(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Local models are kept in a folder that all workers have in common, and so all processes that tests start."""
    shared = tmp_path_factory.getbasetemp()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(shared.parent / "cache" if "PYTEST_XDIST_WORKER" in os.environ else shared))
        yield


@pytest.fixture(autouse=True)
def _breakers_closed() -> None:
    """No engine is left alone for what another test had failed on a port that is used again."""
    close_breakers()


hypothesis.settings.register_profile(
    "unhurried", deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow]
)
hypothesis.settings.load_profile("unhurried")

WAITS = ("time.sleep", "socket.", "ssl.", "sqlite3.", "os.read", "io.BufferedReader.")
"""What can last, and must not keep the event loop waiting; a look at a folder and a line of a log cannot."""

QUICK = {
    "journal/journal.py": vars(Journal),  # 0.05 ms a record
    "<frozen importlib._bootstrap>": {"_find_and_load"},
    "prompts/template.py": {"_parts"},
    "kernel/registry.py": {"_points"},
    "kernel/notice.py": {"words_of"},
    "importlib/metadata/__init__.py": {"version"},
    "ranking/ranker.py": {"weights"},
}
"""Where the loop may wait after all, by file and function: for the journal, and once for what a module needs."""


@pytest.fixture(scope="session", autouse=True)
def _loop_stays_free() -> Iterator[None]:
    """Raise BlockingError where our code waits on the event loop's thread."""
    with blockbuster_ctx("spyglass") as guard:
        for name, function in guard.functions.items():
            for file, functions in QUICK.items():
                function.can_block_in(file, functions)
            if not name.startswith(WAITS):
                function.deactivate()
        yield


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
