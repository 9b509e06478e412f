"""The typed report: the question, the sections, the evidence of every sentence, and what was removed."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from pydantic import BaseModel, Field, computed_field

from ..kernel.argument import validated
from ..kernel.language import resolved
from ..kernel.notice import ON_TOP, Notice, NoticeOrText, recorded
from ..kernel.outcome import Outcome, outcome_of
from ..kernel.settings import Policy, Settings
from ..kernel.source import VERDICTS, Citation, Judged, Many, Passage, Ranked, Source, Support, digest
from ..kernel.thread import in_own_loop
from ..markup import Block, Cite, CodeBlock, Unit, walk
from ..net import outage_of
from ..render.markdown import markdown
from .asserting import is_label

if TYPE_CHECKING:
    from ..kernel.run import Run

Level = Literal["HIGH", "MEDIUM", "LOW"]

FORMAT = 9
"""The version of the report as JSON; raised when a field changes its meaning."""

LONGEST_TITLE = 150
"""Most characters of a question in the title."""


class Section(BaseModel, frozen=True):
    """A section with its title. `quoted` means that its sentences are verbatim from the sources."""

    title: str
    blocks: Many[Block] = []
    quoted: bool = False

    @property
    def text(self) -> str:
        """The text of the section without citations and markup, sentence after sentence."""
        return " ".join(unit.text for unit in self.units)

    @property
    def units(self) -> list[Unit]:
        """The units of judgement in reading order: sentences, headings, rows and blocks of code."""
        return list(walk(self.blocks))

    @property
    def cites(self) -> list[Cite]:
        """The citations in reading order."""
        return [cite for unit in walk(self.blocks) for cite in unit.cites]


class Reference(BaseModel, frozen=True):
    """A cited passage. `quote` is a verbatim part of it, `line` to `last_line` have all that is cited of it.

    `retrieved_at` is an ISO time in UTC, `published` a date.
    A web page has a `domain` and a `credibility_score` of 0 to 100; a file has neither. `ocr_confidence`, 0 to 100, is
    set for a passage read from a picture.
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
    ocr_confidence: int | None = None
    retrieved_at: str = ""
    quote: str


CitationState = Literal["read", "dead", "invented", "unreadable", "unresolved", "not followed"]


class CheckedCitation(BaseModel, frozen=True):
    """A citation in a text written elsewhere: its spelling there, its target (`place`), and its state.

    `number` is its number in that text, or the next free number. `why` is the reason for the state, in the language of
    the text.
    """

    number: int
    spelled: str
    place: str
    state: CitationState
    why: str = ""


class Snapshot(BaseModel, frozen=True):
    """The text of a cited source as it was when it was read; `hash` is its SHA-256, and every offset refers to it.

    `extractor` names the program, with its version, that extracted the text.
    """

    hash: str
    text: str
    title: str
    kind: Literal["web", "file"]
    url: str = ""
    path: str = ""
    retrieved_at: str = ""
    extractor: str = ""


@dataclass(frozen=True, slots=True)
class Claim:
    """A unit of a section that asserts something: a sentence, a heading, a row or a block of code.

    `text` is the judged text, plain and without citations; `citations` are indices into the report's citations,
    `section` is the title. `pointers` are the numbers of citations in a text written elsewhere that have no passage.
    `code` marks a block of code, `label` a unit that is no sentence, `quoted` the source's own words.
    """

    section: str
    text: str
    citations: Sequence[int] = ()
    pointers: Sequence[int] = ()
    verdict: Judged = "unchecked"
    score: float = 0.0
    reasons: Sequence[Notice] = ()
    method: str = "words"
    code: bool = False
    label: bool = False
    quoted: bool = False


_JUDGED = ("verdict", "score", "reasons", "method")


def claims_of(sections: Iterable[Section]) -> list[Claim]:
    """Return the claims of sections, in order; their citations are numbered through all sections."""
    claims, cite_count = [], 0
    for section in sections:
        for unit in section.units:
            citations = range(cite_count, cite_count + len(unit.cites))
            cite_count = citations.stop
            if unit.asserts:
                judged = {name: getattr(unit.verdict, name) for name in _JUDGED} if unit.verdict else {}
                kind = {"code": isinstance(unit, CodeBlock), "label": is_label(unit), "quoted": section.quoted}
                pointers = [pointer.number for pointer in unit.pointers]
                claims.append(Claim(section.title, unit.text, citations, pointers, **{**judged, **kind}))
    return claims


class Removed(BaseModel, frozen=True):
    """A sentence left out of the report because no source supports it.

    `evidence` is the nearest text, verbatim, and `source_id` its source; both are empty if there is none.
    """

    section: str
    text: str
    verdict: Support
    reasons: Many[Notice] = []
    evidence: str = ""
    source_id: str = ""


class Side(BaseModel, frozen=True):
    """What one of two disagreeing sources says: `quote` is `snapshot[start:end]`."""

    source_id: str
    title: str
    snapshot: str
    start: int
    end: int
    quote: str
    url: str = ""
    path: str = ""
    published: str = ""
    retrieved_at: str = ""
    credibility_score: int | None = None


class Contradiction(BaseModel, frozen=True):
    """Two sources that disagree about `subject`; `newer` is the side published later, if both dates are known."""

    subject: str
    first: Side
    second: Side
    newer: Literal["first", "second", ""] = ""


class Near(BaseModel, frozen=True):
    """An excerpt near the question that the report does not cite: `snapshot[start:end]`, in `passages[passage]`."""

    source_id: str
    passage: int = Field(ge=0)
    start: int
    end: int


class Coverage(BaseModel, frozen=True):
    """The coverage of a sub-question: `sources` is the number of sources found for it, `found` are their ids.

    `claims` are indices of the report's claims about it. `ranked` is the verdict of the answer ranker if sentences were
    quoted, or of the model that wrote them, and then decides; otherwise the words of the claims do.
    """

    question: str
    verdict: Literal["answered", "partly", "not found"]
    sources: int
    found: Many[str] = []
    claims: Many[int] = []
    ranked: Ranked | Literal[""] = ""


class Search(BaseModel, frozen=True):
    """A line of the search log: the query, the engine, and the number of results or the error."""

    query: str
    engine: NoticeOrText
    results: int = 0
    error: NoticeOrText = ""


class Call(BaseModel, frozen=True):
    """The number of calls of one kind, how many failed, and their tokens and cost in US dollars."""

    kind: str
    what: str
    count: int
    failed: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = 0.0


class Missing(BaseModel, frozen=True):
    """A failure that did not end the run: who failed, at what, and why."""

    who: str
    what: NoticeOrText
    why: NoticeOrText


class Spent(BaseModel, frozen=True):
    """The number, tokens and cost of the run's model calls; cost in US dollars, None when a price is unknown."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = 0.0


@validated
class Report(BaseModel, frozen=True):
    """A finished report. Equal recorded effects of a run give an equal report: nothing depends on when it is rendered.

    The k-th citation of the sections is `citations[k]`, and `citation.quote` is `snapshot[citation.start:citation.end]`
    of the text kept in the journal under `citation.snapshot`.
    `writer` is the model that wrote the report, empty when all sections are quoted; `unmentioned` are the words of the
    question that occur in no passage, `filters` the settings that narrowed the web search, `network` describes an
    outage of the network as a whole.
    `checked` names the text written elsewhere that the report is about, empty for a report of our own: then there is no
    confidence, citations have the numbers of that text, and `looked_up` has the state of each.
    `near` are the uncited excerpts nearest to the question, best first, if sources are quoted or nothing was found.
    `given` is the text of a reporter that returns only text. `snapshots` are the texts of the cited sources and of
    their copies, so that the report can be verified alone. `copies` are groups of ids of sources with the same text,
    the primary source first; `independent` counts the cited sources that are not copies of one another.
    """

    format: int = FORMAT
    question: str
    title: str
    run: str
    date: str
    language: str
    outcome: Outcome
    confidence: Level | None = None
    writer: str = ""
    checked: str = ""
    looked_up: Many[CheckedCitation] = []
    given: str | None = None
    sections: Many[Section] = []
    policy: Policy = "strict"
    removed: Many[Removed] = []
    contradictions: Many[Contradiction] = []
    near: Many[Near] = []
    coverage: Many[Coverage] = []
    references: Many[Reference] = []
    citations: Many[Citation] = []
    sources: Many[Source] = []
    snapshots: Many[Snapshot] = []
    copies: Many[Many[str]] = []
    independent: int = 0
    searches: Many[Search] = []
    calls: Many[Call] = []
    queries: Many[str] = []
    folders: Many[str] = []
    web: Literal["searched", "given", "no"] = "no"
    filters: Many[str] = []
    unmentioned: Many[str] = []
    network: NoticeOrText = ""
    notices: Many[NoticeOrText] = []
    failures: Many[Missing] = []
    dropped_markers: int = 0
    spending: Spent = Spent()

    def __repr__(self) -> str:
        """Return a short description; the whole report would be a hundred thousand characters in a traceback."""
        return (
            f"Report({self.question!r}, {self.outcome}, {len(self.claims)} claims, {len(self.references)} references)"
        )

    def _repr_html_(self) -> str:
        """Return the report's page for a notebook, in a frame without scripts whose links open."""
        from ..render.html import html

        sandbox = "allow-popups allow-popups-to-escape-sandbox"
        return f'<iframe sandbox="{sandbox}" width="100%" height="600" srcdoc="{escape(html(self))}"></iframe>'

    @validated
    def save(self, path: str | Path, settings: Settings | None = None) -> Path:
        """Write the report to a file in the format of its suffix, and return its path.

        `.pdf` uses the browser of the settings. Blocks. Raises UsageError for an unknown suffix, with a list of the
        known ones, BrowserError, OSError.
        """
        from ..render import render as rendered

        target = Path(path)
        target.write_bytes(in_own_loop(lambda: rendered(self, target, settings or Settings.load())))
        return target

    @property
    def claims(self) -> list[Claim]:
        """The claims of the sections, in order."""
        return claims_of(self.sections)

    def passage_of(self, near: Near) -> tuple[Source, Passage] | None:
        """Return the source and the passage of a place near the question, None if the report has no such passage."""
        found = next((source for source in self.sources if source.id == near.source_id), None)
        return (found, found.passages[near.passage]) if found and near.passage < len(found.passages) else None

    @property
    def uncited(self) -> int:
        """The number of claims without a citation."""
        return sum(not claim.citations and not claim.pointers for claim in self.claims)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def checksum(self) -> str:
        """The SHA-256 of all other fields as JSON: detects a changed file, but not a forged one."""
        return digest(self.model_dump_json(exclude={"checksum"}), size=64)

    @property
    def warnings(self) -> list[Notice]:
        """The notices that a reader should see first."""
        return [notice for notice in self.notices if isinstance(notice, Notice) and notice.code in ON_TOP]

    @property
    def remarks(self) -> list[NoticeOrText]:
        """All other notices."""
        return [notice for notice in self.notices if notice not in self.warnings]

    @property
    def failures_by_reason(self) -> dict[NoticeOrText, list[Missing]]:
        """The failures by reason; a reason that `network` already gives is ""."""
        failures: dict[NoticeOrText, list[Missing]] = {}
        for failure in self.failures:
            why = failure.why
            if self.network and self.network in (why, why.values.get("why") if isinstance(why, Notice) else ""):
                why = ""
            failures.setdefault(why, []).append(failure)
        return failures

    @property
    def counts(self) -> dict[Judged, int]:
        """The number of claims with each verdict."""
        counts = Counter(claim.verdict for claim in self.claims)
        return {verdict: counts[verdict] for verdict in VERDICTS}

    @property
    def markdown(self) -> str:
        """The report as Markdown."""
        return markdown(self)

    @classmethod
    def of(cls, run: "Run", outcome: Outcome, **parts: object) -> Self:
        """Return a report about a run: the fields that follow from the run itself, overridden by `parts`."""
        searched = {card.searches for card in run.agents.values()}
        web = "no" if "web" not in searched else "given" if run.settings.reads_given_only else "searched"
        run_fields = {
            "question": run.question,
            "title": title_of(run.question),
            "run": run.id,
            "date": run.today.isoformat(),
            "language": resolved(run.settings.language, run.question),
            "outcome": outcome,
            "queries": list(dict.fromkeys(query for task in run.plan.tasks for query in task.queries or (task.task,))),
            "folders": [str(folder) for folder in run.settings.folders] if "files" in searched else [],
            "web": web,
            "filters": _filters(run.settings) if web == "searched" else [],
            **run_state(run),
        }
        return cls.model_validate({**run_fields, **parts})

    @classmethod
    def of_text(cls, run: "Run", text: str) -> Self:
        """Return the report of a reporter that answers only text; its Markdown is that text."""
        return cls.of(run, outcome_of(has_result=bool(text.strip()), failed=bool(run.failures)), given=text)


def shared(kind: type[BaseModel], *models: BaseModel) -> dict[str, Any]:
    """Return the values of the models' fields that `kind` has too, by name; later models override earlier ones."""
    return {
        name: getattr(model, name) for model in models for name in type(model).model_fields if name in kind.model_fields
    }


def run_state(run: "Run") -> dict[str, Any]:
    """Return a run's notices, failures and spending so far, as JSON; sorted, since agents report in any order."""
    failures = sorted(run.failures, key=lambda failure: (failure.who, str(failure.what), str(failure.why)))
    return {
        "network": recorded(outage_of(run.journal.effects("search", "fetch")) or ""),
        "notices": recorded(sorted(run.notices, key=str)),
        "failures": list(map(asdict, failures)),
        "spending": run.spending.totals(),
    }


def title_of(question: str) -> str:
    """Return the question on one line, cut between words if it is longer than LONGEST_TITLE."""
    line = " ".join(question.split())
    return line if len(line) <= LONGEST_TITLE else f"{line[:LONGEST_TITLE].rsplit(' ', 1)[0]}…"


def _filters(settings: Settings) -> list[str]:
    """Return the settings that narrow the web search, under the user's names for them."""
    search = settings.search
    lists = {"domains": search.domains, "block": search.block, "trust": search.trust}
    filters = [f"{name}: {', '.join(values)}" for name, values in lists.items() if values]
    return filters if search.time_range == "none" else [*filters, f"time_range: {search.time_range}"]
