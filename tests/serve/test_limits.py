"""What a run of the service may take where nobody has said."""

from operator import attrgetter
from pathlib import Path

import pytest

from spyglass.kernel.settings import Settings
from spyglass.serve.limits import LIMITS, MAX_COST, bytes_under, limited

OWN = {"budget.max_time": 5.0, "budget.max_calls": 6, "budget.max_tokens": 7}


@pytest.mark.parametrize("own", [{}, OWN])
async def test_time_and_cost_have_a_limit_and_that_of_the_settings_comes_first(own: dict[str, float]) -> None:
    cases: list[tuple[dict[str, object], float | None]] = [
        ({}, MAX_COST),
        ({"provider": "ollama"}, MAX_COST),
        ({"provider": "openai", "model": "one-of-my-own", "base_url": "http://127.0.0.1:9/v1"}, None),
        ({"provider": "openai", "model": "gpt-4o-mini", "budget.max_cost": 3.0}, 3.0),
        ({"rerank.method": "api", "rerank.url": "http://127.0.0.1:9/rerank"}, None),
    ]
    for given, cost in cases:
        settings = await limited(Settings(**{**given, **own}))
        assert settings.budget.max_cost == cost, given
        assert {name: attrgetter(name)(settings) for name in LIMITS} == {**LIMITS, **own}, given


def test_bytes_are_counted_in_folders_and_not_behind_links(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    (folder / "runs").mkdir(parents=True)
    (tmp_path / "big").write_bytes(b"x" * 1_000_000)
    (folder / "link").symlink_to(tmp_path / "big")
    (folder / "round").symlink_to(folder)
    (folder / "runs" / "journal").write_bytes(b"x" * 300_000)
    assert 300_000 <= bytes_under(folder) < 400_000
    assert bytes_under(tmp_path / "none") == 0
