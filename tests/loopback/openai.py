"""OpenAI's wire format: chat completions, their stream, structured answers, embeddings."""

import json
from typing import TYPE_CHECKING, Any

from aiohttp import web

from .functions import function_names

if TYPE_CHECKING:
    from .fault import Fault
    from .server import PromptRequest, Say

CHAT = ("/v1/chat/completions",)
EMBED = ("/v1/embeddings",)
STREAM_TYPE = "text/event-stream"
FINISHES = {"stop": "stop", "length": "length", "refusal": "content_filter"}


def understand(request: web.Request, body: dict[str, Any], kind: "type[PromptRequest]") -> "PromptRequest":
    said = {message["role"]: message["content"] for message in body.get("messages", [])}
    schema = body.get("response_format", {}).get("json_schema", {}).get("schema")
    stream = bool(body.get("stream"))
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
    refused = say.finish == "refusal" and bool(say.text)
    message: dict[str, Any] = {"role": "assistant", "content": None if refused else say.text, "refusal": None}
    if refused:
        message["refusal"] = say.text
    if say.thinking:
        message["reasoning_content"] = say.thinking
    if say.calls:
        functions = [{"name": tool, "arguments": json.dumps(given)} for tool, given in say.calls]
        calls = [{"id": f"call_{n}", "type": "function", "function": one} for n, one in enumerate(functions)]
        message |= {"content": None, "tool_calls": calls}
    finish = "stop" if refused else "tool_calls" if say.calls else FINISHES[say.finish]
    return {
        **_envelope(asked, "chat.completion"),
        "choices": [{"index": 0, "message": message, "finish_reason": finish, "logprobs": None}],
        **_usage(asked, say),
    }


def lines(asked: "PromptRequest", say: "Say") -> list[str]:
    deltas: list[tuple[dict[str, Any], str | None]] = [({"role": "assistant", "content": ""}, None)]
    if say.thinking:
        deltas.append(({"reasoning_content": say.thinking}, None))
    refused = say.finish == "refusal" and bool(say.text)
    deltas += [({"refusal" if refused else "content": piece}, None) for piece in say.pieces()]
    deltas.append(({}, "stop" if refused else FINISHES[say.finish]))
    envelope = _envelope(asked, "chat.completion.chunk")
    chunks: list[dict[str, Any]] = [
        {**envelope, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]} for delta, finish in deltas
    ]
    if asked.body.get("stream_options", {}).get("include_usage") and _usage(asked, say):
        chunks.append({**envelope, "choices": [], **_usage(asked, say)})
    return [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks] + ["data: [DONE]\n\n"]


def error(fault: "Fault") -> dict[str, Any]:
    return {"error": {"message": fault.message, "type": "error", "param": None, "code": fault.code or None}}


def error_line(fault: "Fault") -> str:
    return f"data: {json.dumps(error(fault))}\n\n"


def texts(body: dict[str, Any]) -> list[str]:
    return list(body["input"])


def vectors(found: list[list[float]]) -> dict[str, Any]:
    data = [{"object": "embedding", "index": index, "embedding": vector} for index, vector in enumerate(found)]
    return {"object": "list", "model": "m", "data": data[::-1], "usage": {"prompt_tokens": 7, "total_tokens": 7}}


def _envelope(asked: "PromptRequest", kind: str) -> dict[str, Any]:
    return {"id": "chatcmpl-1", "object": kind, "created": 1, "model": asked.body["model"]}


def _usage(asked: "PromptRequest", say: "Say") -> dict[str, Any]:
    if say.prompt_tokens == 0:
        return {}
    prompt = say.prompt_tokens or asked.tokens
    written = len(say.text) // 4 if say.completion_tokens is None else say.completion_tokens
    return {"usage": {"prompt_tokens": prompt, "completion_tokens": written, "total_tokens": prompt + written}}
