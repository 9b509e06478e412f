"""Google's Gemini models."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

from .address import transport
from .exchange import Embeddings, ModelRequest, Reply, called
from .model import Hear, Model
from .rejection import Rejection

if TYPE_CHECKING:
    import httpx2
    from google.genai import Client
    from google.genai.client import AsyncClient
    from google.genai.errors import APIError
    from google.genai.types import GenerateContentConfig, GenerateContentResponse

THINKING_ROOM: Final = 6_144
"""Tokens added to the answer's limit, because thinking counts, too; with the default answer they make 8,192, which
every Gemini model allows."""

_REFUSALS: Final = frozenset(
    {"SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "LANGUAGE", "MODEL_ARMOR"}
)


class Gemini(Model):
    """Google's Gemini models."""

    provider = "google"
    home = "https://generativelanguage.googleapis.com"
    default_model = "gemini-2.5-flash"
    default_embedder = "gemini-embedding-001"
    key_setting = "gemini_api_key"

    @asynccontextmanager
    async def open(self) -> "AsyncIterator[AsyncClient]":
        """Open a client without retries, and without the environment's proxy for a server on this machine."""
        client, http = await asyncio.to_thread(self._connect)
        async with http:
            with client:
                yield client.aio

    def _connect(self) -> "tuple[Client, httpx2.AsyncClient]":
        """Return the client, and its HTTP client, which it does not close."""
        import httpx2
        from google import genai
        from google.genai import types

        terms = transport(self.base_url, self.config.deadline)
        http = httpx2.AsyncClient(**terms)
        options = types.HttpOptions(
            base_url=self.base_url,
            timeout=int(terms["timeout"] * 1000),  # milliseconds
            retry_options=types.HttpRetryOptions(attempts=1),
            httpx_async_client=http,
        )
        return genai.Client(vertexai=False, api_key=self.secret or "none", http_options=options), http

    async def ask(self, client: "AsyncClient", request: ModelRequest, hear: Hear | None) -> Reply:
        """Send the request; the schema is the answer's format."""
        config = _configured(request)
        if hear is None:
            answer = await client.models.generate_content(model=request.model, contents=request.user, config=config)
            return _reply([answer])
        answers = []
        async for answer in await client.models.generate_content_stream(
            model=request.model, contents=request.user, config=config
        ):
            answers.append(answer)
            hear(_text(answer))
        return _reply(answers)

    async def vectors(self, client: "AsyncClient", texts: list[str]) -> Embeddings:
        """Return one vector for each text."""
        from google.genai import types

        contents = [types.Content(parts=[types.Part(text=text)]) for text in texts]
        answer = await client.models.embed_content(model=self.name, contents=contents)
        return Embeddings(vectors=[list(embedding.values or []) for embedding in answer.embeddings or []])

    def rejection(self, error: Exception) -> Rejection | None:
        """Return the refusal that the exception reports."""
        import httpx2
        from google.genai import errors

        if isinstance(error, errors.APIError):
            return Rejection(int(error.code), str(error.message or error.details or ""), _headers(error))
        if isinstance(error, httpx2.TransportError):
            return Rejection(None, str(error))
        return None


def _configured(request: ModelRequest) -> "GenerateContentConfig":
    from google.genai import types

    declared = [
        types.FunctionDeclaration(
            name=tool["name"], description=tool["description"], parameters_json_schema=tool["input_schema"]
        )
        for tool in request.tools
    ]
    return types.GenerateContentConfig(
        system_instruction=request.system or None,
        max_output_tokens=request.max_tokens + THINKING_ROOM,
        response_mime_type=None if request.schema is None else "application/json",
        response_json_schema=request.schema,
        tools=[types.Tool(function_declarations=declared)] if declared else None,
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
    )


def _text(answer: "GenerateContentResponse") -> str:
    return "".join(part.text or "" for part in answer.parts or [] if not part.thought)


def _reply(answers: "list[GenerateContentResponse]") -> Reply:
    """Return the reply from one whole answer, or from the pieces of a streamed one."""
    blocked = any(answer.prompt_feedback and answer.prompt_feedback.block_reason for answer in answers)
    reasons = [answer.candidates[0].finish_reason for answer in answers if answer.candidates]
    reason = next((str(last.value) for last in reversed(reasons) if last), None)
    if reason is None and not blocked:
        raise EOFError("the answer broke off, or is none")
    usage = next((answer.usage_metadata for answer in reversed(answers) if answer.usage_metadata), None)
    calls = [call for answer in answers for part in answer.parts or [] if (call := part.function_call)]
    thoughts = (usage.thoughts_token_count if usage else None) or 0
    written = usage.candidates_token_count if usage else None
    return Reply(
        text=called((call.name or "", call.args) for call in calls) if calls else "".join(map(_text, answers)),
        prompt_tokens=usage.prompt_token_count if usage else None,
        completion_tokens=None if written is None and not thoughts else (written or 0) + thoughts,
        finish="refusal" if blocked or reason in _REFUSALS else "length" if reason == "MAX_TOKENS" else "stop",
        thought=thoughts > 0,
    )


def _headers(error: "APIError") -> dict[str, str]:
    """Return the answer's headers, with the `retry-after` that Google puts in the body."""
    headers = dict(getattr(error.response, "headers", None) or {})
    details = error.details.get("error", {}).get("details", []) if isinstance(error.details, dict) else []
    for detail in details if isinstance(details, list) else []:
        delay = detail.get("retryDelay", "") if isinstance(detail, dict) else ""
        if isinstance(delay, str) and delay.endswith("s"):
            headers["retry-after"] = delay.removesuffix("s")
    return headers
