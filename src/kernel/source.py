"""The evidence of a report: sources, their passages, and the citations of them."""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal, TypeVar, get_args

from pydantic import BaseModel, FailFast, Field

from .argument import validated
from .notice import Notice

Item = TypeVar("Item")
Many = Annotated[list[Item], FailFast()]
"""A list whose validation stops at the first wrong value: an untrusted file may have a hundred thousand."""


ISO_DATE: Final = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d))?)?(?!\d)")
"""The ISO day, month or year at the beginning of a time, with its parts as groups."""


def digest(*parts: str, size: int = 32) -> str:
    """Return `size` hex digits of the SHA-256 over the parts; equal parts give equal digests everywhere."""
    joined = "\x1f".join(parts).encode("utf-8", "surrogatepass")
    return hashlib.sha256(joined).hexdigest()[:size]


@dataclass(frozen=True, slots=True)
class Recognized:
    """A part `[start:end]` of a text that was read from a picture; `confidence` is that of OCR, 0 to 100.

    It is the average of the OCR program's confidence in the words of the page.
    """

    start: int
    end: int
    confidence: int


class Passage(BaseModel, frozen=True):
    """A verbatim span of a stored text: `text == snapshot[start:end]`, offsets in code points.

    `ocr_confidence`, 0 to 100, is set for text read by OCR. If the span begins in a row of a table, `columns` are the
    names of the columns, which are above it.
    """

    text: str
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    page: int | None = None
    line: int | None = None
    last_line: int | None = None
    heading: str = ""
    score: float = 0.0
    ocr_confidence: int | None = None
    columns: tuple[str, ...] = ()

    def read_from(self, pictures: Iterable[Recognized]) -> "Passage":
        """Return the passage with the lowest confidence of the OCR parts that it overlaps, if any."""
        parts = [part.confidence for part in pictures if part.start < self.end and self.start < part.end]
        return self.model_copy(update={"ocr_confidence": min(parts)}) if parts else self

    @property
    def place(self) -> str:
        """The location of the passage for readers: `page 3`, `lines 12-18`, or empty."""
        if self.page is not None:
            return f"page {self.page}"
        if self.line is None:
            return ""
        if self.last_line is None or self.last_line == self.line:
            return f"line {self.line}"
        return f"lines {self.line}-{self.last_line}"


def _content_id(fields: dict[str, Any]) -> str:
    """Return an id derived from the content of a source, so that equal evidence has equal ids in all runs."""
    return digest(fields["kind"], fields["url"], fields["snapshot"] or fields["summary"], size=12)


@validated
class Source(BaseModel, extra="allow"):
    """A gathered result: the five required keys, and its provenance.

    `snapshot` is the SHA-256 of the stored text, `extractor` the program that made it. `credibility_score` is 0 to 100,
    `quality` 1 to 5, `published` an ISO date, month or year that a page or file gives itself. Keys that an agent adds
    are kept.
    """

    title: str
    summary: str
    brief_summary: str
    keywords: Many[str]
    url: str

    kind: Literal["web", "file"] = "web"
    domain: str = ""
    path: str = ""
    snippet: str = ""
    score: float = 0.0
    credibility_score: int | None = None
    credibility_tier: str = ""
    quality: int | None = None
    published: str = ""
    snapshot: str = ""
    retrieved_at: str = ""
    extractor: str = ""
    author: str = ""
    site: str = ""
    location: str = ""
    task: str = ""
    passages: Many[Passage] = []
    id: str = Field(default_factory=_content_id, min_length=1)


def with_date(name: str, published: str, *, in_full: bool = False) -> str:
    """Return the name of a source or place with the date of the source in brackets, unless it has the year already.

    `in_full` it is left out only if the name has all of it.
    """
    known = re.escape(published if in_full else published[:4])
    is_dated = not published or re.search(rf"(?<!\d){known}(?!\d)", name)
    return f"{name} ({published})" if name and not is_dated else name


def is_later(date: str, other: str) -> bool:
    """Whether an ISO date, month or year is later than another; not if one is none or within the other."""
    days = [found[0] for found in map(ISO_DATE.match, (date, other)) if found]
    return len(days) > 1 and days[0][: len(days[1])] > days[1][: len(days[0])]


class Citation(BaseModel, frozen=True):
    """A citation of a sentence: the exact span that supports it, `quote == snapshot[start:end]`.

    The span lies within `passages[passage]` of its source, against which the sentence was checked. If the span is a row
    of a table, `columns` are the names of the columns, which are elsewhere in the text.
    """

    number: int
    source_id: str
    passage: int = Field(ge=0)
    snapshot: str
    start: int
    end: int
    quote: str
    columns: Many[str] = []


Support = Literal["supported", "partial", "unsettled", "unsupported", "contradicted"]

Judged = Literal[Support, "unchecked"]
"""The verdict on a claim, or `unchecked`."""

VERDICTS: Final[tuple[Judged, ...]] = get_args(Judged)

Ranked = Literal["plainly", "answered", "perhaps", "partly", "not found"]
"""How far a question is answered: plainly, surely, perhaps (nobody can tell), in part, or not at all."""

HOLDS: Final = ("supported", "partial", "unsettled")
"""The verdicts with which a sentence and its citations are kept."""


class Span(BaseModel, frozen=True):
    """The location of the evidence for a claim: `text` is `[start:end]` of the passage with index `passage`.

    Offsets are code points, of the snapshot if a `Passage` was given, of the string itself if a string was.
    """

    passage: int
    start: int
    end: int
    text: str


class Verdict(BaseModel, frozen=True):
    """The degree to which passages support a claim.

    `score` is the probability, from 0 to 1, that a person would call the claim supported; `span` is the best evidence,
    None if no passage is related to the claim; `reasons` say what is against it. `method` is what decided last: a
    verbatim match, similar words, or a model. `unsettled` means that words cannot decide; a model, or a reader, may.
    """

    verdict: Support
    score: float = Field(ge=0, le=1)
    span: Span | None = None
    reasons: Many[Notice] = []
    method: Literal["verbatim", "words", "model"] = "words"
