"""No answer of the service says where its files lie, or which servers it asks."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from loopback import Fault, SearchServer
from serve.conftest import Serving
from serve.test_app import DEPTH, QUESTION, asking
from serve.wire import received
from spyglass.kernel.settings import Settings
from spyglass.report import Report
from spyglass.serve.redaction import Redaction
from spyglass.serve.sse import join

NOBODY = "http://127.0.0.1:9"
"""An address at which nothing answers."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a file to cite and a file that cannot be read."""
    folder = tmp_path / "hidden files"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "harbour.md").write_text(f"# The harbour\n\n{DEPTH}\n")
    (folder / "broken.pdf").write_bytes(b"%PDF- broken")
    return folder


async def said(base: str, path: str, **asked: Any) -> str:
    async with asking(base, path, **asked) as response:
        return f"{response.headers}\n{await response.text()}"


async def test_nothing_that_is_said_names_a_folder_or_an_address(
    serving: Serving, folder: Path, tmp_path: Path, search_server: SearchServer
) -> None:
    search_server.script(Fault(500))
    data = tmp_path / "hidden data"
    model = {"provider": "openai", "model": "m", "base_url": f"{NOBODY}/hidden-model", "models.attempts": 1}
    failing = {**model, "key": SecretStr("k"), "data_dir": data, "db": [folder]}
    missing = {"db": [tmp_path / "hidden absence"], "data_dir": data}
    full = tmp_path / "hidden store"
    full.mkdir()
    (full / "runs").touch()  # where a folder should be
    trials: list[tuple[dict[str, Any], str, dict[str, Any]]] = [
        (failing, "/report", {"q": QUESTION, "web": True}),
        (failing, "/report", {"q": QUESTION, "web": False}),
        (failing, "/search", {"query": QUESTION}),
        (
            {"search.engine_urls": {"searxng": f"{NOBODY}/hidden-engine"}, "search.attempts": 1},
            "/search",
            {"query": QUESTION},
        ),
        (
            {"network.proxy": SecretStr("http://hidden:user@127.0.0.1:9"), "fetch.attempts": 1},
            "/search",
            {"query": QUESTION},
        ),
        (missing, "/report", {"q": QUESTION, "web": False}),
        ({"data_dir": full}, "/search", {"query": QUESTION}),
        ({"models.prompts": tmp_path / "hidden prompts", **model, "key": SecretStr("k")}, "/report", {"q": QUESTION}),
        ({"network.ca_file": tmp_path / "hidden.pem"}, "/search", {"query": QUESTION}),
        ({"browser.chromium": tmp_path / "hidden chromium"}, "/search", {"query": QUESTION}),
    ]
    told = [NOBODY.partition("//")[2], search_server.url.partition("//")[2], str(tmp_path), tmp_path.as_uri(), "hidden"]
    leaks = []
    for changed, path, asked in trials:
        async with serving(**changed) as base:
            text = await said(base, path, **asked)
        joined = (
            "\n".join(str(event.data) for event in join(received(text.splitlines()))) if "event: " in text else text
        )
        leaks += [(changed, path, joined[max(0, joined.find(one) - 100) :][:200]) for one in told if one in joined]
    assert leaks == []


async def test_a_report_without_its_folders_is_whole(serving: Serving, folder: Path) -> None:
    async with serving(db=[folder], web=False) as base:
        text = await said(base, "/report", q=QUESTION)
    record = list(join(received(text.splitlines())))[-1].data
    markdown = record.pop("markdown")
    checksum = record.pop("checksum")
    report = Report.model_validate(record)
    assert (report.checksum, report.markdown) == (checksum, markdown)
    assert (report.references[0].path, report.references[0].url, report.folders) == (
        "deep/harbour.md",
        "",
        ["local files"],
    )


def test_what_settings_name_goes_and_what_others_say_stays(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    settings = Settings(
        db=[folder],
        data_dir=tmp_path / "data",
        searxng_url="http://searx.lan:8080",
        urls=["https://example.org/asked"],
        database_url=SecretStr("postgresql:///name?host=/var/run/postgresql"),
    )
    redaction = Redaction(settings)
    cases = {
        f"{folder}: 3 files": "local files: 3 files",
        f"Not read: {folder}/a b/c.pdf": "Not read: a b/c.pdf",
        f"{folder.as_uri()}/c.pdf": "c.pdf",
        f"{folder}-old": f"{folder}-old",
        f"({tmp_path}/data/runs/1/journal.sqlite).": "(a path).",
        "Cannot connect to http://searx.lan:8080/search?q=a": "Cannot connect to an address",
        "host searx.lan:8080 ssl": "host an address ssl",
        "https://example.org/asked and searx.lan.example": "https://example.org/asked and searx.lan.example",
        f"https://example.org{folder}/x": f"https://example.org{folder}/x",
        "/usr/share": "/usr/share",
    }
    assert {said: redaction.text(said) for said in cases} == cases
