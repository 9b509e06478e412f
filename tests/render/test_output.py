"""A report is written as the suffix of its file says."""

import json
from pathlib import Path

import pytest

from report.sample import sample
from spyglass.kernel.errors import UsageError
from spyglass.kernel.settings import Settings
from spyglass.render.output import RENDERERS, render, suffix_of, suffixes
from spyglass.report import Report

BEGINS = {
    ".md": b"# Do heat pumps",
    ".html": b"<!DOCTYPE html>",
    ".docx": b"PK\x03\x04",
    ".json": b"{",
    ".bib": b"@online{",
    ".csl.json": b"[",
    ".pdf": b"%PDF-",
}


def test_every_suffix_is_tried_here() -> None:
    assert set(BEGINS) == set(suffixes())


@pytest.mark.parametrize(
    "suffix", [pytest.param(suffix, marks=[pytest.mark.browser] * (suffix == ".pdf")) for suffix in suffixes()]
)
async def test_a_report_is_written_as_its_suffix_says(suffix: str, settings: Settings) -> None:
    content = await render(sample(), Path(f"My Report{suffix.upper()}"), settings)
    assert content.startswith(BEGINS[suffix])


async def test_a_suffix_that_is_put_in_is_known_from_then_on(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(RENDERERS, ".heard.txt", lambda report: f"{report.title}, half a letter: é")
    assert suffix_of(Path("a.heard.txt")) == ".heard.txt" == suffixes()[-2]
    assert (await render(sample(), Path("a.heard.txt"), settings)).decode().endswith("half a letter: é")


async def test_the_json_of_a_report_is_the_report(settings: Settings) -> None:
    content = await render(sample(), Path("report.json"), settings)
    assert Report.model_validate_json(content) == sample()


async def test_a_bibliography_is_not_taken_for_the_report(settings: Settings) -> None:
    assert suffix_of(Path("a.json")) == ".json"
    assert isinstance(json.loads(await render(sample(), Path("a.csl.json"), settings)), list)


@pytest.mark.parametrize("name", ["report", "report.txt", ".md.zip", "report.csl"])
def test_another_suffix_is_refused_with_those_that_are_known(name: str) -> None:
    with pytest.raises(UsageError, match="suffix") as caught:
        suffix_of(Path(name))
    assert ".csl.json" in str(caught.value.remedy)
