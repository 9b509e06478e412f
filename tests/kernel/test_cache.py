"""The cache keeps what came, for every run and process, and never more than it may."""

import asyncio
import sqlite3
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spyglass.kernel.cache import Cache, Share, cache_at, cache_of
from spyglass.kernel.errors import CacheError
from spyglass.kernel.journal import Journal
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Settings


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def in_file(tmp_path: Path, clock: Clock) -> AsyncIterator[Cache]:
    async with Cache(tmp_path / "deep" / "cache.sqlite", most=10_000, clock=clock) as cache:
        yield cache


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.cluster)])
async def cache(request: pytest.FixtureRequest, clock: Clock, in_file: Cache) -> AsyncIterator[Cache]:
    if request.param == "sqlite":
        yield in_file
        return
    from spyglass.kernel.cache.shared import SharedCache

    made = SharedCache(request.getfixturevalue("database"), most=10_000, clock=clock)
    async with made as cache:
        yield cache


async def test_what_was_put_is_got(cache: Cache, clock: Clock) -> None:
    await cache.put("page", "a", {"status": 200, "title": "Häfen"}, b"\x00bytes")
    clock.now += 7
    found = await cache.get("page", "a")
    assert found is not None
    assert (found.value, found.data, found.age) == ({"status": 200, "title": "Häfen"}, b"\x00bytes", 7)


@pytest.mark.skipif(sys.platform == "win32", reason="there, a file is as private as its folder")
async def test_nobody_else_may_read_it(in_file: Cache) -> None:
    cache = in_file
    await cache.put("page", "a", 1)
    modes = {path.name: path.stat().st_mode & 0o777 for path in (cache.path.parent, *cache.path.parent.iterdir())}
    assert modes == {"deep": 0o700, **dict.fromkeys(("cache.sqlite", "cache.sqlite-shm", "cache.sqlite-wal"), 0o600)}


async def test_another_kind_or_key_is_something_else(cache: Cache) -> None:
    await cache.put("page", "a", 1)
    assert await cache.get("search", "a") is None
    assert await cache.get("page", "b") is None


async def test_the_last_value_counts(cache: Cache) -> None:
    await cache.put("page", "a", 1, b"one")
    await cache.put("page", "a", 2)
    found = await cache.get("page", "a")
    assert found is not None
    assert (found.value, found.data) == (2, b"")


async def test_what_is_too_old_is_not_got(cache: Cache, clock: Clock) -> None:
    await cache.put("page", "a", 1)
    clock.now += 60
    assert await cache.get("page", "a", max_age=59) is None
    assert await cache.get("page", "a", max_age=60) is not None


async def test_a_clock_that_was_set_back_makes_nothing_younger_than_new(cache: Cache, clock: Clock) -> None:
    await cache.put("page", "a", 1)
    clock.now -= 3600
    found = await cache.get("page", "a", max_age=0)
    assert found is not None
    assert found.age == 0


async def test_the_oldest_go_when_there_is_too_much(cache: Cache, clock: Clock) -> None:
    for number in range(100):
        clock.now += 1
        await cache.put("page", str(number), number, bytes(500))
    kept = [number for number in range(100) if await cache.get("page", str(number))]
    assert kept == list(range(kept[0], 100))
    assert 14 <= len(kept) <= 19


async def test_what_is_larger_than_the_cache_pushes_nothing_out(cache: Cache) -> None:
    await cache.put("page", "small", 1, bytes(100))
    await cache.put("page", "giant", 1, bytes(10_001))
    assert await cache.get("page", "giant") is None
    assert await cache.get("page", "small") is not None


async def test_an_old_value_goes_even_when_the_new_one_is_too_large(cache: Cache) -> None:
    await cache.put("page", "a", 1, bytes(100))
    await cache.put("page", "a", 2, bytes(10_001))
    assert await cache.get("page", "a") is None


@settings(max_examples=25, deadline=None)
@given(sizes=st.lists(st.integers(0, 4000), max_size=60), keys=st.integers(1, 40))
def test_it_is_never_over_its_bound_and_the_newest_is_there(sizes: list[int], keys: int) -> None:
    import tempfile

    async def fill(folder: Path) -> None:
        async with Cache(folder / "cache.sqlite", most=20_000) as cache:
            for number, size in enumerate(sizes):
                await cache.put("page", str(number % keys), None, bytes(size))
                newest = await cache.get("page", str(number % keys))
                assert newest is not None
                assert len(newest.data) == size
                assert _total(folder / "cache.sqlite") <= 20_000

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(fill(Path(folder)))


def _total(path: Path) -> int:
    db = sqlite3.connect(path)
    try:
        return int(db.execute("SELECT COALESCE(SUM(LENGTH(value) + LENGTH(bytes)), 0) FROM entry").fetchone()[0])
    finally:
        db.close()


async def test_what_one_run_kept_another_finds(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path)
    async with Run("one", settings, journal=Journal()) as run:
        cache = await cache_of(run)
        assert await cache_of(run) is cache
        await cache.put("page", "a", "kept")
    async with Run("two", settings, journal=Journal()) as run:
        found = await (await cache_of(run)).get("page", "a")
        assert found is not None
        assert found.value == "kept"


WRITER = """
import asyncio, sys
from pathlib import Path
from spyglass.kernel.cache import Cache
async def main():
    async with Cache(Path(sys.argv[1])) as cache:
        for number in range(50):
            await cache.put("page", f"{sys.argv[2]}-{number}", number, bytes(2000))
            await cache.put("page", "shared", sys.argv[2])
asyncio.run(main())
"""


async def test_several_processes_write_at_once_and_nothing_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    command = [sys.executable, "-c", WRITER, str(path)]
    pipe = asyncio.subprocess.PIPE
    writers = [await asyncio.create_subprocess_exec(*command, name, stderr=pipe) for name in "abcd"]
    told = await asyncio.gather(*(writer.communicate() for writer in writers))
    assert [errors for _, errors in told] == [b""] * 4
    async with Cache(path) as cache:
        assert all([await cache.get("page", f"{name}-{number}") for name in "abcd" for number in range(50)])
        shared = await cache.get("page", "shared")
    assert shared is not None
    assert shared.value in "abcd"


async def test_a_file_that_is_none_of_ours_is_told_with_a_remedy(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    path.write_bytes(b"these are not the bytes of a database" * 100)
    async with Cache(path) as cache:
        with pytest.raises(CacheError, match=r"not a database.*delete the file"):
            await cache.get("page", "a")
        with pytest.raises(CacheError):
            await cache.put("page", "a", 1)
    assert path.read_bytes().startswith(b"these are not")


async def test_a_cache_of_another_format_is_emptied(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    db = sqlite3.connect(path)
    db.executescript("CREATE TABLE entry (a); INSERT INTO entry VALUES (1); PRAGMA user_version = 99")
    db.close()
    async with Cache(path) as cache:
        assert await cache.get("page", "a") is None
        await cache.put("page", "a", 1)
        assert await cache.get("page", "a") is not None


async def test_a_writer_that_waits_for_another_gives_up_in_time(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    async with Cache(path) as cache:
        await cache.put("page", "a", 1)
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        try:
            async with asyncio.timeout(60):
                with pytest.raises(CacheError, match="locked"):
                    await cache.put("page", "b", 1)
            assert await cache.get("page", "a") is not None, "reading goes on beside a writer"
        finally:
            other.close()


def rows(path: Path) -> list[str]:
    with sqlite3.connect(path) as db:
        found = [str(key) for (key,) in db.execute("SELECT key FROM entry ORDER BY key")]
    db.close()
    return found


async def test_what_has_had_its_time_is_gone_when_the_file_is_opened_again(tmp_path: Path, clock: Clock) -> None:
    path = tmp_path / "cache.sqlite"
    async with Cache(path, clock=clock) as cache:
        await cache.put("page", "day", 1)
        await cache.put("search", "month", 1, lasts=30 * 86_400)
        clock.now += 86_400
        assert await cache.get("page", "day") is None
        assert rows(path) == ["day", "month"]
    for days, left in ((0, ["month"]), (29, [])):
        clock.now += days * 86_400
        async with Cache(path, clock=clock) as cache:
            assert (await cache.get("search", "month") is not None) == bool(left)
        assert rows(path) == left


async def test_what_has_had_its_time_goes_with_a_sweep(in_file: Cache, clock: Clock) -> None:
    cache = in_file
    await cache.put("page", "old", 1)
    clock.now += 86_401
    for number in range(3):
        await cache.put("page", f"new {number}", 1, bytes(600))
    assert "old" not in rows(cache.path)


async def test_a_value_that_is_no_json_counts_as_not_kept(in_file: Cache) -> None:
    cache = in_file
    await cache.put("page", "a", 1)
    with sqlite3.connect(cache.path) as db:
        db.execute("UPDATE entry SET value = '{half'")
    db.close()
    assert await cache.get("page", "a") is None


async def test_what_is_used_stays_and_what_nobody_used_goes_first(cache: Cache, clock: Clock) -> None:
    for number in range(8):
        clock.now += 100
        await cache.put("page", str(number), number, bytes(1000))
    clock.now += 100
    assert await cache.get("page", "0") is not None
    for number in range(8, 14):
        clock.now += 100
        await cache.put("page", str(number), number, bytes(1000))
    assert await cache.get("page", "0") is not None
    assert await cache.get("page", "1") is None
    assert await cache.get("page", "13") is not None


async def test_it_says_what_it_has_of_each_kind(cache: Cache, clock: Clock) -> None:
    assert await cache.shares() == []
    await cache.put("page", "a", 1, bytes(99))
    clock.now += 50
    await cache.put("page", "b", 2, bytes(199))
    await cache.put("search", "c", [])
    clock.now += 10
    assert await cache.shares() == [Share("page", 2, 300, 60, 10), Share("search", 1, 2, 10, 10)]


async def test_it_is_cleared_by_kind_and_by_age(cache: Cache, clock: Clock) -> None:
    await cache.put("page", "old", 1)
    clock.now += 1000
    await cache.put("page", "new", 1)
    await cache.put("search", "new", 1)
    assert await cache.clear("page", older_than=1000) == 1
    assert await cache.get("page", "old") is None
    assert await cache.get("page", "new") is not None
    assert await cache.clear("search") == 1
    assert await cache.clear() == 1
    assert await cache.shares() == []


async def test_a_cleared_cache_gives_the_disk_its_room_back(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    async with Cache(path) as cache:
        for number in range(20):
            await cache.put("page", str(number), 0, bytes(100_000))
        await cache.clear()
    assert path.stat().st_size < 100_000


CLEARER = """
import asyncio, sys
from pathlib import Path
from spyglass.kernel.cache import Cache
async def main():
    async with Cache(Path(sys.argv[1]), most=100_000) as cache:
        for number in range(30):
            await cache.put("page", f"{sys.argv[2]}-{number}", number, bytes(5000))
            found = await cache.get("page", f"{sys.argv[2]}-{number}")
            assert found is None or len(found.data) == 5000
            await cache.clear("page", older_than=3600)
asyncio.run(main())
"""


async def test_two_processes_that_read_sweep_and_clear_keep_it_whole_and_within_its_bound(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    pipe = asyncio.subprocess.PIPE
    processes = [
        await asyncio.create_subprocess_exec(sys.executable, "-c", CLEARER, str(path), name, stderr=pipe)
        for name in "ab"
    ]
    told = await asyncio.gather(*(process.communicate() for process in processes))
    assert [errors for _, errors in told] == [b""] * 2
    assert _total(path) <= 100_000
    db = sqlite3.connect(path)
    assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    db.close()


async def test_the_settings_say_how_much_it_may_hold(tmp_path: Path) -> None:
    cache = cache_at(Settings(data_dir=tmp_path, cache__megabytes=1.5))
    assert (cache.most, cache.path) == (1_500_000, tmp_path / "cache.sqlite")
