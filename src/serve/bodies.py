"""The JSON bodies of the service's requests and responses."""

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from ..kernel.plan import Plan
from ..kernel.settings import Effort
from ..runs.forecast import Forecast
from ..tools.researching import MOST_SOURCES, Depth


def _whole(text: str) -> str:
    """Return a text unchanged. Raises ValueError for a lone surrogate, which JSON can encode and UTF-8 cannot."""
    if not text.isascii():
        text.encode()
    return text


Text = Annotated[str, AfterValidator(_whole)]  # a text of a request that can be stored and sent on


class RequestBody(BaseModel, extra="forbid", strict=True):
    """The body of a request: no other fields, and each exactly of its type."""


class SearchRequest(RequestBody):
    """The body of `POST /search`."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"query": "how deep is a harbour basin"}]})

    query: Text
    time_range: Text = "none"
    whitelisted_domains: list[Text] = []


class ResearchRequest(RequestBody):
    """The body of `POST /research`; depth 1 is quick, 3 thorough."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"topic": "tidal power", "depth": 1}]})

    topic: Text
    depth: Depth = 2
    max_sources: int = Field(default=5, ge=1, le=MOST_SOURCES)


class ReportRequest(RequestBody):
    """The body of `POST /report`; by default the settings decide whether `files` and the `web` are searched.

    If `collections` are named, these are searched, and the files of the service only if `files` is true.
    """

    model_config = ConfigDict(json_schema_extra={"examples": [{"q": "How should a lens be cleaned?", "web": False}]})

    q: Text
    files: bool | None = None
    web: bool | None = None
    collections: list[Text] = Field(default=[], max_length=20)

    @property
    def searches_files(self) -> bool:
        """Whether to search the files of the service."""
        return not self.collections if self.files is None else self.files


class RunRequest(ReportRequest):
    """The body of `POST /runs`; with `ask` the run waits until its plan is approved.

    A run that `follows` another reads the pages of that run and knows its subject. At `max_cost` in US dollars or
    `max_time` in seconds the run stops and reports the results so far.
    """

    ask: bool | None = None
    follows: Text | None = Field(default=None, max_length=100)
    effort: Effort | None = None
    max_cost: float | None = Field(default=None, ge=0)
    max_time: float | None = Field(default=None, gt=0)


class RunPlan(BaseModel):
    """The plan of a run as it was made, and a forecast of its cost and time."""

    plan: Plan
    by: str
    agents: list[str]
    forecast: Forecast


class SessionRequest(RequestBody):
    """The body of `POST /session`."""

    token: Text = Field(max_length=1_000, pattern="^[ -~]*$")  # a token has only characters that a cookie can contain


class RunState(BaseModel):
    """The state of a background run; `cost` in US dollars, None if a price is unknown."""

    id: str
    question: str
    began: str
    outcome: str
    calls: int
    cost: float | None
    problem: str
