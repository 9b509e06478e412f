"""The fallback chain: asks one engine after another until one answers."""

import asyncio
from datetime import timedelta
from typing import Any

from ..kernel import errors
from ..kernel.budget import Amount
from ..kernel.events import EngineChanged, Noticed, Searched
from ..kernel.journal import effect_key
from ..kernel.notice import Notice, joined
from ..kernel.run import Run
from ..kernel.settings import Settings
from ..net import client_of, outage_of
from ..net.outage import outage_among
from .breaker import State
from .cached import Cached, keep
from .engines import Chains, chains_of
from .limits import gate_of
from .provider import SearchEngine
from .queries import normalised
from .result import DAYS, SearchQuery, SearchResult
from .urls import domain_of, in_domains
from .wording import LONGEST, MOST_WORDS, cut


async def search(run: Run, query: SearchQuery, *, settings: Settings | None = None) -> list[SearchResult]:
    """Ask the engines of the chain in turn until one answers, and return its results, best first.

    An empty list is an answer: nothing was found, or no engine of the chain has a second page of results. Results that
    are all outside the query's domains count only if no later engine answers: catalogues ignore domains. Queries that
    are equal when normalised are asked once in a run. Every hit is added to the run's ledger. Raises NoSearchError with
    the error of each engine, BudgetError if the run may search no more and the cache has no results, SearchRequestError
    for a query without a word, and UnknownNameError or SettingsError for an unknown engine.
    """
    query = _prepared(run, query)
    failures: list[tuple[SearchEngine, errors.SearchError]] = []
    budget_error: errors.BudgetError | None = None
    outside: list[SearchResult] = []
    chain = (await chains_of(run)).of(settings or run.settings)
    if query.page > 1 and not (chain := [engine for engine in chain if engine.pages]):
        return []
    for position, engine in enumerate(chain):
        stands_in = engine.keyless and any(later.keyless for later in chain[position + 1 :])
        try:
            results = await _ask(run, engine, query, 1 if stands_in else engine.settings.search.attempts)
        except errors.SearchError as error:
            failures.append((engine, error))
        except errors.BudgetError as error:
            budget_error = error
        else:
            if not (results and query.domains) or any(in_domains(hit.url, query.domains) for hit in results):
                return results
            outside = outside or results
    if outside:
        return outside
    if budget_error is not None:
        raise budget_error
    raise _no_answer(query, failures)


async def ask(run: Run, engine: SearchEngine, query: SearchQuery) -> list[SearchResult]:
    """Ask a single engine, with its retries, limits and breaker. Raises SearchError."""
    return await _ask(run, engine, _prepared(run, query), engine.settings.search.attempts)


async def _ask(run: Run, engine: SearchEngine, query: SearchQuery, attempts: int) -> list[SearchResult]:
    """Return the results of one engine, as an effect of the run with `attempts` attempts."""
    chains = await chains_of(run)
    request = {
        "engine": engine.name,
        "base": engine.place,
        "query": normalised(query.text),
        **query.model_dump(exclude={"text", "since"} if query.page > 1 else {"text", "since", "page"}),
    }
    attempt = _Attempts(run, chains, engine, query, attempts)
    try:
        answer = await run.effect("search", request, attempt, attempts=attempts)
    except errors.SearchError as error:
        _report_failure(run, engine, query, error)
        raise
    if price := _price(engine):
        run.spending.charge(effect_key("search", request), price)
    results = [SearchResult.model_validate(hit) for hit in answer]
    _report_results(run, engine, query, results)
    return results


def _price(engine: SearchEngine) -> float:
    """Return the price of one request in US dollars; 0 if the settings have none."""
    return engine.settings.budget.call_prices.get(engine.name, 0.0)


def _prepared(run: Run, query: SearchQuery) -> SearchQuery:
    """Return the query cut to length, with `since`. Raises SearchRequestError when it has no word."""
    text = " ".join(query.text.split())
    if not normalised(text):
        raise errors.SearchRequestError(Notice("query_without_word"), remedy=Notice("say_what_to_search"))
    short = cut(text)
    if short != text:
        run.notice(Notice("query_cut", characters=LONGEST, words=MOST_WORDS))
    days = DAYS.get(query.time_range)
    since = (run.today - timedelta(days=days)).isoformat() if days else ""
    return query.model_copy(update={"text": short, "since": since})


class _Attempts:
    """A query to one engine; each call is an attempt.

    The deadline of an attempt begins when it has its slot. Breaker and key are checked here, inside the effect, so that
    the journal records the outcome and a replay repeats it.
    """

    def __init__(self, run: Run, chains: Chains, engine: SearchEngine, query: SearchQuery, attempts: int) -> None:
        self._run, self._chains, self._engine, self._query = run, chains, engine, query
        self._attempts_left = attempts

    async def __call__(self) -> Any:
        engine, (limits, breaker) = self._engine, gate_of(self._engine)
        self._attempts_left -= 1
        engine.require_possible(self._query)
        breaker.check(engine.name)
        self._check_key()
        amount = Amount() if engine.name == Cached.name else Amount(cost=_price(engine), searches=1)
        shared_slot = self._run.global_slot(
            f"search {engine.account}", engine.concurrency, pause=engine.pause, per_minute=engine.per_minute or 0
        )
        async with limits.slot(), shared_slot, self._run.budget.hold("search", amount):
            self._check_key()
            with breaker.call(engine.name, self._on_breaker_change, last=self._attempts_left == 0):
                results = await self._request()
        if engine.name != Cached.name and self._query.page == 1:
            await self._cache(results)
        return [result.model_dump() for result in results]

    def _check_key(self) -> None:
        if (error := self._chains.refused_keys.get(self._engine.account)) is not None:
            raise errors.from_record(error.to_record())

    async def _request(self) -> list[SearchResult]:
        engine, deadline = self._engine, self._engine.settings.search.deadline
        client = await client_of(self._run, engine.settings)
        try:
            async with asyncio.timeout(deadline) as timeout:
                hits = await engine.search(client, self._query)
            return [SearchResult.model_validate(hit) for hit in hits]
        except TimeoutError as error:
            if not timeout.expired():
                raise _broken(engine, error) from error
            notice = Notice("engine_late", engine=engine.name, seconds=deadline)
            raise errors.SearchDeadlineError(notice, where=engine.place) from error
        except errors.SearchKeyError as error:
            self._chains.refused_keys[engine.account] = error
            raise
        except errors.SpyglassError:
            raise
        except Exception as error:  # a third-party engine may raise anything
            raise _broken(engine, error) from error

    async def _cache(self, results: list[SearchResult]) -> None:
        try:
            await keep(self._chains.cache, self._query, results)
        except errors.CacheError as error:  # only later runs need the cache; this one has its results
            self._run.emit(Noticed(error.message))

    def _on_breaker_change(self, state: State, reason: str) -> None:
        if not _outage(self._run):
            self._run.emit(EngineChanged(self._engine.name, state, reason))


def _broken(engine: SearchEngine, error: Exception) -> errors.SearchBrokenError:
    notice = Notice("engine_failed", engine=engine.name, why=type(error).__name__)
    return errors.SearchBrokenError(notice, where=engine.place)


def _outage(run: Run) -> Notice | None:
    return outage_of(run.journal.effects("search", "fetch"))


def _report_failure(run: Run, engine: SearchEngine, query: SearchQuery, error: errors.SearchError) -> None:
    """Report that an engine gave no answer; a refused key is a notice, once per run.

    An outage of the whole network is reported instead, once.
    """
    by_network = isinstance(error, errors.SearchPausedError) or error.details.keys() & {"fault", "by"}
    if by_network and (outage := _outage(run)):
        run.emit(Noticed(outage), once=True)
        return
    run.emit(Searched(query.text, engine.name, 0, error.what), once=True)
    if isinstance(error, errors.SearchKeyError):
        run.notice(Notice("engine_left_out", why=error.message))


def _report_results(run: Run, engine: SearchEngine, query: SearchQuery, results: list[SearchResult]) -> None:
    """Report the number of hits, and the age of cached ones; add each hit to the ledger."""
    run.emit(Searched(query.text, engine.name, len(results)), once=True)
    if results and engine.name == Cached.name:
        run.notice(Notice("results_of_earlier", query=query.text, age=_age(results[0].age)))
    for result in results:
        run.ledger.add(result.url, result.title, domain_of(result.url), result.snippet)


def _age(seconds: int) -> str:
    """Return a duration with its unit's symbol, the same in all languages."""
    units = ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s"))
    return next(f"{seconds // size} {unit}" for size, unit in units if seconds >= size or size == 1)


def _no_answer(query: SearchQuery, failures: list[tuple[SearchEngine, errors.SearchError]]) -> errors.NoSearchError:
    if outage := outage_among((engine.place, error) for engine, error in failures):
        return errors.NoSearchError(outage)
    notice = Notice(
        "no_engine_answered", query=query.text[:80], why=joined([error.bare_message for _, error in failures])
    )
    return errors.NoSearchError(notice, remedy="" if len(failures) > 1 else Notice("set_an_engine"))
