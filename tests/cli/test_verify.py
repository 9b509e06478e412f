"""`spyglass verify` and `spyglass diff`, on reports that the command has written."""

import json
import re
import shutil
from pathlib import Path

import pytest

from cli.command import QUESTION, spyglass


@pytest.fixture
def report(tmp_path: Path, files: Path) -> Path:
    """A report as JSON, in a folder of its own."""
    path = tmp_path / "elsewhere" / "report.json"
    path.parent.mkdir()
    ran = spyglass(tmp_path, "report", QUESTION, "--files", files, "--out", path, "--quiet")
    assert ran.returncode == 0, ran.stderr
    return path


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def test_a_report_verifies_alone_without_its_run_and_its_files(tmp_path: Path, files: Path, report: Path) -> None:
    shutil.rmtree(tmp_path / "data")
    shutil.rmtree(files)
    ran = spyglass(report.parent, "verify", "report.json")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "citations" in ran.stdout
    assert "All checks passed. Claims checked against their sources: 2 of 2 supported." in ran.stdout


def test_a_changed_report_is_told_with_exit_code_one(tmp_path: Path, report: Path) -> None:
    change(report, "built in 1871", "built in 1872")
    ran = spyglass(tmp_path, "verify", report)
    assert ran.returncode == 1
    assert re.search(r"^Checks failed: \d+ mismatches\.$", ran.stdout, re.MULTILINE)
    assert "section 1, sentence 1" in ran.stdout
    assert "1872" in ran.stdout


def test_json_holds_what_was_checked_and_every_mismatch(tmp_path: Path, report: Path) -> None:
    good = json.loads(spyglass(tmp_path, "verify", report, "--json").stdout)
    assert (good["holds"], good["mismatches"]) == (True, [])
    assert good["checked"]["claims"] == good["checked"]["verdicts"] > 0
    change(report, '"title": "', '"title": "No: ')
    ran = spyglass(tmp_path, "verify", report, "--json")
    assert ran.returncode == 1
    assert json.loads(ran.stdout)["mismatches"][0]["subject"] == "checksum"


@pytest.mark.parametrize("content", ["", "nonsense", "{}", "[1]", '{"format": 9}', '{"format": 1, "claims": 7}'])
def test_what_is_no_report_is_wrong_usage(tmp_path: Path, content: str) -> None:
    (tmp_path / "it.json").write_text(content)
    for arguments in (["verify", "it.json"], ["verify", "it.json", "--json"], ["diff", "it.json", "it.json"]):
        ran = spyglass(tmp_path, *arguments)
        assert (ran.returncode, ran.stdout) == (2, "")
        assert "it.json" in ran.stderr
        assert "Traceback" not in ran.stderr


def test_refetch_tells_what_became_of_the_files_and_is_no_mismatch(tmp_path: Path, files: Path, report: Path) -> None:
    assert "harbour.md: unchanged" in spyglass(tmp_path, "verify", report, "--refetch").stdout
    (files / "harbour.md").unlink()
    ran = spyglass(tmp_path, "verify", report, "--refetch")
    assert ran.returncode == 3
    assert "harbour.md: gone" in ran.stdout
    (today,) = json.loads(spyglass(tmp_path, "verify", report, "--refetch", "--json").stdout)["today"]
    assert (today["place"], today["state"]) == ("harbour.md", "gone")


def test_somebody_elses_report_has_no_file_opened_but_in_a_named_folder(
    tmp_path: Path, files: Path, report: Path
) -> None:
    change(report, '"title": "', '"title": "No: ')
    ran = spyglass(tmp_path, "verify", report, "--refetch")
    assert "Give the folder that contains the file with --folder." in ran.stdout
    assert "harbour.md: unchanged" in spyglass(tmp_path, "verify", report, "--folder", files).stdout


def test_a_report_cannot_command_the_terminal(tmp_path: Path, report: Path) -> None:
    change(report, '"title": "', '"title": "\\u001b[2J\\u001b]0;owned\\u0007')
    change(report, "built in 1871", "built \\u001b[31min 1871")
    for arguments in (("verify", report), ("diff", report, report), ("verify", report, "--refetch")):
        assert not set(spyglass(tmp_path, *arguments).stdout) & {"\x1b", "\x07"}


def test_a_report_does_not_differ_from_itself_and_does_from_another(tmp_path: Path, files: Path, report: Path) -> None:
    same = spyglass(tmp_path, "diff", report, report)
    assert same.returncode == 0
    assert re.fullmatch(r"\d+ claims are the same\.\n", same.stdout)
    (files / "harbour.md").write_text(
        "# The harbour\n\nThe harbour was built in 1875. It took nine years to build it.\n"
    )
    later = report.with_name("later.json")
    assert spyglass(tmp_path, "report", QUESTION, "--files", files, "--out", later, "--quiet").returncode == 0
    ran = spyglass(tmp_path, "diff", report, later)
    assert ran.returncode == 1
    assert "- The harbour was built in 1871. (supported)\n+ The harbour was built in 1875. (supported)" in ran.stdout
    assert "~ harbour.md" in ran.stdout
    record = json.loads(spyglass(tmp_path, "diff", report, later, "--json").stdout)
    assert (record["same"], len(record["changed"]), record["added"]) == (1, 1, [])


def test_what_no_file_proves_of_itself_is_told_and_its_run_proves_it(tmp_path: Path, report: Path) -> None:
    assert "Taken on trust" in spyglass(tmp_path, "verify", report).stdout
    held = spyglass(tmp_path, "verify", report, "--run", "last")
    assert (held.returncode, "Taken on trust" in held.stdout) == (0, False)
    assert spyglass(tmp_path, "verify", "last").returncode == 0
    forged = json.loads(report.read_text()) | {"notices": [], "date": "2020-01-01"}
    report.write_text(json.dumps(forged))
    ran = spyglass(tmp_path, "verify", report, "--run", "last")
    assert ran.returncode == 1
    assert "run: date is “2020-01-01”; its run gives" in ran.stdout
    assert "run: notices is a list of 0" in ran.stdout


def test_a_file_that_a_person_reads_is_told_from_the_report_that_it_claims_to_be(tmp_path: Path, report: Path) -> None:
    shown = tmp_path / "r.md"
    assert spyglass(tmp_path, "replay", "last", "--out", shown).returncode == 0
    assert spyglass(tmp_path, "verify", report, "--shown", shown).returncode == 0
    change(shown, "1871", "1872")
    ran = spyglass(tmp_path, "verify", report, "--shown", shown)
    assert ran.returncode == 1
    assert "r.md is not this report" in ran.stdout


def test_a_text_that_was_written_anew_with_its_hash_is_found_by_the_folder(
    tmp_path: Path, files: Path, report: Path
) -> None:
    forged = tmp_path / "forged"
    shutil.copytree(files, forged)
    change(forged / "harbour.md", "1871", "1971")
    ran = spyglass(tmp_path, "report", QUESTION, "--files", forged, "--out", report, "--quiet")
    assert ran.returncode == 0, ran.stderr
    shutil.rmtree(forged)
    alone = spyglass(tmp_path, "verify", report)
    assert alone.returncode == 0
    assert alone.stdout.split("Taken on trust")[1].splitlines()[1].startswith("- that its texts are those of its pages")
    ran = spyglass(tmp_path, "verify", report, "--folder", files)
    assert ran.returncode == 3
    assert "harbour.md: changed" in ran.stdout
    assert "no longer there" in ran.stdout


def test_a_folder_is_read_and_nothing_outside_it(tmp_path: Path, files: Path, report: Path) -> None:
    assert "harbour.md: unchanged" in spyglass(tmp_path, "verify", report, "--folder", files).stdout
    shutil.copy(files / "harbour.md", tmp_path / "harbour.md")
    shutil.rmtree(files)
    files.mkdir()
    (files / "harbour.md").symlink_to(tmp_path / "harbour.md")
    assert "It is not in" in spyglass(tmp_path, "verify", report, "--folder", files).stdout


def test_a_report_is_signed_by_the_users_key_and_verified_by_it(tmp_path: Path, files: Path) -> None:
    made = spyglass(tmp_path, "report", QUESTION, "--files", files, "--sign", "--out", "r.json", "--quiet")
    assert made.returncode == 0, made.stderr
    key = spyglass(tmp_path, "key").stdout.strip()
    held = spyglass(tmp_path, "verify", "r.json", "--signer", key)
    assert (held.returncode, f"Signed by {key}" in held.stdout) == (0, True)
    change(tmp_path / "r.json", '"date": "', '"date": "1')
    changed = spyglass(tmp_path, "verify", "r.json")
    assert (changed.returncode, "The report or its signature was changed after signing" in changed.stdout) == (1, True)


def test_only_a_report_as_json_can_be_signed_and_that_is_told_before(tmp_path: Path, files: Path) -> None:
    ran = spyglass(tmp_path, "report", QUESTION, "--files", files, "--sign", "--out", "r.md", "--quiet")
    assert ran.returncode == 2
    assert "--out NAME.json" in ran.stderr
