"""`spyglass check` on a report that somebody else wrote."""

import asyncio
import json
import re
from pathlib import Path

import pytest

from cli.command import spyglass
from loopback import WebServer

BUILT = "The harbour was built in 1871."
LIE = "The pope owns nine yachts (harbour.md)."


def theirs(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "theirs.md"
    path.write_text(text)
    return path


def test_a_report_whose_claims_are_all_supported_is_complete(tmp_path: Path, files: Path) -> None:
    ran = spyglass(tmp_path, "check", theirs(tmp_path, BUILT), "--files", files)
    assert ran.returncode == 0, ran.stderr
    assert "1 claims: 1 supported." in ran.stdout
    assert f"[supported] {BUILT}" in ran.stdout
    assert f"Evidence: “{BUILT}” (harbour.md, line 3)" in ran.stdout


def test_claims_that_are_not_supported_have_their_own_exit_code(tmp_path: Path, files: Path) -> None:
    path = theirs(tmp_path, f"# Port\n\n{BUILT} {LIE}\n\n## Cranes\n\nIt has nine cranes [4].")
    ran = spyglass(tmp_path, "check", path, "--files", files, "--out", "c.json", "--out", "c.md", "--quiet")
    assert (ran.returncode, ran.stderr) == (3, "")
    assert "[not supported] The pope owns nine yachts." in ran.stdout
    assert "Invented: [4] – No reference has this number or label" in ran.stdout
    assert spyglass(tmp_path, "verify", "c.json").returncode == 0
    assert "yachts" in (tmp_path / "c.md").read_text()


def test_all_forms_count_the_same(tmp_path: Path, files: Path) -> None:
    path = theirs(tmp_path, f"{BUILT} {LIE} It has nine cranes [4]. It was paved in 1880 (http://a.invalid/x).")
    out = [argument for form in ("md", "html", "json") for argument in ("--out", f"c.{form}")]
    ran = spyglass(tmp_path, "check", path, "--files", files, *out)
    record = json.loads(spyglass(tmp_path, "check", path, "--files", files, "--json").stdout)
    markdown, page = (tmp_path / "c.md").read_text(), (tmp_path / "c.html").read_text()
    assert "4 claims: 1 supported, 2 not supported, 1 not checked." in ran.stdout
    assert "1 of 4 supported · 2 not supported · 1 not checked" in markdown
    assert "1 of 4 supported" in page
    assert " · 1 not checked" in page
    counts = {"supported": 1, "partial": 0, "unsettled": 0, "unsupported": 2, "contradicted": 0, "unchecked": 1}
    assert record["counts"] == counts
    for shown in (ran.stdout, markdown):
        assert "Citations: 1 read, 1 invented, 1 not followed." in shown
    assert "1 read</dd>" in re.sub(r"<span.*?</span>", "", page)
    assert [one["state"] for one in record["citations"]] == ["read", "invented", "not followed"]
    assert [one["state"] for one in json.loads((tmp_path / "c.json").read_text())["looked_up"]] == [
        "read", "invented", "not followed",
    ]  # fmt: skip


def test_what_came_of_it_is_told_in_the_language_of_the_text(tmp_path: Path, files: Path) -> None:
    (files / "hafen.md").write_text("# Hafen\n\nDer Hafen wurde 1871 gebaut und ist sieben Meter tief.\n")
    german = spyglass(tmp_path, "check", theirs(tmp_path, "Der Hafen wurde 1890 gebaut [4]."), "--files", files)
    assert "[nicht belegt] Der Hafen wurde 1890 gebaut." in german.stdout
    assert "Erfunden: [4] – Kein Eintrag im Quellenverzeichnis hat diese Nummer" in german.stdout
    english = spyglass(
        tmp_path, "check", theirs(tmp_path, "A harbour should be built at no cost on a quay."), "--files", files
    )
    assert "The text contains no citations." in english.stdout, "two of its words are Portuguese, too"


def test_json_holds_everything(tmp_path: Path, files: Path) -> None:
    ran = spyglass(tmp_path, "check", theirs(tmp_path, f"{BUILT} {LIE}"), "--files", files, "--json")
    record = json.loads(ran.stdout)
    assert (record["holds"], record["counts"]["supported"], sum(record["counts"].values())) == (False, 1, 2)
    assert [claim["verdict"] for claim in record["claims"]] == ["supported", "unsupported"]
    assert record["citations"][0]["state"] == "read"


async def test_pages_are_read_when_asked_for(tmp_path: Path, web_server: WebServer) -> None:
    url = web_server.put_article("/port", "The port", BUILT, "Nine cranes stand on the quay of the old harbour.")
    path = theirs(
        tmp_path,
        f"The harbour was built in 1871 [port]({url}). The old quay sank in winter [port]({web_server.url('/none')}).",
    )
    allowed = {"SPYGLASS_NETWORK__ALLOW_PRIVATE": "127.0.0.0/8", "SPYGLASS_BROWSER__MODE": "never"}
    ran = await asyncio.to_thread(spyglass, tmp_path, "check", path, "--web", **allowed)
    assert ran.returncode == 3, ran.stderr
    assert "[supported] The harbour was built in 1871." in ran.stdout
    assert "The page does not exist (status 404)" in ran.stdout


@pytest.mark.usefixtures("files")
def test_wrong_usage_is_told_with_exit_code_two(tmp_path: Path) -> None:
    theirs(tmp_path, BUILT)
    for arguments, said in (
        (["theirs.md"], "no sources to check the report against"),
        (["none.md", "--files", "papers"], "none.md"),
        (["theirs.md", "--files", "none"], "none"),
        (["theirs.md", "--files", "papers", "--out", "x.exe"], "x.exe"),
        (["theirs.md", "--files", "papers", "--out", "papers/c.md"], "inside"),
        (["theirs.md", "--files", "papers", "--out", "theirs.md"], "overwrite"),
    ):
        ran = spyglass(tmp_path, "check", *arguments)
        assert (ran.returncode, ran.stdout) == (2, ""), arguments
        assert said in ran.stderr, arguments
