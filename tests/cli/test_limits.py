"""`spyglass report --max-cost … --max-time …` keeps to its limits, and says what they cost the report."""

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
    assert 'budget.prices = {"openai/house-model" = [0.5, 1.5]}' in ran.stderr
    assert not hanging.called.is_set()
    ran = spyglass(tmp_path, *command, SPYGLASS_BUDGET__PRICES='{"openai/house-model": [9e6, 9e6]}', **given)
    assert ran.returncode == 3
    assert "It did not fit within the limit max_cost = 0.5. Raise max_cost." in ran.stdout
    assert not hanging.called.is_set()


@pytest.mark.usefixtures("files")
def test_a_time_is_kept_and_one_that_is_none_is_bad_usage(tmp_path: Path) -> None:
    ran = spyglass(tmp_path, "report", QUESTION, "--files", "papers", "--max-time", "0.001s")
    assert ran.returncode == 1
    assert "There was no time left for it: max_time = 0.001 s. Raise max_time." in ran.stdout
    for time in ("5 parsecs", "-1", "0s"):
        ran = spyglass(tmp_path, "report", QUESTION, "--files", "papers", "--max-time", time)
        assert (ran.returncode, "max_time" in ran.stderr) == (2, True)
