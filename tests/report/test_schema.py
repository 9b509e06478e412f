"""The published schema is that of the code, and reports keep it."""

import json
from pathlib import Path

import jsonschema

from report.sample import sample
from spyglass import research
from spyglass.kernel.settings import Settings
from spyglass.report import Report
from spyglass.report.schema import schema, text

PUBLISHED = Path(__file__).parents[2] / "docs" / "report.schema.json"


def complaints(report: Report, **changed: object) -> list[str]:
    """Return what the schema says against a report in which some fields are others."""
    record = {**json.loads(report.model_dump_json()), **changed}
    return [error.message for error in jsonschema.Draft202012Validator(schema()).iter_errors(record)]


def test_the_published_schema_is_that_of_the_code() -> None:
    assert PUBLISHED.read_text(encoding="utf-8") == text(), (
        "write it anew: python -m spyglass.report.schema > docs/report.schema.json"
    )


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(schema())
    assert schema()["$id"] == "urn:spyglass:report:9"


def test_every_part_of_a_report_is_described() -> None:
    parts = schema()["$defs"]
    assert {"Sentence", "Cite", "Citation", "Source", "Snapshot", "Call", "Spent", "Removed", "Coverage"} <= set(parts)
    assert [name for name, part in parts.items() if not part.get("description")] == []


def test_a_report_with_everything_in_it_keeps_the_schema() -> None:
    assert complaints(sample()) == []


async def test_a_report_about_real_files_keeps_the_schema(tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "harbour.md").write_text("# Harbour\n\nThe harbour was built in 1871 by Anna Berg. It took nine years.\n")
    report = await research(
        "When was the harbour built?", settings=Settings(db=[folder], data_dir=tmp_path / "data", web=False)
    )
    assert report.citations
    assert complaints(report) == []


def test_what_is_no_report_does_not_keep_the_schema() -> None:
    fields: dict[str, object] = {
        "outcome": "perfect",
        "sections": [{}],
        "snapshots": [{"hash": 1}],
        "policy": None,
        "citations": "none",
    }
    assert [field for field, value in fields.items() if not complaints(sample(), **{field: value})] == []
