"""Each token has its runs, its budget and its number of runs a day."""

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from serve.conftest import Serving
from serve.test_page import QUESTION
from spyglass.kernel.errors import UsageError
from spyglass.kernel.settings import Settings
from spyglass.serve.tokens import Tokens, lasting


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "harbour.md").write_text("# The harbour\n\nIts basin is seven metres deep.\n")
    return tmp_path / "files"


@pytest.fixture
def tokens(online: Settings) -> Tokens:
    return Tokens(online)


class Client:
    """One who shows a token."""

    def __init__(self, base: str, token: str) -> None:
        self._base = base
        self._headers = {"Authorization": f"Bearer {token}"}

    async def __call__(self, path: str, body: dict[str, Any] | None = None) -> tuple[int, Any]:
        async with (
            aiohttp.ClientSession(headers=self._headers) as session,
            session.request("GET" if body is None else "POST", f"{self._base}{path}", json=body) as response,
        ):
            return response.status, await response.json()


async def test_nobody_sees_stops_or_follows_the_run_of_another_token(
    serving: Serving, tokens: Tokens, files: Path
) -> None:
    ana_s, ben_s = [await asyncio.to_thread(tokens.make, name) for name in ("ana", "ben")]
    async with serving(db=[files], web=False) as base:
        ana, ben = Client(base, ana_s), Client(base, ben_s)
        status, began = await ana("/runs", {"q": QUESTION})
        assert status == 202
        run = f"/runs/{began['id']}"
        for path in (run, f"{run}/plan", f"{run}/events", f"{run}/evidence", f"{run}/report.md"):
            assert (await ben(path))[0] == 404, path
        assert (await ben(f"/v1/responses/resp_{began['id']}"))[0] == 404
        bodies: dict[str, dict[str, Any]] = {f"{run}/cancel": {}, f"{run}/plan": {"tasks": []}}
        for path, body in bodies.items():
            assert (await ben(path, body))[0] == 404, path
        assert (await ben("/runs", {"q": "How deep is it?", "follows": began["id"]}))[0] == 404
        assert (await ben("/runs"))[1] == []
        assert [one["id"] for one in (await ana("/runs"))[1]] == [began["id"]]


async def test_a_token_takes_no_more_than_it_is_for(serving: Serving, tokens: Tokens, files: Path) -> None:
    bounds = {"daily": (None, 1), "paid": (0.5, None)}
    one, other = [await asyncio.to_thread(tokens.make, name, *bound) for name, bound in bounds.items()]
    async with serving(db=[files], web=False) as base:
        daily, paid = Client(base, one), Client(base, other)
        assert (await daily("/runs", {"q": QUESTION}))[0] == 202
        status, answer = await daily("/runs", {"q": QUESTION})
        assert (status, "1 runs in 24 hours" in answer["error"]) == (429, True)
        assert (await paid("/runs", {"q": QUESTION}))[0] == 202
        status, answer = await paid("/runs", {"q": QUESTION})
        assert (status, "The budget of this token, $" in answer["error"]) == (429, True), "the first may spend it all"
        for path, body in (("/report", {"q": QUESTION}), ("/check", {"text": "The basin is deep."})):
            status, answer = await paid(path, body)
            assert (status, "POST /runs" in answer["error"]) == (403, True), path


async def test_a_token_that_is_missing_wrong_or_expired_is_told_so_in_words(serving: Serving, tokens: Tokens) -> None:
    good, old = [
        await asyncio.to_thread(tokens.make, name, None, None, lasts)
        for name, lasts in (("ana", lasting("30d")), ("ben", timedelta(0)))
    ]
    async with serving(web=False) as base:
        assert (await Client(base, good)("/runs"))[0] == 200
        for shown, why in (
            ("", "requires a token"),
            ("x" * 43, "token is not valid"),
            (old, "The token ben has expired"),
        ):
            for path, body in (("/runs", None), ("/runs", {"q": QUESTION}), ("/v1/responses", {"input": QUESTION})):
                status, answer = await Client(base, shown)(path, body)
                assert status == 401
                said = answer["error"]["message"] if path.startswith("/v1") else answer["error"]
                assert why in said
        status, answer = await Client(base, "")("/session", {"token": old})
        assert (status, "has expired" in answer["error"]) == (401, True)


@pytest.mark.parametrize("text", ["", "0d", "-1d", "soon", "30", "1.5h", "999999h", "٣d"])
def test_how_long_a_token_holds_is_said_in_hours_days_or_weeks(text: str) -> None:
    assert [lasting(one) for one in ("12h", " 30D", "8w")] == [
        timedelta(hours=12),
        timedelta(days=30),
        timedelta(weeks=8),
    ]
    with pytest.raises(UsageError, match="12h, 30d, 8w"):
        lasting(text)
