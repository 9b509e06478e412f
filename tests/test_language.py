"""Whether a query is English decides whether the local embedder is asked."""

from spyglass.language import is_english


def test_english_is_english() -> None:
    texts = [
        "What is the capital of Mongolia?",
        "slipstream lift distribution",
        "refund policy 2024",
        "How do naïve Bayes classifiers work in practice?",
        "Who die in the war?",
        "",
    ]
    assert [text for text in texts if not is_english(text)] == []


def test_other_languages_are_not() -> None:
    texts = [
        "Was ist die Hauptstadt der Mongolei?",
        "Quelle est la capitale de la Mongolie ?",
        "Cuál es la capital de Mongolia",
        "Qual è la capitale della Mongolia?",
        "Qual é a capital da Mongólia?",
        "Wat is de hoofdstad van het land?",
        "Größe der Städte",
        "東京の人口",
        "Столица Монголии",
    ]
    assert [text for text in texts if is_english(text)] == []
