"""The limiter: never more than allowed, nobody starves, and whoever gives up loses no place."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from spyglass.kernel.limiter import Limiter

Holder = tuple[str, int]
"""An owner, and its number among the owner's."""


class Clinic:
    """Runs holders of a limiter and writes down who holds a place, and in which order they came to one."""

    def __init__(self, most: int) -> None:
        self.limiter = Limiter()
        self.most = most
        self.holding: Counter[str] = Counter()
        self.order: list[Holder] = []

    async def hold(self, holder: Holder, leave: Callable[[], Awaitable[object]]) -> None:
        async with self.limiter.slot(holder[0], self.most):
            self.order.append(holder)
            self.holding[holder[0]] += 1
            assert self.holding.total() <= self.most
            try:
                await leave()
            finally:
                self.holding[holder[0]] -= 1


async def a_while() -> None:
    await asyncio.sleep(0)


async def test_an_owner_with_a_hundred_calls_does_not_make_one_with_a_single_call_wait() -> None:
    clinic = Clinic(2)
    greedy = [asyncio.create_task(clinic.hold(("greedy", number), a_while)) for number in range(100)]
    await asyncio.sleep(0)
    modest = asyncio.create_task(clinic.hold(("modest", 0), a_while))
    await asyncio.gather(modest, *greedy)
    assert clinic.order.index(("modest", 0)) <= 4


async def test_owners_that_wait_take_turns() -> None:
    clinic = Clinic(1)
    calls = [clinic.hold((owner, number), a_while) for owner in "abc" for number in range(4)]
    async with clinic.limiter.slot("nurse", 1):
        waiting = asyncio.gather(*calls)
        await asyncio.sleep(0)
    await waiting
    assert [owner for owner, _ in clinic.order] == list("abc" * 4)
    assert [number for _, number in clinic.order] == [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3]


async def test_an_owner_holds_no_more_than_its_own_bound() -> None:
    limiter = Limiter()
    held = most = 0

    async def one() -> None:
        nonlocal held, most
        async with limiter.slot("careful", 2):
            held += 1
            most = max(most, held)
            await asyncio.sleep(0)
            held -= 1

    async with limiter.slot("other", 10):
        await asyncio.gather(*(one() for _ in range(9)))
    assert most == 2
    assert limiter.is_idle


Step = tuple[str, str, int]
"""What happens: `ask`, `leave` or `cancel`, by which owner, and which of its holders."""

STEPS = st.lists(
    st.tuples(st.sampled_from(["ask", "ask", "leave", "cancel"]), st.sampled_from("abcd"), st.integers(0, 5))
)


@given(most=st.integers(1, 4), steps=STEPS, settle=st.lists(st.booleans(), min_size=1))
@settings(max_examples=200, deadline=None)
def test_whatever_comes_and_goes_no_place_is_lost_and_none_is_given_twice(
    most: int, steps: list[Step], settle: list[bool]
) -> None:
    clinic, waiting, held = asyncio.run(_played(most, steps, settle))
    assert held == most or not waiting, "a place is free, and somebody waits"
    assert not clinic.holding.total()
    assert clinic.limiter.is_idle


async def _played(most: int, steps: list[Step], settle: list[bool]) -> tuple[Clinic, int, int]:
    """Return the clinic once all have left, and how many waited and held before."""
    clinic = Clinic(most)
    tasks: dict[str, list[tuple[asyncio.Task[None], asyncio.Event]]] = {owner: [] for owner in "abcd"}
    for number, (what, owner, which) in enumerate(steps):
        if what == "ask":
            validated = asyncio.Event()
            tasks[owner].append((asyncio.create_task(clinic.hold((owner, number), validated.wait)), validated))
        elif tasks[owner]:
            task, validated = tasks[owner][which % len(tasks[owner])]
            if what == "leave":
                validated.set()
            else:
                task.cancel()
        if settle[number % len(settle)]:  # else the next thing happens before this one was noticed
            await _settled()
    await _settled()
    held = clinic.holding.total()
    waiting = sum(not task.done() for owner in tasks.values() for task, _ in owner) - held
    for _, validated in (pair for owner in tasks.values() for pair in owner):
        validated.set()
    async with asyncio.timeout(60):
        await asyncio.gather(*(task for owner in tasks.values() for task, _ in owner), return_exceptions=True)
    return clinic, waiting, held


async def _settled() -> None:
    for _ in range(6):
        await asyncio.sleep(0)
