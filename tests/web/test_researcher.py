"""The tasks of a run share what is found and read; what one lacks another may bring, and a replay decides alike."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from loopback import Reply, Visit, WebServer
from spyglass.kernel.errors import NoSearchError
from spyglass.kernel.journal import Journal
from spyglass.kernel.notice import NoticeOrText
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Settings
from spyglass.web import WebResearcher
from web.engine import put_engine, queries, searching

QUESTION = "How do bees dance?"
BROKEN = Reply("broken", status=500)


@pytest.fixture
def settings(tmp_path: Path, web_server: WebServer) -> Settings:
    return searching(
        web_server,
        tmp_path,
        fetch__attempts=1,
        search__deadline=120,
        network__read_deadline=120,
        fetch__page_deadline=120,
        research__max_pages=4,
    )


@pytest.fixture
async def run(settings: Settings) -> AsyncIterator[Run]:
    async with Run(QUESTION, settings, journal=Journal()) as run:
        yield run


def article(server: WebServer, name: str) -> str:
    return server.put_article(f"/{name}", name, f"This is what {name} has to say about bees and their dance. " * 6)


def late(urls: list[str], delay: float = 0.0, after: asyncio.Event | None = None) -> Reply:
    results = [{"url": url, "title": url, "content": ""} for url in urls]
    return Reply(json.dumps({"results": results}), content_type="application/json", delay=delay, after=after)


def paths(gathered: list[str]) -> list[str]:
    return [url.rpartition("/")[2] for url in gathered]


async def test_the_first_task_has_the_pages_that_were_read_for_the_question(run: Run, web_server: WebServer) -> None:
    head, own = article(web_server, "head"), article(web_server, "own")
    put_engine(web_server, lambda query: [head] if query == QUESTION else [own])
    async with WebResearcher(run, run.settings) as research:
        research.begin(QUESTION)
        first, second = await asyncio.gather(research.research("a", ["one"]), research.research("b", ["two"]))
    assert paths([page.url for page in first.pages]) == ["own", "head"]
    assert paths([page.url for page in second.pages]) == ["own"]


async def test_when_a_task_s_searches_fail_the_pages_of_the_question_are_not_lost(
    run: Run, web_server: WebServer
) -> None:
    head = article(web_server, "head")
    put_engine(web_server, lambda query: [head] if query == QUESTION else BROKEN)
    async with WebResearcher(run, run.settings) as research:
        found = await research.research("a", ["one"])
    assert paths([page.url for page in found.pages]) == ["head"]
    [unsearched] = research.pipeline.failed
    assert (unsearched.subtopic.title, "500" in unsearched.why) == ("a", True)
    assert [(failure.who, failure.what) for failure in run.failures] == [("search", "a")]


async def test_when_the_engine_is_down_the_given_pages_are_not_lost(settings: Settings, web_server: WebServer) -> None:
    put_engine(web_server, lambda query: BROKEN)
    given = settings.model_copy(update={"urls": [article(web_server, "given")]})
    async with Run(QUESTION, given, journal=Journal()) as run, WebResearcher(run, given) as research:
        found = await research.research("a", ["one"])
    assert paths([page.url for page in found.pages]) == ["given"]
    assert set(found.unanswered) == {"one", QUESTION}


async def test_with_no_page_at_all_a_search_without_an_answer_is_an_error(run: Run, web_server: WebServer) -> None:
    put_engine(web_server, lambda query: BROKEN)
    async with WebResearcher(run, run.settings) as research:
        with pytest.raises(NoSearchError, match="500"):
            await research.research("a", ["one"])
    [unsearched] = research.pipeline.failed
    assert (unsearched.subtopic.title, "500" in unsearched.why) == ("a", True)


async def test_pages_are_chosen_by_the_answers_of_all_queries_and_not_by_the_fastest_one(
    settings: Settings, web_server: WebServer
) -> None:
    best = article(web_server, "best")
    others = [article(web_server, name) for name in ("one", "two", "three", "four", "five")]
    answers: dict[str, list[str] | Reply] = {QUESTION: [], "quick": others}
    put_engine(web_server, lambda query: answers.get(query, late([best], delay=0.3)))
    async with (
        Run(QUESTION, settings.updated(research__grace=60), journal=Journal()) as run,
        WebResearcher(run, run.settings) as research,
    ):
        found = await research.research("a", ["quick", "slow", "another slow"])
    assert paths([page.url for page in found.pages])[0] == "best"
    assert not found.given_up


async def test_while_queries_are_awaited_no_leftovers_are_read_and_nothing_further_is_asked_for(
    settings: Settings, web_server: WebServer
) -> None:
    best, head = article(web_server, "best"), [article(web_server, f"head{number}") for number in range(8)]
    fast = [article(web_server, "one"), article(web_server, "two"), best]
    answers: dict[str, list[str] | Reply] = {QUESTION: [web_server.url("/missing"), *head], "quick": fast}
    put_engine(web_server, lambda query: answers.get(query, late([best], delay=1.2)))
    async with (
        Run(QUESTION, settings.updated(research__grace=60), journal=Journal()) as run,
        WebResearcher(run, run.settings) as research,
    ):
        found = await research.research("a", ["quick", "slow"])
    assert paths([page.url for page in found.pages])[:2] == ["best", "one"]
    assert queries(web_server).count("quick") == 1


async def test_one_query_that_found_nothing_is_an_answer_whatever_the_others_say(
    run: Run, web_server: WebServer
) -> None:
    put_engine(web_server, lambda query: [] if query == "one" else BROKEN)
    async with WebResearcher(run, run.settings) as research:
        found = await research.research("a", ["one", "two"])
    assert (found.pages, set(found.unanswered)) == ([], {"two", QUESTION})


async def test_nothing_found_is_no_error(run: Run, web_server: WebServer) -> None:
    put_engine(web_server, lambda query: [])
    async with WebResearcher(run, run.settings) as research:
        found = await research.research("a", ["one"])
    assert (found.pages, found.unanswered) == ([], {})


async def test_one_page_under_two_spellings_is_read_once_and_had_by_both(run: Run, web_server: WebServer) -> None:
    same = article(web_server, "same")
    spelt = {"one": [same], "two": [f"{same}?utm_source=x"], QUESTION: []}
    put_engine(web_server, lambda query: spelt[query])
    async with WebResearcher(run, run.settings) as research:
        found = await asyncio.gather(research.research("a", ["one"]), research.research("b", ["two"]))
    assert [len(one.pages) for one in found] == [1, 1]
    assert len(web_server.visits_to("/same")) == 1


async def test_a_task_that_waits_for_slow_pages_ends_when_others_have_brought_enough(
    run: Run, web_server: WebServer
) -> None:
    begun, never = asyncio.Event(), asyncio.Event()

    def hang(_: Visit) -> Reply:
        begun.set()
        return Reply(after=never)

    good = [article(web_server, f"good{number}") for number in range(4)]
    slow = [web_server.put("/slow", hang)]
    found = {"two": slow, QUESTION: []}
    put_engine(web_server, lambda query: late(good, after=begun) if query == "one" else found[query])
    async with WebResearcher(run, run.settings) as research:
        found_by = await asyncio.gather(research.research("a", ["one"]), research.research("b", ["two"]))
    told = [str(one.failed[slow[0]]) for one in found_by if slow[0] in one.failed]  # a late task has the others' hits
    assert ["when enough other pages had been read" in why for why in told] == [True]


async def test_what_the_settings_do_not_admit_is_not_read_by_a_later_task_either(
    settings: Settings, web_server: WebServer
) -> None:
    found = [article(web_server, "first"), article(web_server, "second")]
    put_engine(web_server, lambda query: found if query.startswith("one") else [])
    strict = settings.updated(search__domains=["example.org"])
    async with Run(QUESTION, strict, journal=Journal()) as run, WebResearcher(run, strict) as research:
        for task, query in (("a", "one"), ("b", "two")):
            assert not (await research.research(task, [query])).pages
    assert not web_server.visits_to("/first")
    assert not web_server.visits_to("/second")


async def test_a_query_that_was_not_waited_for_is_named(run: Run, web_server: WebServer) -> None:
    good = [article(web_server, f"good{number}") for number in range(3)]
    put_engine(web_server, lambda query: late([], 60.0) if query == "slow" else good)
    async with WebResearcher(run, run.settings) as research:
        found = await research.research("a", ["quick", "slow"])
    assert found.given_up == ["slow"]
    assert found.pages


async def test_a_replay_gives_each_task_what_it_had_and_tells_what_was_told(
    settings: Settings, web_server: WebServer
) -> None:
    head, one, two = (article(web_server, name) for name in ("head", "one", "two"))
    found = {QUESTION: [head], "first": [one], "second": [two]}
    put_engine(web_server, lambda query: late(found[query], 0.6) if query == "first" else found[query])
    path = settings.data_dir / "journal.sqlite"

    async def had() -> tuple[list[list[str]], list[NoticeOrText], int]:
        async with Run(QUESTION, settings, journal=Journal(path)) as run, WebResearcher(run, settings) as research:
            research.begin(QUESTION)
            both = await asyncio.gather(research.research("a", ["first"]), research.research("b", ["second"]))
            return [paths([page.url for page in one.pages]) for one in both], run.notices, len(run.ledger.records)

    live = await had()
    visits = len(web_server.visits)
    assert await had() == live
    assert len(web_server.visits) == visits
    assert "head" in live[0][0], "the first task of the plan has it, though the second one ended before"
    assert queries(web_server).count(QUESTION) == 1


async def test_where_pages_fail_and_no_candidate_is_left_the_second_page_of_results_is_asked_for(
    settings: Settings, web_server: WebServer
) -> None:
    missing = [web_server.url(f"/missing{number}") for number in range(3)]
    put_engine(
        web_server,
        lambda query: [] if query == QUESTION else missing,
        lambda query: [article(web_server, "further")],
    )
    path = settings.data_dir / "journal.sqlite"

    async def had() -> tuple[list[str], list[str], list[str]]:
        async with Run(QUESTION, settings, journal=Journal(path)) as run, WebResearcher(run, settings) as research:
            found = await research.research("a", ["one"])
            return paths([page.url for page in found.pages]), list(found.failed), sorted(map(str, run.ledger.records))

    live = await had()
    assert live[0] == ["further"]
    assert queries(web_server).count("one") == 2
    visits = len(web_server.visits)
    assert await had() == live, "a replay goes the same way"
    assert len(web_server.visits) == visits


async def test_where_no_page_fails_nothing_further_is_asked_for(run: Run, web_server: WebServer) -> None:
    put_engine(web_server, lambda query: [article(web_server, query[:3])], lambda query: [web_server.url("/hang")])
    async with WebResearcher(run, run.settings) as research:
        await research.research("a", ["one", "two"])
    assert sorted(queries(web_server)) == sorted(["one", "two", QUESTION])


async def test_further_results_do_not_wait_for_a_query_that_is_not_answered(run: Run, web_server: WebServer) -> None:
    first: dict[str, list[str] | Reply] = {"quick": [web_server.url("/missing")], "slow": late([], 60.0), QUESTION: []}
    put_engine(
        web_server,
        lambda query: first[query],
        lambda query: [article(web_server, f"further{number}") for number in range(3)],
    )
    async with WebResearcher(run, run.settings) as research:
        found = await research.research("a", ["quick", "slow"])
    assert found.given_up == ["slow"]
    assert len(found.pages) > 1
