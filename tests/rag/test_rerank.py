"""The passages that answer a question, out of texts that were just read."""

import asyncio
import json
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from loopback import Fault, ModelServer, Reply, Say, WebServer
from spyglass.kernel.journal import Journal
from spyglass.kernel.notice import Notice
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Rerank, Role, Settings
from spyglass.rag.rerank import WINDOW, RankedPassage, rerank

FILLER = "Nothing in these lines has to do with what anybody asked, and they go on for a while. " * 30
HARBOUR = "The harbour of Marlow was built in 1872 by the engineer Ada Quill, and opened in the spring."
BRIDGE = "The bridge over the river was painted green after the flood of 1910."


def page(*paragraphs: str) -> str:
    return "\n\n".join(["# A page", FILLER, *paragraphs, FILLER])


async def ranked(run: Run, queries: str | Sequence[str], *texts: str, top: int = 5) -> list[RankedPassage]:
    asked = [queries] if isinstance(queries, str) else queries
    return await rerank(run, asked, texts, top=top, method="lexical", settings=run.settings)


async def test_the_passage_that_answers_comes_first_with_its_heading_and_exact_span(run: Run) -> None:
    texts = [page(BRIDGE), page("## The harbour", HARBOUR)]
    best = (await ranked(run, "When was the harbour built?", *texts))[0]
    passage = best.passage
    assert best.document == 1
    assert HARBOUR in passage.text
    assert texts[1][passage.start : passage.end] == passage.text
    assert passage.heading == "A page > The harbour"
    assert 0.5 < passage.score <= 1


async def test_a_passage_that_shares_no_word_is_not_returned(run: Run) -> None:
    assert await ranked(run, "volcanoes of Iceland", page(BRIDGE), page(HARBOUR)) == []


async def test_a_query_without_content_words_finds_nothing(run: Run) -> None:
    assert await ranked(run, ["what is it?", ""], page(BRIDGE)) == []


async def test_no_texts_and_empty_texts_are_no_trouble(run: Run) -> None:
    assert await ranked(run, "harbour") == []
    assert await ranked(run, "harbour", "", " \n") == []


async def test_each_query_has_its_best_passage_near_the_top(run: Run) -> None:
    found = await ranked(run, ["harbour engineer", "bridge painted green"], page(BRIDGE), page(HARBOUR), page())
    assert {one.document for one in found[:2]} == {0, 1}


async def test_the_same_text_on_two_pages_is_returned_once(run: Run) -> None:
    mirror = f"{FILLER}\n\n## Note\n\n{HARBOUR}\n\n## End\n\n{FILLER}"
    found = await ranked(run, "harbour of Marlow", mirror, mirror.replace("The harbour", "THE  harbour"))
    assert [one.document for one in found] == [0]


async def test_forms_and_accents_of_a_word_are_one_word(run: Run) -> None:
    assert await ranked(run, "building harbours", page("They build a harbour.")) != []
    assert await ranked(run, "cafe", page("Le café est ouvert.")) != []
    assert await ranked(run, "Straße", page("Die STRASSE ist lang.", "Übergröße")) != []


@pytest.mark.parametrize(
    ("query", "text"),
    [("東京の人口", "東京都の人口は約1400万人です。"), ("население Москвы", "Население Москвы растёт.")],
)
async def test_other_scripts_are_searched_too(run: Run, query: str, text: str) -> None:
    (found,) = await ranked(run, query, f"{FILLER}\n\n# X\n\n{text}")
    assert text in found.passage.text


async def test_a_passage_names_its_page(run: Run) -> None:
    first, second = page(BRIDGE), page(HARBOUR)
    found = await rerank(
        run,
        ["harbour"],
        [first + second],
        top=1,
        method="lexical",
        settings=run.settings,
        pages=[(0, len(first))],
    )
    assert [one.passage.page for one in found] == [2]


async def test_operators_of_the_search_syntax_are_plain_words(run: Run) -> None:
    found = await ranked(run, 'harbour" OR * NEAR(bridge) -green ^col:"', page(HARBOUR))
    assert HARBOUR in found[0].passage.text


async def test_a_query_of_ten_thousand_characters_is_answered(run: Run) -> None:
    query = " ".join(f"word{number}" for number in range(1_250))
    assert await ranked(run, [f"harbour {query}"], page(HARBOUR)) != []


@given(st.lists(st.text(max_size=400), max_size=4), st.lists(st.text(max_size=60), max_size=3))
async def test_whatever_the_texts_hold_passages_are_bounded_verbatim_spans(
    texts: list[str], queries: list[str]
) -> None:
    async with Run("q", Settings(), journal=Journal()) as run:
        found = await ranked(run, queries, *texts, top=50)
    for one in found:
        passage = one.passage
        assert texts[one.document][passage.start : passage.end] == passage.text
        assert len(passage.text) <= WINDOW.most
        assert 0 <= passage.score <= 1


async def test_the_dense_method_finds_the_meaning_among_the_words(run: Run) -> None:
    query = "Which animal protects a house from thieves?"
    texts = ["The House is a chamber of the parliament.", "A dog barks at burglars at night, and so guards the house."]
    assert (await ranked(run, query, *texts))[0].document == 0
    found = await rerank(run, [query], texts, top=2, method="dense", settings=run.settings)
    assert [one.document for one in found] == [1, 0]
    assert found[0].by == "lexical + bge-small-en-v1.5-int8 and answerai-colbert-small-v1-int8-fitted-2"
    assert all(0 <= one.passage.score <= 1 for one in found)


async def test_where_the_embedder_fails_words_decide_and_the_run_says_so(
    run: Run, model_server: ModelServer, settings: Settings
) -> None:
    model_server.vectors = lambda texts: []
    broken = Role(provider="openai", model="embed", base_url=model_server.base_url("openai"))
    found = await rerank(
        run,
        ["harbour"],
        [page(HARBOUR)],
        top=1,
        method="dense",
        settings=settings.model_copy(update={"embedder": broken}),
    )
    assert [one.by for one in found] == ["lexical"]
    assert "by their words only. The server returned 0 vectors" in str(run.notices[0])


async def test_a_question_in_another_language_is_answered_by_meaning_too(run: Run) -> None:
    texts = ["Der Hafen hat eine Mole. Die Mole ist lang.", "Erbaut hat man den Hafen im Jahr 1872."]
    asked = ["Wann wurde der Hafen errichtet?"]
    found = await rerank(run, asked, list(map(page, texts)), top=2, method="dense", settings=run.settings)
    assert [text in one.passage.text for text, one in zip(texts[::-1], found, strict=True)] == [True, True]
    assert [one.by for one in found] == ["lexical + multilingual-e5-small-int8-fitted-2"] * 2
    assert run.notices == []


async def by(method: Rerank, run: Run, settings: Settings) -> list[RankedPassage]:
    """Rerank two pages of which words prefer the first one."""
    texts = ["The harbour, the harbour of Marlow.", "The harbour was built by Ada Quill, and opened in the spring."]
    return await rerank(run, ["the harbour of Marlow"], texts, top=2, method=method, settings=settings)


@pytest.fixture
def judged(settings: Settings, model_server: ModelServer) -> Settings:
    """Settings with a model."""
    model = {"provider": "openai", "model": "m", "base_url": model_server.base_url("openai"), "models.attempts": 1}
    return settings.updated(**model)


async def test_a_model_may_judge_the_passages(run: Run, judged: Settings, model_server: ModelServer) -> None:
    model_server.script(
        Say('{"scores": [{"id": "p2", "score": 9}, {"id": "p1", "score": 1}, {"id": "p7", "score": 9}]}')
    )
    found = await by("model", run, judged)
    assert [(one.document, one.by) for one in found] == [(1, "lexical + openai/m"), (0, "lexical + openai/m")]
    assert '<source id="p1">' in model_server.requests[0].user


@pytest.mark.parametrize("act", [Fault(400), Say("I cannot say."), Say('{"scores": []}')], ids=str)
async def test_where_the_model_gives_no_grades_words_decide(
    run: Run, judged: Settings, model_server: ModelServer, act: Say | Fault
) -> None:
    model_server.script(act)
    assert [(one.document, one.by) for one in await by("model", run, judged)] == [(0, "lexical"), (1, "lexical")]
    assert len(run.notices) == 1


@pytest.mark.parametrize("scores", [(0.1, 0.8), (-4.0, 3.5)], ids=["shares", "logits"])
async def test_a_reranking_service_may_judge_the_passages(
    run: Run, settings: Settings, web_server: WebServer, scores: tuple[float, float]
) -> None:
    results = [{"index": index, "relevance_score": score} for index, score in enumerate(scores)]
    url = web_server.put("/v2/rerank", Reply(json.dumps({"results": results}), content_type="application/json"))
    found = await by("api", run, with_service(settings, url))
    assert [(one.document, one.by) for one in found] == [(1, "lexical + rerank-x"), (0, "lexical + rerank-x")]
    assert all(0 <= one.passage.score <= 1 for one in found)
    (visit,) = web_server.visits
    assert (visit.method, visit.headers["authorization"]) == ("POST", "Bearer sk-secret-rerank")
    assert "sk-secret-rerank" not in json.dumps(run.journal.effects(), default=repr)


async def test_a_reranking_service_is_paid_from_the_budget(settings: Settings, web_server: WebServer) -> None:
    results = [{"index": 0, "relevance_score": 0.1}, {"index": 1, "relevance_score": 0.9}]
    url = web_server.put("/rerank", Reply(json.dumps({"results": results}), content_type="application/json"))
    priced = with_service(settings, url).updated(budget__call_prices={"rerank": 0.002}, budget__writing_share=0.0)
    for most, said, cost in ((0.003, "lexical + rerank-x", 0.002), (0.001, "lexical", 0.0)):
        bounded = priced.updated(budget__max_cost=most)
        async with Run("Why?", bounded, journal=Journal()) as run:
            assert {one.by for one in await by("api", run, bounded)} == {said}
            assert (run.spending.cost, run.budget.spent.cost) == (cost, cost)
    assert len(web_server.visits) == 1


@pytest.mark.parametrize("reply", [Reply(status=500), Reply("{"), Reply('{"results": 3}')], ids=str)
async def test_where_the_service_fails_words_decide(
    run: Run, settings: Settings, web_server: WebServer, reply: Reply
) -> None:
    found = await by("api", run, with_service(settings, web_server.put("/rerank", reply)))
    assert [(one.document, one.by) for one in found] == [(0, "lexical"), (1, "lexical")]
    assert "reranking service" in str(run.notices[0])


@pytest.mark.parametrize("method", ["model", "api"])
async def test_a_judge_that_is_not_set_up_is_named(run: Run, settings: Settings, method: Rerank) -> None:
    assert [one.by for one in await by(method, run, settings)] == ["lexical", "lexical"]
    assert "Set " in str(run.notices[0])


def with_service(settings: Settings, url: str) -> Settings:
    key = SecretStr("sk-secret-rerank")
    return settings.updated(rerank__url=url, rerank__model="rerank-x", rerank__key=key)


async def test_in_a_run_that_was_stopped_words_decide(run: Run) -> None:
    settings = run.settings.updated(rerank__url="http://127.0.0.1:9/rerank")
    run.stop()
    found = await rerank(run, ["harbour"], [page(HARBOUR)], top=3, method="api", settings=settings)
    assert HARBOUR in found[0].passage.text
    assert found[0].by == "lexical"
    assert run.notices == [Notice("words_only_ranked", why=Notice("run_stopped"))]


async def test_a_text_is_not_held_when_its_passages_are_found(run: Run) -> None:
    text, loop = page(HARBOUR), asyncio.get_running_loop()
    before = sys.getrefcount(text)
    with ThreadPoolExecutor() as threads:  # a thread may hold its call until it has ended
        loop.set_default_executor(threads)
        assert await ranked(run, "harbour", text) == await ranked(run, "harbour", text)
    loop.set_default_executor(ThreadPoolExecutor())
    assert sys.getrefcount(text) == before


async def test_a_services_address_is_told_without_its_password(run: Run) -> None:
    settings = run.settings.updated(rerank__url="http://me:sk-one@127.0.0.1:9/rerank?key=sk-two")
    assert await rerank(run, ["harbour"], [page(HARBOUR)], top=3, method="api", settings=settings)
    assert "http://127.0.0.1:9/rerank" in str(run.notices[0])
    assert "sk-" not in str(run.notices[0])
