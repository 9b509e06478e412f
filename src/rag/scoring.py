"""Scorers that rerank passages found by words: an embedder, a model or a reranking service."""

import json
import math
from collections.abc import Sequence
from typing import Any, Protocol

from pydantic import BaseModel, Field, ValidationError

from ..kernel.budget import Amount
from ..kernel.errors import FetchError, ModelError, RerankerError
from ..kernel.journal import effect_key
from ..kernel.notice import Notice
from ..kernel.run import Run
from ..kernel.settings import Rerank, Settings
from ..kernel.source import digest
from ..model import Model
from ..model.address import without_secrets
from ..model.metering import RERANK
from ..model.providers import model_for
from ..model.structured import structured
from ..net import client_of
from ..prompts import quoted, render
from .nearness import Comparer, comparer

LONGEST_SHOWN = 700  # characters of a passage that a model judges
MOST_BYTES = 2_000_000  # of a reranking service's answer
URL_WANTED = Notice("set_to_full_address", setting="rerank.url")


class Scorer(Protocol):
    """A scorer of at most `depth` passages; `share` is the weight of its score, beside that of BM25, in the fusion."""

    name: str
    depth: int
    share: float

    async def scores(self, run: Run, queries: Sequence[str], passages: Sequence[str]) -> list[float]:
        """Return a score per passage, from 0 to 1, for the query that it answers best. Raises RetrievalError."""
        ...


def scorer_of(settings: Settings, method: Rerank, query: str) -> Scorer | None:
    """Return a method's scorer for queries like this one; None for words alone. Raises RerankerError, SettingsError."""
    match method:
        case "dense":
            return Meaning(comparer(settings, query))
        case "model":
            if (model := model_for(settings, "planner")) is None:
                remedy = Notice("set_setting", setting="provider, model")
                raise RerankerError(Notice("no_reranking_model"), remedy=remedy)
            return Judge(model, settings)
        case "api":
            return Service(settings)
    return None


class Meaning:
    """A scorer by the nearness of passages to a query."""

    depth = 50
    share = 0.5
    """On the Cranfield abstracts the nDCG@10 with bge-small is .392 for 0, .439 for .3, .442 for .5, .438 for two
    thirds, .435 for 1; fusion of ranks gives .439."""

    def __init__(self, comparer: Comparer) -> None:
        self._comparer = comparer
        self.name = comparer.id

    async def scores(self, run: Run, queries: Sequence[str], passages: Sequence[str]) -> list[float]:
        """Return the nearness of each passage, as an effect because processors differ in the last digits."""

        async def compared() -> list[float]:
            encoded_queries, encoded = await self._comparer.encode(run, queries, passages)
            return [max(self._comparer.nearness(query, text) for query in encoded_queries) for text in encoded]

        request = {"model": self.name, "queries": list(queries), "passages": [digest(passage) for passage in passages]}
        scores: list[float] = await run.effect("nearness", request, compared)
        return scores


class Grade(BaseModel):
    """A model's score of one passage."""

    id: str
    score: float = Field(ge=0, le=10)


class Grades(BaseModel):
    """A model's answer."""

    scores: list[Grade] = []


class Judge:
    """A model that grades passages in one call; passages that it does not grade score 0."""

    depth = 20
    share = 0.8

    def __init__(self, model: Model, settings: Settings) -> None:
        self._model = model
        self._settings = settings
        self.name = f"{model.provider}/{model.name}"

    async def scores(self, run: Run, queries: Sequence[str], passages: Sequence[str]) -> list[float]:
        """Return the grades, divided by 10."""
        blocks = (quoted(f"p{number}", text[:LONGEST_SHOWN]) for number, text in enumerate(passages, start=1))
        prompt = render(
            "rerank", self._settings.models.prompts, question="; ".join(queries), passages="\n\n".join(blocks)
        )
        try:
            grades = await structured(self._model, run, prompt, Grades, role="reranker", default=Grades())
        except ModelError as error:
            raise error.as_kind(RerankerError) from error
        by_id = {grade.id: grade.score / 10 for grade in grades.scores}
        if not by_id:
            raise RerankerError(Notice("graded_nothing"), where=self._model.place)
        return [by_id.get(f"p{number}", 0.0) for number, _ in enumerate(passages, start=1)]


class Rating(BaseModel, extra="ignore"):
    """A service's score of the passage at `index`, which counts from 0."""

    index: int
    relevance_score: float


class Ratings(BaseModel, extra="ignore"):
    """A service's answer, in the format of Cohere, Jina and compatible servers (vLLM, llama.cpp, Infinity)."""

    results: list[Rating]


class Service:
    """A reranking service: `POST rerank.url` with `model`, `query` and `documents`."""

    depth = 50
    share = 1.0

    def __init__(self, settings: Settings) -> None:
        if not settings.rerank.url:
            raise RerankerError(Notice("no_reranking_service"), remedy=URL_WANTED)
        self._settings = settings
        self._url = settings.rerank.url
        try:
            self._place = without_secrets(self._url)
        except ValueError as error:
            notice = Notice("setting_is_no_address", setting="rerank.url")
            raise RerankerError(notice, remedy=URL_WANTED) from error
        self.name = settings.rerank.model or "api"

    async def scores(self, run: Run, queries: Sequence[str], passages: Sequence[str]) -> list[float]:
        """Return the relevance scores, mapped to 0 to 1 by a sigmoid if any of them is outside that range."""
        request = {"url": self._place, "model": self.name, "query": "; ".join(queries), "documents": list(passages)}
        record = await run.effect("rerank", request, lambda: self._request(run, request))
        if price := self._settings.budget.call_prices.get(RERANK, 0.0):
            run.spending.charge(effect_key("rerank", request), price)
        try:
            ratings = Ratings.model_validate(record)
        except ValidationError as error:
            raise RerankerError(Notice("reranking_unreadable"), where=self._place) from error
        by_index = {rating.index: rating.relevance_score for rating in ratings.results}
        scores = [by_index.get(number, -math.inf) for number, _ in enumerate(passages)]
        return (
            [_sigmoid(score) for score in scores]
            if any(not 0 <= score <= 1 for score in by_index.values())
            else [max(0.0, score) for score in scores]
        )

    async def _request(self, run: Run, request: dict[str, Any]) -> Any:
        """Return the service's answer as JSON. Raises RerankerError, and BudgetError if the budget is too small."""
        key, price = self._settings.rerank.key, self._settings.budget.call_prices.get(RERANK, 0.0)
        client = await client_of(run, self._settings)
        try:
            async with run.budget.hold("reranker", Amount(cost=price)):
                response = await client.request(
                    "POST",
                    self._url,
                    headers={"Authorization": f"Bearer {key.get_secret_value()}"} if key else {},
                    json={name: value for name, value in request.items() if name != "url"},
                    max_bytes=MOST_BYTES,
                    connect_deadline=self._settings.network.connect_deadline,
                    total_deadline=self._settings.models.deadline,
                    configured=True,
                )
        except FetchError as error:
            raise error.as_kind(RerankerError, self._place) from error
        if response.status != 200:
            raise RerankerError(Notice("reranking_status", status=response.status), where=self._place)
        try:
            return json.loads(response.body)
        except ValueError as error:
            raise RerankerError(Notice("reranking_unreadable"), where=self._place) from error


def _sigmoid(score: float) -> float:
    return 1 / (1 + math.exp(-max(-700.0, score)))
