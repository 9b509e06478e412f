"""An embedder of a provider gives vectors over its own wire format; where it fails, words are searched."""

from pathlib import Path

import pytest

from loopback import KEY, Fault, ModelServer
from loopback import model_server as model_server
from loopback import provider as provider
from rag.shelf import fill, running
from spyglass.kernel.settings import Role, Settings
from spyglass.rag import statement_comparer
from spyglass.rag.ingest import ingest
from spyglass.rag.retrieve import retrieve
from spyglass.ranking import ranked
from spyglass.ranking.candidate import Candidate, Question
from spyglass.ranking.ranker import by_vectors


@pytest.fixture
def files(tmp_path: Path) -> Path:
    return fill(tmp_path / "files")


@pytest.fixture
def elsewhere(settings: Settings, model_server: ModelServer, provider: str) -> Settings:
    """Settings whose embedder is a provider's model, at the loopback server."""
    embedder = Role(provider=provider, model="m", base_url=model_server.base_url(provider), key=KEY)
    return settings.updated(embedder=embedder, models__attempts=1)


def about_sweets(texts: list[str]) -> list[list[float]]:
    """Vectors that know one thing: whether a text is about nectar, honey or syrup."""
    return [[1.0, 5.0 * any(word in text for word in ("nectar", "syrup")), 0.5] for text in texts]


async def test_its_vectors_find_what_has_no_word_in_common(
    elsewhere: Settings, files: Path, model_server: ModelServer
) -> None:
    model_server.vectors = about_sweets
    async with running(elsewhere) as run:
        summary = await ingest(run, files, embed=True)
        assert (summary.embedded, summary.pending) == (3, 0)
        (hit,) = await retrieve(run, [files], ["Wer sammelt syrup?"], 1)
        assert (hit.path, hit.lexical, hit.dense) == ("animals/bees.md", None, 1)
        assert run.notices == []
    assert sorted(map(len, model_server.embedded)) == [1, 3]
    async with running(elsewhere) as run:
        assert (await ingest(run, files, embed=True)).embedded == 0
    assert len(model_server.embedded) == 2


async def test_a_folder_without_vectors_is_compared_on_the_spot_and_the_next_process_need_not_ask_again(
    elsewhere: Settings, files: Path, model_server: ModelServer
) -> None:
    model_server.vectors = about_sweets
    for asked in ([4], [4, 1]):
        async with running(elsewhere) as run:
            await ingest(run, files, embed=False)
            (hit,) = await retrieve(run, [files], ["Wer sammelt syrup?"], 1)
            assert (hit.path, run.notices) == ("animals/bees.md", [])
        assert list(map(len, model_server.embedded)) == asked


async def test_it_tells_texts_apart_by_how_far_each_is_from_the_others(
    elsewhere: Settings, settings: Settings, model_server: ModelServer
) -> None:
    model_server.vectors = about_sweets
    question = "Wer sammelt syrup?"
    texts = {"Sie bringen nectar.": "", "Sie schlafen.": "", "Es ist Nacht.": "Da ist nectar."}
    candidates = [Candidate(text, before) for text, before in texts.items()]
    theirs, local = statement_comparer(elsewhere, question), statement_comparer(settings, question)
    asked = Question(question, candidates)
    assert theirs
    assert local
    async with running(elsewhere) as run:
        near = await by_vectors(run, theirs, asked, candidates)
        assert [(round(one.whole, 4), round(one.joint, 4), one.topic) for one in near] == [
            (0.6667, 0.3333, 0.0),
            (-0.3333, -0.6667, 0.0),
            (-0.3333, 0.3333, 0.0),
        ]
        assert await by_vectors(run, local, asked, candidates) != near
        assert statement_comparer(settings, "Who gathers syrup?") is None, "in English other models are better"
    model_server.script(Fault(401))
    async with running(elsewhere) as run:
        assert await by_vectors(run, theirs, asked, candidates) == []
        assert [str(notice)[:30] for notice in run.notices] == ["The comparison used words only"]


async def test_the_statement_that_its_vectors_have_nearest_answers_first(
    elsewhere: Settings, model_server: ModelServer
) -> None:
    model_server.vectors = about_sweets
    texts = [
        "Bienen fliegen im Mai weit.",
        "Bienen bringen nectar in den Stock.",
        "Bienen schlafen im Winter nicht.",
    ]
    async with running(elsewhere) as run:
        found = [Candidate(text, passage=" ".join(texts)) for text in texts]
        ranking = await ranked(run, elsewhere, "Woher haben Bienen ihren syrup?", found)
    assert ranking.ranked[0].number == 1


async def test_words_are_searched_when_it_fails(elsewhere: Settings, files: Path, model_server: ModelServer) -> None:
    async with running(elsewhere) as run:
        await ingest(run, files, embed=True)
    model_server.script(Fault(500))
    async with running(elsewhere) as run:
        (hit,) = await retrieve(run, [files], ["queen of the bees"], 1)
        assert (hit.path, hit.dense) == ("animals/bees.md", None)
        (notice,) = run.notices
        assert str(notice).startswith("The search used words only, not meaning.")
        assert KEY not in str(notice)


async def test_an_ingest_whose_embedder_fails_keeps_the_text_and_says_so(
    elsewhere: Settings, files: Path, model_server: ModelServer
) -> None:
    model_server.script(Fault(401))
    async with running(elsewhere) as run:
        summary = await ingest(run, files, embed=True)
        assert (summary.files, summary.embedded, summary.pending) == (3, 0, 3)
        (notice,) = run.notices
        assert str(notice).startswith(
            f"Passages of {files} have no vectors, so they can only be searched by their words."
        )
        assert len(await retrieve(run, [files], ["queen of the bees"], 1)) == 1
