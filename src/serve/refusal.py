"""How the service says no: one shape, that of the `error` event of a stream."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final

from fastapi.responses import JSONResponse
from pydantic import BaseModel

LATER: Final = {"Retry-After": "10"}  # seconds after which a client may ask again when the service is busy
AWAY: Final = "The database of this service does not answer; ask again soon."  # where it is, only the log says
OPENAI: Final = "/v1/"  # the beginning of the paths whose callers read the formats of OpenAI, refusals too


class Refusal(BaseModel):
    """Why a call was not answered, in words, and the kind of that."""

    error: str
    type: str


REFUSALS: Final[dict[int | str, dict[str, Any]]] = {
    status: {"model": Refusal, "description": "Why not, in words"} for status in ("4XX", "5XX", 422)
}
"""What the description of the service says of every call."""


class OpenAIProblem(BaseModel):
    """Why a call was not answered, as the clients of OpenAI read it."""

    message: str
    type: str
    param: str | None
    code: int


class OpenAIRefusal(BaseModel):
    """The answer to such a call."""

    error: OpenAIProblem


OPENAI_REFUSALS: Final = {status: {**told, "model": OpenAIRefusal} for status, told in REFUSALS.items()}
"""What it says of the calls below OPENAI."""


def refusal(
    status: int, why: str, kind: str = "", headers: Mapping[str, str] | None = None, path: str = ""
) -> JSONResponse:
    """Return an answer `{"error": why, "type": kind}`; without a kind it is the status in words.

    Below OPENAI it is `{"error": {"message": why, "type": kind, ...}}`.
    """
    kind = kind or HTTPStatus(status).phrase
    of_openai = {"error": {"message": why, "type": kind, "param": None, "code": status}}
    answer = of_openai if path.startswith(OPENAI) else {"error": why, "type": kind}
    return JSONResponse(answer, status, headers=dict(headers or {}))
