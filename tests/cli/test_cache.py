"""`spyglass cache` shows what earlier runs have kept, and `spyglass cache clear` deletes it."""

import json
from pathlib import Path

import pytest

from cli.command import spyglass
from spyglass.kernel.cache import Cache


@pytest.fixture
async def kept(tmp_path: Path) -> None:
    async with Cache(tmp_path / "data" / "cache.sqlite") as cache:
        for number in range(3):
            await cache.put("page", str(number), 0, bytes(1_000_000))
        await cache.put("search", "q", [])


def test_where_nothing_was_kept_nothing_is_made(tmp_path: Path) -> None:
    ran = spyglass(tmp_path, "cache")
    assert ran.returncode == 0
    assert ran.stdout.startswith("0.0 MB of 200.0 MB in ")
    assert not (tmp_path / "data").exists()


@pytest.mark.usefixtures("kept")
def test_each_kind_is_shown_with_its_size_and_ages(tmp_path: Path) -> None:
    lines = spyglass(tmp_path, "cache", SPYGLASS_CACHE__MEGABYTES="50").stdout.splitlines()
    assert lines[0].split()[:5] == ["page", "3", "entries", "3.0", "MB"]
    assert lines[1].split()[:3] == ["search", "1", "entries"]
    assert lines[2].startswith("3.0 MB of 50.0 MB in ")
    record = json.loads(spyglass(tmp_path, "cache", "--json").stdout)
    assert [(one["kind"], one["entries"]) for one in record["kinds"]] == [("page", 3), ("search", 1)]


@pytest.mark.usefixtures("kept")
def test_what_is_cleared_is_gone(tmp_path: Path) -> None:
    assert "Deleted: 0 entries." in spyglass(tmp_path, "cache", "clear", "--older-than", "7d").stderr
    assert "Deleted: 3 entries." in spyglass(tmp_path, "cache", "clear", "--kind", "page").stderr
    assert "Deleted: 1 entries." in spyglass(tmp_path, "cache", "clear").stderr


@pytest.mark.usefixtures("kept")
def test_a_kind_or_a_time_that_nobody_knows_is_bad_usage(tmp_path: Path) -> None:
    ran = spyglass(tmp_path, "cache", "clear", "--kind", "pages")
    assert (ran.returncode, "Kinds in the cache: page, search." in ran.stderr) == (2, True)
    ran = spyglass(tmp_path, "cache", "clear", "--older-than", "a week")
    assert (ran.returncode, "12h or 7d" in ran.stderr) == (2, True)
