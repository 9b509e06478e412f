"""Which engines a chain has, and that another distribution's is one of them."""

from typing import Any

import pytest

from spyglass.kernel.errors import SettingsError, UnknownNameError
from spyglass.kernel.settings import Settings
from spyglass.net.client import Client
from spyglass.search.engines import ENGINES, chain_of
from spyglass.search.provider import SearchEngine
from spyglass.search.result import SearchQuery, SearchResult


def names(**settings: Any) -> list[str]:
    return [engine.name for engine in chain_of(Settings(**settings))]


def test_without_a_key_it_is_those_that_need_none() -> None:
    assert names() == ["duckduckgo", "brave-web", "mojeek", "startpage", "yahoo", "wikipedia"]


def test_engines_with_a_key_come_in_the_contracts_order_and_the_own_server_after_them() -> None:
    keys = {"serpapi_api_key": "c", "brave_api_key": "b", "tavily_api_key": "a"}
    assert names(**keys) == ["tavily", "brave", "serpapi"]
    assert names(**keys, searxng_url="http://127.0.0.1:8888") == ["tavily", "brave", "serpapi", "searxng"]
    assert names(searxng_url="http://127.0.0.1:8888") == ["searxng"]


def test_a_secret_counts_as_a_key() -> None:
    assert names(tavily_api_key_secret_arn="arn:aws:x") == ["tavily"]


def test_the_user_decides_the_order_and_an_engine_without_its_key_is_left_out() -> None:
    assert names(search__engines=["SearXNG ", "brave", "duckduckgo", "cached", "brave"], brave_api_key="b") == [
        "brave",
        "duckduckgo",
    ]
    assert names(search__engines=["tavily"], tavily_api_key=" ") == []
    assert names(search__engines=["pubmed", "arxiv", "openalex"]) == ["pubmed", "arxiv", "openalex"]


def test_an_unknown_engine_is_an_error_that_lists_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match=r'no search engine "goggle".*Known: .*brave, .*duckduckgo'):
        names(search__engines=["goggle"])


def test_a_strangers_engine_is_asked_like_the_others() -> None:
    class Archive(SearchEngine):
        name = "archive"
        home = "https://archive.example"

        async def search(self, client: Client, query: SearchQuery) -> list[SearchResult]:
            return []

    ENGINES.register("archive", Archive)
    assert names(search__engines=["archive"]) == ["archive"]


def test_addresses_are_the_real_ones_until_the_user_says_otherwise() -> None:
    real = {
        name: ENGINES.get(name)(Settings()).base for name in ("tavily", "brave", "serpapi", "duckduckgo", "searxng")
    }
    assert real == {
        "tavily": "https://api.tavily.com",
        "brave": "https://api.search.brave.com",
        "serpapi": "https://serpapi.com",
        "duckduckgo": "https://html.duckduckgo.com",
        "searxng": "",
    }
    moved = Settings(
        search__engine_urls={"tavily": "http://127.0.0.1:9/t/"}, searxng_url="http://user:secret@127.0.0.1:9/search/"
    )
    assert ENGINES.get("tavily")(moved).base == "http://127.0.0.1:9/t"
    assert ENGINES.get("searxng")(moved).place == "http://127.0.0.1:9"


def test_an_address_of_an_engine_that_nobody_has_is_an_error_that_lists_the_known_ones() -> None:
    with pytest.raises(SettingsError, match=r'no search engine "Searxng" \(search.engine_urls\).*searxng, serpapi'):
        names(search__engine_urls={"Searxng": "http://127.0.0.1:8888"})
