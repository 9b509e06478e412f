"""A file is read as a report only when it is one."""

import asyncio
import json
import os
import re
from pathlib import Path

import pytest

from spyglass.kernel.errors import ReportFileError
from spyglass.kernel.settings import Settings
from spyglass.report import Report
from spyglass.verify.file import LARGEST, read_report
from verify.reports import written


async def test_a_report_is_read_as_it_was_written(settings: Settings, tmp_path: Path) -> None:
    report = await written(settings)
    path = tmp_path / "report.json"
    path.write_text(report.model_dump_json(indent=2), encoding="utf-8")
    file = await asyncio.to_thread(read_report, path)
    assert (file.report, file.checksum) == (report, report.checksum)


def test_what_is_no_report_is_told_from_one(tmp_path: Path) -> None:
    cases = [
        (b"", "It is not JSON"),
        (b"# A report", "It is not JSON"),
        (b'{"format": 1, "run": "a', "It is not JSON"),
        (b"\xff\xfe\x00", "It is not JSON"),
        (b"[" * 100_000, "It is not JSON"),
        (b'{"format": NaN}', "It is not JSON"),
        (b"[]", "not a report: it has no format"),
        (b'{"question": "q"}', "not a report: it has no format"),
        (b'{"format": 1}', "It has format 1; this version reads format 9"),
        (b'{"format": "1"}', "It has format '1'"),
        (b'{"format": true}', "It has format True"),
        (b'{"format": 3}', "It has format 3"),
        (b'{"format": 9}', "question: Field required"),
    ]
    path = tmp_path / "report.json"
    for content, said in cases:
        path.write_bytes(content)
        with pytest.raises(ReportFileError, match=rf"{re.escape(said)}.*report\.json"):
            read_report(path)


async def test_a_part_of_another_type_is_named(settings: Settings, tmp_path: Path) -> None:
    cases: list[tuple[str, object, str]] = [
        ("removed", "none", "removed: "),
        ("sections", [{"title": 0}], "sections.0.title: "),
        ("citations", [{"number": 1.5}], "citations.0.number: "),
        ("sections", None, "sections: "),
        ("outcome", "splendid", "outcome: "),
        ("title", {"a": 1}, "title: "),
    ]
    record = json.loads((await written(settings)).model_dump_json())
    path = tmp_path / "report.json"
    for field, value, said in cases:
        path.write_text(json.dumps({**record, field: value}), encoding="utf-8")
        with pytest.raises(ReportFileError, match=f"It is not a report: {re.escape(said)}"):
            await asyncio.to_thread(read_report, path)


def test_a_file_that_is_too_large_is_not_even_read(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    with path.open("wb") as file:
        file.truncate(LARGEST + 1)
    with pytest.raises(ReportFileError, match="a report has at most 250 MB"):
        read_report(path)


def test_what_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.json")
    for name in ("pipe.json", ".", "none.json"):
        with pytest.raises(ReportFileError):
            read_report(tmp_path / name)


async def test_a_report_verifies_away_from_its_run(settings: Settings, tmp_path: Path) -> None:
    report = await written(settings)
    assert Report.model_validate_json(report.model_dump_json(), strict=True) == report
    assert all(
        citation.quote in {s.hash: s.text for s in report.snapshots}[citation.snapshot] for citation in report.citations
    )
