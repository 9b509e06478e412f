"""What calls of the service take and answer, as JSON."""

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from ..kernel.plan import Plan
from ..kernel.settings import Effort
from ..runs.forecast import Forecast
from ..tools.researching import MOST_SOURCES, Depth


def _whole(text: str) -> str:
    """Return a text as it is. Raises ValueError for half a surrogate pair, which JSON can hold and UTF-8 cannot."""
    if not text.isascii():
        text.encode()
    return text


Text = Annotated[str, AfterValidator(_whole)]  # of a request, to be kept and sent on


class RequestBody(BaseModel, extra="forbid", strict=True):
    """What a call takes: its fields and no others, each of exactly its type."""


class SearchRequest(RequestBody):
    """What `POST /search` takes."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"query": "how deep is a harbour basin"}]})

    query: Text
    time_range: Text = "none"
    whitelisted_domains: list[Text] = []


class ResearchRequest(RequestBody):
    """What `POST /research` takes: 1 is quick, 3 thorough."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"topic": "tidal power", "depth": 1}]})

    topic: Text
    depth: Depth = 2
    max_sources: int = Field(default=5, ge=1, le=MOST_SOURCES)


class ReportRequest(RequestBody):
    """What `POST /report` takes; whether the `files` and the `web` are searched is by default as the settings say.

    Where `collections` are named, these are searched, and the files of the service beside them only when that is said.
    """

    model_config = ConfigDict(json_schema_extra={"examples": [{"q": "How should a lens be cleaned?", "web": False}]})

    q: Text
    files: bool | None = None
    web: bool | None = None
    collections: list[Text] = Field(default=[], max_length=20)

    @property
    def searches_files(self) -> bool:
        """Whether the files of the service are searched."""
        return not self.collections if self.files is None else self.files


class RunRequest(ReportRequest):
    """What `POST /runs` takes beside that; with `ask` the run waits with its plan until that is approved.

    One that `follows` a run reads what that has read, and knows what it was about. It takes no more than the `max_cost`
    in US dollars and the `max_time` in seconds, and makes of it what is there.
    """

    ask: bool | None = None
    follows: Text | None = Field(default=None, max_length=100)
    effort: Effort | None = None
    max_cost: float | None = Field(default=None, ge=0)
    max_time: float | None = Field(default=None, gt=0)


class RunPlan(BaseModel):
    """The plan of a run as it was made, and what it will take."""

    plan: Plan
    by: str
    agents: list[str]
    forecast: Forecast


class SessionRequest(RequestBody):
    """What `POST /session` takes."""

    token: Text = Field(max_length=1_000, pattern="^[ -~]*$")  # what no cookie can hold is no token


class RunState(BaseModel):
    """How a run in the background stands; `cost` in US dollars, None when a price is unknown."""

    id: str
    question: str
    began: str
    outcome: str
    calls: int
    cost: float | None
    problem: str
