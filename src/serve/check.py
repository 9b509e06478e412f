"""Checks a text sentence by sentence, for a caller of the service."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from ..kernel.notice import text_of
from ..kernel.pool import Pool
from ..kernel.settings import Settings
from ..kernel.source import Judged
from ..render import labels_in
from ..report import CheckedCitation
from ..verify import Quote
from .bodies import RequestBody, Text
from .redaction import Redaction

LONGEST = 50_000  # characters of a text


class CheckRequest(RequestBody):
    """The body of `POST /check`: a text with its citations as Markdown, and whether to read the pages that it cites.

    It is checked against the documents of the `collections`, or against the files of the service if none is named.
    """

    model_config = ConfigDict(json_schema_extra={"examples": [{"text": "The harbour was built in 1871."}]})

    text: Text = Field(min_length=1, max_length=LONGEST)
    web: bool = False
    collections: list[Text] = Field(default=[], max_length=20)


class MarkedSentence(BaseModel):
    """A sentence, its verdict with reasons, and the best quotes: from what it cites, and from other sources."""

    section: str
    text: str
    verdict: Judged
    reasons: list[str]
    cites: list[CheckedCitation]
    quote: Quote | None
    elsewhere: Quote | None


class CheckAnswer(BaseModel):
    """Each sentence with its verdict, its reasons and quotes, and the number of sentences by verdict.

    `language` is the code of the text's language, in which `words` names the verdicts.
    """

    language: str
    words: dict[str, str]
    counts: dict[str, int]
    claims: list[MarkedSentence]
    notices: list[str]


async def checked(settings: Settings, pool: Pool, redaction: Redaction, body: CheckRequest) -> CheckAnswer:
    """Check a text against the folders of the settings. Raises ForeignReportError if it cannot be parsed."""
    from ..verify import check_text

    check = await check_text(body.text, settings, web=body.web, pool=pool)
    language = check.report.language
    words = labels_in(language)
    answer: dict[str, Any] = {
        "language": words.language,
        "words": words.verdicts,
        "counts": check.report.counts,
        "claims": [
            {**claim.model_dump(mode="json"), "reasons": [text_of(why, language) for why in claim.reasons]}
            for claim in check.claims
        ],
        "notices": [text_of(notice, language) for notice in check.report.notices],
    }
    return CheckAnswer.model_validate(redaction.value(answer))
