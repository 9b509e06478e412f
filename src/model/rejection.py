"""Refusals of model servers, and the ModelError that each amounts to."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from ..kernel import errors
from ..kernel.attempts import retry_after
from ..kernel.notice import Notice, Told
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
    rejection: Rejection, place: str, *, key_variable: str, unknown_remedy: Told, unreachable_remedy: Told
) -> errors.ModelError:
    """Return the error that a refusal amounts to; `place` says which model of which server refused."""
    status, said = rejection.status, _quoted(rejection.message)
    words = str(said)
    if status is None:
        what = Notice("model_unreachable", said=said)
        return errors.ModelUnreachableError(what, where=place, remedy=unreachable_remedy)
    if status in (401, 403) or (status == 400 and _BAD_KEY.search(words)):
        remedy = Notice("check_setting", setting="`key`")
        if key_variable:
            remedy = Notice("check_variable_or_key", name=key_variable)
        return errors.ModelKeyError(Notice("model_key_refused", said=said), where=place, remedy=remedy)
    if status == 402 or _NO_CREDIT.search(words):
        remedy = Notice("add_credit")
        return errors.ModelRequestError(Notice("no_credit", said=said), where=place, remedy=remedy)
    if status == 429 or status >= 500 or status in (408, 409, 425):
        return _busy(rejection, status, said, place)
    if status == 404 or _NO_MODEL.search(words):
        return errors.ModelUnknownError(Notice("model_unknown", said=said), where=place, remedy=unknown_remedy)
    if _TOO_LONG.search(words):
        remedy = Notice("set_true_window")
        return errors.PromptTooLongError(Notice("prompt_unfit", said=said), where=place, remedy=remedy)
    if _UNSAFE.search(words):
        return errors.RefusalError(Notice("answer_refused", said=said), where=place, text="")
    return errors.ModelRequestError(Notice("request_refused", status=status, said=said), where=place)


def unreadable(error: Exception, place: str) -> errors.ModelError:
    """Return the error for an answer that no SDK can read, or that ended early (EOFError); another attempt may do."""
    what = Notice("answer_of_no_model", error=type(error).__name__)
    if isinstance(error, EOFError):
        what = Notice("answer_broke_off")
    return errors.ModelBusyError(what, where=place, remedy=Notice("is_it_a_model_server"))


def _busy(rejection: Rejection, status: int, said: Told, place: str) -> errors.ModelBusyError:
    what, remedy = Notice("model_server_in_trouble", status=status, said=said), Notice("try_again_later")
    if status == 429:
        what = Notice("rate_limited", status=status, said=said)
        remedy = Notice("wait_or_lower", setting="models.concurrency")
    pause = retry_after(rejection.headers)
    details = {} if pause is None else {"retry_after": pause}
    return errors.ModelBusyError(what, where=place, remedy=remedy, **details)


def _quoted(message: str) -> Told:
    """Return a server's words, short and on one line; of an HTML page only that it is one."""
    words = " ".join(well_formed(message).split())
    if words[:1] == "<":
        return Notice("html_page_answered")
    if not words:
        return Notice("no_reason_given")
    return shortened(words, LONGEST_QUOTE)
