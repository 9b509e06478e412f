"""What happens in a run, as typed values; the command line, a page and a service read the same stream."""

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
    """The root of all events."""

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
    """A part of a tool's result, under its key there, is known before the whole is."""

    key: str
    value: Any


@dataclass(frozen=True, slots=True)
class Planned(Event):
    """The Planner has its tasks; `by` says who made them."""

    tasks: list[dict[str, Any]]
    sections: list[str]
    by: Literal["model", "rules", "user"]


@dataclass(frozen=True, slots=True)
class TaskStarted(Event):
    """A message went to an agent."""

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
    """A query was answered by an engine with so many results, or by none (`error`)."""

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
    """A page was read, or was not (`error`)."""

    url: str
    title: str
    characters: int
    how: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True)
class FileSkipped(Event):
    """A file gave no text, and why."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class IngestProgress(Event):
    """How far reading (`convert`) or embedding (`embed`) is; `seconds_left` once it can be estimated.

    `pages` of PDF were read so far, those of files that are still being read among them.
    """

    step: Literal["convert", "embed"]
    done: int
    total: int
    seconds_left: float | None = None
    pages: int = 0


@dataclass(frozen=True, slots=True)
class Ingested(Event):
    """A folder is in the text index: N files, M chunks, K skipped."""

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
    """An attempt at an effect failed in a way that may pass; it is tried again."""

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
    """A piece of text as a model writes it."""

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
    """Something the user should know; the report says it too."""

    notice: NoticeOrText

    @property
    def text(self) -> str:
        """What it says in English."""
        return str(self.notice)

    def to_record(self) -> dict[str, Any]:
        """Return its English words under `text`, and what they are made of under `notice`."""
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
"""The marks in a journal for when a process took up and left a run, and where another run branched off."""

AWAITED: Final = ("RUN", "awaited")
"""The mark for when a run was asked for, or its plan approved, and waits for a process."""


def mark_of(event: Event) -> tuple[str, str] | None:
    """Return the name and status under which a journal notes the time of an event, None for one that it does not."""
    match event:
        case PhaseChanged(phase=phase, status=status):
            return phase, status
        case RunStarted():
            return TAKEN_UP
        case Retrying(kind=kind):
            return kind, "tried again"
    return None
