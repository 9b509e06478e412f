"""Every engine is asked in its own words and read in its own format; blocked, empty and broken are told apart."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loopback import Fault, Hit, Hits, Reply, SearchServer
from loopback.search import FORMATS, KEYED, SECRET
from search.asking import found, run_with
from spyglass.kernel.errors import (
    NoSearchError,
    SearchBlockedError,
    SearchBrokenError,
    SearchDeadlineError,
    SearchError,
    SearchKeyError,
    SearchRequestError,
)
from spyglass.kernel.settings import Settings
from spyglass.net.client import Client, Response
from spyglass.search.chain import ask
from spyglass.search.engines import ENGINES
from spyglass.search.result import SearchQuery

ENGINES_HERE = sorted(FORMATS.keys() - {"wikipedia", "grokipedia"})
JSON_ENGINES = ["tavily", "brave", "serpapi", "searxng", "openalex"]
KITES = Hits(
    (
        Hit("https://kites.example/red?x=1&y=2", "The <b>red</b> kite", "It &amp; its nest.", 0.91),
        Hit("ftp://kites.example/file", "Not of the web"),
        Hit("https://kites.example/black", "Black & white", "Another kite.", 0.5),
    )
)


async def refusal(server: SearchServer, folder: Path, engine: str, text: str = "red kites", **more: Any) -> SearchError:
    """Return the error that an engine's single attempt ends in."""
    async with run_with(server, folder, engine, **more) as run:
        with pytest.raises(SearchError) as caught:
            await ask(run, ENGINES.get(engine)(run.settings), SearchQuery(text=text))
    return caught.value


async def test_hits_are_read(search_server: SearchServer, tmp_path: Path, subtests: pytest.Subtests) -> None:
    for engine in [name for name in ENGINES_HERE if name != "pubmed"]:
        with subtests.test(engine=engine):
            search_server.requests.clear()
            search_server.script(KITES)
            async with run_with(search_server, tmp_path, engine) as run:
                results = await found(run)
            assert [one.url for one in results] == ["https://kites.example/red?x=1&y=2", "https://kites.example/black"]
            assert [one.title for one in results] == ["The red kite", "Black & white"]
            assert results[0].snippet == "It & its nest."
            assert {one.engine for one in results} == {engine}
            assert [one.score for one in results] == ([0.91, 0.5] if engine == "tavily" else [1.0, 0.9])
            dated = engine in ("arxiv", "brave", "openalex", "searxng") or engine.endswith("-news")
            assert results[0].published == ("2026-01-31" if dated else "")


async def test_pubmed_finds_numbers_and_then_reads_the_articles_in_that_order(
    search_server: SearchServer, tmp_path: Path
) -> None:
    search_server.script(KITES)
    async with run_with(search_server, tmp_path, "pubmed") as run:
        results = await found(run, time_range="week")
    assert [one.url for one in results] == [
        f"https://pubmed.ncbi.nlm.nih.gov/{number}/" for number in (1000, 1001, 1002)
    ]
    assert (results[0].title, results[0].snippet, results[0].published) == (
        "On cells 1000",
        "What was found.",
        "2025-03-07",
    )
    assert search_server.requests[0].fields["reldate"] == "7"


async def test_nothing_found_is_an_answer(
    search_server: SearchServer, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for engine in ENGINES_HERE:
        with subtests.test(engine=engine):
            search_server.requests.clear()
            search_server.script(Hits())
            async with run_with(search_server, tmp_path, engine) as run:
                assert await found(run) == []


@pytest.mark.parametrize("kind", ["half", "html", "empty", "reset", 500])
async def test_an_answer_that_is_none_is_broken(
    search_server: SearchServer, tmp_path: Path, kind: Any, subtests: pytest.Subtests
) -> None:
    for engine in ENGINES_HERE:
        with subtests.test(engine=engine):
            search_server.requests.clear()
            search_server.script(Fault(kind))
            error = await refusal(search_server, tmp_path, engine)
            assert isinstance(error, SearchBrokenError), error
            assert engine in error.what
            assert len(str(error)) < 300


async def test_too_many_requests_are_a_block_with_the_pause_that_is_asked_for(
    search_server: SearchServer, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for engine in ENGINES_HERE:
        with subtests.test(engine=engine):
            search_server.requests.clear()
            search_server.script(Fault(429, headers={"Retry-After": "7"}))
            error = await refusal(search_server, tmp_path, engine)
            assert isinstance(error, SearchBlockedError)
            assert error.details["retry_after"] == 7.0


async def test_silence_ends_at_the_deadline(
    search_server: SearchServer, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for engine in ENGINES_HERE:
        with subtests.test(engine=engine):
            search_server.requests.clear()
            search_server.script(Fault("hang"))
            error = await refusal(search_server, tmp_path, engine, search__deadline=0.2)
            assert isinstance(error, SearchDeadlineError)
            assert "0.2 s" in error.what


@pytest.mark.parametrize("engine", KEYED)
@pytest.mark.parametrize("status", [401, 403])
async def test_a_refused_key_is_said_without_the_key(
    search_server: SearchServer, tmp_path: Path, engine: str, status: int
) -> None:
    search_server.script(Fault(status, message=f"bad key {SECRET}"))
    error = await refusal(search_server, tmp_path, engine)
    assert isinstance(error, SearchKeyError)
    assert f"{engine}_api_key" in error.remedy
    assert SECRET not in str(error)


@pytest.mark.parametrize(
    ("engine", "reply"),
    [
        ("brave", Reply('{"error": {"code": "SUBSCRIPTION_TOKEN_INVALID"}}', 422)),
        ("tavily", Reply("{}", 432)),
        ("tavily", Reply("{}", 433)),
        ("searxng", Reply("forbidden", 403)),
    ],
)
async def test_an_engine_that_will_not_serve_us_says_what_to_mend(
    search_server: SearchServer, tmp_path: Path, engine: str, reply: Reply
) -> None:
    search_server.script(reply)
    error = await refusal(search_server, tmp_path, engine)
    assert isinstance(error, SearchKeyError)
    assert error.remedy


@pytest.mark.parametrize("engine", ["arxiv", "openalex", "pubmed"])
async def test_a_catalogue_without_a_key_that_refuses_has_blocked_us(
    search_server: SearchServer, tmp_path: Path, engine: str
) -> None:
    search_server.script(Fault(403, headers={"Retry-After": "7"}))
    error = await refusal(search_server, tmp_path, engine)
    assert isinstance(error, SearchBlockedError)
    assert "403" in error.what


@pytest.mark.parametrize("engine", ["tavily", "duckduckgo", "searxng"])
@pytest.mark.parametrize("status", [302, 400, 404])
async def test_a_refused_request_is_not_sent_again(
    search_server: SearchServer, tmp_path: Path, engine: str, status: int
) -> None:
    search_server.script(Fault(status, headers={"Location": "http://127.0.0.1:1/"}))
    error = await refusal(search_server, tmp_path, engine, search__attempts=3)
    assert isinstance(error, SearchRequestError)
    assert len(search_server.requests) == 1


async def test_no_connection_is_broken_and_the_error_shows_no_key(search_server: SearchServer, tmp_path: Path) -> None:
    nowhere: dict[str, Any] = {"search.engine_urls": dict.fromkeys(KEYED, "http://127.0.0.1:9")}
    for engine in KEYED:
        error = await refusal(search_server, tmp_path, engine, **nowhere)
        assert isinstance(error, SearchBrokenError)
        assert "127.0.0.1:9" in str(error)
        assert "sk-search" not in str(error.to_record())


async def test_searxng_whose_own_engines_are_silent_is_broken_not_empty(
    search_server: SearchServer, tmp_path: Path
) -> None:
    search_server.script(Reply(json.dumps({"results": [], "unresponsive_engines": [["google", "CAPTCHA\x1b[2J"], 7]})))
    error = await refusal(search_server, tmp_path, "searxng")
    assert "google (CAPTCHA [2J)" in error.what


async def test_serpapi_that_reports_an_error_in_success_is_broken(search_server: SearchServer, tmp_path: Path) -> None:
    search_server.script(Reply('{"error": "We could not get valid results"}'))
    assert isinstance(await refusal(search_server, tmp_path, "serpapi"), SearchBrokenError)


async def test_an_answer_without_end_is_not_read_to_its_end(search_server: SearchServer, tmp_path: Path) -> None:
    search_server.script(Reply(b'{"results": [' + b" " * 3_000_000))
    error = await refusal(search_server, tmp_path, "searxng")
    assert isinstance(error, SearchBrokenError)


async def test_hits_of_which_none_has_an_address_are_broken(search_server: SearchServer, tmp_path: Path) -> None:
    search_server.script(Hits((Hit("javascript:alert(1)"),)))
    for engine in ("tavily", "brave", "serpapi", "searxng"):
        assert isinstance(await refusal(search_server, tmp_path, engine), SearchBrokenError)


ASKED: dict[str, dict[str, Any]] = {
    "tavily": {
        "query": "red kites", "max_results": 7, "search_depth": "basic", "topic": "general", "time_range": "week",
        "country": "austria", "include_domains": ["a.example", "b.example"],
    },
    "brave": {
        "q": "red kites (site:a.example OR site:b.example)", "count": "7", "freshness": "pw", "country": "AT",
        "search_lang": "de", "text_decorations": "false", "safesearch": "strict",
    },
    "serpapi": {
        "q": "red kites (site:a.example OR site:b.example)", "num": "7", "tbs": "qdr:w", "gl": "at", "hl": "de",
        "engine": "google", "output": "json", "api_key": SECRET, "safe": "active",
    },
    "searxng": {
        "q": "red kites (site:a.example OR site:b.example)", "format": "json", "time_range": "week",
        "language": "de-AT", "safesearch": "2",
    },
    "duckduckgo": {"q": "red kites (site:a.example OR site:b.example)", "b": "", "kl": "at-de", "df": "w", "kp": "1"},
    "arxiv": {"max_results": "7", "sortBy": "relevance"},
    "openalex": {"search": "red kites", "per-page": "7"},
    "pubmed": {"term": "red kites", "retmax": "7", "reldate": "7", "db": "pubmed"},
}  # fmt: skip


async def test_everything_that_is_wanted_is_passed_on_in_the_engines_own_terms(
    search_server: SearchServer, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for engine in ASKED:
        with subtests.test(engine=engine):
            search_server.requests.clear()
            async with run_with(search_server, tmp_path, engine) as run:
                await found(
                    run,
                    max_results=7,
                    depth="basic",
                    time_range="week",
                    region="at-de",
                    safesearch="on",
                    domains=("a.example", "b.example"),
                )
                since = (run.today - timedelta(days=7)).isoformat()
            fields = search_server.requests[0].fields
            assert {name: fields[name] for name in ASKED[engine]} == ASKED[engine]
            if engine == "openalex":
                assert fields["filter"] == f"from_publication_date:{since}"
            if engine == "arxiv":
                from_then = f"submittedDate:[{since.replace('-', '')}0000 TO 999912312359]"
                assert fields["search_query"] == f"(all:red AND all:kites) AND {from_then}"


async def test_arxiv_is_not_asked_for_the_small_words_of_a_question(
    search_server: SearchServer, tmp_path: Path
) -> None:
    async with run_with(search_server, tmp_path, "arxiv") as run:
        await found(run, "How does the red kite fly?")
        await found(run, "to be or not to be")
    asked = [request.fields["search_query"] for request in search_server.requests]
    assert asked == [
        "all:red AND all:kite AND all:fly",
        "all:to AND all:be AND all:or AND all:not AND all:to AND all:be",
    ]


async def test_what_is_not_wanted_is_not_passed_on(
    search_server: SearchServer, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for engine in ASKED:
        with subtests.test(engine=engine):
            search_server.requests.clear()
            async with run_with(search_server, tmp_path, engine) as run:
                await found(run)
            fields = {name: value for name, value in search_server.requests[0].fields.items() if value != ""}
            unwanted = {
                "time_range",
                "country",
                "include_domains",
                "freshness",
                "search_lang",
                "tbs",
                "gl",
                "hl",
                "language",
                "safesearch",
                "safe",
                "df",
                "filter",
                "reldate",
            }
            assert not unwanted & set(fields)


async def test_a_country_that_an_engine_does_not_know_is_left_out(search_server: SearchServer, tmp_path: Path) -> None:
    for engine in ("tavily", "brave"):
        async with run_with(search_server, tmp_path, engine) as run:
            await found(run, region="aq-xx")
    for asked in search_server.requests:
        assert not {"country", "search_lang"} & set(asked.fields)


async def test_keys_travel_where_the_engine_wants_them(search_server: SearchServer, tmp_path: Path) -> None:
    for engine in KEYED:
        async with run_with(search_server, tmp_path, engine) as run:
            await found(run)
    tavily, brave, serpapi = search_server.requests
    assert tavily.headers["authorization"] == f"Bearer {SECRET}"
    assert brave.headers["x-subscription-token"] == SECRET
    assert serpapi.fields["api_key"] == SECRET
    assert "api_key" not in tavily.fields


class Canned(Client):
    """A client whose server always says the same: a property test opens no thousand sockets."""

    def __init__(self, body: bytes) -> None:
        super().__init__(Settings())
        self.body = body

    async def request(self, method: str, url: str, **_options: Any) -> Response:
        return Response(url, 200, {}, self.body)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["results", "web", "organic_results", "url", "link", "title", "content", "score", "error", "type"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@pytest.mark.parametrize("engine", JSON_ENGINES)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
@given(answer=VALUES)
async def test_any_json_is_read_or_broken(engine: str, answer: Any) -> None:
    at = Settings(tavily_api_key="k", brave_api_key="k", serpapi_api_key="k", searxng_url="http://127.0.0.1:9")
    try:
        results = await ENGINES.get(engine)(at).search(Canned(json.dumps(answer).encode()), SearchQuery(text="x"))
    except SearchBrokenError:
        return
    assert all(one.url.startswith("http") for one in results)


@pytest.mark.parametrize("engine", ["arxiv"])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
@given(body=st.binary(max_size=300) | st.text(max_size=300).map(lambda text: text.encode("utf-8", "replace")))
async def test_any_bytes_are_broken(engine: str, body: bytes) -> None:
    with pytest.raises(SearchBrokenError):
        await ENGINES.get(engine)(Settings()).search(Canned(body), SearchQuery(text="x"))


async def test_without_an_engine_the_error_says_what_to_set(search_server: SearchServer, tmp_path: Path) -> None:
    async with run_with(search_server, tmp_path, search__engines=["tavily"]) as run:
        with pytest.raises(NoSearchError, match=r"Set the key of a search engine, searxng_url or search\.engines"):
            await found(run)


PAGED = {
    "arxiv": {"start": "10"},
    "brave": {"offset": "1"},
    "brave-web": {"offset": "1"},
    "duckduckgo": {"s": "10"},
    "duckduckgo-news": {"s": "30"},
    "mojeek": {"s": "11"},
    "startpage": {"page": "2"},
    "yahoo": {"b": "8"},
    "openalex": {"page": "2"},
    "pubmed": {"retstart": "10"},
    "searxng": {"pageno": "2"},
    "serpapi": {"start": "10"},
}


@pytest.mark.parametrize(("engine", "asked"), PAGED.items())
async def test_the_second_page_is_asked_for_in_the_engines_own_terms_and_ranks_behind_the_first(
    search_server: SearchServer, tmp_path: Path, engine: str, asked: dict[str, str]
) -> None:
    search_server.script(KITES)
    async with run_with(search_server, tmp_path, engine) as run:
        first, second = await found(run), await found(run, page=2)
    fields = [request.fields for request in search_server.requests]
    assert [not asked.items() <= fields[0].items(), asked.items() <= fields[1].items()] == [True, True]
    assert max(one.score for one in second) < min(one.score for one in first)


async def test_an_engine_without_a_second_page_is_not_asked_for_one(
    search_server: SearchServer, tmp_path: Path
) -> None:
    async with run_with(search_server, tmp_path, "tavily") as run:
        assert await found(run, page=2) == []
    assert search_server.requests == []


async def test_a_second_page_is_not_kept_as_what_the_query_finds(search_server: SearchServer, tmp_path: Path) -> None:
    search_server.script(KITES, Fault(500))
    async with run_with(search_server, tmp_path, "searxng") as run:
        assert await found(run, page=2)
        with pytest.raises(NoSearchError):
            await found(run)
