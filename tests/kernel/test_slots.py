"""The limits of a server hold over the runs of all processes, and fairly between owners."""

import asyncio
from collections import Counter

import pytest

from spyglass.kernel.database.database import Database
from spyglass.kernel.database.slots import SharedSlots, SlotRequest, shares, turn
from spyglass.kernel.errors import DatabaseError

pytestmark = pytest.mark.cluster


def test_owners_get_the_same_and_so_do_the_runs_of_each_and_no_more_than_they_want() -> None:
    wishes = [SlotRequest("a1", "ana", 9, 1.0), SlotRequest("a2", "ana", 9, 2.0), SlotRequest("b1", "ben", 9, 3.0)]
    assert shares(8, wishes) == {"a1": 2, "a2": 2, "b1": 4}
    assert shares(8, [*wishes[:2], SlotRequest("b1", "ben", 1, 3.0)]) == {"a1": 4, "a2": 3, "b1": 1}
    assert shares(99, wishes) == {"a1": 9, "a2": 9, "b1": 9}
    assert shares(1, wishes) == {"a1": 1}
    assert shares(1, [SlotRequest("a1", "ana", 9, 4.0), *wishes[1:]]) == {"a2": 1}, "who has been without for longest"
    assert shares(2, [SlotRequest("b1", "ben", 9, 9.0), *wishes[:2]]) == {"a1": 1, "b1": 1}


class Server:
    """Something that is called, and counts."""

    def __init__(self) -> None:
        self.open = self.peak = 0
        self.served = list[str]()

    async def call(self, slots: SharedSlots, who: str, pause: float = 0.0) -> None:
        async with slots.slot(pause):
            self.open += 1
            self.peak = max(self.peak, self.open)
            await asyncio.sleep(0.05)
            self.open -= 1
            self.served.append(who)


async def test_no_more_calls_are_made_at_once_than_the_server_takes_and_nobody_is_kept_out(database: Database) -> None:
    insert = "INSERT INTO run (id, owner) VALUES ('a1', 'ana'), ('a2', 'ana'), ('b1', 'ben')"
    await asyncio.to_thread(database.use, lambda db: db.execute(insert))
    server = Server()
    runs = {name: SharedSlots(database, "server", name, 2) for name in ("a1", "a2", "b1")}
    calls = {"a1": 30, "a2": 30, "b1": 12}
    async with asyncio.timeout(30):
        await asyncio.gather(*(server.call(runs[who], who) for who, many in calls.items() for _ in range(many)))
    assert server.peak == 2
    assert Counter(server.served) == calls
    assert "b1" in server.served[: len(server.served) // 2], "one who came last has a turn among many of others"
    for one in runs.values():
        await one.aclose()
    left = await asyncio.to_thread(database.use, lambda db: db.execute("SELECT * FROM place").fetchall())
    assert left == []


async def test_slots_of_a_run_that_is_gone_are_free_when_its_lease_ends(database: Database) -> None:
    gone, server = SharedSlots(database, "server", "gone", 1), Server()
    held = gone.slot()
    await held.__aenter__()
    await asyncio.to_thread(database.use, lambda db: db.execute("UPDATE place SET ends = clock_timestamp()"))
    other = SharedSlots(database, "server", "other", 1)
    async with asyncio.timeout(20):
        await server.call(other, "other")
    assert server.served == ["other"]
    await held.__aexit__(None, None, None)
    await gone.aclose()
    await other.aclose()


async def test_one_who_is_cancelled_while_waiting_leaves_nothing_behind(database: Database) -> None:
    one, other = (SharedSlots(database, "server", name, 1) for name in ("one", "other"))
    async with one.slot():
        waiting = asyncio.create_task(Server().call(other, "other"))
        await asyncio.sleep(0.3)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
    server = Server()
    async with asyncio.timeout(20):
        await server.call(other, "other")
    await one.aclose()
    await other.aclose()
    assert server.served == ["other"]


async def test_calls_a_minute_are_counted_over_all_processes(database: Database) -> None:
    for _ in range(3):
        await turn(database, "engine", 3)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.5):
            await turn(database, "engine", 3)
    await turn(database, "another", 3)


async def test_while_the_database_stays_away_whoever_waits_is_told() -> None:
    away = Database("postgresql://127.0.0.1:1/name", patience=0.1)
    with pytest.raises(DatabaseError):
        async with SharedSlots(away, "server", "run", 1).slot():
            pass
