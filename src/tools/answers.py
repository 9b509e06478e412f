"""The answers of `web_search` and `web_research`."""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel

from ..kernel.notice import NoticeOrText, text_of
from ..render import Labels, labels_in
from ..render.escape import escaped, linked
from ..render.source_labels import dates
from ..report import Level
from ..search.credibility import Label
from ..web import Rated


class WebSearch(BaseModel, frozen=True):
    """An answer with its citations, and the results behind it.

    `response` is Markdown with `<web_citation url="…" title="…">[n]</web_citation>` marks, where n is the rank of a
    source; `sources_used` are the ranks that it cites. `model` is `extractive` if no model wrote it. The counts are
    of all results, and of those with a passage on the query. `execution_id` is the run's id.
    """

    query: str
    response: str
    sources: list[Rated]
    sources_used: list[int]
    model: str
    reranker: str
    total_results: int
    reranked_results: int
    execution_id: str

    def to_record(self) -> dict[str, Any]:
        """Return a JSON-able record."""
        return self.model_dump(mode="json")


class Finding(BaseModel, frozen=True):
    """A statement that answers the question: `quote` is `snapshot[start:end]` verbatim, `text` its displayed form."""

    text: str
    quote: str
    start: int
    end: int


class Studied(BaseModel, frozen=True):
    """A page that was read, with the number of its citation; `quality` is from 1 to 5.

    `frequency` counts the sub-queries that found it. `snapshot` is the SHA-256 of its text, `published` an ISO date and
    `retrieved_at` an ISO time; both are empty when unknown.
    """

    number: int
    title: str
    url: str
    domain: str
    quality: int
    label: Label
    frequency: int
    findings: list[Finding]
    published: str = ""
    retrieved_at: str = ""
    snapshot: str = ""


class MissingSource(BaseModel, frozen=True):
    """A page without a finding, or a sub-query that no engine answered, and the reason."""

    what: str
    why: str


def missing_sources(reasons: Mapping[str, NoticeOrText], language: str) -> list[MissingSource]:
    """Return the missing sources, with the reasons in a language."""
    return [MissingSource(what=what, why=text_of(why, language)) for what, why in reasons.items()]


class WebResearch(BaseModel, frozen=True):
    """Key findings on a topic by source, each with a quality label, and a level of confidence.

    Without `confidence`, no finding certainly answers the question. `notices` tell the user about the search. Texts
    about the findings are in `language`, the code of the topic's language.
    """

    topic: str
    depth: Literal[1, 2, 3]
    queries: list[str]
    confidence: Level | None
    sources: list[Studied]
    unread: list[MissingSource] = []
    unanswered: list[MissingSource] = []
    notices: list[str] = []
    language: str = "en"

    def to_record(self) -> dict[str, Any]:
        """Return a JSON-able record of all fields and the Markdown."""
        return {**self.model_dump(mode="json"), "markdown": self.markdown}

    @property
    def markdown(self) -> str:
        """The answer as Markdown; text from pages is escaped."""
        words = labels_in(self.language)
        blocks = [f"# {escaped(self.topic)}", self._confidence_line(words)]
        for source in self.sources:
            blocks.append(f"## {source.number}. {escaped(source.title)}")
            blocks.append(f"{words.qualities[source.label]} · {escaped(source.domain)}")
            blocks.append("\n".join(f"- {escaped(finding.text)} [{source.number}]" for finding in source.findings))
        if self.sources:
            blocks += [f"## {words.references}", "\n".join(_reference(source, words) for source in self.sources)]
        if self.unread or self.unanswered:
            blocks += [f"## {words.missing}", "\n".join(map(missing_line, [*self.unanswered, *self.unread]))]
        if self.notices:
            blocks.append("\n".join(words.named(words.note, escaped(notice)) for notice in self.notices))
        blocks.append(words.named(words.questions, "; ".join(map(escaped, self.queries))))
        return "\n\n".join(blocks) + "\n"

    def _confidence_line(self, words: Labels) -> str:
        if not self.sources:
            return f"{words.nothing}."
        trust = words.may_help
        if self.confidence:
            trust = f"**{words.named(words.confidence, words.levels[self.confidence])}**"
        average = sum(source.quality for source in self.sources) / len(self.sources)
        return f"{trust} · {words.quality.format(n=len(self.sources), score=f'{average:.1f}')}"


def _reference(source: Studied, words: Labels) -> str:
    known = [words.qualities[source.label], *dates(source.published, source.retrieved_at, words)]
    return f"- [{source.number}] {escaped(source.title)} ({escaped(', '.join(known))}) {linked(source.url)}"


def missing_line(missing: MissingSource) -> str:
    """Return a Markdown list item with a missing source and the reason."""
    return f"- {escaped(missing.what)}: {escaped(missing.why)}"
