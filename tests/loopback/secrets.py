"""The loopback AWS Secrets Manager: GetSecretValue, over a real socket, for whoever signs its requests."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import web

from .listening import listening

ARN = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:spyglass-a1b2c3"


class SecretServer:
    """Keeps secrets by ARN; `error` is what it answers instead, `hangs` makes it silent."""

    def __init__(self) -> None:
        self.secrets: dict[str, str] = {}
        self.error = ""
        self.hangs = False
        self.requests: list[dict[str, str]] = []
        self.port = 0
        self._closing = asyncio.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        body: dict[str, Any] = await request.json()
        self.requests.append({name.lower(): value for name, value in request.headers.items()})
        if self.hangs:
            await self._closing.wait()
        secret = self.secrets.get(body["SecretId"])
        if self.error or secret is None:
            return _json({"__type": self.error or "ResourceNotFoundException", "Message": "no"}, 400)
        assert request.headers["X-Amz-Target"] == "secretsmanager.GetSecretValue"
        return _json({"ARN": body["SecretId"], "Name": "spyglass", "VersionId": "1" * 32, "SecretString": secret})

    @asynccontextmanager
    async def running(self) -> AsyncIterator["SecretServer"]:
        """Listen on a free port of this machine."""
        app = web.Application()
        app.router.add_post("/", self._answer)
        async with listening(app, self._closing) as runner:
            self.port = runner.addresses[0][1]
            yield self


def _json(value: Any, status: int = 200) -> web.Response:
    return web.json_response(value, status=status, content_type="application/x-amz-json-1.1")


@pytest.fixture
async def secret_server(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[SecretServer]:
    """A running SecretServer, which the AWS SDK of this process takes for Amazon's."""
    async with SecretServer().running() as server:
        monkeypatch.setenv("AWS_ENDPOINT_URL", server.url)
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "loopback")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "loopback")
        monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
        yield server
