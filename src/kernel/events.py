"""The events of a run as typed values; the command line, the web page and the service read the same stream."""

from dataclasses import asdict, dataclass, field
from typing import Any, Final, Literal

from .notice import NoticeOrText, recorded
from .outcome import Outcome

Phase = Literal[
    "PLANNING",
    "LOCAL_RETRIEVAL",
    "WEB_SEARCH",
    "SCRAPING_URLS",
    "RERANKING",
    "GENERATION",
    "OUTLINE",
    "WRITING",
    "CHECKING",
]


@dataclass(frozen=True, slots=True)
class Event:
    """The base class of all events."""

    def to_record(self) -> dict[str, Any]:
        """Return a JSON-able record: the event's name under `event`, then its fields."""
        return {"event": type(self).__name__, **asdict(self)}


@dataclass(frozen=True, slots=True)
class RunStarted(Event):
    """A run began."""

    run: str
    question: str


@dataclass(frozen=True, slots=True)
class PhaseChanged(Event):
    """A phase started or completed."""

    phase: Phase
    status: Literal["started", "completed"]
    data: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OutputChanged(Event):
    """A part of a tool's result is available before the whole; `key` is its key in the result."""

    key: str
    value: Any


@dataclass(frozen=True, slots=True)
class Planned(Event):
    """The plan was made; `by` says who made it."""

    tasks: list[dict[str, Any]]
    sections: list[str]
    by: Literal["model", "rules", "user"]


@dataclass(frozen=True, slots=True)
class TaskStarted(Event):
    """A message was dispatched to an agent."""

    agent: str
    task: str


@dataclass(frozen=True, slots=True)
class TaskEnded(Event):
    """An agent answered, or failed; `added` counts the records it added."""

    agent: str
    task: str
    added: int
    error: str = ""


@dataclass(frozen=True, slots=True)
class Searched(Event):
    """An engine answered a query with `results` hits, or failed (`error`)."""

    query: str
    engine: str
    results: int
    error: str = ""


@dataclass(frozen=True, slots=True)
class EngineChanged(Event):
    """The circuit breaker of a search engine changed its state."""

    engine: str
    state: Literal["closed", "open", "half-open"]
    why: str = ""


@dataclass(frozen=True, slots=True)
class PageRead(Event):
    """A page was read, or could not be read (`error`)."""

    url: str
    title: str
    characters: int
    how: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True)
class FileSkipped(Event):
    """A file gave no text, for this reason."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class IngestProgress(Event):
    """The progress of reading (`convert`) or embedding (`embed`); `seconds_left` once it can be estimated.

    `pages` is the number of PDF pages read so far, including those of unfinished files.
    """

    step: Literal["convert", "embed"]
    done: int
    total: int
    seconds_left: float | None = None
    pages: int = 0


@dataclass(frozen=True, slots=True)
class Ingested(Event):
    """A folder was indexed; the numbers of its files, chunks, skipped and unchanged files."""

    folder: str
    files: int
    chunks: int
    skipped: int
    unchanged: int


@dataclass(frozen=True, slots=True)
class ModelCalled(Event):
    """A model answered; cost in US dollars, None when no price is known."""

    role: str
    model: str
    prompt_tokens: int
    completion_tokens: int
    cost: float | None
    replayed: bool = False


@dataclass(frozen=True, slots=True)
class Retrying(Event):
    """An attempt at an effect failed with an error that may be temporary; it is retried."""

    kind: str
    why: str


@dataclass(frozen=True, slots=True)
class AnswerRead(Event):
    """A step of reading a structured answer: how the model's text became a value."""

    role: str
    step: Literal["extracted", "repaired", "asked_again", "defaulted"]
    problem: str = ""


@dataclass(frozen=True, slots=True)
class TextDelta(Event):
    """A piece of a model's streamed output."""

    role: str
    text: str


@dataclass(frozen=True, slots=True)
class SectionDrafted(Event):
    """A model has written a section, which is not checked yet: its plain text without citations."""

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class SectionWritten(Event):
    """A section of the report is ready."""

    title: str
    citations: int
    dropped_markers: int


@dataclass(frozen=True, slots=True)
class Noticed(Event):
    """A notice for the user, which the report contains too."""

    notice: NoticeOrText

    @property
    def text(self) -> str:
        """The notice in English."""
        return str(self.notice)

    def to_record(self) -> dict[str, Any]:
        """Return a JSON-able record: the English text under `text`, and the notice itself under `notice`."""
        return {"event": type(self).__name__, "text": self.text, "notice": recorded(self.notice)}


@dataclass(frozen=True, slots=True)
class RunEnded(Event):
    """A run ended; times in seconds, cost in US dollars, None when a price is unknown."""

    run: str
    outcome: Outcome
    seconds: float
    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None


TAKEN_UP: Final = ("RUN", "taken up")
LEFT: Final = ("RUN", "left")
TAKEN_OVER: Final = ("RUN", "taken over")
"""Journal marks: a process began or resumed a run, a process left it, and another run was branched off here."""

AWAITED: Final = ("RUN", "awaited")
"""Journal mark: a run was requested, or its plan approved, and it waits for a process."""


def mark_of(event: Event) -> tuple[str, str] | None:
    """Return the name and status of an event's mark in the journal; None for an event that is not marked."""
    match event:
        case PhaseChanged(phase=phase, status=status):
            return phase, status
        case RunStarted():
            return TAKEN_UP
        case Retrying(kind=kind):
            return kind, "tried again"
    return None
