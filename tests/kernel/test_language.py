"""Whether a query is English decides whether the local embedder is asked."""

from spyglass.kernel.language import differs_in_language, is_english, language_of, own_name, resolved


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


def test_a_language_is_told_where_the_words_do() -> None:
    cases = {
        "What does the museum cost?": "en",
        "Was kostet das Museum in der Stadt?": "de",
        "¿Cuándo fue construido el puerto?": "es",
        "¿Cuántos habitantes tiene Madrid?": "es",
        "si la dueña vende, ¿nos pueden echar?": "es",
        "qué sabemos de la placa digital de rayos": "es",
        "hay que avisar al seguro de la sustituta?": "es",
        "Combien coûte un billet?": "fr",
        "Pourquoi faut-il utiliser unattended-upgrades ?": "fr",
        "combien on garde si un client se décommande trois semaines avant": "fr",
        "faut-il prévenir quand on n'a plus d'eau": "fr",
        "si l'eau est froide on appelle qui": "fr",
        "S'il pleut, ça ferme ?": "fr",
        "Wie viele Verbindungen kann Apache bedienen?": "de",
        "Wie is de eigenaar?": "nl",
        "Was macht newgrp ohne Argument?": "de",
        "Hoeveel kost een kaartje?": "nl",
        "東京の人口は何人ですか": "ja",
        "Is unbound as fast as BIND?": "en",
        "How do I recover a file after a crash?": "en",
        "Quem é o autor da obra?": "pt",
        "Hafen": None,
        "": None,
    }
    assert {text: language_of(text) for text in cases} == cases
    assert own_name("de") == "Deutsch"


def test_a_word_that_is_english_too_tells_no_other_language_alone() -> None:
    for asked in ("split long repository check over several days", "man page of a door", "no per volume limit"):
        assert language_of(asked) in ("en", None)
        assert resolved("auto", asked) == "en"
    assert language_of("Waar gaat de weg over de brug?") == "nl"


def test_other_languages_are_not() -> None:
    texts = [
        "Was ist die Hauptstadt der Mongolei?",
        "In welchem Jahr war es?",
        "Was kostet das Mittagessen ab Januar?",
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


def test_a_text_differs_in_language_from_a_question_where_both_surely_are_in_one() -> None:
    german, russian = "Das Becken im Hafen ist bei Ebbe sieben Meter tief.", "Если Ваш интерфейс ppp0, установите его."
    english = "The basin is seven metres deep at low water."
    cases = {
        ("How deep is the basin?", german): True,
        ("How deep is the basin?", russian): True,
        ("basin ppp0", russian): True,
        ("How deep is the basin?", english): False,
        ("How deep is the basin?", "ppp0 = 7"): False,
        ("Wie tief ist das Becken?", english): True,
        ("Wie tief ist das Becken?", german): False,
        ("Wie tief ist das Becken?", "ppp0 = 7"): False,
    }
    assert {case: differs_in_language(case[1], case[0]) for case in cases} == cases
