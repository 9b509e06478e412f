"""Limits of calls to one server over all processes: leased concurrency slots, and calls per minute (turns)."""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final, TypeAlias

from psycopg import Connection

from ..errors import DatabaseError
from ..source import digest
from ..thread import in_thread
from .database import Database

LASTS: Final = 10.0  # seconds that a lease of slots lasts, unless the run renews it
RENEWED: Final = 1.0  # seconds between renewals; surplus slots are then released as calls end
PAUSES: Final = (0.1, 0.2, 0.4, 0.8)
"""Seconds between the attempts of a waiting run; the last value repeats."""

Db: TypeAlias = Connection[Any]


@dataclass(frozen=True, slots=True)
class SlotRequest:
    """A run's request: its owner, the number of slots that it wants, and when it last had one, in seconds."""

    run: str
    owner: str
    wants: int
    served: float


def shares(most: int, wishes: Sequence[SlotRequest]) -> Counter[str]:
    """Return the number of slots for each run, which are assigned one by one.

    The next goes to the owner with the fewest, and there to the run with the fewest; then to the one served longest
    ago.
    """
    dealt: Counter[str] = Counter()
    owners: Counter[str] = Counter()
    for _ in range(most):
        unmet = [wish for wish in wishes if dealt[wish.run] < wish.wants]
        if not unmet:
            break
        oldest = {owner: min(w.served for w in unmet if w.owner == owner) for owner in {wish.owner for wish in unmet}}
        chosen = min(
            unmet, key=lambda wish: (owners[wish.owner], oldest[wish.owner], dealt[wish.run], wish.served, wish.run)
        )
        dealt[chosen.run] += 1
        owners[chosen.owner] += 1
    return dealt


class SharedSlots:
    """The slots at one server that a run leases and assigns to its calls in order.

    All runs of all processes together have at most `most` slots. Belongs to one event loop.
    """

    def __init__(self, database: Database, name: str, run: str, most: int) -> None:
        self._database = database
        self._name = digest(name, size=64)  # it may contain a key or a URL
        self._run = run
        self._most = most
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._used = self._allowed = self._held = 0  # `_held` slots are leased, more than `_allowed` while calls end
        self._short = False
        self._changed = asyncio.Event()
        self._leasing: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def slot(self, pause: float = 0.0) -> AsyncIterator[None]:
        """Wait for a slot, and hold it for `pause` seconds beyond the block. Raises DatabaseError."""
        await self._enter()
        try:
            yield
        finally:
            asyncio.get_running_loop().call_later(pause, self._give_back)

    async def aclose(self) -> None:
        """Release the leased slots."""
        if self._leasing is not None:
            self._leasing.cancel()
            with suppress(asyncio.CancelledError):
                await self._leasing
        if self._held:
            await self._leave()

    async def _enter(self) -> None:
        admitted = asyncio.get_running_loop().create_future()
        self._waiting.append(admitted)
        self._admit()
        if not admitted.done() and not self._short:
            self._changed.set()
        if self._leasing is None or self._leasing.done():
            self._leasing = asyncio.create_task(self._lease())
        try:
            await admitted
        except asyncio.CancelledError:
            if admitted.cancelled():
                with suppress(ValueError):  # `_admit` has dropped it
                    self._waiting.remove(admitted)
            elif admitted.exception() is None:  # cancelled after the slot was assigned
                self._give_back()
            raise

    def _give_back(self) -> None:
        self._used -= 1
        self._admit()
        if self._held > max(self._allowed, self._used):  # release the surplus for another run
            self._changed.set()

    def _admit(self) -> None:
        while self._waiting and self._used < self._allowed:
            admitted = self._waiting.popleft()
            if not admitted.cancelled():
                self._used += 1
                admitted.set_result(None)

    async def _lease(self) -> None:
        tries = 0
        while True:
            self._changed.clear()
            self._allowed = 0  # admit no call until the lease is renewed
            wanted = self._used + len(self._waiting)
            if not wanted:
                await self._leave()
                if not self._waiting:
                    return
                continue
            try:
                self._allowed, self._held = await in_thread(self._leased, wanted, self._used)
            except DatabaseError as error:
                while self._waiting:
                    if not (admitted := self._waiting.popleft()).cancelled():
                        admitted.set_exception(error)
                return
            self._admit()
            self._short = self._allowed < wanted
            tries = min(tries + 1, len(PAUSES)) if self._short else 0
            with suppress(TimeoutError):
                async with asyncio.timeout(PAUSES[tries - 1] if tries else RENEWED):
                    await self._changed.wait()

    async def _leave(self) -> None:
        query = "DELETE FROM place WHERE name = %s AND run = %s"
        with suppress(DatabaseError):  # the lease expires by itself
            await in_thread(self._database.rows, query, (self._name, self._run))
        self._held = 0

    # In the database

    def _leased(self, wanted: int, used: int) -> tuple[int, int]:
        """Lease up to `wanted` slots; return how many may be used and how many are held: running calls keep theirs."""

        def lease(db: Db) -> tuple[int, int]:
            db.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 1))", (self._name,))
            db.execute("DELETE FROM place WHERE name = %s AND ends < clock_timestamp()", (self._name,))
            rows = db.execute(_OTHERS, (self._name,)).fetchall()
            [(owner, now)] = db.execute(_OWN, (self._run,)).fetchall()
            last_served = next((served for run, _, _, _, served in rows if run == self._run), now)
            others = [row for row in rows if row[0] != self._run]
            wish = SlotRequest(self._run, owner, wanted, now if used else last_served)
            share = shares(
                self._most, [*(SlotRequest(run, owner_, wants, at) for run, owner_, wants, _, at in others), wish]
            )
            free = self._most - sum(has for _, _, _, has, _ in others)
            allowed = max(0, min(share[self._run], free))
            has = max(used, allowed)
            db.execute(_KEEP, (self._name, self._run, wanted, has, now if has else wish.served, LASTS))
            return allowed, has

        return self._database.use(lease, waits=True)


_OTHERS: Final = """
SELECT place.run, coalesce(owner, ''), wants, has, served
FROM place LEFT JOIN run ON run.id = place.run WHERE name = %s
"""
_OWN: Final = """
SELECT coalesce((SELECT owner FROM run WHERE id = %s), ''), extract(epoch FROM clock_timestamp())::float8
"""
_KEEP: Final = """
INSERT INTO place VALUES (%s, %s, %s, %s, %s, clock_timestamp() + make_interval(secs => %s))
ON CONFLICT (name, run) DO UPDATE
SET wants = excluded.wants, has = excluded.has, served = excluded.served, ends = excluded.ends
"""
_TURN: Final = """
INSERT INTO pace AS kept VALUES (%(name)s, clock_timestamp() + %(each)s)
ON CONFLICT (name) DO UPDATE SET next = greatest(kept.next, clock_timestamp()) + %(each)s
RETURNING extract(epoch FROM next - clock_timestamp() - interval '1 minute')::float8
"""


async def turn(database: Database, name: str, per_minute: int) -> None:
    """Wait until the calls per minute, counted over all processes, allow one more. Raises DatabaseError."""
    values = {"name": digest(name, size=64), "each": timedelta(minutes=1) / per_minute}
    [(seconds,)] = await in_thread(database.rows, _TURN, values, waits=True)
    await asyncio.sleep(max(0.0, seconds))
