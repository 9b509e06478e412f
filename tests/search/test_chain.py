"""A query goes along the chain until an engine answers; what went wrong is told, and nothing is asked twice."""

import asyncio
import json
from collections.abc import Awaitable
from pathlib import Path
from typing import Any

import pytest

from loopback import Fault, Hit, Hits, Reply, SearchServer
from loopback.clock import noted_waits
from loopback.search import SECRET, some
from search.asking import found, of_kind, run_with
from spyglass.kernel.errors import NoSearchError, SearchError, SearchRequestError
from spyglass.kernel.events import EngineChanged, Event, Noticed, Searched
from spyglass.kernel.settings import Settings
from spyglass.net.client import Client
from spyglass.search.chain import ask, search
from spyglass.search.provider import SearchEngine
from spyglass.search.result import SearchQuery, SearchResult

BUSY = Fault(429, headers={"Retry-After": "0"})
DOWN = Fault(500)


async def test_the_next_engine_answers_where_one_fails_and_each_query_begins_anew(
    search_server: SearchServer, tmp_path: Path, events: list[Event]
) -> None:
    async with run_with(search_server, tmp_path, "tavily", "brave", "serpapi", on_event=events.append) as run:
        search_server.play(lambda asked: DOWN if asked.engine != "serpapi" else some(asked))
        assert (await found(run, "one"))[0].engine == "serpapi"
        search_server.play(some)
        assert (await found(run, "two"))[0].engine == "tavily"
    assert [asked.engine for asked in search_server.requests] == ["tavily", "brave", "serpapi", "tavily"]
    told = [(event.engine, event.results, bool(event.error)) for event in of_kind(events, Searched)]
    assert told == [("tavily", 0, True), ("brave", 0, True), ("serpapi", 3, False), ("tavily", 3, False)]


async def test_an_empty_answer_is_not_asked_of_another_engine(search_server: SearchServer, tmp_path: Path) -> None:
    search_server.script(Hits())
    async with run_with(search_server, tmp_path, "tavily", "brave") as run:
        assert await found(run) == []
    assert len(search_server.requests) == 1


async def test_an_engine_that_knows_nothing_of_the_chosen_domains_is_followed_by_the_next(
    search_server: SearchServer, tmp_path: Path
) -> None:
    beside, there = Hit("https://doi.org/10.1/x"), Hit("https://data.who.int/dengue")
    search_server.play(lambda asked: Hits((there,)) if asked.engine == "brave" else Hits((beside,)))
    async with run_with(search_server, tmp_path, "openalex", "brave") as run:
        assert [hit.url for hit in await found(run, domains=("who.int",))] == [there.url]
        assert [hit.url for hit in await found(run, domains=("doi.org",))] == [beside.url]
        assert [hit.url for hit in await found(run, domains=("nih.gov",))] == [beside.url], "the caller filters"
        assert [hit.url for hit in await found(run)] == [beside.url]
    assert [asked.engine for asked in search_server.requests] == [
        "openalex", "brave", "openalex", "openalex", "brave", "openalex"
    ]  # fmt: skip


async def test_every_engine_gets_the_same_attempts_before_the_next_one(
    search_server: SearchServer, tmp_path: Path
) -> None:
    search_server.play(lambda asked: BUSY if asked.engine == "tavily" else some(asked))
    async with run_with(search_server, tmp_path, "tavily", "searxng", search__attempts=3) as run:
        assert (await found(run))[0].engine == "searxng"
    assert [asked.engine for asked in search_server.requests] == ["tavily"] * 3 + ["searxng"]


async def test_retry_after_is_honoured(search_server: SearchServer, tmp_path: Path) -> None:
    dated = {"Date": "Sat, 31 Jan 2026 10:00:00 GMT", "Retry-After": "Sat, 31 Jan 2026 10:00:01 GMT"}
    waits = noted_waits()
    for headers in ({"Retry-After": "0.4"}, dated):
        search_server.script(Reply("", 503, headers=headers), Hits((Hit("https://a.example"),)))
        async with run_with(search_server, tmp_path, "searxng", search__attempts=2) as run:
            await found(run)
    assert [waits.count(0.4), waits.count(1.0)] == [1, 1]


async def test_equal_queries_are_asked_once_in_a_run(search_server: SearchServer, tmp_path: Path) -> None:
    async with run_with(search_server, tmp_path, "searxng") as run:
        spellings = ("What is C++?", "what is c++", "  What   is C++ ")
        answers = await asyncio.gather(*(found(run, text) for text in spellings))
        await found(run, "What is C?")
    assert answers[0] == answers[1] == answers[2]
    assert len(search_server.requests) == 2


async def test_no_engine_at_all_says_what_each_one_said(search_server: SearchServer, tmp_path: Path) -> None:
    search_server.script(DOWN)
    async with run_with(search_server, tmp_path, "tavily", "searxng") as run:
        with pytest.raises(NoSearchError) as caught:
            await found(run)
    assert '"red kites"' in caught.value.what
    assert (
        "tavily answered with status 500; searxng answered with status 500; no earlier search is stored"
        in caught.value.what
    )


async def test_a_refused_key_takes_the_engine_out_for_the_rest_of_the_run_and_is_said_once(
    search_server: SearchServer, tmp_path: Path, events: list[Event]
) -> None:
    search_server.play(lambda asked: Fault(401) if asked.engine == "tavily" else some(asked))
    async with run_with(search_server, tmp_path, "tavily", "searxng", on_event=events.append) as run:
        for text in ("one", "two", "three", "four", "five"):
            assert (await found(run, text))[0].engine == "searxng"
        assert len(run.notices) == 1
        assert "tavily refused the request with status 401" in str(run.notices[0])
        assert "Check tavily_api_key" in str(run.notices[0])
    assert len(search_server.queries("tavily")) == 1
    assert len(of_kind(events, Noticed)) == 1
    async with run_with(search_server, tmp_path, "tavily", "searxng") as run:
        await found(run, "one")
    assert len(search_server.queries("tavily")) == 2


async def test_the_breaker_opens_for_all_runs_after_three_failed_queries(
    search_server: SearchServer, tmp_path: Path, events: list[Event]
) -> None:
    search_server.play(lambda asked: DOWN if asked.engine == "tavily" else some(asked))
    async with run_with(search_server, tmp_path, "tavily", "searxng", on_event=events.append) as run:
        for text in ("one", "two", "three", "four"):
            assert (await found(run, text))[0].engine == "searxng"
    assert len(search_server.queries("tavily")) == 3
    [changed] = of_kind(events, EngineChanged)
    assert (changed.engine, changed.state, changed.why) == ("tavily", "open", "tavily answered with status 500")
    assert "tavily is paused" in of_kind(events, Searched)[-2].error
    async with run_with(search_server, tmp_path, "tavily", "searxng") as run:
        assert (await found(run, "five"))[0].engine == "searxng"
    assert len(search_server.queries("tavily")) == 3


async def test_while_the_breaker_is_open_queries_fail_at_once(search_server: SearchServer, tmp_path: Path) -> None:
    search_server.script(DOWN)
    async with run_with(search_server, tmp_path, "brave") as run:
        outcomes = await asyncio.gather(*(_error(found(run, f"query {place}")) for place in range(6)))
        assert all(outcomes)
        waits = noted_waits()
        outcomes = await asyncio.gather(*(_error(found(run, f"other query {place}")) for place in range(30)))
        assert max(waits) == 0
        assert all("brave is paused" in str(outcome) for outcome in outcomes)
    assert len(search_server.requests) == 3


async def test_retries_within_a_query_do_not_open_the_breaker(search_server: SearchServer, tmp_path: Path) -> None:
    search_server.script(BUSY, BUSY, Hits((Hit("https://a.example"),)), BUSY, BUSY, Hits((Hit("https://b.example"),)))
    async with run_with(search_server, tmp_path, "searxng", search__attempts=3) as run:
        assert (await found(run, "one"))[0].url == "https://a.example"
        assert (await found(run, "two"))[0].url == "https://b.example"


async def test_an_engine_is_asked_by_three_at_once_and_an_own_server_by_eight(
    search_server: SearchServer, tmp_path: Path
) -> None:
    search_server.play(lambda asked: Hits((Hit("https://a.example"),), delay=0.5))
    for engine, most in (("brave", 3), ("searxng", 8)):
        search_server.most_at_once = 0
        async with run_with(search_server, tmp_path, engine) as run:
            await asyncio.gather(*(found(run, f"query {place}") for place in range(most + 2)))
        assert search_server.most_at_once == most


async def test_a_pause_follows_each_call_of_an_engine(search_server: SearchServer, tmp_path: Path) -> None:
    waits = noted_waits()
    async with run_with(search_server, tmp_path, "brave") as run:
        await asyncio.gather(*(found(run, text) for text in ("one", "two", "three")))
    assert waits.count(SearchEngine.pause) == 3


async def test_a_replay_asks_nobody_and_finds_the_same(search_server: SearchServer, tmp_path: Path) -> None:
    async def searched(events: list[Event]) -> list[list[SearchResult]]:
        at: dict[str, Any] = {"on_event": events.append, "journal": tmp_path / "run.sqlite"}
        async with run_with(search_server, tmp_path, "tavily", "brave", "searxng", **at) as run:
            return [await found(run, text) for text in ("one", "two", "three", "four", "five")]

    search_server.play(lambda asked: {"tavily": Fault(401), "brave": DOWN}.get(asked.engine) or some(asked))
    before, after = list[Event](), list[Event]()
    first = await searched(before)
    asked = len(search_server.requests)
    search_server.script(Fault("reset"))
    assert await searched(after) == first
    assert len(search_server.requests) == asked
    assert of_kind(after, Searched) == of_kind(before, Searched)
    assert of_kind(after, Noticed) == of_kind(before, Noticed)


async def test_every_hit_is_in_the_runs_ledger(search_server: SearchServer, tmp_path: Path) -> None:
    search_server.script(Hits((Hit("https://www.kites.example/red", "Red", "s" * 400),)))
    async with run_with(search_server, tmp_path, "searxng") as run:
        await found(run)
        [record] = run.ledger.records
    assert (record.url, record.title, record.domain) == ("https://www.kites.example/red", "Red", "kites.example")
    assert len(record.snippet) == 200


async def test_a_long_query_is_cut_between_words_and_that_is_said_once(
    search_server: SearchServer, tmp_path: Path
) -> None:
    words = " ".join(f"kite{number:04d}" for number in range(1000))
    async with run_with(search_server, tmp_path, "searxng") as run:
        await found(run, words)
        await found(run, words.replace("kite", "k" * 30))
        await found(run, "k" * 10_000)
        assert len(run.notices) == 1
        assert "400 characters" in str(run.notices[0])
    first, second, third = (asked.query for asked in search_server.requests)
    assert words.startswith(first + " ")
    assert len(first) <= 400
    assert max(len(asked.query.split()) for asked in search_server.requests) <= 50
    assert len(second) <= 400
    assert len(third) == 400


@pytest.mark.parametrize("text", ["", "   ", "?!", "\n"])
async def test_a_query_without_a_word_is_refused(search_server: SearchServer, tmp_path: Path, text: str) -> None:
    async with run_with(search_server, tmp_path, "searxng") as run:
        with pytest.raises(SearchRequestError, match="contains no word"):
            await found(run, text)
    assert search_server.requests == []


async def test_settings_of_one_call_go_before_the_runs(search_server: SearchServer, tmp_path: Path) -> None:
    async with run_with(search_server, tmp_path, "searxng") as run:
        other = Settings(**{**search_server.settings("brave"), "data_dir": tmp_path})
        assert (await search(run, SearchQuery(text="kites"), settings=other))[0].engine == "brave"
        assert (await found(run, "kites"))[0].engine == "searxng"


@pytest.mark.slow
async def test_no_key_is_in_the_journal_the_events_or_the_errors(
    search_server: SearchServer, tmp_path: Path, events: list[Event]
) -> None:
    acts = iter([DOWN, Fault("reset"), Fault(401, message=SECRET), Fault("html"), Fault(404), Fault("hang")])
    search_server.play(lambda asked: next(acts, None) or some(asked))
    async with run_with(
        search_server, tmp_path, "serpapi", "brave", "tavily", on_event=events.append, search__deadline=5.0
    ) as run:
        said = [str(caught) for text in ("one", "two", "three") if (caught := await _error(found(run, text)))]
        shown = json.dumps(
            [run.journal.effects(), *[event.to_record() for event in events], said, run.notices], default=str
        )
    assert "status 500" in shown
    assert "sk-search" not in shown
    assert "api_key=" not in shown


async def _error(searching: Awaitable[object]) -> Exception | None:
    try:
        await searching
    except NoSearchError as error:
        return error
    return None


async def test_an_address_that_does_not_parse_is_that_engines_failure(
    search_server: SearchServer, tmp_path: Path
) -> None:
    urls = {**search_server.settings("searxng")["search.engine_urls"], "brave": "http://[half"}
    async with run_with(search_server, tmp_path, "brave", "searxng", search__engine_urls=urls) as run:
        assert (await found(run))[0].engine == "searxng"


class Strange(SearchEngine):
    """Another distribution's engine, which does what its query says."""

    name = "strange"
    home = "https://strange.example"

    async def search(self, client: Client, query: SearchQuery) -> list[SearchResult]:
        match query.text:
            case "hang":
                await asyncio.sleep(30)
            case "raise":
                raise ZeroDivisionError(SECRET)
            case "lie":
                return ["no result"]  # type: ignore[list-item]
        return [SearchResult(url="https://a.example", title="A")]


@pytest.mark.parametrize(
    ("text", "why"), [("hang", "0.3 s"), ("raise", "ZeroDivisionError"), ("lie", "ValidationError")]
)
async def test_whatever_a_strangers_engine_does_is_a_search_error(
    search_server: SearchServer, tmp_path: Path, text: str, why: str
) -> None:
    async with run_with(search_server, tmp_path, search__deadline=0.3) as run:
        assert len(await ask(run, Strange(run.settings), SearchQuery(text="kites"))) == 1
        with pytest.raises(SearchError, match=why) as caught:
            await ask(run, Strange(run.settings), SearchQuery(text=text))
    assert "sk-search" not in str(caught.value)


async def test_cancelling_a_search_frees_its_place(search_server: SearchServer, tmp_path: Path) -> None:
    search_server.play(lambda asked: Fault("hang") if "slow" in asked.query else some(asked))
    async with run_with(search_server, tmp_path, "searxng") as run:
        slow = [asyncio.create_task(found(run, f"slow {place}")) for place in range(8)]
        while len(search_server.requests) < 8:  # noqa: ASYNC110 (the server tells nobody)
            await asyncio.sleep(0.01)
        for task in slow:
            task.cancel()
        await asyncio.gather(*slow, return_exceptions=True)
        async with asyncio.timeout(60):
            assert len(await found(run, "quick")) == 3
