"""A signed report is that of its signer, as a whole or not at all."""

import json
import stat
from pathlib import Path

import pytest

from spyglass.kernel.errors import ReportFileError, SettingsError
from spyglass.kernel.settings import Settings
from spyglass.report import Report
from spyglass.verify.file import ReportFile, read_report
from spyglass.verify.signature import NAME, Signature, public_key, signed
from spyglass.verify.verification import Verification
from spyglass.verify.verify import verify
from verify.reports import written


@pytest.fixture
async def report(settings: Settings) -> Report:
    return await written(settings)


@pytest.fixture
def file(report: Report, settings: Settings, tmp_path: Path) -> ReportFile:
    """The same report, read from a signed file."""
    path = tmp_path / "report.json"
    path.write_bytes(signed(report.model_dump_json(indent=2).encode(), report, settings.data_dir))
    return read_report(path)


def verified(file: ReportFile, signer: str = "") -> Verification:
    return verify(file.report, file.checksum, file.signature, signer)


def test_a_signed_report_says_by_whom_and_is_otherwise_the_same(
    report: Report, file: ReportFile, settings: Settings
) -> None:
    own = public_key(settings.data_dir)
    assert file.report == report
    for signer in ("", own):
        found = verified(file, signer)
        assert (found.mismatches, found.signer, found.checked["signature"]) == ([], own, 1)


def test_the_key_is_made_once_and_nobody_else_may_read_it(settings: Settings) -> None:
    assert public_key(settings.data_dir) == public_key(settings.data_dir)
    assert stat.S_IMODE((settings.data_dir / NAME).stat().st_mode) == 0o600
    assert [path.name for path in settings.data_dir.glob(f"{NAME}*")] == [NAME]


def test_a_report_that_was_changed_and_its_checksum_made_anew_is_found(file: ReportFile) -> None:
    forged = file.report.model_copy(update={"date": "2020-01-01"})
    assert verify(forged, forged.checksum).holds
    found = verify(forged, forged.checksum, file.signature)
    assert [(one.subject, found.signer) for one in found.mismatches] == [("signature", "")]


def test_whoever_takes_the_signature_off_or_signs_anew_is_found_by_the_signer(
    report: Report, file: ReportFile, settings: Settings, tmp_path: Path
) -> None:
    own, other = public_key(settings.data_dir), tmp_path / "other"
    bare = ReportFile(report, report.checksum)
    anew = json.loads(signed(report.model_dump_json().encode(), report, other))["signature"]
    assert verified(bare).holds
    assert "It is not signed" in str(verified(bare, own).mismatches)
    resigned = ReportFile(report, report.checksum, Signature.model_validate(anew))
    assert verified(resigned).signer == public_key(other) != own
    assert "It is signed by" in str(verified(resigned, own).mismatches)
    assert file.signature is not None
    borrowed = file.signature.model_copy(update={"key": public_key(other)})
    assert not verified(ReportFile(report, report.checksum, borrowed)).holds


@pytest.mark.parametrize("value", ["", "x", "ä", "A" * 88, "A" * 86 + "=="])
def test_what_is_no_signature_is_found(file: ReportFile, value: str) -> None:
    assert file.signature is not None
    for field in ("key", "value"):
        broken = file.signature.model_copy(update={field: value})
        assert not verified(ReportFile(file.report, file.checksum, broken)).holds


@pytest.mark.parametrize("signature", ["7", "[]", "{}", '{"key": 7, "value": ""}', '{"key": "", "value": "", "x": 1}'])
def test_a_file_with_a_signature_of_another_shape_is_no_report(report: Report, tmp_path: Path, signature: str) -> None:
    path = tmp_path / "report.json"
    path.write_text(report.model_dump_json()[:-1] + f', "signature": {signature}}}', encoding="utf-8")
    with pytest.raises(ReportFileError):
        read_report(path)


@pytest.mark.parametrize("key", ["x", "ed25519:", "ed25519:AAAA", "rsa:" + "A" * 43 + "="])
def test_a_signer_that_is_no_key_is_wrong_usage(file: ReportFile, key: str) -> None:
    with pytest.raises(SettingsError, match="not a public key"):
        verified(file, key)


def test_a_key_file_that_holds_no_key_is_told_and_left_alone(settings: Settings) -> None:
    path = settings.data_dir / NAME
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("nonsense")
    with pytest.raises(SettingsError, match="cannot be used"):
        public_key(settings.data_dir)
    assert path.read_text() == "nonsense"
