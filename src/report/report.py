"""The typed report: what was asked, what was written, what every sentence rests on, and what was left out."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from pydantic import BaseModel, computed_field

from ..kernel.argument import door
from ..kernel.language import resolved
from ..kernel.notice import ON_TOP, Notice, Told, recorded
from ..kernel.outcome import Outcome, outcome_of
from ..kernel.settings import Policy, Settings
from ..kernel.source import VERDICTS, Citation, Judged, Many, Source, Support, digest
from ..kernel.thread import in_own_loop
from ..net import outage_of
from ..render.markdown import markdown
from ..tree import Block, Cite, CodeBlock, Unit, walk
from .asserting import is_label

if TYPE_CHECKING:
    from ..kernel.run import Run

Level = Literal["HIGH", "MEDIUM", "LOW"]

FORMAT = 6
"""Of the report as JSON; raised when a field changes its meaning."""

LONGEST_TITLE = 150
"""Characters of a question that make the title."""


class Section(BaseModel, frozen=True):
    """A section under its title. `quoted` says that its sentences are the sources' own words."""

    title: str
    blocks: Many[Block] = []
    quoted: bool = False

    @property
    def text(self) -> str:
        """What a reader sees of it, without citations and markup, a sentence after the other."""
        return " ".join(unit.text for unit in self.units)

    @property
    def units(self) -> list[Unit]:
        """What is judged as one, in reading order: sentences, headings, rows and blocks of code."""
        return list(walk(self.blocks))

    @property
    def cites(self) -> list[Cite]:
        """The citations, in order of the text."""
        return [cite for unit in walk(self.blocks) for cite in unit.cites]


class Reference(BaseModel, frozen=True):
    """One cited passage. `quote` is a verbatim part of it; `retrieved_at` is an ISO time in UTC, `published` a date.

    A web page has a `domain` and what that counts for, 0 to 100; a file has neither. `ocr_confidence`, 0 to 100, is
    there where the passage was read from a picture.
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
    """A citation of a text of somebody else's: as it has it, where it leads, and what became of it.

    `number` is the one that the text gives it, or the next that is free. `why` says what was in the way, in the
    language of the text.
    """

    number: int
    spelled: str
    place: str
    state: CitationState
    why: str = ""


class Snapshot(BaseModel, frozen=True):
    """The text of a cited source as it was when it was read; `hash` is its SHA-256, and every offset refers to it.

    `extractor` says what made a text of the bytes, and in which version.
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
    """What in a section asserts something: a sentence, a heading, a row or a block of code.

    `text` is what was judged, plain and without citations; `citations` are indices of the report's, `section` is the
    title. `pointers` are the numbers of citations of a text of somebody else's that no passage stands behind. `code`
    says that it is a block of code, `label` that it is no sentence, `quoted` that the words are the source's own.
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
    """Return the claims of sections, in order; their citations are counted over all of them."""
    claims, cited = [], 0
    for section in sections:
        for unit in section.units:
            citations = range(cited, cited + len(unit.cites))
            cited = citations.stop
            if unit.asserts:
                judged = {name: getattr(unit.verdict, name) for name in _JUDGED} if unit.verdict else {}
                kind = {"code": isinstance(unit, CodeBlock), "label": is_label(unit), "quoted": section.quoted}
                pointers = [one.number for one in unit.pointers]
                claims.append(Claim(section.title, unit.text, citations, pointers, **{**judged, **kind}))
    return claims


class Removed(BaseModel, frozen=True):
    """A sentence that is not in the report, since nothing that was read supports it.

    `evidence` is what comes nearest, verbatim, and `source_id` where it stands; both are empty when nothing does.
    """

    section: str
    text: str
    verdict: Support
    reasons: Many[Notice] = []
    evidence: str = ""
    source_id: str = ""


class Side(BaseModel, frozen=True):
    """What one source says where another says something else: `quote` is `snapshot[start:end]`."""

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
    """Two sources that disagree about `subject`; `newer` is the side that was published later, where both say when."""

    subject: str
    first: Side
    second: Side
    newer: Literal["first", "second", ""] = ""


class Coverage(BaseModel, frozen=True):
    """What became of a sub-question: `sources` were looked at for it, `claims` (indices of the report's) answer it.

    `found` are the ids of the sources. `ranked` is what the ranker of answers made of it where sentences were quoted,
    and decides; else words do.
    """

    question: str
    verdict: Literal["answered", "partly", "not found"]
    sources: int
    found: Many[str] = []
    claims: Many[int] = []
    ranked: Literal["plainly", "answered", "perhaps", "not found", ""] = ""


class Search(BaseModel, frozen=True):
    """A line of the search log: who was asked what, and how many results came, or why none."""

    query: str
    engine: Told
    results: int = 0
    error: Told = ""


class Call(BaseModel, frozen=True):
    """How often something was asked for, how often that failed, and what it came to; cost in US dollars."""

    kind: str
    what: str
    count: int
    failed: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = 0.0


class Missing(BaseModel, frozen=True):
    """Something that did not work while the run went on."""

    who: str
    what: Told
    why: Told


class Spent(BaseModel, frozen=True):
    """What the run's model calls came to; cost in US dollars, None when a price is unknown."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = 0.0


@door
class Report(BaseModel, frozen=True):
    """A finished report. Equal effects make an equal report: nothing in it depends on when it was rendered.

    The k-th citation of the sections is `citations[k]`, and `citation.quote` is `snapshot[citation.start:citation.end]`
    of the text kept in the journal under `citation.snapshot`.
    `writer` is the model that wrote it, empty when all sections are quoted; `unmentioned`
    are the words of the question that no passage has, `filters` the settings that narrowed the search of the web,
    `network` says what is wrong with the network as a whole.
    `checked` names the text of somebody else that it is about, empty where the text is ours: there is no confidence
    then, citations have the numbers of that text, and `looked_up` is what became of each.
    `given` is the text of a reporter that hands over nothing but a text. `snapshots` are those of the cited sources,
    and of their copies, so that the report verifies alone. `copies` are groups of sources, by their ids, that have
    one text, the primary one first; `independent` counts the cited sources that are no copies of one another.
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
    network: Told = ""
    notices: Many[Told] = []
    failures: Many[Missing] = []
    dropped_markers: int = 0
    spending: Spent = Spent()

    def __repr__(self) -> str:
        """Return which report it is; the whole of it would be a hundred thousand characters in a log or a traceback."""
        return (
            f"Report({self.question!r}, {self.outcome}, {len(self.claims)} claims, {len(self.references)} references)"
        )

    def _repr_html_(self) -> str:
        """Return the page of the report in a frame that runs nothing, whose links open: what a notebook shows."""
        from ..render.html import html

        sandbox = "allow-popups allow-popups-to-escape-sandbox"
        return f'<iframe sandbox="{sandbox}" width="100%" height="600" srcdoc="{escape(html(self))}"></iframe>'

    @door
    def save(self, path: str | Path, settings: Settings | None = None) -> Path:
        """Write the report to a file, in the form that its suffix names, and return its path.

        `.pdf` takes the browser of the settings. Blocks. Raises UsageError for a suffix that nobody writes, which names
        those that are known, BrowserError, OSError.
        """
        from ..render import render as rendered

        target = Path(path)
        target.write_bytes(in_own_loop(lambda: rendered(self, target, settings or Settings.load())))
        return target

    @property
    def claims(self) -> list[Claim]:
        """What the sections claim, in order."""
        return claims_of(self.sections)

    @property
    def uncited(self) -> int:
        """How many of the claims have no citation."""
        return sum(not claim.citations and not claim.pointers for claim in self.claims)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def checksum(self) -> str:
        """The SHA-256 of the rest as JSON: it tells that a file was changed, not that whoever did so meant no harm."""
        return digest(self.model_dump_json(exclude={"checksum"}), size=64)

    @property
    def warnings(self) -> list[Notice]:
        """The notices that a reader should know first."""
        return [one for one in self.notices if isinstance(one, Notice) and one.code in ON_TOP]

    @property
    def remarks(self) -> list[Told]:
        """All other notices."""
        return [one for one in self.notices if one not in self.warnings]

    @property
    def failures_by_reason(self) -> dict[Told, list[Missing]]:
        """What did not work, by the reason, which leaves out what `network` says."""
        found: dict[Told, list[Missing]] = {}
        for failure in self.failures:
            why = failure.why
            if self.network and self.network in (why, why.values.get("why") if isinstance(why, Notice) else ""):
                why = ""
            found.setdefault(why, []).append(failure)
        return found

    @property
    def counts(self) -> dict[Judged, int]:
        """How many of the claims have each verdict."""
        found = Counter(claim.verdict for claim in self.claims)
        return {verdict: found[verdict] for verdict in VERDICTS}

    @property
    def markdown(self) -> str:
        """The report as Markdown."""
        return markdown(self)

    @classmethod
    def of(cls, run: "Run", outcome: Outcome, **parts: object) -> Self:
        """Return a report about a run: what the run itself knows, and the `parts` that were written."""
        searched = {card.searches for card in run.agents.values()}
        web = "no" if "web" not in searched else "given" if run.settings.reads_given_only else "searched"
        known = {
            "question": run.question,
            "title": title_of(run.question),
            "run": run.id,
            "date": run.today.isoformat(),
            "language": resolved(run.settings.language, run.question),
            "outcome": outcome,
            "queries": list(dict.fromkeys(one for task in run.plan.tasks for one in task.queries or (task.task,))),
            "folders": [str(folder) for folder in run.settings.folders] if "files" in searched else [],
            "web": web,
            "filters": _filters(run.settings) if web == "searched" else [],
            **told(run),
        }
        return cls.model_validate({**known, **parts})

    @classmethod
    def of_text(cls, run: "Run", text: str) -> Self:
        """Return the report of a reporter that answers nothing but a text; its Markdown is that text."""
        return cls.of(run, outcome_of(found=bool(text.strip()), failed=bool(run.failures)), given=text)


def shared(kind: type[BaseModel], *others: BaseModel) -> dict[str, Any]:
    """Return the values of others' fields that a kind of model has too, under one name; those of the last one count."""
    return {name: getattr(one, name) for one in others for name in type(one).model_fields if name in kind.model_fields}


def told(run: "Run") -> dict[str, Any]:
    """Return what a run has told and spent so far, as JSON; agents tell things in any order, a report has one."""
    spent = run.spending
    failures = sorted(run.failures, key=lambda one: (one.who, str(one.what), str(one.why)))
    return {
        "network": recorded(outage_of(run.journal.effects("search", "fetch")) or ""),
        "notices": recorded(sorted(run.notices, key=str)),
        "failures": list(map(asdict, failures)),
        "spending": {
            "calls": spent.calls,
            "prompt_tokens": spent.prompt_tokens,
            "completion_tokens": spent.completion_tokens,
            "cost": spent.known_cost,
        },
    }


def title_of(question: str) -> str:
    """Return the question on one line, cut at a word when it is long."""
    line = " ".join(question.split())
    return line if len(line) <= LONGEST_TITLE else f"{line[:LONGEST_TITLE].rsplit(' ', 1)[0]}…"


def _filters(settings: Settings) -> list[str]:
    """Return the settings that narrow the search of the web, as the user names them."""
    given = settings.search
    lists = {"domains": given.domains, "block": given.block, "trust": given.trust}
    filters = [f"{name}: {', '.join(values)}" for name, values in lists.items() if values]
    return filters if given.time_range == "none" else [*filters, f"time_range: {given.time_range}"]
