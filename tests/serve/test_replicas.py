"""Services that share a database: what one begins, any streams, joins and stops, and whoever one lets in, all do."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from pydantic import SecretStr

from serve.conftest import Serving
from serve.test_runs import QUESTION, call, ended, streamed
from spyglass.kernel.database.database import Database, database_at
from spyglass.kernel.settings import Settings
from spyglass.runs import RunStore
from spyglass.runs.detached import prepared
from spyglass.serve.tokens import Tokens

pytestmark = pytest.mark.cluster


@pytest.fixture
def settings(online: Settings, database_url: str, tmp_path: Path) -> Settings:
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "harbour.md").write_text("# The harbour\n\nThe basin of Altmere is seven metres deep.\n")
    return online.updated(db=[tmp_path / "files"], web=False, database_url=SecretStr(database_url))


@pytest.fixture
async def replicas(
    serving: Serving, settings: Settings, database_url: str, tmp_path: Path
) -> AsyncIterator[tuple[str, str]]:
    """The addresses of two services."""
    shared = {"db": settings.db, "web": False, "database_url": settings.database_url}
    async with (
        serving(**shared, data_dir=tmp_path / "here") as here,
        serving(**shared, data_dir=tmp_path / "there") as there,
    ):
        yield here, there
    await asyncio.to_thread(database_at(database_url).close)


async def test_a_run_is_followed_from_its_beginning_at_another_service_and_a_cut_stream_goes_on_there(
    replicas: tuple[str, str],
) -> None:
    here, there = replicas
    _, began = await call(f"{here}/runs", {"q": QUESTION})
    run = f"/runs/{began['id']}"
    assert (await call(there + run))[1]["outcome"] == "running", "though its process has only been started"
    async with asyncio.timeout(60):
        (_, one, last), (_, other, same) = await asyncio.gather(
            streamed(f"{here}{run}/events"), streamed(f"{there}{run}/events")
        )
        _, first, cut = await streamed(f"{here}{run}/events", most=12)
        _, rest, end = await streamed(f"{there}{run}/events", cut)
    assert (one[1:], last) == (other[1:], same)
    assert (one[-2].name, one[-1].data["outcome"]) == ("RunEnded", "complete")
    assert ([*first[1:], *rest[1:]], end) == (one[1:], last), "none is missing, none comes twice"
    assert await streamed(f"{there}{run}/events", last) == (204, [], 0)


async def test_a_run_is_stopped_at_another_service(replicas: tuple[str, str]) -> None:
    here, there = replicas
    _, began = await call(f"{here}/runs", {"q": QUESTION})
    assert (await call(f"{there}/runs/{began['id']}/cancel", {}))[0] == 200
    assert (await ended(here, began["id"]))["outcome"] == "cancelled"
    assert "stopped before it finished" in (await call(f"{there}/runs/{began['id']}/report.md"))[1]


async def test_a_run_whose_machine_dies_is_gone_on_with_by_a_service_that_was_there(
    replicas: tuple[str, str], settings: Settings, database: Database, tmp_path: Path
) -> None:
    gone = settings.updated(data_dir=tmp_path / "gone")
    run_id = await asyncio.to_thread(prepared, QUESTION, gone)
    await asyncio.to_thread(RunStore.of(gone).manage, run_id, "")
    cut = "UPDATE run SET machine = 'another', ends = clock_timestamp() - interval '1 s' WHERE id = %s"
    await asyncio.to_thread(database.use, lambda db: db.execute(cut, (run_id,)))
    async with asyncio.timeout(60):
        _, events, _ = await streamed(f"{replicas[1]}/runs/{run_id}/events")
    assert events[-1].data["outcome"] == "complete"
    taken = await asyncio.to_thread(
        database.use, lambda db: db.execute("SELECT token, resumed FROM run WHERE id = %s", (run_id,)).fetchall()
    )
    assert taken == [(2, 1)], "one of the two, once"


async def test_a_token_that_is_made_anywhere_opens_every_service_until_it_is_revoked(
    replicas: tuple[str, str], settings: Settings, tmp_path: Path
) -> None:
    tokens = Tokens(settings.updated(data_dir=tmp_path / "elsewhere"))
    secret = await asyncio.to_thread(tokens.make, "ana", 2.5, 3)
    [grant] = await asyncio.to_thread(tokens.grants)
    assert (grant.name, grant.budget, grant.runs_a_day) == ("ana", 2.5, 3)
    async with aiohttp.ClientSession(headers={"Authorization": f"Bearer {secret}"}) as session:

        async def asks(base: str) -> int:
            async with session.get(f"{base}/runs") as response:
                return response.status

        assert [await asks(base) for base in replicas] == [200, 200]
        await asyncio.to_thread(tokens.revoke, "ana")
        assert [await asks(base) for base in replicas] == [401, 401]


async def test_a_token_takes_no_more_than_it_is_for_however_many_services_are_asked_at_once(
    replicas: tuple[str, str], settings: Settings
) -> None:
    secret = await asyncio.to_thread(Tokens(settings).make, "ana", None, 1)
    async with aiohttp.ClientSession(headers={"Authorization": f"Bearer {secret}"}) as session:

        async def asks(base: str) -> int:
            async with session.post(f"{base}/runs", json={"q": QUESTION}) as response:
                return response.status

        assert sorted(await asyncio.gather(*map(asks, replicas * 2))) == [202, 429, 429, 429]


async def test_what_one_token_has_begun_another_sees_at_no_service(
    replicas: tuple[str, str], settings: Settings
) -> None:
    tokens = {name: await asyncio.to_thread(Tokens(settings).make, name) for name in ("ana", "ben")}

    async def asks(who: str, method: str, url: str, **given: Any) -> tuple[int, Any]:
        async with (
            aiohttp.ClientSession(headers={"Authorization": f"Bearer {tokens[who]}"}) as session,
            session.request(method, url, **given) as response,
        ):
            return response.status, await response.json() if response.content_type == "application/json" else None

    here, there = replicas
    _, began = await asks("ana", "POST", f"{here}/runs", json={"q": QUESTION})
    run = f"{there}/runs/{began['id']}"
    for path in ("", "/events", "/plan", "/report.md", "/report.json"):
        assert (await asks("ben", "GET", run + path))[0] == 404, path
    assert (await asks("ben", "POST", f"{run}/cancel", json={}))[0] == 404
    assert await asks("ben", "GET", f"{there}/runs") == (200, [])
    assert [one["id"] for one in (await asks("ana", "GET", f"{there}/runs"))[1]] == [began["id"]]
    assert (await asks("ana", "POST", f"{run}/cancel", json={}))[0] == 200


async def test_a_service_is_not_ready_while_its_database_is_away_and_counts_the_runs_of_all(
    replicas: tuple[str, str], settings: Settings, serving: Serving, tmp_path: Path
) -> None:
    here, there = replicas
    _, began = await call(f"{here}/runs", {"q": QUESTION})
    await ended(there, began["id"])
    for path in ("healthz", "readyz"):
        assert await call(f"{there}/{path}") == (200, {"status": "ok"})
    _, counted = await call(f"{there}/metrics")
    assert 'spyglass_runs{state="kept"} 1\n' in counted
    assert "spyglass_database_up 1\n" in counted
    secret = await asyncio.to_thread(Tokens(settings).make, "ana")
    async with aiohttp.ClientSession() as session:
        for path, shown, status in (("metrics", secret, 403), ("metrics", "", 401), ("readyz", "", 200)):
            headers = {"Authorization": f"Bearer {shown}"} if shown else {}
            async with session.get(f"{here}/{path}", headers=headers) as response:
                assert response.status == status, path
