"""The names and attributes of spans by the OpenTelemetry semantic conventions for generative AI."""

import json
from dataclasses import dataclass, field
from typing import Any, Final, Literal
from urllib.parse import urlsplit

from ..url import masked

Value = str | bool | int | float | list[str]

PROVIDERS: Final = {"gemini": "gcp.gemini", "xai": "x_ai"}
"""The conventions' names of providers, where they differ from ours."""

TOOLS: Final = {
    "search": ("web_search", "extension"),
    "fetch": ("fetch_page", "extension"),
    "robots": ("fetch_robots", "extension"),
    "gather": ("research_web", "extension"),
    "ingest": ("read_folder", "datastore"),
    "fill": ("embed_folder", "datastore"),
    "convert": ("convert_file", "function"),
}
"""The tool name and tool type of each kind of effect; other kinds keep their names."""


@dataclass(frozen=True, slots=True)
class SpanStart:
    """The data of a span at its start."""

    name: str
    attributes: dict[str, Value] = field(default_factory=dict)
    kind: Literal["client", "internal"] = "internal"


def workflow(run: str, question: str, *, content: bool) -> SpanStart:
    """Return the span of a whole run."""
    attributes = _operation("invoke_workflow") | {"gen_ai.workflow.name": "spyglass", "spyglass.kernel.run.id": run}
    return SpanStart("invoke_workflow spyglass", attributes | _message("input", "user", question, content=content))


def agent_at(name: str, task: str, *, content: bool) -> SpanStart:
    """Return the span of an agent's task."""
    attributes = _operation("invoke_agent") | {"gen_ai.agent.name": name}
    return SpanStart(f"invoke_agent {name}", attributes | _message("input", "user", task, content=content))


def effect_span(kind: str, request: Any, *, content: bool) -> SpanStart:
    """Return the span of an effect."""
    match kind, request:
        case "model", {"provider": provider, "model": model, "base_url": url}:
            attributes = _operation("chat") | _model(provider, model, url) | _prompt(request, content=content)
            return SpanStart(f"chat {model}", attributes, "client")
        case "embed", {"provider": provider, "model": model, "base_url": url}:
            return SpanStart(f"embeddings {model}", _operation("embeddings") | _model(provider, model, url), "client")
        case "retrieve", {"query": query, "top_k": int(top)}:
            text = {"gen_ai.retrieval.query.text": query} if content else {}
            return SpanStart("retrieval local_files", _operation("retrieval") | _TEXTS | {"spyglass.top_k": top} | text)
    if kind in TOOLS:
        return _tool(*TOOLS[kind], kind, request, content=content)
    return SpanStart(kind)


def answered(kind: str, value: Any, *, content: bool) -> dict[str, Value]:
    """Return the attributes that an answer adds to the span of its effect."""
    match kind, value:
        case "model", {"text": str(text), "finish": str(finish)}:
            usage = {
                "gen_ai.usage.input_tokens": value.get("prompt_tokens"),
                "gen_ai.usage.output_tokens": value.get("completion_tokens"),
            }
            known: dict[str, Value] = {name: count for name, count in usage.items() if count is not None}
            message = _message("output", "assistant", text, content=content, finish_reason=finish)
            return {"gen_ai.response.finish_reasons": [finish], **known, **message}
        case "embed", {"vectors": [first, *_]}:
            size: dict[str, Value] = {"gen_ai.embeddings.dimension.count": len(first)}
            tokens = value.get("prompt_tokens")
            return size if tokens is None else {**size, "gen_ai.usage.input_tokens": tokens}
        case "search", list(results):
            return {"spyglass.results": len(results)}
    return {}


_TEXTS: Final[dict[str, Value]] = {"gen_ai.data_source.id": "local_files"}


def _operation(name: str) -> dict[str, Value]:
    return {"gen_ai.operation.name": name}


def _model(provider: str, model: str, url: str) -> dict[str, Value]:
    return {
        "gen_ai.provider.name": PROVIDERS.get(provider, provider),
        "gen_ai.request.model": model,
        **_server(url),
    }


def _prompt(request: dict[str, Any], *, content: bool) -> dict[str, Value]:
    """Return the attributes of a model request: its role, the limit and the form of the answer, and the prompt."""
    attributes: dict[str, Value] = {
        "spyglass.role": request["role"],
        "gen_ai.request.max_tokens": request["max_tokens"],
        "gen_ai.output.type": "json" if request["schema"] else "text",
    }
    if content:
        attributes["gen_ai.system_instructions"] = json.dumps([_text(request["system"])])
    return attributes | _message("input", "user", request["user"], content=content)


def _tool(name: str, sort: str, kind: str, request: Any, *, content: bool) -> SpanStart:
    attributes = _operation("execute_tool") | {"gen_ai.tool.name": name, "gen_ai.tool.type": sort}
    match kind, request:
        case "search", {"engine": str(engine)}:
            attributes |= {"spyglass.engine": engine}
        case "fetch", {"url": str(url)}:
            attributes |= {"url.full": masked(url) if content else url.partition("?")[0], **_server(url)}
    if content:
        attributes["gen_ai.tool.call.arguments"] = masked(json.dumps(request))
    return SpanStart(f"execute_tool {name}", attributes)


def _server(url: str) -> dict[str, Value]:
    try:
        parts = urlsplit(url)
        port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    except ValueError:  # the call itself raises the error
        return {}
    address: dict[str, Value] = {"server.address": parts.hostname} if parts.hostname else {}
    return address | {"server.port": port} if port else address


def _message(direction: str, role: str, text: str, *, content: bool, **more: str) -> dict[str, Value]:
    """Return a message in the form of the conventions; an empty dict without `content`."""
    message = {"role": role, "parts": [_text(text)], **more}
    return {f"gen_ai.{direction}.messages": json.dumps([message])} if content else {}


def _text(text: str) -> dict[str, str]:
    return {"type": "text", "content": text}
