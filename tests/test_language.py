"""Whether a query is English decides whether the local embedder is asked."""

import pytest

from spyglass.language import is_english


@pytest.mark.parametrize(
    "text",
    [
        "What is the capital of Mongolia?",
        "slipstream lift distribution",
        "refund policy 2024",
        "How do naïve Bayes classifiers work in practice?",
        "Who die in the war?",
        "",
    ],
)
def test_english_is_english(text: str) -> None:
    assert is_english(text)


@pytest.mark.parametrize(
    "text",
    [
        "Was ist die Hauptstadt der Mongolei?",
        "Quelle est la capitale de la Mongolie ?",
        "Cuál es la capital de Mongolia",
        "Qual è la capitale della Mongolia?",
        "Qual é a capital da Mongólia?",
        "Wat is de hoofdstad van het land?",
        "Größe der Städte",
        "東京の人口",
        "Столица Монголии",
    ],
)
def test_other_languages_are_not(text: str) -> None:
    assert not is_english(text)
