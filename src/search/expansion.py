"""Turns a subtopic into three queries: one direct, one broader, one about something specific."""

from collections.abc import Iterable
from typing import Any, Final

from pydantic import BaseModel, model_validator

from ..errors import BudgetError, ModelError
from ..model.model import Model
from ..model.structured import structured
from ..prompts import render
from ..run import Run
from ..settings import Settings
from ..term import terms
from .queries import longest, normalised, topic_of

QUERIES: Final = 3
"""How many queries a subtopic is expanded into. Asking several finds more than asking one (arXiv:2510.10009)."""

LONGEST_QUERY: Final = 300
"""Characters of a query; what a model writes beyond that is no query."""

SPECIFIC_WORDS: Final = 3
"""Words of the description that the specific query has beside the topic, when rules make it."""


class Expansion(BaseModel):
    """A model's queries; a bare list of them, or one under `queries`, is taken as well."""

    direct: str = ""
    broader: str = ""
    specific: str = ""

    @model_validator(mode="before")
    @classmethod
    def _take_a_list(cls, value: Any) -> Any:
        listed = value.get("queries") if isinstance(value, dict) else value
        if isinstance(listed, list):
            return dict(zip(cls.model_fields, listed, strict=False))
        return value

    @property
    def queries(self) -> list[str]:
        """The queries, in order, on one line each."""
        found = [" ".join(query.split()) for query in (self.direct, self.broader, self.specific)]
        return [query for query in found if normalised(query) and len(query) <= LONGEST_QUERY]


async def expand_queries(
    run: Run, title: str, description: str = "", *, model: Model | None = None, settings: Settings | None = None
) -> list[str]:
    """Return exactly three queries for a subtopic, no two of them the same (`normalised`): direct, broader, specific.

    One model call makes them; what it lacks, and everything without a model or when it fails, comes from rules. The
    run is told of a failure. Raises StoppedError.
    """
    by_model = [] if model is None else await _by_model(run, title, description, model, settings or run.settings)
    return distinct([*by_model, *by_rules(title, description)])[:QUERIES]


def by_rules(title: str, description: str = "") -> list[str]:
    """Return three or more different queries: direct, broader and specific first, then those that ask to explain.

    The broader one is the first half of the topic's content words, for what comes later narrows it down; the specific
    one has words that only the description has.
    """
    whole = " ".join(title.split())[:LONGEST_QUERY]
    topic = topic_of(whole)
    known = normalised(whole).split()
    details = " ".join(word for word in description.split() if normalised(word) and normalised(word) not in known)
    specific = f"{topic} {' '.join(longest(details, SPECIFIC_WORDS))}"
    content = [word for word in topic.split() if terms(word)]
    broader = " ".join(content[: max(2, (len(content) + 1) // 2)])
    asking = [f"what is {topic}", f"{topic} explained", f"how does {topic} work", f"why {topic}"]
    return distinct([whole, broader, specific, *asking])


def distinct(queries: Iterable[str]) -> list[str]:
    """Return the queries in order, without those that say the same as one before."""
    once: dict[str, str] = {}
    for query in queries:
        once.setdefault(normalised(query), query.strip())
    return list(once.values())


async def _by_model(run: Run, title: str, description: str, model: Model, settings: Settings) -> list[str]:
    """Return the model's queries; none when it failed, which the run then says."""
    prompt = render(
        "expansion",
        settings.prompts,
        title=title,
        description=description or "(nothing further is said)",
        today=run.today.isoformat(),
    )
    try:
        answer = await structured(model, run, prompt, Expansion, role="planner", default=Expansion())
    except (BudgetError, ModelError) as error:
        run.fail("search", f"expanding {title[:80]} by the model; rules made its queries", str(error))
        return []
    return answer.queries
