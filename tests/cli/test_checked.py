"""From a question to a report that anyone can check: every way of writing it, verify, diff and check."""

import json
import zipfile
from io import BytesIO
from pathlib import Path

import pytest

from cli.command import QUESTION, spyglass

WRITTEN = {
    "r.md": b"# When was the harbour built",
    "r.html": b"<!doctype html>",
    "r.docx": b"PK",
    "r.json": b"{",
    "r.bib": b"@",
    "r.csl.json": b"[",
}


@pytest.fixture
def report(tmp_path: Path, files: Path) -> Path:
    """Return a report as JSON about a folder of files."""
    ran = spyglass(tmp_path, "report", QUESTION, "--files", files, "--out", "r.json", "--quiet")
    assert ran.returncode == 0, ran.stderr
    return tmp_path / "r.json"


def test_one_report_is_written_in_every_way(tmp_path: Path, files: Path) -> None:
    outs = [part for name in WRITTEN for part in ("--out", name)]
    ran = spyglass(tmp_path, "report", QUESTION, "--files", files, *outs, "--quiet", "--length", "short")
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")
    assert "built in 1871" in (tmp_path / "r.md").read_text()
    assert json.loads((tmp_path / "r.json").read_text())["outcome"] == "complete"
    for name, begins in WRITTEN.items():
        assert (tmp_path / name).read_bytes().lower().startswith(begins.lower()), name
    with zipfile.ZipFile(BytesIO((tmp_path / "r.docx").read_bytes())) as parts:
        assert b"built in 1871" in parts.read("word/document.xml")


@pytest.mark.browser
def test_a_report_is_printed(tmp_path: Path, files: Path) -> None:
    ran = spyglass(tmp_path, "report", QUESTION, "--files", files, "--out", "r.pdf", "--quiet")
    assert ran.returncode == 0, ran.stderr
    assert (tmp_path / "r.pdf").read_bytes().startswith(b"%PDF-")


def test_a_pdf_without_a_browser_is_refused_before_anything_is_done(tmp_path: Path, files: Path) -> None:
    ran = spyglass(
        tmp_path, "report", QUESTION, "--files", files, "--out", "r.pdf", SPYGLASS_BROWSER__CHROMIUM="/nowhere"
    )
    assert ran.returncode != 0
    assert "/nowhere is not a program" in ran.stderr
    assert "Plan" not in ran.stderr


def test_a_tampered_report_ends_with_1_and_says_where(tmp_path: Path, report: Path) -> None:
    whole = report.read_text()
    for old, new in (("1871", "1881"), ('"supported"', '"partial"'), ('"start": ', '"start": 1')):
        report.write_text(whole.replace(old, new, 1))
        ran = spyglass(tmp_path, "verify", "r.json")
        assert ran.returncode == 1, new
        assert "Checks failed: " in ran.stdout, new


def test_a_file_that_changed_since_is_told(tmp_path: Path, files: Path, report: Path) -> None:
    for path in files.rglob("*.md"):
        path.write_text(path.read_text().replace("1871", "1899"))
    ran = spyglass(tmp_path, "verify", "r.json", "--refetch")
    assert ran.returncode == 3
    assert "gone" in ran.stdout or "changed" in ran.stdout


def test_somebody_elses_text_is_checked_against_a_folder(tmp_path: Path, files: Path) -> None:
    claims = "The harbour was built in 1871. The harbour was built in 1899. Elephants fly to the moon at night."
    (tmp_path / "theirs.md").write_text(f"# The harbour\n\n{claims}\n")
    ran = spyglass(tmp_path, "check", "theirs.md", "--files", files, "--json", "--quiet")
    assert ran.returncode == 3, ran.stderr
    verdicts = [claim["verdict"] for claim in json.loads(ran.stdout)["claims"]]
    assert verdicts[0] == "supported"
    assert verdicts[1] in ("contradicted", "unsupported")
    assert verdicts[2] == "unsupported"
