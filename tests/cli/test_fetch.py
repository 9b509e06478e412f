"""`spyglass fetch` shows a page and how it was read, or says why not."""

import asyncio
import json
import subprocess
from pathlib import Path

from cli.command import spyglass
from loopback import PROSE, Reply, WebServer, article
from spyglass.kernel.source import digest


async def run(tmp_path: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    allowed = {"SPYGLASS_NETWORK__ALLOW_PRIVATE": "127.0.0.0/8", "SPYGLASS_BROWSER__MODE": "never", **variables}
    return await asyncio.to_thread(spyglass, tmp_path, "fetch", *arguments, **allowed)


async def test_a_page_is_shown_with_what_is_known_of_it(tmp_path: Path, web_server: WebServer) -> None:
    ran = await run(tmp_path, web_server.url("/redirect?to=/article"))
    assert ran.returncode == 0, ran.stderr
    head, _, text = ran.stdout.partition("\n\n")
    assert head.splitlines()[0] == "The harbour"
    assert f"Address:    {web_server.url('/article')}" in head
    assert f"Requested:  {web_server.url('/redirect?to=/article')}" in head
    assert "Read by:    http, 20" in head
    assert "Kind:       html" in head
    assert "Language:   en" in head
    assert all(paragraph in text for paragraph in PROSE)
    visits = len(web_server.visits)
    assert "Read by:    cache, 20" in (await run(tmp_path, web_server.url("/redirect?to=/article"))).stdout
    assert len(web_server.visits) == visits, "the second time it comes from the cache"


async def test_json_holds_everything(tmp_path: Path, web_server: WebServer) -> None:
    ran = await run(tmp_path, web_server.url("/pdf"), "--json")
    page = json.loads(ran.stdout)
    assert (page["kind"], page["title"], page["how"], len(page["pages"])) == (
        "pdf",
        "The harbour in figures",
        "http",
        2,
    )
    assert page["snapshot"] == digest(page["text"], size=64)


async def test_a_page_that_cannot_be_read_is_told_with_the_reason(tmp_path: Path, web_server: WebServer) -> None:
    for url, reason in (
        (web_server.url("/status?code=404"), "The page does not exist (status 404)"),
        (web_server.url("/cookie-wall"), "cookie wall"),
        (web_server.url("/js"), "only in a browser"),
        ("file:///etc/passwd", "file: is not supported"),
        ("http://user:secret@a.example/", "credentials"),
        ("http://host／x", "its host name is not valid"),
        ("http://good.example\\@evil.example/", "its host can be parsed in two ways"),
        ("http://[::1", "its IPv6 address is malformed"),
    ):
        ran = await run(tmp_path, url)
        assert (ran.returncode, ran.stdout) == (1, ""), url
        assert reason in ran.stderr
        assert "secret" not in ran.stderr


async def test_json_tells_a_failure_too(tmp_path: Path, web_server: WebServer) -> None:
    ran = await run(tmp_path, web_server.url("/binary"), "--json")
    assert ran.returncode == 1
    failure = json.loads(ran.stdout)
    assert failure["asked"] == web_server.url("/binary")
    assert failure["error"]["type"] == "PageKindError"
    assert failure["error"]["where"] == web_server.url("/binary")


async def test_a_page_cannot_command_the_terminal(tmp_path: Path, web_server: WebServer) -> None:
    evil = "\x1b]0;owned\x07\x1b[2J\x1b[31mred\x1b[0m \x9b2J\x08 \u202eend\u2066"
    url = web_server.put("/page.txt", Reply(f"{PROSE[0]} {evil}", content_type="text/plain; charset=utf-8"))
    web_server.put("/page", article(f"Title {evil}", f"{PROSE[0]} {evil}"))
    for address in (url, web_server.url("/page")):
        ran = await run(tmp_path, address)
        assert ran.returncode == 0, ran.stderr
        assert not set(ran.stdout) & {"\x1b", "\x07", "\x08", "\x9b", "\u202e", "\u2066"}
        assert PROSE[0] in ran.stdout


async def test_a_key_in_an_address_is_sent_and_shown_nowhere(tmp_path: Path, web_server: WebServer) -> None:
    web_server.put_article("/keyed", "The harbour")
    url = f"{web_server.url('/keyed')}?id=7&api_key=s3cret"
    log = tmp_path / "log"
    files = [tmp_path / f"r.{suffix}" for suffix in ("md", "html", "json", "docx", "bib")]
    outs = [value for path in files for value in ("--out", path)]
    report = ("report", "Who built the harbour?", "--no-web", "--url", url, "--log", log, *outs)
    allowed = {"SPYGLASS_NETWORK__ALLOW_PRIVATE": "127.0.0.0/8", "SPYGLASS_BROWSER__MODE": "never"}
    gone = web_server.url("/gone?token=s3cret")
    shown = [
        await run(tmp_path, url),
        await run(tmp_path, url, "--json"),
        await run(tmp_path, gone),
        await run(tmp_path, gone, "--json"),
        await asyncio.to_thread(spyglass, tmp_path, *report, "--url", gone, **allowed),
        await asyncio.to_thread(spyglass, tmp_path, "show", "last"),
        await asyncio.to_thread(spyglass, tmp_path, "show", "last", "--json"),
        await asyncio.to_thread(spyglass, tmp_path, "verify", "last", **allowed),
    ]
    assert web_server.visits_to("/keyed")[0].path == "/keyed?id=7&api_key=s3cret"
    said = [f"{one.stdout}{one.stderr}" for one in shown] + [
        path.read_bytes().decode("utf-8", "replace") for path in (log, *files)
    ]
    assert "?id=7&api_key=***" in said[0]
    assert "?id=7&api_key=***" in (tmp_path / "r.md").read_text()
    assert [place for place, text in enumerate(said) if "s3cret" in text] == []
