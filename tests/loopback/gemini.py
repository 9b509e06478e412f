"""Gemini's wire format: generateContent, its stream, batchEmbedContents."""

import json
from typing import TYPE_CHECKING, Any

from aiohttp import web

if TYPE_CHECKING:
    from .fault import Fault
    from .server import PromptRequest, Say

CHAT = (
    "/{version:v1|v1beta}/models/{model}:generateContent",
    "/{version:v1|v1beta}/models/{model}:streamGenerateContent",
)
EMBED = ("/{version:v1|v1beta}/models/{model}:batchEmbedContents",)
STREAM_TYPE = "text/event-stream"
FINISHES = {"stop": "STOP", "length": "MAX_TOKENS", "refusal": "SAFETY"}


def understand(request: web.Request, body: dict[str, Any], kind: "type[PromptRequest]") -> "PromptRequest":
    config = body.get("generationConfig", {})
    system = _joined(body.get("systemInstruction", {}))
    user = "".join(map(_joined, body.get("contents", [])))
    stream = request.path.endswith(":streamGenerateContent")
    declared = [one["name"] for tool in body.get("tools") or [] for one in tool["functionDeclarations"]]
    schema = config.get("responseJsonSchema")
    return kind(request.path, dict(request.headers), body, system, user, schema, stream, tuple(declared))


def whole(asked: "PromptRequest", say: "Say") -> dict[str, Any]:
    if say.finish == "refusal" and not say.text:
        return {"promptFeedback": {"blockReason": "SAFETY"}, **_usage(asked, say)}
    parts = [{"text": say.thinking, "thought": True}] if say.thinking else []
    said: list[dict[str, Any]]
    said = [{"functionCall": {"name": tool, "args": given}} for tool, given in say.calls] or [{"text": say.text}]
    return _answer(asked, say, [*parts, *said], FINISHES[say.finish])


def lines(asked: "PromptRequest", say: "Say") -> list[str]:
    if say.finish == "refusal" and not say.text:
        return [f"data: {json.dumps(whole(asked, say))}\r\n\r\n"]
    parts = [{"text": say.thinking, "thought": True}] if say.thinking else []
    parts += [{"text": piece} for piece in say.pieces() or [""]]
    finishes = [None] * (len(parts) - 1) + [FINISHES[say.finish]]
    answers = [_answer(asked, say, [part], finish) for part, finish in zip(parts, finishes, strict=True)]
    return [f"data: {json.dumps(answer)}\r\n\r\n" for answer in answers]


def error(fault: "Fault") -> dict[str, Any]:
    return {"error": {"code": fault.kind, "message": fault.message, "status": fault.code, "details": fault.details}}


def error_line(fault: "Fault") -> str:
    return f"data: {json.dumps(error(fault))}\r\n\r\n"


def texts(body: dict[str, Any]) -> list[str]:
    return [_joined(request["content"]) for request in body["requests"]]


def vectors(found: list[list[float]]) -> dict[str, Any]:
    return {"embeddings": [{"values": vector} for vector in found]}


def _joined(content: dict[str, Any]) -> str:
    return "".join(part.get("text", "") for part in content.get("parts", []))


def _answer(asked: "PromptRequest", say: "Say", parts: list[dict[str, Any]], finish: str | None) -> dict[str, Any]:
    candidate: dict[str, Any] = {"index": 0, "content": {"role": "model", "parts": parts}}
    if finish is not None:
        candidate["finishReason"] = finish
    return {"candidates": [candidate], "modelVersion": "m", **_usage(asked, say)}


def _usage(asked: "PromptRequest", say: "Say") -> dict[str, Any]:
    if say.prompt_tokens == 0:
        return {}
    written = len(say.text) // 4 if say.completion_tokens is None else say.completion_tokens
    usage = {"promptTokenCount": say.prompt_tokens or asked.tokens, "candidatesTokenCount": written}
    if say.thinking:
        usage["thoughtsTokenCount"] = len(say.thinking) // 4
    return {"usageMetadata": usage}
