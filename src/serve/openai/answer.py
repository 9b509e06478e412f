"""A report as the text of an answer, with its citations at exact character offsets."""

from typing import Any

from pydantic import BaseModel

from ...render import labels_in
from ...render.frame import heading, nothing
from ...render.markdown import MarkdownWriter, numbers
from ...report import Claim, Reference, Report
from ...report.report import shared


class CitedSentence(BaseModel, frozen=True):
    """A sentence of an answer, `text[start:end]`, and one quote that it cites, verbatim in the text of that hash."""

    start: int
    end: int
    number: int
    title: str
    url: str
    path: str
    source: str
    quote: str
    snapshot: str
    verdict: str

    def as_annotation(self) -> dict[str, Any]:
        """Return the sentence as an annotation of a response, with the address of a page or the name of a file."""
        details = {"number": self.number, "quote": self.quote, "snapshot": self.snapshot, "verdict": self.verdict}
        span = {"start_index": self.start, "end_index": self.end}
        if self.url:
            return {"type": "url_citation", "url": self.url, "title": self.title, **span, **details}
        return {
            "type": "file_citation",
            "file_id": self.source,
            "filename": self.path,
            "index": self.end,
            **span,
            **details,
        }

    def as_url_citation(self, fallback: str) -> dict[str, Any]:
        """Return the sentence as an annotation of a chat message; for a file the address is `fallback`."""
        annotation = {"type": "url_citation", "url": fallback, "title": self.title or self.path, **self.as_annotation()}
        return {
            "type": "url_citation",
            "url_citation": {name: annotation[name] for name in annotation if name not in _OF_FILES},
        }


_OF_FILES = ("type", "file_id", "filename", "index")


class CitedText(BaseModel, frozen=True):
    """The Markdown of an answer, and its citations in order."""

    text: str
    cited: list[CitedSentence]

    @classmethod
    def of(cls, report: Report) -> "CitedText":
        """Return the text of a report: its notes about itself, its sections and its references."""
        if report.given is not None:
            return cls(text=report.given, cited=[])
        labels, text = labels_in(report.language), ""
        for line in _head(report):
            text += f"*{line}*\n\n"
        writer, claims = MarkdownWriter(labels, numbers(report)), report.claims
        writer.write([] if report.sections else nothing(report, labels))
        for section in report.sections:
            writer.write([heading(section.title)], framing=True)
            writer.write(section.blocks)
        places = [(len(text) + start, len(text) + end) for start, end in writer.claims]
        text += f"{writer.text}\n\n"
        cited = [
            sentence for claim, place in zip(claims, places, strict=True) for sentence in _cited(report, claim, *place)
        ]
        if report.references:
            text += f"## {labels.references}\n\n" + "\n".join(map(_line, report.references))
        return cls(text=text.rstrip(), cited=cited)


def _head(report: Report) -> list[str]:
    """Return the lines at the top: warnings, confidence, and whether the report is incomplete."""
    labels = labels_in(report.language)
    lines = [labels.text_of(warning) for warning in report.warnings]
    lines += [labels.named(labels.confidence, labels.levels[report.confidence])] if report.confidence else []
    lines += [labels.stopped] if report.outcome == "cancelled" else []
    if report.outcome in ("partial", "failed"):
        reasons = "; ".join(str(why) for why in report.failures_by_reason if why) or str(report.network)
        lines.append(labels.named(labels.missing, reasons) if reasons else labels.missing)
    return lines


def _cited(report: Report, claim: Claim, start: int, end: int) -> list[CitedSentence]:
    references = {reference.number: reference for reference in report.references}
    shared_fields = {"start": start, "end": end, "verdict": claim.verdict}
    citations = [report.citations[place] for place in claim.citations]
    return [
        CitedSentence(
            **{
                **shared(CitedSentence, references[citation.number], citation),
                **shared_fields,
                "source": citation.source_id,
            }
        )
        for citation in citations
    ]


def _line(reference: Reference) -> str:
    place = reference.url or reference.path
    page = f", page {reference.page}" if reference.page else ""
    title = f"{reference.title} – " if reference.title and reference.title != place else ""
    return f"- [{reference.number}] {title}{place}{page}"
