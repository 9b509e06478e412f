"""The exception hierarchy of Spyglass."""

from typing import Any, ClassVar, TypeVar

from .notice import Notice, NoticeOrText, mapped, recorded
from .notice import from_record as message_from
from .url import cleaned

Other = TypeVar("Other", bound="SpyglassError")


class SpyglassError(Exception):
    """The base class: `what` happened, `where`, and the `remedy`; passwords and keys in URLs are masked.

    `what` and `remedy` may be notices, which a report translates into its language; the attributes and `str` are in
    English.
    """

    retryable: ClassVar[bool] = False
    placed: ClassVar[bool] = False
    """Whether the message in a report includes `where`, because nothing else in the report shows it."""

    def __init__(self, what: NoticeOrText, *, where: str = "", remedy: NoticeOrText = "", **details: Any) -> None:
        clean = mapped(what, cleaned)
        super().__init__(str(clean))
        self.what = str(clean)
        self.notice = clean if isinstance(clean, Notice) else None
        self.where = cleaned(where)
        self.remedy = str(remedy)
        self.remedy_notice = remedy if isinstance(remedy, Notice) else None
        self.details = details

    def __str__(self) -> str:
        place = f" ({self.where})" if self.where else ""
        remedy = f" {self.remedy}" if self.remedy else ""
        what = self.what.removesuffix(".")
        return f"{what}{place}{remedy}" if what.endswith(("?", "!")) else f"{what}{place}.{remedy}"

    @property
    def message(self) -> NoticeOrText:
        """The message for a report: the notice, with the remedy if that is a notice too, else the error as text."""
        if self.notice is None:
            return str(self)
        what = Notice("with_place", what=self.notice, where=self.where) if self.placed and self.where else self.notice
        return what if self.remedy_notice is None else Notice("with_remedy", what=what, remedy=self.remedy_notice)

    @property
    def bare_message(self) -> NoticeOrText:
        """The message without location and remedy."""
        return self.notice or self.what

    def as_kind(self, kind: "type[Other]", where: str = "") -> "Other":
        """Return an error of another class with the same message and remedy, at the same location or at `where`."""
        return kind(self.bare_message, where=where or self.where, remedy=self.remedy_notice or self.remedy)

    def to_record(self) -> dict[str, Any]:
        """Return a JSON-able record, from which `from_record` restores the error."""
        record = {"type": type(self).__name__, "what": self.what, "where": self.where, "remedy": self.remedy}
        record |= {"notice": recorded(self.notice)} if self.notice else {}
        record |= {"mend": recorded(self.remedy_notice)} if self.remedy_notice else {}
        return {**record, "details": self.details} if self.details else record


class UsageError(SpyglassError):
    """An error that the user can fix."""


class QuestionError(UsageError):
    """The question is missing or unusable."""


class SettingsError(UsageError):
    """An unknown key, a wrong type, a file that does not parse."""


class FolderError(UsageError):
    """A folder that is missing or cannot be read."""


class UnknownNameError(UsageError):
    """An agent or provider that is not registered; the message lists the known ones."""


class MissingAgentError(UsageError):
    """A run lacks an agent that it needs."""


class ReportFileError(UsageError):
    """A file is not a report; the message says whether it is unreadable, not JSON, or other JSON."""


class UnknownRunError(UsageError):
    """No run has this name, or several have, or the run cannot be resumed or replayed."""


class ForeignReportError(UsageError):
    """A report of another program cannot be read, or is too large."""


class ArgumentError(UsageError):
    """An argument is unknown, missing, or of the wrong type; names function, argument and value."""


class RunError(SpyglassError):
    """The run itself failed."""


class MessageError(RunError):
    """An agent received or returned a message of the wrong format; names agent, field and value."""


class RoutingError(RunError):
    """A message names an agent that no router has; lists the known ones."""


class AgentError(RunError):
    """An agent raised an exception that is not a SpyglassError."""


class DispatchLimitError(RunError):
    """More dispatches than the run allows."""


class PlanWaitsError(RunError):
    """The plan waits for the user's approval; it is stored in the run's journal."""


class DeadlineError(RunError):
    """Something exceeded its deadline."""


class StoppedError(RunError):
    """The user stopped the run: no new effect (external call) starts; recorded effects are still answered."""


class BudgetError(StoppedError):
    """A limit of the run is reached: the call was not made, or was cancelled; `details["limit"]` is the setting.

    Unlike a plain StoppedError, it is recorded as the call's answer, so that a replay makes the same report.
    """


class NotRecordedError(StoppedError):
    """A replay needs an answer that its journal lacks: no call is made, and agents end as in a stopped run."""


class JournalError(RunError):
    """The journal of a run cannot be read or written."""


class LeaseError(JournalError):
    """Another process holds the lease of this run, or has taken it."""


class DatabaseError(JournalError):
    """The shared database is unreachable, of another version, or its address is invalid."""


class CacheError(RunError):
    """The shared cache cannot be read or written; runs continue without it."""

    placed = True


class ModelError(SpyglassError):
    """A model could not answer."""

    placed = True


class ModelKeyError(ModelError):
    """No key, or the provider refuses it."""


class ModelUnknownError(ModelError):
    """The provider does not have this model."""


class ModelRequestError(ModelError):
    """The provider refuses the request itself."""


class ModelUnreachableError(ModelError):
    """No connection to the provider."""

    retryable = True


class ModelBusyError(ModelError):
    """A rate limit or a server fault; `details["retry_after"]`, in seconds, if the server sent it."""

    retryable = True


class ModelDeadlineError(ModelError):
    """No answer in time."""

    retryable = True


class PromptTooLongError(ModelError):
    """The prompt does not fit the context window."""


class PromptCutError(ModelError):
    """The server silently truncated the prompt."""


class OutputCutError(ModelError):
    """The answer hit the output limit; `details["text"]` holds the part received."""


class EmptyAnswerError(ModelError):
    """The model's answer is empty or unusable."""


class RefusalError(ModelError):
    """The model declined; `details["text"]` holds its answer."""


class ScriptError(ModelError):
    """The scripted model has no answer for this prompt."""


class DocumentError(SpyglassError):
    """One file could not be read; the others are still processed."""


class UnreadableError(DocumentError):
    """Permissions forbid it, or the file vanished."""


class UnsupportedError(DocumentError):
    """A file type without text."""


class TooLargeError(DocumentError):
    """The file exceeds the size limit of its kind, perhaps only when decompressed."""


class EncryptedError(DocumentError):
    """The file needs a password."""


class CorruptError(DocumentError):
    """The file is damaged, or not of the type that its name indicates."""


class NoTextError(DocumentError):
    """The file can be converted, but contains no text: a scan, a picture."""


class ConversionError(DocumentError):
    """The converter hung, crashed or ran out of memory."""


class RetrievalError(SpyglassError):
    """The index or the embedder failed."""

    placed = True


class IndexBusyError(RetrievalError):
    """Another process has locked the index."""


class EmbedderError(RetrievalError):
    """There is no embedder, or it failed; retrieval continues with lexical search."""


class RerankerError(RetrievalError):
    """There is no reranker, or it failed; passages are ranked lexically."""


class SearchError(SpyglassError):
    """A search engine did not answer; an empty result is an answer."""


class SearchKeyError(SearchError):
    """No key, or the engine refuses it."""


class SearchRequestError(SearchError):
    """The engine refuses the request itself."""


class SearchBlockedError(SearchError):
    """A rate limit or a robot check; `details["retry_after"]`, in seconds, if the engine sent it."""

    retryable = True


class SearchBrokenError(SearchError):
    """A server fault, no connection, or no readable answer."""

    retryable = True


class SearchDeadlineError(SearchError):
    """No answer in time."""

    retryable = True


class SearchPausedError(SearchError):
    """The engine's circuit breaker is open: no request was made."""


class NoSearchError(SearchError):
    """No engine of the chain answered; lists the error of each."""


class FetchError(SpyglassError):
    """One page could not be read; the others are still processed. `where` is its URL."""


class AddressError(FetchError):
    """A forbidden URL: scheme, port, credentials, or a private network. No request is made."""


class UnreachableError(FetchError):
    """No such host (`details["gone"]` is then true), no connection, or a broken one."""

    retryable = True


class StatusError(FetchError):
    """The server refused the request; `details["status"]`."""


class ServerFaultError(FetchError):
    """A server fault or rate limit; `details["status"]`, and `details["retry_after"]` in seconds."""

    retryable = True


class FetchDeadlineError(FetchError):
    """The page exceeded its deadline."""


class PageTooLargeError(FetchError):
    """The page exceeds the size limit, perhaps only when decompressed."""


class RedirectError(FetchError):
    """Too many redirects, or a loop; `details["location"]` is the target of the last one, as written."""


class WallError(FetchError):
    """The server sent a robot check, a cookie wall or a login instead of the page."""


class RobotsError(FetchError):
    """robots.txt forbids the page."""


class NoPageTextError(FetchError):
    """The page has no text, or none without a browser."""


class PageKindError(FetchError):
    """A file type without text."""


class BrowserError(FetchError):
    """The browser is missing, or failed."""


def _tree(root: type[SpyglassError]) -> dict[str, type[SpyglassError]]:
    kinds = {root.__name__: root}
    for child in root.__subclasses__():
        kinds.update(_tree(child))
    return kinds


def message_of(record: dict[str, Any]) -> NoticeOrText:
    """Return the message in a record of `to_record`, without location and remedy."""
    return message_from(record.get("notice", record["what"]))


def from_record(record: dict[str, Any]) -> SpyglassError:
    """Return the error of a record of `to_record`; a type unknown to this version becomes a RunError."""
    kind = _tree(SpyglassError).get(record["type"], RunError)
    remedy = message_from(record.get("mend", record["remedy"]))
    return kind(message_of(record), where=record["where"], remedy=remedy, **record.get("details", {}))
