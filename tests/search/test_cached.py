"""When no engine answers, what an earlier run found is better than nothing, and says how old it is."""

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from loopback import Fault, Hits, SearchServer
from search.asking import found, of_kind, run_with
from spyglass.kernel.errors import NoSearchError
from spyglass.kernel.events import Event, Noticed
from spyglass.kernel.notice import Notice

HOUR = 3600


async def kept(server: SearchServer, folder: Path, **query: Any) -> None:
    """Let a run search, so that its results are kept."""
    async with run_with(server, folder, "searxng") as run:
        assert await found(run, **query)
    server.script(Fault(500))


def aged(folder: Path, seconds: float) -> None:
    """Make everything that is kept older."""
    with sqlite3.connect(folder / "cache.sqlite") as db:
        db.execute("UPDATE entry SET stored_at = stored_at - :s, ends_at = ends_at - :s", {"s": seconds})
    db.close()


async def test_they_are_the_last_resort_and_tell_their_age(search_server: SearchServer, tmp_path: Path) -> None:
    await kept(search_server, tmp_path)
    aged(tmp_path, 5 * HOUR + 60)
    async with run_with(search_server, tmp_path, "searxng", "brave") as run:
        results = await found(run, "Red kites!")
        assert run.notices == [Notice("results_of_earlier", query="Red kites!", age="5 h")]
    assert [one.engine for one in results] == ["searxng"] * 3
    assert results[0].age // HOUR == 5
    assert len(search_server.requests) == 3


async def test_an_engine_that_answers_goes_before_them(search_server: SearchServer, tmp_path: Path) -> None:
    async with run_with(search_server, tmp_path, "searxng") as run:
        await found(run)
    async with run_with(search_server, tmp_path, "cached", "searxng") as run:
        assert (await found(run))[0].age == 0
    assert len(search_server.requests) == 2


async def test_a_range_of_time_bounds_their_age(search_server: SearchServer, tmp_path: Path) -> None:
    await kept(search_server, tmp_path, time_range="day")
    async with run_with(search_server, tmp_path, "searxng") as run:
        assert await found(run, time_range="day")
    aged(tmp_path, 25 * HOUR)
    async with run_with(search_server, tmp_path, "searxng") as run:
        with pytest.raises(NoSearchError):
            await found(run, time_range="day")


async def test_nothing_is_kept_for_ever(search_server: SearchServer, tmp_path: Path) -> None:
    await kept(search_server, tmp_path)
    aged(tmp_path, 31 * 24 * HOUR)
    async with run_with(search_server, tmp_path, "searxng") as run:
        with pytest.raises(NoSearchError):
            await found(run)


@pytest.mark.parametrize("other", [{"text": "black kites"}, {"region": "de-DE"}, {"domains": ("a.example",)}])
async def test_they_are_those_of_the_same_question(
    search_server: SearchServer, tmp_path: Path, other: dict[str, Any]
) -> None:
    await kept(search_server, tmp_path)
    async with run_with(search_server, tmp_path, "searxng") as run:
        with pytest.raises(NoSearchError):
            await found(run, **other)


async def test_no_more_are_returned_than_are_wanted(search_server: SearchServer, tmp_path: Path) -> None:
    await kept(search_server, tmp_path)
    async with run_with(search_server, tmp_path, "searxng") as run:
        assert len(await found(run, max_results=2)) == 2


async def test_that_nothing_was_found_is_not_kept(search_server: SearchServer, tmp_path: Path) -> None:
    search_server.script(Hits(), Fault(500))
    for engines in (("searxng",), ("searxng",)):
        async with run_with(search_server, tmp_path, *engines) as run:
            if search_server.requests:
                with pytest.raises(NoSearchError):
                    await found(run)
            else:
                assert await found(run) == []


async def test_a_damaged_cache_costs_a_run_nothing(
    search_server: SearchServer, tmp_path: Path, events: list[Event]
) -> None:
    (tmp_path / "cache.sqlite").write_bytes(b"no database" * 1000)
    async with run_with(search_server, tmp_path, "searxng", on_event=events.append) as run:
        assert len(await found(run)) == 3
        search_server.script(Fault(500))
        with pytest.raises(NoSearchError, match="status 500"):
            await found(run, "black kites")
    assert any("cache" in event.text for event in of_kind(events, Noticed))
