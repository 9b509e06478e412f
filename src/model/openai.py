"""OpenAI and its wire format: DeepSeek, xAI, and any compatible server through `base_url`."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from ..kernel.errors import ModelRequestError
from .address import transport
from .exchange import Embeddings, ModelRequest, Reply, called
from .model import Hear, Model
from .rejection import RefusedError, Rejection

if TYPE_CHECKING:
    from openai import APIStatusError, AsyncOpenAI

THINKING_ROOM: Final = 8_192
"""Tokens added to the answer's limit for a model that always thinks: the provider counts both together."""

_ALWAYS_THINKS = re.compile(r"o\d|gpt-(?![34])|deepseek-reasoner|grok-(?:3-mini|[4-9])(?!.*non-reasoning)")
_UNSUPPORTED = re.compile(
    r"not support|unsupported|unrecogni|unknown|unexpected|not permitted|not allowed|extra", re.IGNORECASE
)
_FINISHES: Final[dict[str | None, Literal["length", "refusal"]]] = {"length": "length", "content_filter": "refusal"}


@dataclass(slots=True)
class Session:
    """A client, and the parameters that its server has refused, by model."""

    client: "AsyncOpenAI"
    lacks: dict[str, set[str]] = field(default_factory=dict)


class OpenAI(Model):
    """OpenAI's models, or those of a compatible server at `base_url`, which needs no key."""

    provider = "openai"
    home = "https://api.openai.com/v1"
    default_model = "gpt-5-mini"
    default_embedder = "text-embedding-3-small"
    key_setting = "openai_api_key"
    base_url_setting = "openai_base_url"
    lacks: ClassVar[frozenset[str]] = frozenset()
    """Parameters that the provider is known not to accept."""

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Session]:
        """Open a client without retries, and without the environment's proxy for a server on this machine."""
        client = await asyncio.to_thread(self._connect)
        async with client:
            yield Session(client)

    def _connect(self) -> "AsyncOpenAI":
        import httpx  # noqa: F401 the SDK inspects it if present, even while another thread imports it
        import httpx2
        import openai

        terms = transport(self.base_url, self.config.deadline)
        client = openai.AsyncOpenAI(
            api_key=self.secret or "none",
            base_url=self.base_url,
            max_retries=0,
            timeout=terms["timeout"],
            http_client=httpx2.AsyncClient(**terms),
        )
        _ = client.chat.completions  # imports the rest of the SDK here, in a thread
        client.organization = client.project = None  # the SDK takes them from the environment for any server
        return client

    async def ask(self, client: Session, request: ModelRequest, hear: Hear | None) -> Reply:
        """Send the request; retry without each parameter that is refused, and omit it from later calls if it helped."""
        import openai

        known = client.lacks.setdefault(self.name, set(self.lacks))
        lacks = known.copy()
        while True:
            arguments = self._arguments(lacks, request, streams=hear is not None)
            try:
                reply = await (_whole(client, arguments) if hear is None else _streamed(client, arguments, hear))
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                if type(self.explained(error)) is ModelRequestError:
                    lacks |= _blamed(_message(error), arguments)
                if self._arguments(lacks, request, streams=hear is not None) == arguments:
                    raise
            else:
                known |= lacks
                return reply

    async def vectors(self, client: Session, texts: list[str]) -> Embeddings:
        """Return one vector for each text."""
        answer = await client.client.embeddings.create(model=self.name, input=texts, encoding_format="float")
        ordered = sorted(answer.data, key=lambda item: item.index)
        usage = answer.usage.prompt_tokens if answer.usage else None
        return Embeddings(vectors=[item.embedding for item in ordered], prompt_tokens=usage)

    def rejection(self, error: Exception) -> Rejection | None:
        """Return the refusal that the exception reports."""
        import httpx2
        import openai

        if isinstance(error, openai.APIStatusError):
            return Rejection(error.status_code, _message(error), error.response.headers)
        if isinstance(error, openai.APIConnectionError | httpx2.TransportError):
            return Rejection(None, str(error.__cause__ or error))
        return None

    def _arguments(self, lacks: set[str], request: ModelRequest, *, streams: bool) -> dict[str, Any]:
        arguments: dict[str, Any] = {"model": request.model, "messages": request.messages}
        at_home = self.base_url == self.home
        limits = ["max_completion_tokens", "max_tokens"] if at_home else ["max_tokens", "max_completion_tokens"]
        thinking = THINKING_ROOM if at_home and _ALWAYS_THINKS.match(self.name) else 0
        for limit in [name for name in limits if name not in lacks][:1]:
            arguments[limit] = request.max_tokens + thinking
        if request.schema is not None:
            arguments |= _format(request.schema, lacks)
        if request.tools and "tools" not in lacks:
            arguments["tools"] = request.functions
        if streams:
            arguments["stream"] = True
        if streams and "stream_options" not in lacks:
            arguments["stream_options"] = {"include_usage": True}
        return arguments


class Deepseek(OpenAI):
    """DeepSeek's models."""

    provider = "deepseek"
    home = "https://api.deepseek.com"
    default_model = "deepseek-chat"
    default_embedder = ""
    key_setting = "deepseek_api_key"
    base_url_setting = ""
    lacks: ClassVar[frozenset[str]] = frozenset({"json_schema", "max_completion_tokens"})
    vectors = Model.vectors


class Gork(OpenAI):
    """xAI's models."""

    provider = "xai"
    home = "https://api.x.ai/v1"
    default_model = "grok-4"
    default_embedder = ""
    key_setting = "xai_api_key"
    base_url_setting = ""
    vectors = Model.vectors


def strict_schema(schema: Any) -> Any:
    """Return a JSON Schema for strict mode: each object closed, each property required, no defaults."""
    if isinstance(schema, list):
        return [strict_schema(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    strict = {name: strict_schema(value) for name, value in schema.items() if name not in ("default", "properties")}
    if isinstance(properties := schema.get("properties"), dict):
        strict["properties"] = {name: strict_schema(value) for name, value in properties.items()}
        strict |= {"additionalProperties": False, "required": list(properties)}
    return strict


def _format(schema: dict[str, Any], lacks: set[str]) -> dict[str, Any]:
    """Return the strictest `response_format` that the server accepts."""
    if "json_schema" not in lacks:
        json_schema = {"name": "answer", "strict": True, "schema": strict_schema(schema)}
        return {"response_format": {"type": "json_schema", "json_schema": json_schema}}
    return {} if "json_object" in lacks else {"response_format": {"type": "json_object"}}


def _blamed(message: str, arguments: dict[str, Any]) -> set[str]:
    """Return the parameter that the server's refusal is likely about, if any."""
    for name in ("stream_options", "max_completion_tokens", "max_tokens", "tools"):
        if name in arguments and re.search(rf"\b{name}\b", message) and _UNSUPPORTED.search(message):
            return {name}
    return {arguments["response_format"]["type"]} if "response_format" in arguments else set()


def _message(error: "APIStatusError") -> str:
    """Return the server's error message, with its error code where it gives one."""
    body = error.body
    if not isinstance(body, dict):
        return str(body or error.message)
    message = str(body.get("message") or body.get("detail") or body)
    return f"{message} ({error.code})" if error.code else message


def _rejected(failure: Any) -> Rejection:
    """Return the refusal in the error object of a successful answer; its code may be a status."""
    details = failure if isinstance(failure, dict) else {"message": failure}
    code = str(details.get("code"))
    return Rejection(int(code) if re.fullmatch("[45][0-9]{2}", code) else 500, str(details.get("message") or failure))


async def _whole(session: Session, arguments: dict[str, Any]) -> Reply:
    answer = await session.client.chat.completions.create(**arguments)
    if failure := (answer.model_extra or {}).get("error"):  # from routers whose upstream failed, with status 200
        raise RefusedError(_rejected(failure))
    choice = answer.choices[0]
    message, usage = choice.message, answer.usage
    calls = [
        (call.function.name, call.function.arguments) for call in message.tool_calls or [] if call.type == "function"
    ]
    return Reply(
        text=called(calls) if calls else message.content or message.refusal or "",
        prompt_tokens=usage.prompt_tokens if usage else None,
        completion_tokens=usage.completion_tokens if usage else None,
        finish="refusal" if message.refusal else _FINISHES.get(choice.finish_reason, "stop"),
        thought=bool(getattr(message, "reasoning_content", None) or getattr(message, "reasoning", None)),
    )


async def _streamed(session: Session, arguments: dict[str, Any], hear: Hear) -> Reply:
    """Return the reply from the stream's events, read as JSON: the SDK's own objects take half a millisecond each."""
    text, refusal, finish, usage, thought = "", "", None, None, False
    completions = session.client.chat.completions.with_streaming_response
    async with completions.create(**arguments) as response:
        async for chunk in _chunks(response.iter_lines()):
            usage = chunk.get("usage") or usage
            for choice in chunk.get("choices", [])[:1]:
                finish = choice.get("finish_reason") or finish
                delta = choice.get("delta") or {}
                piece = delta.get("content") or ""
                text += piece
                refusal += delta.get("refusal") or ""
                thought = thought or bool(delta.get("reasoning_content") or delta.get("reasoning"))
                hear(piece)
    if finish is None:
        raise EOFError("the stream ended before the answer did")
    return Reply(
        text=text or refusal,
        prompt_tokens=usage["prompt_tokens"] if usage else None,
        completion_tokens=usage["completion_tokens"] if usage else None,
        finish="refusal" if refusal else _FINISHES.get(finish, "stop"),
        thought=thought,
    )


async def _chunks(lines: AsyncIterator[str]) -> AsyncIterator[dict[str, Any]]:
    """Yield the chunks of a stream of server-sent events. Raises RefusedError for an error among them."""
    async for line in lines:
        field, _, value = line.partition(":")
        if field != "data":
            continue
        if value.strip() == "[DONE]":
            return
        chunk = json.loads(value)
        if failure := chunk.get("error"):
            raise RefusedError(_rejected(failure))
        yield chunk
