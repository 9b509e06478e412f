"""The loopback model server: OpenAI, Gemini and Ollama wire formats over a real socket."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import pytest
from aiohttp import web

from . import gemini, ollama, openai
from .fault import Fault, misbehave
from .listening import listening


@dataclass(frozen=True)
class Say:
    """What the model answers; `prompt_tokens` None counts four characters a token, 0 leaves the usage out.

    `delay` seconds go by before the answer, `pause` seconds between the pieces of a stream; `break_off` ends a stream
    before its end, `stream_error` puts an error into its midst. `calls` are the tools that it calls, with arguments.
    It is said when so many chats have been in hand `together`, and once `after` is set.
    """

    text: str = "ok"
    finish: Literal["stop", "length", "refusal"] = "stop"
    thinking: str = ""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    delay: float = 0.0
    together: int = 1
    after: asyncio.Event | None = None
    pause: float = 0.0
    break_off: bool = False
    stream_error: str = ""
    calls: tuple[tuple[str, dict[str, Any]], ...] = ()

    def pieces(self) -> list[str]:
        """Cut the text as a stream does: not where words or tags end."""
        return [self.text[start : start + 5] for start in range(0, len(self.text), 5)]


@dataclass(frozen=True)
class PromptRequest:
    """A request as the server saw it, whatever its wire format."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    system: str
    user: str
    schema: dict[str, Any] | None
    stream: bool
    tools: tuple[str, ...] = ()

    @property
    def tokens(self) -> int:
        return max(1, (len(self.system) + len(self.user)) // 4)


Act = Say | Fault | str
Script = Iterable[Act] | Callable[[PromptRequest], Act]


class ModelServer:
    """Answers from a list in order (the last act goes on for ever) or by a function of the request.

    `requests` holds the chat requests, `embedded` the batches of texts, `most_at_once` how many chats it had in hand of
    clients that were there: one that is killed asks no more, though its answer is still being made. `connections()`
    counts the open ones, `vectors` makes the embeddings.
    """

    def __init__(self) -> None:
        self.requests: list[PromptRequest] = []
        self.embedded: list[list[str]] = []
        self.most_at_once = 0
        self.port = 0
        self.connections: Callable[[], int] = lambda: 0
        self._in_hand: dict[int, web.Request] = {}
        self._act: Callable[[PromptRequest], Act] = lambda asked: Say()
        self.first_chat = asyncio.Event()
        self._came = asyncio.Condition()
        self.vectors: Callable[[list[str]], list[list[float]]] = lambda texts: [vector(text) for text in texts]
        self._closing = asyncio.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def base_url(self, provider: str) -> str:
        """What a user sets as `base_url` for a provider."""
        return f"{self.url}/v1" if provider in ("openai", "deepseek", "xai") else self.url

    def script(self, *acts: Act) -> None:
        """Do these in order, the last one again and again."""
        left = list(acts)
        self._act = lambda asked: left.pop(0) if len(left) > 1 else left[0]

    def play(self, act: Callable[[PromptRequest], Act]) -> None:
        """Do what the function of the request says."""
        self._act = act

    async def _chat(self, request: web.Request, dialect: Any) -> web.StreamResponse:
        asked: PromptRequest = dialect.understand(request, await request.json(), PromptRequest)
        self.requests.append(asked)
        self.first_chat.set()
        self._in_hand[id(request)] = request
        self.most_at_once = max(self.most_at_once, sum(one.transport is not None for one in self._in_hand.values()))
        async with self._came:
            self._came.notify_all()
        try:
            act = self._act(asked)
            if isinstance(act, Fault):
                return await self._misbehave(request, act, dialect)
            say = Say(act) if isinstance(act, str) else act
            async with self._came:
                await self._came.wait_for(partial(self._have_come, say.together))
            if say.after:
                await say.after.wait()
            await asyncio.sleep(say.delay)
            if asked.stream:
                return await self._stream(request, asked, say, dialect)
            return web.json_response(dialect.whole(asked, say))
        finally:
            del self._in_hand[id(request)]

    def _have_come(self, together: int) -> bool:
        return self.most_at_once >= together

    async def _stream(self, request: web.Request, asked: PromptRequest, say: Say, dialect: Any) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": dialect.STREAM_TYPE})
        await response.prepare(request)
        lines = dialect.lines(asked, say)
        if say.stream_error:
            lines.insert(len(lines) // 2, dialect.error_line(Fault(500, say.stream_error)))
        for line in lines[: len(lines) // 2] if say.break_off else lines:
            await response.write(line.encode())
            await asyncio.sleep(say.pause)
        return response

    async def _misbehave(self, request: web.Request, fault: Fault, dialect: Any) -> web.StreamResponse:
        if isinstance(fault.kind, str):
            return await misbehave(request, fault.kind, self._closing, half='{"choices": [{"mess')
        return web.json_response(dialect.error(fault), status=fault.kind, headers=fault.headers)

    async def _embed(self, request: web.Request, dialect: Any) -> web.StreamResponse:
        body = await request.json()
        texts = dialect.texts(body)
        self.embedded.append(texts)
        act = self._act(dialect.understand(request, body, PromptRequest))
        if isinstance(act, Fault):
            return await self._misbehave(request, act, dialect)
        return web.json_response(dialect.vectors(self.vectors(texts)))

    @asynccontextmanager
    async def running(self) -> AsyncIterator["ModelServer"]:
        """Listen on a free port of this machine."""
        app = web.Application(client_max_size=64 << 20)
        for dialect in (openai, gemini, ollama):
            for path in dialect.CHAT:
                app.router.add_post(path, partial(self._chat, dialect=dialect))
            for path in dialect.EMBED:
                app.router.add_post(path, partial(self._embed, dialect=dialect))
        async with listening(app, self._closing) as runner:
            self.port = runner.addresses[0][1]
            self.connections = lambda: len(runner.server.connections) if runner.server else 0
            yield self


def vector(text: str) -> list[float]:
    """A small vector that tells texts apart: its length, its vowels, and a constant."""
    return [len(text) / 100, sum(map(text.count, "aeiou")) / 100, 1.0]


@pytest.fixture
async def model_server() -> AsyncIterator[ModelServer]:
    """A running ModelServer."""
    async with ModelServer().running() as server:
        yield server
