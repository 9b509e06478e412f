"""Ollama's wire format: chat, its stream of lines, embed."""

import json
from typing import TYPE_CHECKING, Any

from aiohttp import web

from .functions import function_names

if TYPE_CHECKING:
    from .fault import Fault
    from .server import PromptRequest, Say

CHAT = ("/api/chat",)
EMBED = ("/api/embed",)
STREAM_TYPE = "application/x-ndjson"


def understand(request: web.Request, body: dict[str, Any], kind: "type[PromptRequest]") -> "PromptRequest":
    said = {message["role"]: message["content"] for message in body.get("messages", [])}
    stream = bool(body.get("stream", True))
    schema = body.get("format")
    return kind(
        request.path,
        dict(request.headers),
        body,
        said.get("system", ""),
        said.get("user", ""),
        schema,
        stream,
        function_names(body),
    )


def whole(asked: "PromptRequest", say: "Say") -> dict[str, Any]:
    part = _part(asked, "" if say.calls else say.text, say.thinking)
    if say.calls:
        part["message"]["tool_calls"] = [{"function": {"name": tool, "arguments": given}} for tool, given in say.calls]
    return {**part, **_end(asked, say)}


def lines(asked: "PromptRequest", say: "Say") -> list[str]:
    parts = [_part(asked, "", say.thinking)] if say.thinking else []
    parts += [_part(asked, piece) for piece in say.pieces()]
    parts.append({**_part(asked, ""), **_end(asked, say)})
    return [json.dumps(part) + "\n" for part in parts]


def error(fault: "Fault") -> dict[str, Any]:
    return {"error": fault.message}


def error_line(fault: "Fault") -> str:
    return json.dumps(error(fault)) + "\n"


def texts(body: dict[str, Any]) -> list[str]:
    return list(body["input"])


def vectors(found: list[list[float]]) -> dict[str, Any]:
    return {"model": "m", "embeddings": found, "prompt_eval_count": 7}


def _part(asked: "PromptRequest", text: str, thinking: str = "") -> dict[str, Any]:
    message = {"role": "assistant", "content": text, **({"thinking": thinking} if thinking else {})}
    return {"model": asked.body["model"], "created_at": "2026-01-01T00:00:00Z", "message": message, "done": False}


def _end(asked: "PromptRequest", say: "Say") -> dict[str, Any]:
    end: dict[str, Any] = {"done": True, "done_reason": "length" if say.finish == "length" else "stop"}
    if say.prompt_tokens != 0:
        end["prompt_eval_count"] = say.prompt_tokens or asked.tokens
        end["eval_count"] = len(say.text) // 4 if say.completion_tokens is None else say.completion_tokens
    return end
