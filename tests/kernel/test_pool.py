"""The pool: what runs share is opened once and closed in time, and nothing else of a run reaches another."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest

from spyglass.kernel.errors import UsageError
from spyglass.kernel.journal import Journal
from spyglass.kernel.pool import KEPT, Pool
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Settings

Opener = Callable[[], AbstractAsyncContextManager[str]]


class Shop:
    """Opens clients, and knows which are open."""

    def __init__(self) -> None:
        self.opened: list[str] = []
        self.open: set[str] = set()
        self.broken = False

    def opener(self, name: str) -> Opener:
        @asynccontextmanager
        async def opening() -> AsyncIterator[str]:
            await asyncio.sleep(0)
            if self.broken:
                raise OSError("no such thing")
            self.opened.append(name)
            self.open.add(name)
            try:
                yield name
            finally:
                self.open.remove(name)

        return opening


def run_of(settings: Settings, pool: Pool | None) -> Run:
    return Run("What is known?", settings, journal=Journal(), pool=pool)


async def test_runs_of_a_pool_share_a_client_that_lives_until_the_pool_ends(settings: Settings) -> None:
    shop = Shop()
    async with Pool() as pool:
        async with run_of(settings, pool) as one, run_of(settings, pool) as other:
            await asyncio.gather(*(run.shared("model", shop.opener("model")) for run in (one, other, one)))
        assert shop.open == {"model"}
        async with run_of(settings, pool) as later:
            await later.shared("model", shop.opener("model"))
    assert shop.opened == ["model"]
    assert not shop.open


async def test_a_run_without_a_pool_closes_what_it_opened(settings: Settings) -> None:
    shop = Shop()
    async with run_of(settings, None) as run:
        await run.shared("model", shop.opener("model"))
        assert shop.open
    assert not shop.open


async def test_clients_that_nobody_uses_any_more_are_closed_but_for_the_last_ones(settings: Settings) -> None:
    shop = Shop()
    async with Pool() as pool, run_of(settings, pool) as long:
        await long.shared("of the long run", shop.opener("of the long run"))
        for number in range(3 * KEPT):
            async with run_of(settings, pool) as run:
                await run.shared(number, shop.opener(str(number)))
        assert shop.open == {"of the long run", *(str(number) for number in range(2 * KEPT, 3 * KEPT))}
    assert not shop.open


async def test_a_client_that_is_not_kept_is_closed_with_its_last_user_and_opened_anew(
    settings: Settings,
) -> None:
    shop = Shop()
    async with Pool() as pool:
        for _ in range(2):
            async with run_of(settings, pool) as one:
                async with run_of(settings, pool) as other:
                    await asyncio.gather(
                        *(run.shared("index", shop.opener("index"), keeps=False) for run in (one, other))
                    )
                assert shop.open == {"index"}
            assert not shop.open
    assert shop.opened == ["index", "index"]


async def test_a_client_that_did_not_open_is_opened_by_the_next_who_asks(settings: Settings) -> None:
    shop = Shop()
    shop.broken = True
    async with Pool() as pool, run_of(settings, pool) as run:
        with pytest.raises(OSError, match="no such thing"):
            await run.shared("model", shop.opener("model"))
        shop.broken = False
        assert await run.shared("model", shop.opener("model")) == "model"


async def test_whoever_is_cancelled_while_a_client_opens_leaves_the_opening_to_the_others(settings: Settings) -> None:
    shop = Shop()
    async with Pool() as pool, run_of(settings, pool) as one, run_of(settings, pool) as other:
        first = asyncio.create_task(one.shared("model", shop.opener("model")))
        await asyncio.sleep(0)
        second = asyncio.create_task(other.shared("model", shop.opener("model")))
        await asyncio.sleep(0)
        first.cancel()
        assert await second == "model"
        assert shop.opened == ["model"]


async def test_a_pool_that_is_not_open_is_refused(settings: Settings) -> None:
    with pytest.raises(UsageError, match="async with Pool"):
        async with run_of(settings, Pool()):
            pass
    async with Pool() as pool:
        with pytest.raises(UsageError, match="already open"):
            async with pool:
                pass


def test_a_pool_of_another_event_loop_is_refused(settings: Settings) -> None:
    async def use(pool: Pool) -> None:
        async with run_of(settings, pool):
            pass

    with asyncio.Runner() as first, asyncio.Runner() as second:
        pool = first.run(Pool().__aenter__())
        with pytest.raises(UsageError, match="another event loop"):
            second.run(use(pool))
        first.run(pool.__aexit__())
