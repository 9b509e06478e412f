"""Each field of a report is changed alone: `verify` finds it out, or says that it takes the field on trust."""

import json

import pytest

from spyglass.kernel.settings import Settings
from spyglass.render.html import html
from spyglass.report import Report
from spyglass.verify.signature import Signature, holds, signed
from spyglass.verify.verification import ON_TRUST
from spyglass.verify.verify import verify
from verify.forged import forged, whole


@pytest.fixture
async def report(settings: Settings) -> Report:
    return await whole(settings)


@pytest.mark.slow
def test_a_change_of_one_field_is_found_out_or_taken_on_trust(report: Report) -> None:
    assert all([report.copies, report.contradictions, report.removed, report.failures, report.searches])
    assert verify(report).mismatches == []
    passed = {pattern for pattern, other in forged(report) if verify(other).holds}
    documented = {field for fields in ON_TRUST.values() for field in fields}
    assert passed - documented == set()
    # Reasons of a verdict by words are found out, and what extracted a text that the report carries.
    assert documented - passed <= {"sections[].blocks[].sentences[].verdict.reasons[]", "sources[].extractor"}


def test_every_change_of_one_field_of_a_signed_report_is_found_out(report: Report, settings: Settings) -> None:
    data = json.loads(signed(report.model_dump_json().encode(), report, settings.data_dir))
    signature = Signature.model_validate(data["signature"])
    assert holds(report, signature)
    others = list(forged(report))
    assert len({pattern for pattern, _ in others}) > 100
    assert [pattern for pattern, other in others if holds(other, signature)] == []


def test_that_a_text_may_be_written_anew_is_the_first_thing_that_is_taken_on_trust(report: Report) -> None:
    first, *_ = verify(report).on_trust
    assert "--refetch" in first
    assert "--folder" in first


def test_the_references_name_the_sources_that_have_the_same_text(report: Report) -> None:
    (group,) = report.copies
    assert [next(one.path for one in report.sources if one.id == copy) for copy in group] == ["copy.md", "bees.md"]
    (entry,) = [line for line in report.markdown.splitlines() if line.startswith("- [1]")]
    assert "copy.md" in entry
    assert "same text as bees.md" in entry
    assert "same text as bees.md" in html(report)
