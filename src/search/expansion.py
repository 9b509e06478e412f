"""Query expansion: three queries for a subtopic, one direct, one broader, one specific."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from pydantic import BaseModel, Field, ValidationError, model_validator

from ..kernel.errors import BudgetError, ModelError, QuestionError
from ..kernel.journal import Journal
from ..kernel.language import resolved
from ..kernel.notice import LANGUAGES, Notice, words_of
from ..kernel.run import Run
from ..kernel.settings import Settings
from ..kernel.source import digest
from ..model import Model
from ..model.structured import structured
from ..prompts import render
from .queries import longest, normalised, sides, topic_of


class Subtopic(BaseModel, frozen=True, from_attributes=True, coerce_numbers_to_str=True):
    """A part of a research question; without an `id`, one is derived from title and description."""

    title: str = Field(pattern=r"\w")
    description: str = ""
    id: str = Field(
        default_factory=lambda fields: digest(fields.get("title", ""), fields.get("description", ""), size=12)
    )

    @classmethod
    def of(cls, value: str | Mapping[str, Any] | object) -> "Subtopic":
        """Return the subtopic of a title, or of an object or dict with a title. Raises QuestionError without one."""
        try:
            return cls.model_validate({"title": value} if isinstance(value, str) else value)
        except ValidationError as error:
            first = error.errors(include_url=False, include_context=False)[0]
            what = f"A subtopic is not valid: {'.'.join(map(str, first['loc'])) or 'the whole value'}: {first['msg']}"
            raise QuestionError(
                what, remedy="Give a title that contains a word, or an object with title and description."
            ) from error


QUERIES: Final = 3
"""The number of queries for a subtopic. Several queries find more than one (arXiv:2510.10009)."""

LONGEST_QUERY: Final = 300  # characters of a query; longer output of a model is discarded
TELLING_WORDS: Final = 3
"""Words of the topic in a broader query made by rules, and of the description, after the topic, in a specific one."""

_PARTS: Final = re.compile(r"\s+(?:and|&|vs\.?|versus)\s+", re.IGNORECASE)


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
        """The valid queries in order, each on one line."""
        queries = [" ".join(query.split()) for query in (self.direct, self.broader, self.specific)]
        return [query for query in queries if normalised(query) and len(query) <= LONGEST_QUERY]


async def expand_queries(
    subtopic: str | Mapping[str, Any] | Subtopic | object,
    llm: Model | None = None,
    *,
    run: Run | None = None,
    settings: Settings | None = None,
) -> list[str]:
    """Return exactly three queries for a subtopic, all different when `normalised`: direct, broader, specific.

    The model makes them in one call; rules supply missing queries, or all without a model or when it fails. A failure
    is recorded on the run; without a `run`, one is created for the call. Raises QuestionError for a subtopic without a
    title, and StoppedError.
    """
    wanted = Subtopic.of(subtopic)
    if llm is None:
        return expanded_by_rules(wanted)
    if run is None:
        async with Run(wanted.title, settings or Settings.load(), journal=Journal()) as own_run:
            return await expand_queries(wanted, llm, run=own_run)
    model_queries = await _by_model(run, wanted, llm, settings or run.settings)
    return distinct([*model_queries, *expanded_by_rules(wanted)])[:QUERIES]


def expanded_by_rules(wanted: Subtopic) -> list[str]:
    """Return exactly three queries for a subtopic, all different when `normalised`."""
    return distinct([*by_rules(wanted.title, wanted.description), *sub_queries(wanted.title, 3)])[:QUERIES]


def by_rules(title: str, description: str = "") -> list[str]:
    """Return distinct queries: direct, broader and specific; if the topic is not a question, also questions about it.

    The broader query consists of the longest words of the topic, which in most languages name its subject; the specific
    query adds words that occur only in the description.
    """
    whole = " ".join(title.split())[:LONGEST_QUERY]
    topic = topic_of(whole)
    known = normalised(whole).split()
    details = " ".join(word for word in description.split() if normalised(word) and normalised(word) not in known)
    specific = f"{topic} {' '.join(longest(details, TELLING_WORDS))}"
    asking = sub_queries(whole, 3) if topic == whole and not _asks(whole) else []
    return distinct([whole, " ".join(longest(topic, TELLING_WORDS)), specific, *asking])


def sub_queries(topic: str, depth: int) -> list[str]:
    """Return distinct queries into which rules decompose a topic, more with a greater `depth` from 1 to 3.

    They are in the topic's language; for a question in another language than English, their subject is its longest
    words.
    """
    subject = topic_of(topic)
    if subject == topic and _asks(topic):
        subject = " ".join(longest(topic.strip("?？"), TELLING_WORDS))
    language = resolved("auto", topic)
    asking = words_of(language if language in LANGUAGES else LANGUAGES[0])["asking"]
    first, second, *others = (words.format(topic=subject) for words in asking)
    queries = [topic, first]
    if depth >= 2:
        queries += [*_parts(topic), second]
    if depth >= 3:
        queries += others
    return distinct(queries)


def _asks(topic: str) -> bool:
    """Return whether a topic is written as a question."""
    return topic.rstrip().endswith(("?", "？"))


def _parts(topic: str) -> list[str]:
    """Return the parts of a comparison or an enumeration; [] when the topic is neither."""
    parts = sides(topic)
    if len(parts) < 2:
        parts = [part.strip(" ?,;") for part in _PARTS.split(topic_of(topic))]
    return parts if len(parts) > 1 and all(parts) else []


def distinct(queries: Iterable[str]) -> list[str]:
    """Return the queries in order, without repetitions (`normalised`)."""
    once: dict[str, str] = {}
    for query in queries:
        once.setdefault(normalised(query), query.strip())
    return list(once.values())


async def _by_model(run: Run, subtopic: Subtopic, model: Model, settings: Settings) -> list[str]:
    """Return the model's queries; [] when it failed, which is recorded on the run."""
    prompt = render(
        "expansion",
        settings.models.prompts,
        title=subtopic.title,
        description=subtopic.description or "(nothing further is said)",
        today=run.today.isoformat(),
    )
    try:
        answer = await structured(model, run, prompt, Expansion, role="planner", default=Expansion())
    except (BudgetError, ModelError) as error:
        run.fail("search", Notice("of_expanding", title=subtopic.title[:80]), error.message)
        return []
    return answer.queries
