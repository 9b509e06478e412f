"""The typed report: what was asked, what was written, and what every sentence rests on."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Literal, Self

from pydantic import BaseModel, ConfigDict

from ..language import resolved
from ..source import Citation, Source
from .markdown import render

if TYPE_CHECKING:
    from ..run import Run

Outcome = Literal["complete", "partial", "nothing_found", "cancelled"]
Level = Literal["HIGH", "MEDIUM", "LOW"]

LONGEST_TITLE = 150
"""Characters of a question that make the title."""


class Frozen(BaseModel):
    """A value of the report."""

    model_config = ConfigDict(frozen=True)


class Section(Frozen):
    """A section: `text` is Markdown whose unescaped `[n]` are the numbers of references.

    `quoted` says that its sentences are the sources' own words.
    """

    title: str
    text: str
    quoted: bool = False


class Reference(Frozen):
    """One cited passage. `quote` is a verbatim part of it; `retrieved_at` is an ISO time in UTC, `published` a date.

    A web page has a `domain` and what that counts for, 0 to 100; a file has neither.
    """

    number: int
    source_id: str
    title: str
    kind: Literal["web", "file"] = "file"
    path: str = ""
    url: str = ""
    domain: str = ""
    credibility_score: int | None = None
    credibility_tier: str = ""
    published: str = ""
    page: int | None = None
    line: int | None = None
    last_line: int | None = None
    heading: str = ""
    retrieved_at: str = ""
    quote: str


class Missing(Frozen):
    """Something that did not work while the run went on."""

    who: str
    what: str
    why: str


class Spent(Frozen):
    """What the run's model calls came to; cost in US dollars, None when a price is unknown."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = 0.0


class Report(Frozen):
    """A finished report. Equal effects make an equal report: nothing in it depends on when it was rendered.

    The k-th number in the sections' texts is that of `citations[k]`, and `citation.quote` is
    `snapshot[citation.start:citation.end]` of the text kept in the journal under `citation.snapshot`.
    `writer` is the model that wrote it, empty when all sections are quoted; `unmentioned`
    are the words of the question that no passage has, `filters` the settings that narrowed the search of the web.
    `given` is the text of a reporter that hands over nothing but a text.
    """

    question: str
    title: str
    run: str
    date: str
    language: str
    outcome: Outcome
    confidence: Level | None = None
    writer: str = ""
    given: str | None = None
    sections: list[Section] = []
    references: list[Reference] = []
    citations: list[Citation] = []
    sources: list[Source] = []
    queries: list[str] = []
    folders: list[str] = []
    web: Literal["searched", "given", "no"] = "no"
    filters: list[str] = []
    unmentioned: list[str] = []
    notices: list[str] = []
    failures: list[Missing] = []
    dropped_markers: int = 0
    uncited_sentences: int = 0
    spending: Spent = Spent()

    @property
    def markdown(self) -> str:
        """The report as Markdown."""
        return render(self)

    @classmethod
    def of(cls, run: "Run", outcome: Outcome, **parts: object) -> Self:
        """Return a report about a run: what the run itself knows, and the `parts` that were written."""
        known = {
            "question": run.question,
            "title": title_of(run.question),
            "run": run.id,
            "date": run.today.isoformat(),
            "language": resolved(run.settings.language, run.question),
            "outcome": outcome,
            "queries": asked(run),
            "folders": folders_of(run),
            "web": web_of(run),
            "filters": filters_of(run),
            # Agents that run side by side tell things in any order; a report has one.
            "notices": sorted(run.notices),
            "failures": sorted(map(asdict, run.failures), key=lambda failure: (failure["who"], failure["what"])),
            "spending": {
                "calls": run.spending.calls,
                "prompt_tokens": run.spending.prompt_tokens,
                "completion_tokens": run.spending.completion_tokens,
                "cost": run.spending.known_cost,
            },
        }
        return cls.model_validate({**known, **parts})

    @classmethod
    def of_text(cls, run: "Run", text: str) -> Self:
        """Return the report of a reporter that answers nothing but a text; its Markdown is that text."""
        return cls.of(run, "partial" if run.failures else "complete", given=text)


def title_of(question: str) -> str:
    """Return the question on one line, cut at a word when it is long."""
    line = " ".join(question.split())
    return line if len(line) <= LONGEST_TITLE else f"{line[:LONGEST_TITLE].rsplit(' ', 1)[0]}…"


def folders_of(run: "Run") -> list[str]:
    """Return the folders that an agent of the run searched, none when it had no such agent."""
    return [str(folder) for folder in run.settings.folders] if "files" in _searched(run) else []


def web_of(run: "Run") -> Literal["searched", "given", "no"]:
    """Say whether an agent of the run searched the web, or read but the pages that were given."""
    if "web" not in _searched(run):
        return "no"
    return "given" if run.settings.web is False else "searched"


def filters_of(run: "Run") -> list[str]:
    """Return the settings that narrowed the search of the web, as the user names them."""
    if web_of(run) != "searched":
        return []
    given = run.settings
    lists = {"domains": given.domains, "block": given.block, "trust": given.trust}
    filters = [f"{name}: {', '.join(values)}" for name, values in lists.items() if values]
    return filters if given.time_range == "none" else [*filters, f"time_range: {given.time_range}"]


def _searched(run: "Run") -> set[str]:
    return {card.searches for card in run.agents.values()}


def asked(run: "Run") -> list[str]:
    """Return what was searched for: each task's queries, or the task itself, each once and in order."""
    searched = [query for task in run.plan.tasks for query in task.queries or (task.task,)]
    return list(dict.fromkeys(searched))
