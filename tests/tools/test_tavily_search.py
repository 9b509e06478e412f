"""`tavily_search` has the shape that a model's tool calling expects, also when Tavily is down."""

import json
from pathlib import Path
from typing import Any

import pytest

from loopback import Fault, Hit, Hits, SearchServer
from loopback.search import SECRET
from spyglass.kernel.errors import ArgumentError
from spyglass.kernel.journal import Journal
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Settings
from spyglass.tools.tavily_search import tavily_search


def at(server: SearchServer, folder: Path, **more: Any) -> Settings:
    return Settings(**{**server.settings("tavily"), "data_dir": folder, "search.attempts": 1, **more})


async def test_it_answers_results_and_the_query(search_server: SearchServer, tmp_path: Path) -> None:
    search_server.script(Hits((Hit("https://kites.example", "Kites", "Red ones.", 0.8),)))
    answer = await tavily_search("red kites", settings=at(search_server, tmp_path))
    kite = {"title": "Kites", "url": "https://kites.example", "content": "Red ones.", "score": 0.8}
    assert answer == {"results": [kite], "query": "red kites"}
    assert search_server.requests[0].fields["max_results"] == 5


async def test_after_three_failures_it_answers_at_once_that_search_is_unavailable(
    search_server: SearchServer, tmp_path: Path
) -> None:
    settings = at(search_server, tmp_path)
    search_server.script(Fault(500, message=SECRET))
    for _ in range(3):
        answer = await tavily_search("red kites", settings=settings)
        assert answer["results"] == []
        assert "status 500" in answer["error"]
        assert answer["circuit_breaker"] is False
    answer = await tavily_search("red kites", settings=settings)
    assert answer == {"results": [], "error": "Search temporarily unavailable", "circuit_breaker": True}
    assert len(search_server.requests) == 3
    assert "sk-search" not in json.dumps(answer)


def test_plain_synchronous_code_has_the_answer_at_once_and_the_same_breaker(tmp_path: Path) -> None:
    down = Settings(
        data_dir=tmp_path,
        search__engine_urls={"tavily": "http://127.0.0.1:9/"},
        tavily_api_key="sk-none",
        network__allow_private=["127.0.0.0/8"],
        search__attempts=1,
    )
    answers = [tavily_search("red kites", settings=down) for _ in range(4)]  # an event loop of its own each
    assert [answer["circuit_breaker"] for answer in answers] == [False, False, False, True]


async def test_without_a_key_it_says_what_to_set(search_server: SearchServer, tmp_path: Path) -> None:
    answer = await tavily_search("red kites", settings=at(search_server, tmp_path, tavily_api_key=None))
    assert answer["results"] == []
    assert "tavily_api_key" in answer["error"]
    assert search_server.requests == []


async def test_in_a_run_its_hits_are_in_the_ledger(search_server: SearchServer, tmp_path: Path) -> None:
    async with Run("What?", at(search_server, tmp_path), journal=Journal()) as run:
        answer = await tavily_search("red kites", 2, run=run)
        assert [record.url for record in run.ledger.records] == [hit["url"] for hit in answer["results"]]
        assert len(run.ledger.records) == 2


async def test_a_model_sees_two_parameters(search_server: SearchServer, tmp_path: Path) -> None:
    properties = tavily_search.schema["input_schema"]["properties"]
    assert set(properties) == {"query", "max_results"}
    assert properties["max_results"]["default"] == 5
    assert tavily_search.schema["input_schema"]["required"] == ["query"]
    with pytest.raises(ArgumentError):
        await tavily_search.call({"query": "x", "max_results": 21}, settings=at(search_server, tmp_path))
