"""One query, walked along the chain of engines until one answers."""

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
from .urls import domain_of
from .wording import LONGEST, MOST_WORDS, cut


async def search(run: Run, query: SearchQuery, *, settings: Settings | None = None) -> list[SearchResult]:
    """Ask the engines of the chain in turn until one answers, and return what it found, best first.

    An empty list is an answer: nothing was found, or no engine of the chain has a second page of results. Queries that
    are equal when normalised are asked once in a run. Every hit goes to the run's ledger. Raises NoSearchError, which
    says what each engine said, BudgetError where the run may search no more and the cache has no results,
    SearchRequestError for a query without a word, and UnknownNameError or SettingsError for an unknown engine.
    """
    query = _askable(run, query)
    said: list[tuple[SearchEngine, errors.SearchError]] = []
    refused: errors.BudgetError | None = None
    chain = (await chains_of(run)).of(settings or run.settings)
    if query.page > 1 and not (chain := [engine for engine in chain if engine.pages]):
        return []
    for place, engine in enumerate(chain):
        stands_in = engine.keyless and any(later.keyless for later in chain[place + 1 :])
        try:
            return await _ask(run, engine, query, 1 if stands_in else engine.settings.search.attempts)
        except errors.SearchError as error:
            said.append((engine, error))
        except errors.BudgetError as error:
            refused = error
    if refused is not None:
        raise refused
    raise _no_answer(query, said)


async def ask(run: Run, engine: SearchEngine, query: SearchQuery) -> list[SearchResult]:
    """Ask one engine alone, with its retries, limits and breaker. Raises SearchError."""
    return await _ask(run, engine, _askable(run, query), engine.settings.search.attempts)


async def _ask(run: Run, engine: SearchEngine, query: SearchQuery, attempts: int) -> list[SearchResult]:
    """Return what one engine finds, as an effect of the run with so many attempts."""
    chains = await chains_of(run)
    request = {
        "engine": engine.name,
        "base": engine.place,
        "query": normalised(query.text),
        **query.model_dump(exclude={"text", "since"} if query.page > 1 else {"text", "since", "page"}),
    }
    asking = _Asking(run, chains, engine, query, attempts)
    try:
        answer = await run.effect("search", request, asking, attempts=attempts)
    except errors.SearchError as error:
        _report_failure(run, engine, query, error)
        raise
    if price := _price(engine):
        run.spending.charge(effect_key("search", request), price)
    found = [SearchResult.model_validate(one) for one in answer]
    _report_found(run, engine, query, found)
    return found


def _price(engine: SearchEngine) -> float:
    """Return the price of one request in US dollars, 0 where the settings name none."""
    return engine.settings.budget.call_prices.get(engine.name, 0.0)


def _askable(run: Run, query: SearchQuery) -> SearchQuery:
    """Return the query cut to length, with its date. Raises SearchRequestError when it has no word."""
    text = " ".join(query.text.split())
    if not normalised(text):
        raise errors.SearchRequestError(Notice("query_without_word"), remedy=Notice("say_what_to_search"))
    short = cut(text)
    if short != text:
        run.notice(Notice("query_cut", characters=LONGEST, words=MOST_WORDS))
    days = DAYS.get(query.time_range)
    since = (run.today - timedelta(days=days)).isoformat() if days else ""
    return query.model_copy(update={"text": short, "since": since})


class _Asking:
    """Asks one engine one query; each call is an attempt.

    The deadline of an attempt begins once it has its place. Breaker and key are checked here, inside the effect, so
    that the journal has what came of it and a replay goes the same way.
    """

    def __init__(self, run: Run, chains: Chains, engine: SearchEngine, query: SearchQuery, attempts: int) -> None:
        self._run, self._chains, self._engine, self._query = run, chains, engine, query
        self._left = attempts

    async def __call__(self) -> Any:
        engine, (limits, breaker) = self._engine, gate_of(self._engine)
        self._left -= 1
        engine.require_possible(self._query)
        breaker.check(engine.name)
        self._check_key()
        asked = Amount() if engine.name == Cached.name else Amount(cost=_price(engine), searches=1)
        of_all = self._run.place_of_all(
            f"search {engine.account}", engine.concurrency, pause=engine.pause, per_minute=engine.per_minute or 0
        )
        async with limits.place(), of_all, self._run.budget.hold("search", asked):
            self._check_key()
            with breaker.call(engine.name, self._on_breaker_change, last=self._left == 0):
                found = await self._answer()
        if engine.name != Cached.name and self._query.page == 1:
            await self._keep(found)
        return [one.model_dump() for one in found]

    def _check_key(self) -> None:
        if (refused := self._chains.out.get(self._engine.account)) is not None:
            raise errors.from_record(refused.to_record())

    async def _answer(self) -> list[SearchResult]:
        engine, deadline = self._engine, self._engine.settings.search.deadline
        client = await client_of(self._run, engine.settings)
        try:
            async with asyncio.timeout(deadline) as bound:
                found = await engine.search(client, self._query)
            return [SearchResult.model_validate(one) for one in found]
        except TimeoutError as error:
            if not bound.expired():
                raise _failed(engine, error) from error
            what = Notice("engine_late", engine=engine.name, seconds=deadline)
            raise errors.SearchDeadlineError(what, where=engine.place) from error
        except errors.SearchKeyError as error:
            self._chains.out[engine.account] = error
            raise
        except errors.SpyglassError:
            raise
        except Exception as error:  # a stranger's engine may raise anything
            raise _failed(engine, error) from error

    async def _keep(self, found: list[SearchResult]) -> None:
        try:
            await keep(self._chains.cache, self._query, found)
        except errors.CacheError as error:  # it saves later runs work; this one has what it wanted
            self._run.emit(Noticed(error.told))

    def _on_breaker_change(self, state: State, why: str) -> None:
        if not _outage(self._run):
            self._run.emit(EngineChanged(self._engine.name, state, why))


def _failed(engine: SearchEngine, error: Exception) -> errors.SearchBrokenError:
    what = Notice("engine_failed", engine=engine.name, why=type(error).__name__)
    return errors.SearchBrokenError(what, where=engine.place)


def _outage(run: Run) -> Notice | None:
    return outage_of(run.journal.effects("search", "fetch"))


def _report_failure(run: Run, engine: SearchEngine, query: SearchQuery, error: errors.SearchError) -> None:
    """Report that an engine gave no answer; a refused key is a notice, once a run.

    Where the network as a whole does not work, that is reported instead, once.
    """
    of_network = isinstance(error, errors.SearchPausedError) or error.details.keys() & {"fault", "by"}
    if of_network and (wrong := _outage(run)):
        run.emit(Noticed(wrong), once=True)
        return
    run.emit(Searched(query.text, engine.name, 0, error.what), once=True)
    if isinstance(error, errors.SearchKeyError):
        run.notice(Notice("engine_left_out", why=error.told))


def _report_found(run: Run, engine: SearchEngine, query: SearchQuery, found: list[SearchResult]) -> None:
    """Report the number of hits, and their age when they come from the cache; enter each in the ledger."""
    run.emit(Searched(query.text, engine.name, len(found)), once=True)
    if found and engine.name == Cached.name:
        run.notice(Notice("results_of_earlier", query=query.text, age=_age(found[0].age)))
    for one in found:
        run.ledger.add(one.url, one.title, domain_of(one.url), one.snippet)


def _age(seconds: int) -> str:
    """Return a duration with the symbol of its unit, the same in all languages."""
    units = ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s"))
    return next(f"{seconds // size} {unit}" for size, unit in units if seconds >= size or size == 1)


def _no_answer(query: SearchQuery, said: list[tuple[SearchEngine, errors.SearchError]]) -> errors.NoSearchError:
    if wrong := outage_among((engine.place, error) for engine, error in said):
        return errors.NoSearchError(wrong)
    what = Notice("no_engine_answered", query=query.text[:80], why=joined([error.bare for _, error in said]))
    return errors.NoSearchError(what, remedy="" if len(said) > 1 else Notice("set_an_engine"))
