"""Research without a model: rules decompose, engines find, pages answer in their own words."""

import json
import re
from pathlib import Path

import pytest

from loopback import Fault, Hit, Hits, SearchServer, WebServer
from spyglass.kernel.errors import NoSearchError, QuestionError, UsageError
from spyglass.kernel.events import Event
from spyglass.kernel.journal import Journal
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Settings
from spyglass.search.result import SearchResult
from spyglass.tools.answers import Finding, MissingSource, Studied, WebResearch
from spyglass.tools.researching import LONGEST_TEXT, by_frequency
from spyglass.tools.web_research import web_research
from tools.sites import finds, put, settings_of

HEAT = "A heat pump moves heat from the outside air into a house."
COLD = "In hard frost a heat pump needs more electricity for the same warmth."
PRICE = "A heat pump for a small house costs about 12,000 euros."


def result(url: str, score: float = 0.9) -> SearchResult:
    return SearchResult(url=url, title="T", score=score, engine="searxng")


def test_what_more_queries_find_ranks_first_then_quality_then_score(settings: Settings) -> None:
    blog, docs, rare = "https://blog.example/a", "https://docs.python.org/3/", "https://rare.example/"
    answers = [
        [result(rare, 0.99), result(blog, 0.95)],
        [result(blog, 0.9), result(docs, 0.5)],
        [result(docs + "#x", 0.4)],
    ]
    found = by_frequency(answers, settings)
    assert [(one.best.url, len(one.ranks)) for one in found] == [(docs, 2), (blog, 2), (rare, 1)]


async def test_pages_answer_in_their_own_words_with_numbers_labels_and_confidence(
    online: Settings, search_server: SearchServer, web_server: WebServer
) -> None:
    urls = [
        put(web_server, "127.0.0.1", "/a", HEAT),
        put(web_server, "127.0.0.2", "/b", COLD),
        put(web_server, "127.0.0.3", "/c", PRICE),
    ]
    finds(search_server, *urls)
    trusted = online.updated(search__credibility={"127.0.0.1": 95, "127.0.0.2": 95})
    journal = Journal()
    async with Run("heat pump", trusted, journal=journal) as run:
        found = await web_research("heat pump", run=run)
        texts = {source.snapshot: journal.snapshot(source.snapshot) or "" for source in found.sources}
    assert [(source.number, source.label) for source in found.sources] == [
        (1, "PRIMARY"),
        (2, "PRIMARY"),
        (3, "UNVERIFIED"),
    ]
    assert {finding.text for source in found.sources for finding in source.findings} == {HEAT, COLD, PRICE}
    for source in found.sources:
        for finding in source.findings:
            assert texts[source.snapshot][finding.start : finding.end] == finding.quote
    assert found.confidence == "MEDIUM"
    assert f"- {HEAT} [1]" in found.markdown
    assert "[3] A page on 127.0.0.3 (UNVERIFIED" in found.markdown
    assert json.loads(json.dumps(found.to_record()))["markdown"] == found.markdown


@pytest.mark.parametrize(
    ("scores", "level"), [((95, 95, 95), "HIGH"), ((95,), "MEDIUM"), ((50, 50), "MEDIUM"), ((50,), "LOW")]
)
async def test_confidence_follows_the_number_and_quality_of_the_sources(
    online: Settings, search_server: SearchServer, web_server: WebServer, scores: tuple[int, ...], level: str
) -> None:
    texts = (HEAT, COLD, PRICE)
    finds(search_server, *(put(web_server, f"127.0.0.{n}", "/p", texts[n - 1]) for n in range(1, len(scores) + 1)))
    credibility = {f"127.0.0.{n}": score for n, score in enumerate(scores, start=1)}
    found = await web_research("heat pump", settings=online.updated(search__credibility=credibility))
    assert (len(found.sources), found.confidence) == (len(scores), level)


async def test_one_page_a_domain_is_read(online: Settings, search_server: SearchServer, web_server: WebServer) -> None:
    urls = [put(web_server, "127.0.0.1", f"/{n}", HEAT.replace("house", f"house {n}")) for n in range(4)]
    finds(search_server, *urls, put(web_server, "127.0.0.2", "/b", COLD))
    found = await web_research("heat pump", settings=online)
    assert [source.url for source in found.sources] == [urls[0], web_server.url("/b", "127.0.0.2")]
    assert len([visit for visit in web_server.visits if visit.path != "/robots.txt"]) == 2


async def test_a_page_that_fails_is_reported_and_replaced(
    online: Settings, search_server: SearchServer, web_server: WebServer
) -> None:
    walled = web_server.url("/robot-check", "127.0.0.1")
    second = put(web_server, "127.0.0.1", "/second", HEAT)
    missing = web_server.url("/missing", "127.0.0.2")
    good = put(web_server, "127.0.0.3", "/good", COLD)
    finds(search_server, walled, missing, second, good)
    found = await web_research("heat pump", max_sources=2, settings=online)
    assert {source.url for source in found.sources} == {good, second}
    assert {missing_.what for missing_ in found.unread} == {walled, missing}
    assert "404" in next(one.why for one in found.unread if one.what == missing)
    assert "## What is missing" in found.markdown


async def test_a_pdf_is_a_source_like_any_other(
    online: Settings, search_server: SearchServer, web_server: WebServer
) -> None:
    finds(search_server, web_server.url("/pdf"))
    found = await web_research("harbour", settings=online)
    assert [source.url for source in found.sources] == [web_server.url("/pdf")]
    assert found.sources[0].findings


async def test_only_the_beginning_of_a_long_page_is_looked_at(
    online: Settings, search_server: SearchServer, web_server: WebServer
) -> None:
    far = "The heat pump museum is in Oslo."
    filler = ["A paragraph about something else altogether, and it is not short. " * 6] * 90
    web_server.put_article("/long", "Long", HEAT, *filler, far)
    finds(search_server, web_server.url("/long"))
    found = await web_research("heat pump museum", settings=online)
    findings = [finding for source in found.sources for finding in source.findings]
    assert findings[0].text == HEAT
    assert all(finding.end <= LONGEST_TEXT for finding in findings)


async def test_where_nothing_that_was_read_is_on_the_topic_there_is_no_source_and_no_confidence(
    online: Settings, search_server: SearchServer, web_server: WebServer
) -> None:
    idle = put(web_server, "127.0.0.1", "/idle", "Volcanoes are mountains that now and then erupt.")
    finds(search_server, idle)
    found = await web_research("heat pump", settings=online)
    assert (found.sources, found.confidence, [one.what for one in found.unread]) == ([], None, [idle])
    assert "Nothing was found." in found.markdown
    assert "Confidence" not in found.markdown


async def test_a_page_that_says_nothing_on_the_topic_is_no_source(
    online: Settings, search_server: SearchServer, web_server: WebServer
) -> None:
    idle = put(web_server, "127.0.0.1", "/idle", "Volcanoes are mountains that now and then erupt.")
    finds(search_server, idle, put(web_server, "127.0.0.2", "/b", HEAT))
    found = await web_research("heat pump", settings=online)
    assert [source.domain for source in found.sources] == ["127.0.0.2"]
    assert [one.what for one in found.unread] == [idle]


async def test_when_one_engine_is_down_another_one_answers(
    tmp_path: Path, search_server: SearchServer, web_server: WebServer
) -> None:
    url = put(web_server, "127.0.0.1", "/a", HEAT)
    search_server.play(lambda asked: Fault(401) if asked.engine == "tavily" else Hits((Hit(url, score=0.9),)))
    found = await web_research("heat pump", settings=settings_of(tmp_path, search_server, "tavily", "brave"))
    assert [source.url for source in found.sources] == [url]


async def test_a_sub_query_that_nobody_answered_is_reported(
    online: Settings, search_server: SearchServer, web_server: WebServer
) -> None:
    url = put(web_server, "127.0.0.1", "/a", HEAT)
    search_server.play(lambda asked: Fault(400) if "explained" in asked.query else Hits((Hit(url, score=0.9),)))
    found = await web_research("heat pump", settings=online)
    assert [one.what for one in found.unanswered] == ["heat pump explained"]
    assert found.sources


async def test_when_no_engine_answers_it_says_so(online: Settings, search_server: SearchServer) -> None:
    search_server.script(Fault(400))
    async with Run("heat pump", online, journal=Journal()) as run:
        with pytest.raises(NoSearchError, match="searxng"):
            await web_research("heat pump", run=run)
    [failure] = run.failures
    assert (failure.who, failure.what, "searxng" in str(failure.why)) == ("search", "heat pump", True)


async def test_nothing_found_is_an_answer(online: Settings, search_server: SearchServer) -> None:
    search_server.script(Hits())
    found = await web_research("heat pump", settings=online)
    assert (found.sources, found.confidence) == ([], None)
    assert "Nothing was found" in found.markdown


async def test_a_page_cannot_write_links_or_commands_into_the_answer(
    online: Settings, search_server: SearchServer, web_server: WebServer
) -> None:
    put(
        web_server,
        "127.0.0.1",
        "/a",
        "A heat pump is best bought at [this shop](http://evil.example) \x1b[31mtoday\x1b[0m, they say.",
    )
    finds(search_server, web_server.url("/a"))
    found = await web_research("heat pump", settings=online)
    assert "](http" not in found.markdown
    assert "\x1b" not in found.markdown


@pytest.mark.parametrize(
    "arguments", [{"depth": 0}, {"depth": 4}, {"max_sources": 0}, {"max_sources": 11}, {"speed": 2}], ids=str
)
async def test_arguments_that_are_not_allowed_are_refused_by_name(online: Settings, arguments: dict[str, int]) -> None:
    with pytest.raises(UsageError, match=next(iter(arguments))):
        await web_research.call({"topic": "heat pump", **arguments}, settings=online)


@pytest.mark.parametrize("topic", ["", " \n", "x" * 10_001])
async def test_a_topic_must_be_one(online: Settings, topic: str) -> None:
    with pytest.raises(QuestionError):
        await web_research(topic, settings=online)


async def test_a_run_that_is_stopped_says_what_is_there(
    online: Settings, search_server: SearchServer, web_server: WebServer
) -> None:
    quick, slow = put(web_server, "127.0.0.1", "/a", HEAT), web_server.url("/hang", "127.0.0.2")
    finds(search_server, quick, slow)

    def stop(event: Event) -> None:
        if type(event).__name__ == "PageRead":
            run.stop()

    async with Run("heat pump", online, on_event=stop, journal=Journal()) as run:
        found = await web_research("heat pump", run=run)
    assert [source.url for source in found.sources] == [quick]


def test_a_model_is_given_the_arguments_and_nothing_else() -> None:
    schema = web_research.schema["input_schema"]
    assert list(schema["properties"]) == ["topic", "depth", "max_sources"]
    assert schema["required"] == ["topic"]
    assert schema["properties"]["max_sources"]["maximum"] == 10


def test_what_is_said_of_the_findings_is_in_the_language_of_the_topic() -> None:
    finding = Finding(text="港口于1871年建成。", quote="港口于1871年建成。", start=0, end=12)
    source = Studied(
        number=1, title="港口", url="https://a.example/", domain="a.example", quality=3, label="SECONDARY",
        frequency=1, findings=[finding], published="2020-01-01", retrieved_at="2026-01-01T00:00:00+00:00",
    )  # fmt: skip
    unread = [MissingSource(what="https://b.example/", why="没有文字")]
    found = WebResearch(
        topic="港口", depth=1, queries=["港口"], confidence="HIGH", sources=[source], unread=unread, notices=["说"],
        language="zh",
    )  # fmt: skip
    assert not re.search("[A-Za-z]", re.sub(r"https|[ab]\.example", "", found.markdown)), found.markdown
    assert "可信程度：高" in found.markdown
