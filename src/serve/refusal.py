"""How the service says no: one shape, that of the `error` event of a stream."""

from collections.abc import Mapping
from http import HTTPStatus

from fastapi.responses import JSONResponse

RETRY_AFTER = "10"
"""Seconds after which a client may ask again when the service is busy."""


def refusal(status: int, why: str, kind: str = "", headers: Mapping[str, str] | None = None) -> JSONResponse:
    """Return an answer `{"error": why, "type": kind}`; without a kind it is the status in words."""
    return JSONResponse({"error": why, "type": kind or HTTPStatus(status).phrase}, status, headers=dict(headers or {}))
