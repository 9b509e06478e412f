"""Models that Ollama serves, on this machine or another."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final

from ..kernel.notice import Notice
from .address import transport
from .exchange import Embeddings, ModelRequest, Reply, called
from .model import Hear, Model
from .rejection import RefusedError, Rejection

if TYPE_CHECKING:
    import httpx
    from ollama import AsyncClient, ChatResponse


_NO_TOOLS: Final = "does not support tools"


class Ollama(Model):
    """A model that Ollama serves; it needs no key, and gets one call at a time.

    Each call sets the context window (`num_ctx`), because Ollama's own default is small and longer prompts are cut
    silently. Thinking is switched off: it counts against the answer's length and breaks structured answers.
    """

    provider = "ollama"
    home = "http://127.0.0.1:11434"
    default_model = "llama3.2"
    default_embedder = "nomic-embed-text"
    default_concurrency = 1
    free = True
    base_url_setting = "ollama_host"
    unreachable_remedy = Notice("start_ollama")

    @property
    def unknown_remedy(self) -> Notice:
        """The remedy when the server does not have the model."""
        return Notice("run_ollama_pull", name=self.name)

    @property
    def context_window(self) -> int:
        """Tokens requested from the server, regardless of what the model supports, because memory is the limit."""
        return self.config.context_window or self.default_window

    @asynccontextmanager
    async def open(self) -> "AsyncIterator[AsyncClient]":
        """Open a client that does not use the environment's proxy for a server on this machine."""
        client = await asyncio.to_thread(self._connect)
        async with client:
            yield client

    def _connect(self) -> "AsyncClient":
        import ollama

        return ollama.AsyncClient(
            self.base_url,
            auth=self._sign,
            event_hooks={"response": [_refuse]},
            **transport(self.base_url, self.config.deadline),
        )

    def _sign(self, request: "httpx.Request") -> "httpx.Request":
        """Set the configured key or none: the SDK would send the environment's key to any server."""
        request.headers.pop("authorization", None)
        if self.secret:
            request.headers["authorization"] = f"Bearer {self.secret}"
        return request

    async def ask(self, client: "AsyncClient", request: ModelRequest, hear: Hear | None) -> Reply:
        """Send the request; the schema is the answer's format."""
        arguments: dict[str, Any] = {
            "model": request.model,
            "messages": request.messages,
            "format": request.schema,
            "think": False,
            "options": {"num_ctx": self.context_window, "num_predict": request.max_tokens},
        }
        if hear is None:
            return _reply([await _whole(client, arguments, request.functions)])
        answers = []
        async for answer in await client.chat(**arguments, stream=True):
            answers.append(answer)
            hear(answer.message.content or "")
        return _reply(answers)

    async def vectors(self, client: "AsyncClient", texts: list[str]) -> Embeddings:
        """Return one vector for each text."""
        answer = await client.embed(model=self.name, input=texts)
        return Embeddings(
            vectors=[list(vector) for vector in answer.embeddings], prompt_tokens=answer.prompt_eval_count
        )

    def rejection(self, error: Exception) -> Rejection | None:
        """Return the refusal that the exception reports."""
        import httpx
        import ollama

        if isinstance(error, ollama.ResponseError):  # in the middle of a stream, where there is no status
            return Rejection(500, str(error.error))
        if isinstance(error, ConnectionError | httpx.TransportError):
            return Rejection(None, str(error))
        return None


async def _whole(client: "AsyncClient", arguments: dict[str, Any], tools: list[dict[str, Any]]) -> "ChatResponse":
    """Return the answer; ask again without the tools if the model does not support any."""
    try:
        answer: ChatResponse = await client.chat(**arguments, tools=tools or None)
    except RefusedError as error:
        if not tools or _NO_TOOLS not in error.rejection.message:
            raise
        answer = await client.chat(**arguments)
    return answer


async def _refuse(response: "httpx.Response") -> None:
    """Raise RefusedError with the headers of the response, which the SDK's own exception lacks."""
    if not response.is_success:
        await response.aread()
        raise RefusedError(Rejection(response.status_code, _message(response.text), response.headers))


def _message(body: str) -> str:
    """Return the server's error message, extracted from its JSON where the body is JSON."""
    try:
        return str(json.loads(body)["error"])
    except (ValueError, KeyError, TypeError):
        return body


def _reply(answers: "list[ChatResponse]") -> Reply:
    """Return the reply from one whole answer, or from the pieces of a streamed one."""
    if not answers or not answers[-1].done:
        raise EOFError("the answer broke off")
    messages, last = [answer.message for answer in answers], answers[-1]
    calls = [(call.function.name, call.function.arguments) for one in messages for call in one.tool_calls or []]
    return Reply(
        text=called(calls) if calls else "".join(one.content or "" for one in messages),
        prompt_tokens=last.prompt_eval_count,
        completion_tokens=last.eval_count,
        finish="length" if last.done_reason == "length" else "stop",
        thought=any(one.thinking for one in messages),
    )
