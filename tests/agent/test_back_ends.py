"""The searchers' back ends can be used alone: search without a key, and pages as records."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from loopback import Reply, SearchServer, WebServer
from spyglass.agent.crawl import Crawl
from spyglass.agent.duck_search import DuckSearch
from spyglass.kernel.errors import FetchError, NoSearchError
from spyglass.kernel.journal import Journal
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Settings
from spyglass.kernel.source import Source
from spyglass.search.keyless import BY_DEFAULT

DANCE = "Honey bees dance to tell their sisters where flowers are. "

FOUND = """<div id="links" class="results"><div class="result results_links results_links_deep web-result">
<div class="links_main links_deep result__body">
<h2 class="result__title"><a rel="nofollow" class="result__a" href="https://bees.example/dance">The dance</a></h2>
<a class="result__snippet" href="https://bees.example/dance">Bees <b>dance</b>.</a></div></div></div>"""


@pytest.fixture
async def run(tmp_path: Path, web_server: WebServer) -> AsyncIterator[Run]:
    settings = Settings(
        data_dir=tmp_path / "data",
        search__engine_urls=dict.fromkeys(BY_DEFAULT, web_server.url().rstrip("/")),
        network__allow_private=["127.0.0.0/8"],
        search__attempts=1,
        fetch__attempts=1,
    )
    async with Run("How do bees dance?", settings, journal=Journal()) as run:
        yield run


async def test_duckduckgo_answers_with_hits(run: Run, web_server: WebServer) -> None:
    web_server.put("/html/", FOUND)
    [hit] = await DuckSearch(run).search("bee dance")
    assert (hit["url"], hit["title"], hit["snippet"]) == ("https://bees.example/dance", "The dance", "Bees dance.")


async def test_where_duckduckgo_blocks_another_engine_without_a_key_answers(run: Run, web_server: WebServer) -> None:
    web_server.put("/html/", Reply("<form id='challenge-form'></form>", status=202))
    box = '<div data-type="web"><a href="https://bees.example/dance"><div class="title">The dance</div></a></div>'
    web_server.put("/search", box)
    assert [hit["engine"] for hit in await DuckSearch(run).search("bee dance")] == ["brave-web"]


async def test_a_block_is_an_error_and_not_an_empty_answer(run: Run, web_server: WebServer) -> None:
    web_server.put("/html/", Reply("<form id='challenge-form'></form>", status=202))
    with pytest.raises(NoSearchError, match="duckduckgo"):
        await DuckSearch(run).search("bee dance")


async def test_a_page_is_a_record_of_its_best_passages(run: Run, web_server: WebServer) -> None:
    url = web_server.put_article("/dance", "The dance", DANCE * 6)
    record = await Crawl(run).get_url_llm(url, "How do bees dance?")
    assert record is not None
    source = Source.model_validate(record)
    assert (source.url, source.title) == (url, "The dance")
    assert "Honey bees dance" in source.summary


async def test_a_page_that_has_nothing_on_the_query_is_none(run: Run, web_server: WebServer) -> None:
    url = web_server.put_article("/dance", "The dance", DANCE * 6)
    assert await Crawl(run).get_url_llm(url, "quantum chromodynamics") is None


async def test_a_page_that_cannot_be_read_is_an_error_alone_and_a_failure_among_others(
    run: Run, web_server: WebServer
) -> None:
    url, missing = web_server.put_article("/dance", "The dance", DANCE * 6), web_server.url("/nowhere")
    with pytest.raises(FetchError):
        await Crawl(run).get_url_llm(missing, "bees")
    records = await Crawl(run).get_summary([missing, url], "How do bees dance?")
    assert [record["url"] for record in records] == [url]
    [failure] = run.failures
    assert (failure.who, failure.what) == ("crawl", missing)


async def test_a_search_goes_by_the_settings_of_its_run(tmp_path: Path, search_server: SearchServer) -> None:
    narrow = {**search_server.settings("duckduckgo"), "search.domains": ["bees.example"], "search.time_range": "week"}
    async with Run("q", Settings(data_dir=tmp_path / "data", **narrow), journal=Journal()) as run:
        await DuckSearch(run).search("bee dance", max_results=3)
    [asked] = search_server.requests
    assert "site:bees.example" in asked.fields["q"]
    assert asked.fields["df"] == "w"


async def test_pages_of_a_run_that_was_stopped_are_failures(run: Run, web_server: WebServer) -> None:
    run.stop()
    assert await Crawl(run).get_summary([web_server.url("/dance")], "How do bees dance?") == []
    assert [failure.who for failure in run.failures] == ["crawl"]
