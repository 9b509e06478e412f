"""Watches in a database: whoever of the services is first checks one, and alone tells of it."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from loopback import Reply, SearchServer, Visit, WebServer
from loopback.prose import article
from spyglass.kernel.database.database import database_at
from spyglass.kernel.errors import UnknownRunError
from spyglass.kernel.pool import Pool
from spyglass.kernel.settings import Settings
from spyglass.watch import WatchStore, check_watch
from tools.sites import finds, settings_of
from watch.test_checking import FILLING, QUESTION, SAID, TITLE

pytestmark = pytest.mark.cluster


@pytest.fixture
def services(tmp_path: Path, search_server: SearchServer, database_url: str) -> Iterator[list[Settings]]:
    """The settings of two services that share a database."""
    settings = settings_of(tmp_path, search_server).updated(database_url=SecretStr(database_url))
    yield [settings.updated(data_dir=tmp_path / name) for name in ("a", "b")]
    database_at(database_url).close()


async def test_of_two_services_one_checks_a_watch_and_the_webhook_is_told_once(
    services: list[Settings], search_server: SearchServer, web_server: WebServer
) -> None:
    hooks: list[Any] = []

    def hook(visit: Visit) -> Reply:
        hooks.append(json.loads(visit.body))
        return Reply("Thank you.")

    web_server.put("/hook", hook, host="127.0.0.3")
    told = [one.updated(watch__webhook=SecretStr(web_server.url("/hook", "127.0.0.3"))) for one in services]
    finds(search_server, web_server.put("/harbour", article(TITLE, *SAID, *FILLING), host="127.0.0.1"))
    here, there = (WatchStore.of(one) for one in services)
    watch = await asyncio.to_thread(here.add, QUESTION, "0 8 * * *", services[0])
    assert [one.id for one in await asyncio.to_thread(there.all)] == [watch.id]
    async with Pool() as pool:
        checks = (check_watch(watch.id, WatchStore.of(one), one, pool, if_due=True) for one in told)
        assert [found is None for found in await asyncio.gather(*checks)].count(True) == 1
        web_server.put("/harbour", article(TITLE, SAID[0].replace("7", "9"), *SAID[1:], *FILLING), host="127.0.0.1")
        checks = (check_watch(watch.id, WatchStore.of(one), one, pool) for one in told)
        found = [one for one in await asyncio.gather(*checks) if one is not None]
    assert [len(one.changes) for one in found] == [1]
    assert [len(one["changes"]) for one in hooks] == [1]
    await asyncio.to_thread(there.remove, watch)
    with pytest.raises(UnknownRunError):
        await asyncio.to_thread(here.find, watch.id)


async def test_of_two_who_change_a_watch_at_once_one_does(services: list[Settings]) -> None:
    store = WatchStore.of(services[0])
    watch = await asyncio.to_thread(store.add, QUESTION, "0 8 * * *", services[0])
    later = watch.model_copy(update={"checked": "2026-01-01T00:00:00+00:00"})
    assert await asyncio.to_thread(store.put, later, watch)
    assert not await asyncio.to_thread(store.put, later.model_copy(update={"run": "other"}), watch)
    assert await asyncio.to_thread(store.find, watch.id) == later
