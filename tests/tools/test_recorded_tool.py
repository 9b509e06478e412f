"""A search and a research are runs as a report's is: kept, gone on with, made again, and held to limits."""

import asyncio
from typing import Any

import pytest

from loopback import Reply, SearchServer, WebServer, article
from spyglass import research
from spyglass.kernel.errors import BudgetError, SettingsError, UsageError
from spyglass.kernel.events import Event, PageRead
from spyglass.kernel.settings import Settings
from spyglass.runs import Account, RunStore
from spyglass.tools.recorded_tool import replayed_answer
from spyglass.tools.web_research import web_research
from spyglass.tools.web_search import web_search
from tools.sites import FILLER, finds, put

QUESTION = "How deep is the Altmere harbour basin?"
DEPTH = "The basin of the Altmere harbour is seven metres deep at low water."
BUILT = "The Altmere harbour was built in 1880 of granite."


@pytest.fixture
def pages(search_server: SearchServer, web_server: WebServer) -> list[str]:
    """A page that is there at once, and one that takes its time."""
    slow = web_server.put("/built", Reply(article("Built", FILLER, BUILT, FILLER), delay=0.5), host="127.0.0.2")
    urls = [put(web_server, "127.0.0.1", "/depth", DEPTH), slow]
    finds(search_server, *urls)
    return urls


async def killed(settings: Settings, tool: Any, *asked: Any) -> None:
    """Begin, and end as a process does that is killed once a page was read."""
    read = asyncio.Event()

    def told(event: Event) -> None:
        if isinstance(event, PageRead):
            read.set()

    running = asyncio.ensure_future(tool(*asked, settings=settings, on_event=told))
    await asyncio.wait_for(read.wait(), 120)
    running.cancel()
    await asyncio.wait([running])


async def test_a_search_that_was_broken_off_is_finished_without_asking_twice(
    online: Settings, pages: list[str], search_server: SearchServer, web_server: WebServer
) -> None:
    await killed(online, web_search, QUESTION)
    [left] = RunStore(online.data_dir).all()
    assert (left.kind, left.outcome, left.question) == ("search", "cancelled", QUESTION)
    asked = len(search_server.requests)
    answer = await web_search("", settings=online, resume=left.id)
    assert len(search_server.requests) == asked
    assert len(web_server.visits_to("/depth")) == 1
    assert DEPTH in answer.response
    assert {source.url for source in answer.sources} == set(pages)
    account = Account.of(RunStore(online.data_dir).find("last"))
    assert (account.run.outcome, account.answer) == ("complete", answer.to_record())
    fresh = await web_search(QUESTION, settings=online)
    assert fresh.model_copy(update={"execution_id": answer.execution_id}) == answer


async def test_a_search_is_made_again_from_its_journal_alone(
    online: Settings, pages: list[str], search_server: SearchServer, web_server: WebServer
) -> None:
    answer = await web_search(QUESTION, settings=online)
    calls = len(search_server.requests), len(web_server.visits)
    assert await replayed_answer(RunStore(online.data_dir).find("last"), Settings(data_dir=online.data_dir)) == (
        answer,
        "complete",
    )
    assert (len(search_server.requests), len(web_server.visits)) == calls
    assert pages[0] in answer.response


@pytest.mark.usefixtures("pages")
async def test_a_research_that_was_broken_off_goes_on_as_deep_as_it_began(online: Settings) -> None:
    await killed(online, web_research, "Altmere harbour", 1, 2)
    found = await web_research("", settings=online, resume="last")
    assert (found.topic, found.depth, len(found.sources)) == ("Altmere harbour", 1, 2)
    assert await replayed_answer(RunStore(online.data_dir).find("last"), Settings(data_dir=online.data_dir)) == (
        found,
        "complete",
    )


@pytest.mark.usefixtures("pages")
async def test_a_run_goes_on_as_what_it_is(online: Settings) -> None:
    await web_search(QUESTION, settings=online)
    with pytest.raises(UsageError, match='is of the kind "search", not "report"'):
        await research(settings=online, resume="last")
    with pytest.raises(UsageError, match='is of the kind "search", not "research"'):
        await web_research("", settings=online, resume="last")


@pytest.mark.usefixtures("pages")
async def test_at_a_limit_a_search_says_what_it_has_and_what_it_lacks(online: Settings, web_server: WebServer) -> None:
    answer = await web_search(QUESTION, settings=online.updated(budget__max_fetches=1))
    assert len(web_server.visits) == 1
    assert DEPTH in answer.response
    assert RunStore(online.data_dir).find("last").outcome == "partial"
    with pytest.raises(BudgetError, match="max_searches = 0"):
        await web_search("Who built it?", settings=online.updated(budget__max_searches=0))
    assert sorted(run.outcome for run in RunStore(online.data_dir).all()) == ["failed", "partial"]


@pytest.mark.usefixtures("pages")
async def test_a_search_that_met_its_limit_goes_on_with_a_higher_one(online: Settings, web_server: WebServer) -> None:
    await web_search(QUESTION, settings=online.updated(budget__max_fetches=1))
    answer = await web_search("", settings=online.updated(budget__max_fetches=5), resume="last")
    assert len(web_server.visits_to("/depth")) == len(web_server.visits_to("/built")) == 1
    assert len([source for source in answer.sources if source.rerank_score]) == 2


@pytest.mark.usefixtures("pages")
async def test_what_searches_cost_is_held_to_the_sum_and_counted(online: Settings, search_server: SearchServer) -> None:
    priced = online.updated(budget__call_prices={"searxng": 0.005}, budget__writing_share=0.0)
    await web_research("Altmere harbour", settings=priced)
    asked = len(search_server.requests)
    assert RunStore(online.data_dir).find("last").cost == pytest.approx(0.005 * asked)
    await web_research("Altmere museum", settings=priced.updated(budget__max_cost=0.012))
    assert len(search_server.requests) == asked + 2
    [bounded] = [run for run in RunStore(online.data_dir).all() if run.outcome == "partial"]
    assert bounded.cost == pytest.approx(0.01)


async def test_a_reranking_service_without_a_price_stops_a_bounded_sum_before_it_begins(
    online: Settings, search_server: SearchServer
) -> None:
    with pytest.raises(SettingsError, match="price of the reranking service"):
        await web_search(QUESTION, settings=online.updated(rerank__method="api", budget__max_cost=1.0))
    assert not search_server.requests
