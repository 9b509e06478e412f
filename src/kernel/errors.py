"""Every error that Spyglass raises, as one tree."""

from typing import Any, ClassVar, TypeVar

from .notice import Notice, Told, mapped, recorded
from .notice import from_record as told_from
from .url import cleaned

Other = TypeVar("Other", bound="SpyglassError")


class SpyglassError(Exception):
    """The root: `what` happened, `where`, and the `remedy`; passwords and keys in addresses are masked.

    `what` and `remedy` may be notices, which a report words in its language; the attributes and `str` are in English.
    """

    retryable: ClassVar[bool] = False
    placed: ClassVar[bool] = False
    """Whether a report says `where` too: nothing else in it does."""

    def __init__(self, what: Told, *, where: str = "", remedy: Told = "", **details: Any) -> None:
        clean = mapped(what, cleaned)
        super().__init__(str(clean))
        self.what = str(clean)
        self.notice = clean if isinstance(clean, Notice) else None
        self.where = cleaned(where)
        self.remedy = str(remedy)
        self.mend = remedy if isinstance(remedy, Notice) else None
        self.details = details

    def __str__(self) -> str:
        place = f" ({self.where})" if self.where else ""
        mend = f" {self.remedy}" if self.remedy else ""
        what = self.what.removesuffix(".")
        return f"{what}{place}{mend}" if what.endswith(("?", "!")) else f"{what}{place}.{mend}"

    @property
    def told(self) -> Told:
        """What a report says: the notice, with its remedy where that is one too, else the error in words."""
        if self.notice is None:
            return str(self)
        what = Notice("with_place", what=self.notice, where=self.where) if self.placed and self.where else self.notice
        return what if self.mend is None else Notice("with_remedy", what=what, remedy=self.mend)

    @property
    def bare(self) -> Told:
        """What it says without its place and its remedy."""
        return self.notice or self.what

    def turned(self, kind: "type[Other]", where: str = "") -> "Other":
        """Return an error of another kind that says the same, of the same place or another."""
        return kind(self.bare, where=where or self.where, remedy=self.mend or self.remedy)

    def to_record(self) -> dict[str, Any]:
        """Return a JSON-able record from which `from_record` raises the same error again."""
        record = {"type": type(self).__name__, "what": self.what, "where": self.where, "remedy": self.remedy}
        record |= {"notice": recorded(self.notice)} if self.notice else {}
        record |= {"mend": recorded(self.mend)} if self.mend else {}
        return {**record, "details": self.details} if self.details else record


class UsageError(SpyglassError):
    """The user can mend it."""


class QuestionError(UsageError):
    """No question, or one that cannot be asked."""


class SettingsError(UsageError):
    """An unknown key, a wrong type, a file that does not parse."""


class FolderError(UsageError):
    """A folder that is missing or cannot be read."""


class UnknownNameError(UsageError):
    """An agent or provider that is not registered; the message lists the known ones."""


class MissingAgentError(UsageError):
    """A run lacks an agent that it needs."""


class ReportFileError(UsageError):
    """A file that should hold a report, and does not; says whether it is unreadable, no JSON, or another JSON."""


class UnknownRunError(UsageError):
    """No run is called so, or several are, or it is none that can be taken up or made again."""


class ForeignReportError(UsageError):
    """A file with a report of another program that cannot be read, or is too large."""


class ArgumentError(UsageError):
    """An argument that a function does not take, lacks, or takes otherwise; names function, argument and value."""


class RunError(SpyglassError):
    """The run itself failed."""


class MessageError(RunError):
    """An agent took or gave a message of the wrong shape; names agent, field and value."""


class RoutingError(RunError):
    """A message names an agent that no router has; lists the known ones."""


class AgentError(RunError):
    """An agent raised something that is not of this tree."""


class DispatchLimitError(RunError):
    """More dispatches than the run allows."""


class PlanWaitsError(RunError):
    """There is a plan, and the user wants to approve it first; the run's journal has it."""


class DeadlineError(RunError):
    """Something took longer than it may."""


class StoppedError(RunError):
    """The user stopped the run: no new effect begins; what the journal has is still answered."""


class BudgetError(StoppedError):
    """A limit of the run is reached: this call was not made, or was given up; `details["limit"]` is the setting.

    Unlike that of a run which was stopped, it is recorded as the call's answer: a replay has the same report.
    """


class NotRecordedError(StoppedError):
    """A replay needs an answer that its journal does not have: nothing is asked, and agents end as in a stopped run."""


class JournalError(RunError):
    """The record of effects cannot be read or written."""


class LeaseError(JournalError):
    """Another process holds the lease of this run, or has taken it."""


class DatabaseError(JournalError):
    """The database that several machines share is away, of another version, or at an address that is none."""


class CacheError(RunError):
    """What runs share cannot be read or written; they go on without it."""

    placed = True


class ModelError(SpyglassError):
    """A model could not answer."""

    placed = True


class ModelKeyError(ModelError):
    """No key, or one that the provider refuses."""


class ModelUnknownError(ModelError):
    """The provider does not have this model."""


class ModelRequestError(ModelError):
    """The provider refuses the request itself."""


class ModelUnreachableError(ModelError):
    """No connection to the provider."""

    retryable = True


class ModelBusyError(ModelError):
    """A rate limit or a server fault; `details["retry_after"]`, in seconds, when the server said so."""

    retryable = True


class ModelDeadlineError(ModelError):
    """No answer in time."""

    retryable = True


class PromptTooLongError(ModelError):
    """The prompt does not fit the context window."""


class PromptCutError(ModelError):
    """The server silently read less than it was sent."""


class OutputCutError(ModelError):
    """The answer hit the output limit; `details["text"]` holds what came."""


class EmptyAnswerError(ModelError):
    """The model answered nothing, or nothing that can be used."""


class RefusalError(ModelError):
    """The model declined; `details["text"]` holds its words."""


class ScriptError(ModelError):
    """The scripted model has no answer for this prompt."""


class DocumentError(SpyglassError):
    """One file could not be read; the others go on."""


class UnreadableError(DocumentError):
    """Permissions forbid it, or the file vanished."""


class UnsupportedError(DocumentError):
    """A kind of file that has no text."""


class TooLargeError(DocumentError):
    """Over the cap of its kind, or it expands beyond it."""


class EncryptedError(DocumentError):
    """It needs a password."""


class CorruptError(DocumentError):
    """It is not what its name says, or is damaged."""


class NoTextError(DocumentError):
    """It converts, but holds no text: a scan, a picture."""


class ConversionError(DocumentError):
    """Its converter hung, crashed or ran out of memory."""


class RetrievalError(SpyglassError):
    """The index or the embedder failed."""

    placed = True


class IndexBusyError(RetrievalError):
    """Another process holds the index."""


class EmbedderError(RetrievalError):
    """No embedder, or it failed; retrieval goes on lexically."""


class RerankerError(RetrievalError):
    """No reranker, or it failed; passages are chosen by their words."""


class SearchError(SpyglassError):
    """A search engine gave no answer; that it found nothing is an answer."""


class SearchKeyError(SearchError):
    """No key, or one that the engine refuses."""


class SearchRequestError(SearchError):
    """The engine refuses the request itself."""


class SearchBlockedError(SearchError):
    """A rate limit or a robot check; `details["retry_after"]`, in seconds, when the engine said so."""

    retryable = True


class SearchBrokenError(SearchError):
    """A server fault, no connection, or no readable answer."""

    retryable = True


class SearchDeadlineError(SearchError):
    """No answer in time."""

    retryable = True


class SearchPausedError(SearchError):
    """The engine's circuit breaker is open: nothing was asked."""


class NoSearchError(SearchError):
    """No engine of the chain answered; says what each one said."""


class FetchError(SpyglassError):
    """One page could not be read; the others go on. `where` is its address."""


class AddressError(FetchError):
    """An address that no request leaves for: scheme, port, credentials, or a private network."""


class UnreachableError(FetchError):
    """No such host (`details["gone"]` is then true), no connection, or it broke off."""

    retryable = True


class StatusError(FetchError):
    """The server said no; `details["status"]`."""


class ServerFaultError(FetchError):
    """The server is in trouble or wants a pause; `details["status"]`, and `details["retry_after"]` in seconds."""

    retryable = True


class FetchDeadlineError(FetchError):
    """It took longer than it may."""


class PageTooLargeError(FetchError):
    """Over the cap, or it expands beyond it."""


class RedirectError(FetchError):
    """Too many redirects, or in a circle; `details["location"]` is where the last one leads, as it was written."""


class WallError(FetchError):
    """A page that asks to prove being human, to accept cookies or to log in, instead of what was asked for."""


class RobotsError(FetchError):
    """robots.txt forbids it."""


class NoPageTextError(FetchError):
    """It holds no text, or none without a browser."""


class PageKindError(FetchError):
    """A kind of file that has no text."""


class BrowserError(FetchError):
    """The browser is missing, or failed."""


def _tree(root: type[SpyglassError]) -> dict[str, type[SpyglassError]]:
    found = {root.__name__: root}
    for child in root.__subclasses__():
        found.update(_tree(child))
    return found


def told_of(record: dict[str, Any]) -> Told:
    """Return what an error says that `to_record` described, without its place and its remedy."""
    return told_from(record.get("notice", record["what"]))


def from_record(record: dict[str, Any]) -> SpyglassError:
    """Return the error that `to_record` described; a type this version lacks becomes a RunError."""
    kind = _tree(SpyglassError).get(record["type"], RunError)
    remedy = told_from(record.get("mend", record["remedy"]))
    return kind(told_of(record), where=record["where"], remedy=remedy, **record.get("details", {}))
