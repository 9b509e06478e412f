"""The request bodies of OpenAI's formats; other fields, such as a temperature, are ignored."""

from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException

from ...kernel.settings import Effort
from ...search.queries import with_subject
from ..bodies import RunRequest, Text

MODELS: Final[dict[str, Effort | None]] = {
    "spyglass": None,
    "spyglass-quick": "quick",
    "spyglass-normal": "normal",
    "spyglass-deep": "deep",
}
"""The model names that a client may request, each with its effort; None is the service's effort."""

EFFORTS: Final[dict[str, Effort]] = {"minimal": "quick", "low": "quick", "medium": "normal", "high": "deep"}


class MessagePart(BaseModel):
    """A part of a message; only its text is read."""

    text: Text = ""


class ChatMessage(BaseModel):
    """A message of a conversation."""

    role: str = "user"
    content: Text | list[MessagePart] | None = None

    @property
    def text(self) -> str:
        """The text of all parts."""
        parts = self.content if isinstance(self.content, list) else [MessagePart(text=self.content or "")]
        return "\n".join(part.text for part in parts).strip()


class OpenAIRequest(BaseModel):
    """The fields of both formats; `tools` selects what to search, by default all that the service searches.

    The id of a vector store is the name of a collection.
    """

    model_config = ConfigDict(strict=True)

    model: str = "spyglass"
    stream: bool = False
    tools: list[dict[str, Any]] = []

    def request(self, messages: list[ChatMessage], effort: Effort | None, follows: str | None = None) -> RunRequest:
        """Return the requested run: its question is the user's last message, with the subject of the one before it.

        Raises HTTPException for an unknown model, and without a message of the user.
        """
        if self.model not in MODELS:
            raise HTTPException(404, f"There is no model {self.model[:40]!r}; the models are {', '.join(MODELS)}")
        user_messages = [message.text for message in messages if message.role == "user" and message.text]
        if not user_messages:
            raise HTTPException(400, "There is no message of the user with text")
        question = with_subject(user_messages[-1], user_messages[-2]) if len(user_messages) > 1 else user_messages[-1]
        tools = {str(tool.get("type", "")).partition("_")[0] for tool in self.tools} & {"web", "file"}
        stores = [store for tool in self.tools for store in tool.get("vector_store_ids") or []]
        searched: dict[str, Any] = {"web": "web" in tools, "files": "file" in tools and not stores} if tools else {}
        searched["collections"] = stores
        return RunRequest(q=question, effort=effort or MODELS[self.model], follows=follows, ask=False, **searched)


class Reasoning(BaseModel):
    """The reasoning effort that a client requests."""

    effort: Literal["none", "minimal", "low", "medium", "high", "xhigh"] | None = None


class ResponseRequest(OpenAIRequest):
    """The body of `POST /v1/responses`."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"input": "How should a lens be cleaned?"}]})

    input: Text | list[ChatMessage]
    background: bool = False
    previous_response_id: Annotated[str | None, Field(max_length=100)] = None
    reasoning: Reasoning | None = None

    def run(self) -> RunRequest:
        """Return the requested run. Raises as `request` does."""
        messages = [ChatMessage(content=self.input)] if isinstance(self.input, str) else self.input
        effort = EFFORTS.get((self.reasoning and self.reasoning.effort) or "")
        return self.request(messages, effort, run_of(self.previous_response_id) if self.previous_response_id else None)


class StreamOptions(BaseModel):
    """The optional contents of a stream."""

    model_config = ConfigDict(strict=True)

    include_usage: bool = False


class ChatRequest(OpenAIRequest):
    """The body of `POST /v1/chat/completions`."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"messages": [{"role": "user", "content": "How is a lens cleaned?"}]}]}
    )

    messages: list[ChatMessage]
    reasoning_effort: str | None = None
    stream_options: StreamOptions | None = None

    def run(self) -> RunRequest:
        """Return the requested run. Raises as `request` does."""
        return self.request(self.messages, EFFORTS.get(self.reasoning_effort or ""))


RESPONSE: Final = "resp_"


def run_of(response: str) -> str:
    """Return the id of the run behind a response."""
    return response.removeprefix(RESPONSE)
