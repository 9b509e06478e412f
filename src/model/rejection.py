"""Refusals of model servers, and the ModelError for each."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from ..kernel import errors
from ..kernel.attempts import retry_after
from ..kernel.notice import Notice, NoticeOrText
from ..kernel.one_line import shortened
from .exchange import well_formed

LONGEST_QUOTE: Final = 300  # characters of a server's message that an error repeats

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
    """A server's refusal: HTTP status (None when there was no connection or it broke), message and headers."""

    status: int | None
    message: str
    headers: Mapping[str, str] = field(default_factory=dict)

    def without(self, secret: str) -> "Rejection":
        """Return the rejection with the secret masked in the server's message."""
        return replace(self, message=self.message.replace(secret, "***")) if secret else self


class RefusedError(Exception):
    """A refusal that our provider class detects, where the SDK raises no exception, or one without details."""

    def __init__(self, rejection: Rejection) -> None:
        super().__init__(rejection.message)
        self.rejection = rejection


def as_model_error(
    rejection: Rejection,
    place: str,
    *,
    key_variable: str,
    unknown_remedy: NoticeOrText,
    unreachable_remedy: NoticeOrText,
) -> errors.ModelError:
    """Return the ModelError for a refusal; `place` names the model and the server."""
    status, reason = rejection.status, _quoted(rejection.message)
    words = str(reason)
    if status is None:
        problem = Notice("model_unreachable", said=reason)
        return errors.ModelUnreachableError(problem, where=place, remedy=unreachable_remedy)
    if status in (401, 403) or (status == 400 and _BAD_KEY.search(words)):
        remedy = Notice("check_setting", setting="`key`")
        if key_variable:
            remedy = Notice("check_variable_or_key", name=key_variable)
        return errors.ModelKeyError(Notice("model_key_refused", said=reason), where=place, remedy=remedy)
    if status == 402 or _NO_CREDIT.search(words):
        remedy = Notice("add_credit")
        return errors.ModelRequestError(Notice("no_credit", said=reason), where=place, remedy=remedy)
    if status == 429 or status >= 500 or status in (408, 409, 425):
        return _busy(rejection, status, reason, place)
    if status == 404 or _NO_MODEL.search(words):
        return errors.ModelUnknownError(Notice("model_unknown", said=reason), where=place, remedy=unknown_remedy)
    if _TOO_LONG.search(words):
        remedy = Notice("set_true_window")
        return errors.PromptTooLongError(Notice("prompt_unfit", said=reason), where=place, remedy=remedy)
    if _UNSAFE.search(words):
        return errors.RefusalError(Notice("answer_refused", said=reason), where=place, text="")
    return errors.ModelRequestError(Notice("request_refused", status=status, said=reason), where=place)


def unreadable(error: Exception, place: str) -> errors.ModelError:
    """Return the error for an answer that the SDK cannot read, or that ended early (EOFError); a retry may help."""
    problem = Notice("answer_of_no_model", error=type(error).__name__)
    if isinstance(error, EOFError):
        problem = Notice("answer_broke_off")
    return errors.ModelBusyError(problem, where=place, remedy=Notice("is_it_a_model_server"))


def _busy(rejection: Rejection, status: int, reason: NoticeOrText, place: str) -> errors.ModelBusyError:
    problem, remedy = Notice("model_server_in_trouble", status=status, said=reason), Notice("try_again_later")
    if status == 429:
        problem = Notice("rate_limited", status=status, said=reason)
        remedy = Notice("wait_or_lower", setting="models.concurrency")
    pause = retry_after(rejection.headers)
    details = {} if pause is None else {"retry_after": pause}
    return errors.ModelBusyError(problem, where=place, remedy=remedy, **details)


def _quoted(message: str) -> NoticeOrText:
    """Return a server's message, short and on one line; an HTML page or an empty message as a notice."""
    words = " ".join(well_formed(message).split())
    if words[:1] == "<":
        return Notice("html_page_answered")
    if not words:
        return Notice("no_reason_given")
    return shortened(words, LONGEST_QUOTE)
