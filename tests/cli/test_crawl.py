"""`spyglass crawl` and `spyglass report --site`, over a loopback site."""

import asyncio
import json
from pathlib import Path

import pytest

from cli.command import spyglass
from loopback import WebServer
from loopback.site import ANSWER, QUESTION, put_site


@pytest.fixture
def config(tmp_path: Path, web_server: WebServer) -> Path:
    """Settings that reach the loopback site, without pauses."""
    path = tmp_path / "site.toml"
    allowed = f'network.allow_private = ["127.0.0.1:{web_server.port}"]'
    path.write_text(f'{allowed}\ncrawl.pause = 0\nbrowser.mode = "never"\ncache.page_hours = 0\n', encoding="utf-8")
    return path


async def test_a_crawl_lists_its_pages_writes_them_and_is_a_run(
    tmp_path: Path, config: Path, web_server: WebServer
) -> None:
    start = put_site(web_server, 30)
    out = tmp_path / "pages"
    given: list[str | Path] = ["--config", config, "--for", QUESTION, "--pages", "12", "--quiet"]
    ran = await asyncio.to_thread(spyglass, tmp_path, "crawl", start, *given, "--json", "--out", out)
    assert ran.returncode == 0, ran.stderr
    record = json.loads(ran.stdout)
    assert len(record["pages"]) == 12
    assert record["limit"] == "crawl.pages: 12"
    [found] = [page for page in record["pages"] if page["url"].endswith("/page/29")]
    assert ANSWER in found["text"]
    assert {"url": start, "text": "Home"} in found["links"]
    assert len(list(out.glob("*.md"))) == 12
    assert [path for path in out.iterdir() if ANSWER in path.read_text(encoding="utf-8")]
    web_server.visits.clear()
    again = await asyncio.to_thread(spyglass, tmp_path, "replay", "last")
    assert again.returncode == 0, again.stderr
    assert found["url"] in again.stdout
    resumed = await asyncio.to_thread(spyglass, tmp_path, "resume", "last", "--config", config, "--quiet", "--json")
    assert json.loads(resumed.stdout)["pages"] == record["pages"], resumed.stderr
    shown = await asyncio.to_thread(spyglass, tmp_path, "show", "last")
    assert "a crawl" in shown.stdout
    assert found["url"] in shown.stdout
    refused = await asyncio.to_thread(spyglass, tmp_path, "crawl", start, *given, "--out", out)
    assert (refused.returncode, web_server.visits) == (2, []), "neither of them has asked anybody"


async def test_a_crawl_of_nothing_fails_and_says_why(tmp_path: Path, config: Path, web_server: WebServer) -> None:
    gone = web_server.url("/gone")
    ran = await asyncio.to_thread(spyglass, tmp_path, "crawl", gone, "--config", config)
    assert ran.returncode == 1, ran.stdout
    assert "status 404" in ran.stdout
    for url in ("file:///etc/passwd", "raw:<p>hello", "http://169.254.169.254/", "http://127.0.0.2/"):
        ran = await asyncio.to_thread(spyglass, tmp_path, "crawl", url, "--config", config)
        assert ran.returncode == 2, f"{url}: {ran.stdout}{ran.stderr}"


async def test_a_report_is_made_from_a_site_and_from_nothing_else(
    tmp_path: Path, config: Path, web_server: WebServer
) -> None:
    start = put_site(web_server, 60)
    ran = await asyncio.to_thread(
        spyglass, tmp_path, "report", QUESTION, "--site", start, "--depth", "5", "--pages", "15", "--config", config
    )
    assert ran.returncode in (0, 3), ran.stderr
    assert ANSWER in ran.stdout
    assert web_server.url("/page/59") in ran.stdout
    assert "crawl.pages: 15" in ran.stdout
    assert {visit.host for visit in web_server.visits} == {"127.0.0.1"}
    assert len(web_server.visits_to()) < 60
