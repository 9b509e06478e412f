"""Error responses of the service, all in the format of a stream's `error` event."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final

from fastapi.responses import JSONResponse
from pydantic import BaseModel

LATER: Final = {"Retry-After": "10"}  # seconds after which a client may ask again when the service is busy
AWAY: Final = "The database of this service does not answer; try again soon."  # only the log has its address
OPENAI: Final = "/v1/"  # prefix of the paths whose responses, errors included, have OpenAI's formats


class Refusal(BaseModel):
    """Why a request failed, as text, and the kind of error."""

    error: str
    type: str


ERROR_RESPONSES: Final[dict[int | str, dict[str, Any]]] = {
    status: {"model": Refusal, "description": "Why the request was refused"} for status in ("4XX", "5XX", 422)
}
"""The error responses in the OpenAPI description of every endpoint."""


class OpenAIProblem(BaseModel):
    """Why a request failed, in OpenAI's format."""

    message: str
    type: str
    param: str | None
    code: int


class OpenAIRefusal(BaseModel):
    """An error response in OpenAI's format."""

    error: OpenAIProblem


OPENAI_ERROR_RESPONSES: Final = {status: {**told, "model": OpenAIRefusal} for status, told in ERROR_RESPONSES.items()}
"""The error responses in the OpenAPI description of the endpoints under OPENAI."""


def error_response(
    status: int, why: str, kind: str = "", headers: Mapping[str, str] | None = None, path: str = ""
) -> JSONResponse:
    """Return a response `{"error": why, "type": kind}`; the default kind is the status as text.

    For a `path` under OPENAI it is `{"error": {"message": why, "type": kind, ...}}`.
    """
    kind = kind or HTTPStatus(status).phrase
    of_openai = {"error": {"message": why, "type": kind, "param": None, "code": status}}
    answer = of_openai if path.startswith(OPENAI) else {"error": why, "type": kind}
    return JSONResponse(answer, status, headers=dict(headers or {}))
