"""Refusals of model servers, and the ModelError that each amounts to."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from ..kernel import errors
from ..kernel.attempts import retry_after
from ..kernel.one_line import shortened
from .exchange import well_formed

LONGEST_QUOTE: Final = 300  # characters of a server's own words that an error repeats

_TOO_LONG = re.compile(
    r"context[ _-]?(length|window|size)|maximum context|input token count|prompt is too long|too many tokens",
    re.IGNORECASE,
)
_BAD_KEY = re.compile(r"api[ _-]?key|unauthori[sz]ed|authentication", re.IGNORECASE)
_NO_MODEL = re.compile(
    r"model.{0,80}?(not[ _]exist|not[ _]found|unknown)|(unknown|no such|invalid) model", re.IGNORECASE | re.DOTALL
)
_UNSAFE = re.compile(r"content[ _](filter|management|policy)|safety", re.IGNORECASE)
_NO_CREDIT = re.compile(r"insufficient[ _](quota|balance|credits?)|credit balance", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Rejection:
    """A server's refusal: HTTP status (None when no connection came about or it broke), its words, its headers."""

    status: int | None
    message: str
    headers: Mapping[str, str] = field(default_factory=dict)

    def without(self, secret: str) -> "Rejection":
        """Return the same with the secret blotted out of the server's words."""
        return replace(self, message=self.message.replace(secret, "***")) if secret else self


class RefusedError(Exception):
    """A refusal that a provider finds itself, where its SDK raises none, or one without details."""

    def __init__(self, rejection: Rejection) -> None:
        super().__init__(rejection.message)
        self.rejection = rejection


def as_model_error(
    rejection: Rejection, place: str, *, key_variable: str, unknown_remedy: str, unreachable_remedy: str
) -> errors.ModelError:
    """Return the error that a refusal amounts to; `place` says which model of which server refused."""
    status, said = rejection.status, _quoted(rejection.message)
    if status is None:
        return errors.ModelUnreachableError(
            f"The connection to the model failed: {said}", where=place, remedy=unreachable_remedy
        )
    if status in (401, 403) or (status == 400 and _BAD_KEY.search(said)):
        remedy = f"Check the environment variable {key_variable}, or `key`." if key_variable else "Check `key`."
        return errors.ModelKeyError(f"The provider refuses the key: {said}", where=place, remedy=remedy)
    if status == 402 or _NO_CREDIT.search(said):
        return errors.ModelRequestError(
            f"The account has no credit left: {said}", where=place, remedy="Add credit to it."
        )
    if status == 429 or status >= 500 or status in (408, 409, 425):
        return _busy(rejection, said, place)
    if status == 404 or _NO_MODEL.search(said):
        return errors.ModelUnknownError(
            f"The server does not have this model: {said}", where=place, remedy=unknown_remedy
        )
    if _TOO_LONG.search(said):
        return errors.PromptTooLongError(
            f"The prompt does not fit: {said}", where=place, remedy="Set context_window to what the server really has."
        )
    if _UNSAFE.search(said):
        return errors.RefusalError(f"The provider refuses to answer this: {said}", where=place, text="")
    return errors.ModelRequestError(f"The server refuses the request with status {status}: {said}", where=place)


def unreadable(error: Exception, place: str) -> errors.ModelError:
    """Return the error for an answer that no SDK can read, or that ended early (EOFError); another attempt may do."""
    broken = isinstance(error, EOFError)
    return errors.ModelBusyError(
        "The server's answer broke off"
        if broken
        else f"The server's answer is none of a model ({type(error).__name__})",
        where=place,
        remedy="Is base_url the address of a model server?",
    )


def _busy(rejection: Rejection, said: str, place: str) -> errors.ModelBusyError:
    what = "The provider's rate limit is reached" if rejection.status == 429 else "The model's server is in trouble"
    remedy = "Wait, or lower models.concurrency." if rejection.status == 429 else "Try again later."
    pause = retry_after(rejection.headers)
    details = {} if pause is None else {"retry_after": pause}
    return errors.ModelBusyError(f"{what} (status {rejection.status}): {said}", where=place, remedy=remedy, **details)


def _quoted(message: str) -> str:
    """Return a server's words, short and on one line; of an HTML page only that it is one."""
    words = " ".join(well_formed(message).split())
    if words[:1] == "<":
        return "it answered with an HTML page"
    if not words:
        return "it gave no reason"
    return shortened(words, LONGEST_QUOTE)
