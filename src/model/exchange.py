"""Requests to a model server, its replies, and the configuration of both."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, FiniteFloat, SecretStr

from ..kernel.one_line import sanitized_markup


def well_formed(text: str) -> str:
    """Return the text without lone surrogates, which neither a request nor the journal can contain.

    A surrogate pair becomes its character, a lone surrogate the replacement character.
    """
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """A request to a server; it contains no secret, because the journal records it.

    `schema` is the JSON Schema that the answer should fit, `tools` the schemas of the tools that the model may call, as
    `@tool` makes them. `max_tokens` limits the answer with its thinking, `longest` the number of characters of the
    answer that are read, without its thinking; 0 reads all.
    """

    provider: str
    model: str
    base_url: str
    role: str
    system: str
    user: str
    schema: dict[str, Any] | None
    max_tokens: int
    longest: int = 0
    tools: tuple[dict[str, Any], ...] = ()

    @property
    def messages(self) -> list[dict[str, str]]:
        """The prompt in the message format of OpenAI and Ollama, without empty messages."""
        parts = (("system", self.system), ("user", self.user))
        return [{"role": role, "content": content} for role, content in parts if content]

    @property
    def functions(self) -> list[dict[str, Any]]:
        """The tools in the format of OpenAI and Ollama."""
        functions = [
            {"name": tool["name"], "description": tool["description"], "parameters": tool["input_schema"]}
            for tool in self.tools
        ]
        return [{"type": "function", "function": function} for function in functions]


def called(calls: Iterable[tuple[str, Any]]) -> str:
    """Return a model's tool calls, each a name and its arguments, as a JSON list in text.

    Arguments that are neither an object nor the JSON text of one count as empty.
    """
    return json.dumps([{"tool": name, **_arguments(arguments)} for name, arguments in calls], ensure_ascii=False)


def _arguments(arguments: Any) -> dict[str, Any]:
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError:
            return {}
    return dict(arguments) if isinstance(arguments, Mapping) else {}


class Reply(BaseModel, frozen=True, strict=True, extra="forbid"):
    """A server's answer, a JSON value; a token count is None if the server does not report it.

    If the model called tools, `text` is made by `called`. It contains no terminal control or bidi characters, but may
    contain thinking that the server mixes in; `thought` is True if thinking came in a field of its own.
    """

    text: Annotated[str, AfterValidator(well_formed), AfterValidator(sanitized_markup)]
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    finish: Literal["stop", "length", "refusal"] = "stop"
    thought: bool = False

    @property
    def tokens_used(self) -> tuple[int, int] | None:
        """Tokens of prompt and answer; None unless the server reports both."""
        unknown = self.prompt_tokens is None or self.completion_tokens is None
        return None if unknown else (self.prompt_tokens or 0, self.completion_tokens or 0)


class Embeddings(BaseModel, frozen=True, extra="forbid"):
    """One vector for each text, in the order of the texts; a JSON value."""

    vectors: list[list[FiniteFloat]]
    prompt_tokens: int | None = None

    @property
    def tokens_used(self) -> tuple[int, int] | None:
        """Tokens of the texts, and 0 for the answer; None if the server does not report them."""
        return None if self.prompt_tokens is None else (self.prompt_tokens, 0)


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """A model's address and the limits of its calls; None takes the provider's default.

    `deadline` is in seconds per attempt, `context_window` and `max_output_tokens` in tokens, `concurrency` in
    simultaneous calls to the same server, `price` in US dollars per million tokens of prompts and of answers.
    """

    base_url: str | None = None
    key: SecretStr | None = None
    context_window: int | None = None
    deadline: float = 120.0
    attempts: int = 3
    concurrency: int | None = None
    max_output_tokens: int = 2048
    price: tuple[float, float] | None = None
