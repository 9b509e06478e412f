"""A subtopic becomes results: expanded, searched side by side, selected, and only what the run has not seen."""

import asyncio
from dataclasses import dataclass
from pathlib import Path

import pytest

from loopback import Fault, Hit, Hits, SearchServer
from loopback.search import SearchCall
from spyglass.kernel.errors import QuestionError, SettingsError
from spyglass.kernel.journal import Journal
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Settings
from spyglass.model.scripted import Scripted
from spyglass.search.pipeline import SearchPipeline
from spyglass.search.queries import normalised

THREE = '{"direct": "lens grinding", "broader": "optics manufacturing", "specific": "lens grinding cost"}'


def settings_for(server: SearchServer, folder: Path, **more: object) -> Settings:
    return Settings(data_dir=folder / "data", **{**server.settings("searxng"), "search.attempts": 1, **more})


def run_with(settings: Settings, journal: Journal | None = None) -> Run:
    return Run("How are lenses made?", settings, journal=journal or Journal())


async def test_a_subtopic_gives_results_sorted_by_score(search_server: SearchServer, tmp_path: Path) -> None:
    settings = settings_for(search_server, tmp_path)
    async with run_with(settings) as run:
        answer = await SearchPipeline(run, model=Scripted([THREE])).search({"id": "s1", "title": "Lens grinding"})
    assert search_server.queries("searxng") == ["lens grinding", "optics manufacturing", "lens grinding cost"]
    assert set(answer) == {"search_results", "seen_urls"}
    scores = [result.score for result in answer["search_results"]]
    assert len(scores) == 9
    assert scores == sorted(scores, reverse=True)
    assert {result.subtopic_id for result in answer["search_results"]} == {"s1"}
    assert len(answer["seen_urls"]) == 9


async def test_a_page_is_given_once_a_batch_and_once_a_run(search_server: SearchServer, tmp_path: Path) -> None:
    def act(asked: SearchCall) -> Hits:
        own = Hit(f"https://own.example/{asked.query.replace(' ', '-')}", score=0.6)
        return Hits((Hit(f"https://a.org/x/?utm_source={len(asked.query)}#top", score=0.9), own))

    search_server.play(act)
    async with run_with(settings_for(search_server, tmp_path)) as run:
        pipeline = SearchPipeline(run)
        first = await pipeline.search("Lens grinding")
        second = await pipeline.search("Mirror polishing")
    assert sum(result.url.startswith("https://a.org") for result in first["search_results"]) == 1
    assert not any(result.url.startswith("https://a.org") for result in second["search_results"])
    assert "https://a.org/x" in first["seen_urls"] < second["seen_urls"]


async def test_no_query_is_asked_twice_in_a_run(search_server: SearchServer, tmp_path: Path) -> None:
    async with run_with(settings_for(search_server, tmp_path)) as run:
        pipeline = SearchPipeline(run)
        await asyncio.gather(pipeline.search("Lens grinding"), pipeline.search("lens  Grinding?"))
    asked = [normalised(query) for query in search_server.queries("searxng")]
    assert len(asked) == len(set(asked)) == 3


async def test_the_budget_bounds_the_queries_of_a_subtopic(search_server: SearchServer, tmp_path: Path) -> None:
    async with run_with(settings_for(search_server, tmp_path, search__max_queries=2)) as run:
        await SearchPipeline(run).search("Lens grinding in Jena")
    assert len(search_server.requests) == 2


async def test_the_queries_of_a_subtopic_are_asked_side_by_side(search_server: SearchServer, tmp_path: Path) -> None:
    search_server.script(Hits((Hit("https://a.org"),), delay=0.2))
    async with run_with(settings_for(search_server, tmp_path)) as run:
        await SearchPipeline(run).search("Lens grinding in Jena")
    assert search_server.most_at_once == 3


@pytest.mark.parametrize("slow", ["Lens grinding", "Mirror polishing"])
async def test_who_answers_first_does_not_change_who_finds_a_page(
    search_server: SearchServer, tmp_path: Path, slow: str
) -> None:
    search_server.play(lambda asked: Hits((Hit("https://a.org"),), delay=0.3 if slow in asked.query else 0.0))
    async with run_with(settings_for(search_server, tmp_path)) as run:
        pipeline = SearchPipeline(run)
        first, second = await asyncio.gather(pipeline.search("Lens grinding"), pipeline.search("Mirror polishing"))
    assert [result.url for result in first["search_results"]] == ["https://a.org"]
    assert second["search_results"] == []


async def test_a_subtopic_whose_queries_all_fail_is_marked_failed_and_the_others_go_on(
    search_server: SearchServer, tmp_path: Path
) -> None:
    search_server.play(lambda asked: Fault(500) if "Lens" in asked.query else Hits((Hit("https://a.org"),)))
    below_the_breaker = settings_for(search_server, tmp_path, search__max_queries=2)
    async with run_with(below_the_breaker) as run:
        pipeline = SearchPipeline(run)
        failed, fine = await asyncio.gather(pipeline.search("Lens grinding"), pipeline.search("Mirror polishing"))
    assert failed["search_results"] == []
    assert [result.url for result in fine["search_results"]] == ["https://a.org"]
    [unsearched] = pipeline.failed
    assert unsearched.subtopic.title == "Lens grinding"
    [failure] = [failure for failure in run.failures if failure.what == "Lens grinding"]
    assert failure.who == "search"
    assert "searxng" in str(failure.why)


async def test_a_query_that_fails_is_told_and_the_others_of_its_subtopic_count(
    search_server: SearchServer, tmp_path: Path
) -> None:
    search_server.play(lambda asked: Fault(500) if "what is" in asked.query else Hits((Hit("https://a.org"),)))
    async with run_with(settings_for(search_server, tmp_path)) as run:
        pipeline = SearchPipeline(run)
        answer = await pipeline.search("Lens grinding")
    assert [result.url for result in answer["search_results"]] == ["https://a.org"]
    assert pipeline.failed == []
    assert [failure.what for failure in run.failures] == ["what is Lens grinding"]


async def test_nothing_found_is_no_failure(search_server: SearchServer, tmp_path: Path) -> None:
    search_server.script(Hits())
    async with run_with(settings_for(search_server, tmp_path)) as run:
        pipeline = SearchPipeline(run)
        assert await pipeline.search("Lens grinding") == {"search_results": [], "seen_urls": set()}
    assert (pipeline.failed, run.failures) == ([], [])


async def test_lists_of_domains_act_on_what_is_found(search_server: SearchServer, tmp_path: Path) -> None:
    urls = ["https://a.example/1", "https://bad.example/1", "https://sub.b.example/1", "https://c.example/1"]
    search_server.script(Hits(tuple(Hit(url, score=0.9 - place / 10) for place, url in enumerate(urls))))
    lists = {"search.block": ["bad.example"], "search.domains": [".example"], "search.trust": ["b.example"]}
    async with run_with(settings_for(search_server, tmp_path, **lists)) as run:
        answer = await SearchPipeline(run).search("Lens grinding")
    assert [result.url for result in answer["search_results"]] == [urls[2], urls[0], urls[3]]


async def test_engines_are_given_the_wanted_domains_as_hosts(search_server: SearchServer, tmp_path: Path) -> None:
    wanted = ["https://www.A.example/", "*.bücher.example", "a.example"]
    async with run_with(settings_for(search_server, tmp_path, search__domains=wanted, search__max_queries=1)) as run:
        await SearchPipeline(run).search("Lens grinding")
    [query] = search_server.queries("searxng")
    assert query.count("site:") == 2
    assert "site:a.example" in query
    assert "site:xn--bcher-kva.example" in query


async def test_a_replay_gives_the_same_results_without_asking(search_server: SearchServer, tmp_path: Path) -> None:
    settings, journal = settings_for(search_server, tmp_path), tmp_path / "journal.sqlite"
    answers = []
    for _ in range(2):
        async with run_with(settings, Journal(journal)) as run:
            pipeline = SearchPipeline(run, model=Scripted([THREE]))
            answers.append(await asyncio.gather(pipeline.search("Lens grinding"), pipeline.search("Mirrors")))
        asked = len(search_server.requests)
    assert answers[0] == answers[1]
    assert asked == len(search_server.requests) == 6


@dataclass
class Part:
    title: str
    description: str
    id: int


async def test_a_subtopic_may_be_any_object_with_a_title(search_server: SearchServer, tmp_path: Path) -> None:
    async with run_with(settings_for(search_server, tmp_path)) as run:
        answer = await SearchPipeline(run).search(Part("Lens grinding", "abrasives", 7))
        words = await SearchPipeline(run).search("Mirror polishing")
        again = await SearchPipeline(run).search("Mirror polishing")
    assert {result.subtopic_id for result in answer["search_results"]} == {"7"}
    assert len(words["search_results"][0].subtopic_id) == 12
    assert words == again, "an id derives from what the subtopic says"


async def test_a_subtopic_without_a_title_is_refused(run: Run, subtests: pytest.Subtests) -> None:
    for subtopic in ["", "  ", "?!", {}, {"title": ""}, {"name": "Lens"}, 7, None]:
        with subtests.test(subtopic=subtopic), pytest.raises(QuestionError, match="A subtopic is not valid"):
            await SearchPipeline(run).search(subtopic)


async def test_a_list_that_names_no_domain_is_refused(search_server: SearchServer, tmp_path: Path) -> None:
    async with run_with(settings_for(search_server, tmp_path, search__block=["not a domain"])) as run:
        with pytest.raises(SettingsError, match="is not a domain"):
            await SearchPipeline(run).search("Lens grinding")


async def test_a_subtopic_that_is_given_up_holds_up_nobody(search_server: SearchServer, tmp_path: Path) -> None:
    search_server.play(lambda asked: Fault("hang") if "Lens" in asked.query else Hits((Hit("https://a.org"),)))
    async with run_with(settings_for(search_server, tmp_path)) as run:
        pipeline = SearchPipeline(run)
        given_up = asyncio.create_task(pipeline.search("Lens grinding"))
        waiting = asyncio.create_task(pipeline.search("Mirror polishing"))
        await asyncio.sleep(0.2)
        given_up.cancel()
        async with asyncio.timeout(60):
            assert len((await waiting)["search_results"]) == 1
