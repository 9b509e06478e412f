"""`spyglass report --max-cost … --max-time …` keeps to its limits, and says what they cost the report."""

import time
from pathlib import Path

import pytest

from cli.command import QUESTION, Hanging, spyglass

HOUSE = ("--model", "openai/house-model")


@pytest.mark.usefixtures("files")
def test_a_sum_needs_models_with_known_prices(tmp_path: Path, hanging: type[Hanging]) -> None:
    command = ("report", QUESTION, "--files", "papers", *HOUSE, "--max-cost", "0.50")
    given = {"SPYGLASS_OPENAI_BASE_URL": hanging.url}
    ran = spyglass(tmp_path, *command, **given)
    assert ran.returncode == 2
    assert 'prices = {"openai/house-model" = [0.5, 1.5]}' in ran.stderr
    assert not hanging.called.is_set()
    ran = spyglass(tmp_path, *command, SPYGLASS_PRICES='{"openai/house-model": [9e6, 9e6]}', **given)
    assert ran.returncode == 3
    assert "There was no room for it in max_cost = 0.5. Raise max_cost." in ran.stdout
    assert not hanging.called.is_set()


@pytest.mark.usefixtures("files")
def test_a_model_that_never_answers_does_not_keep_a_report_from_its_time(
    tmp_path: Path, hanging: type[Hanging]
) -> None:
    began = time.monotonic()
    ran = spyglass(
        tmp_path,
        "report",
        f"{QUESTION[:-1]}, and why?",
        "--files",
        "papers",
        *HOUSE,
        "--max-time",
        "6s",
        SPYGLASS_OPENAI_BASE_URL=hanging.url,
    )
    assert hanging.called.is_set()
    assert (ran.returncode, "1871" in ran.stdout) == (3, True), ran.stderr
    assert "There was no time for it in max_time = 6 s. Raise max_time." in ran.stdout
    assert time.monotonic() - began < 6 + 8, "six seconds, and what starting takes on a busy machine"


@pytest.mark.parametrize("time", ["5 parsecs", "-1", "0s"])
@pytest.mark.usefixtures("files")
def test_a_time_that_is_none_is_bad_usage(tmp_path: Path, time: str) -> None:
    ran = spyglass(tmp_path, "report", QUESTION, "--files", "papers", "--max-time", time)
    assert (ran.returncode, "max_time" in ran.stderr) == (2, True)
