"""The words of a report are in the reader's language."""

from dataclasses import fields
from itertools import product

from spyglass.kernel.language import language_name, resolved
from spyglass.kernel.notice import LANGUAGES
from spyglass.kernel.source import Verdict
from spyglass.markup import Sentence
from spyglass.render.labels import Labels, labels_in, mark_of
from spyglass.report.report import Coverage


def test_a_report_is_in_the_language_of_its_question() -> None:
    cases = {
        "What is the waggle dance and how do bees use it?": "en",
        "Wie finden Bienen den Weg zu den Blüten?": "de",
        "Comment les abeilles trouvent-elles le chemin des fleurs ?": "fr",
        "¿Cómo encuentran las abejas el camino a las flores?": "es",
        "Come trovano la strada dei fiori le api?": "it",
        "Como é que as abelhas encontram o caminho das flores?": "pt",
        "Hoe vinden de bijen de weg naar het veld?": "nl",
        "waggle dance": "en",
        "ミツバチはどうやって花を見つけますか": "ja",
        "GDPRとは何ですか": "ja",
        "蜜蜂如何找到通往花朵的路？": "zh",
        "Python 的 asyncio 怎么用": "zh",
        "What does the sign 道 mean?": "en",
        "大韓民國의 수도는?": "auto",
        "Как пчёлы находят цветы?": "auto",
    }
    assert {question: resolved("auto", question) for question in cases} == cases


def test_a_language_is_named_or_given_as_a_code() -> None:
    cases = {
        "German": "de",
        "deutsch": "de",
        "DE": "de",
        "pt-BR": "pt",
        "fr_CA": "fr",
        " Español ": "es",
        "zh-CN": "zh",
        "日本語": "ja",
    }
    assert {setting: resolved(setting, "What is this?") for setting in cases} == cases


def test_another_language_keeps_its_name_for_the_prompt_and_gets_english_labels() -> None:
    assert resolved("Klingon", "What is this?") == "Klingon"
    assert language_name("Klingon") == "Klingon"
    assert language_name("nl") == "Dutch"
    assert labels_in("Klingon") == labels_in("en")


def test_every_language_has_every_phrase_with_the_same_places_to_fill() -> None:
    places, english = ("{n}", "{m}", "{date}", "{missing}"), labels_in("en")
    for language, field in product(LANGUAGES, fields(Labels)):
        phrase, model = getattr(labels_in(language), field.name), getattr(english, field.name)
        assert phrase
        if isinstance(model, str):
            assert [place in phrase for place in places] == [place in model for place in places], (language, phrase)


def test_a_question_that_passages_may_help_with_is_neither_answered_nor_partly() -> None:
    words = labels_in("de")
    perhaps = Coverage(question="Wann?", verdict="partly", sources=2, ranked="perhaps")
    assert words.result_of(perhaps) == "unsicher"
    assert words.result_of(perhaps.model_copy(update={"ranked": ""})) == "teilweise beantwortet"


def test_what_a_model_finds_supported_against_the_wording_is_told_from_what_nobody_has_settled() -> None:
    words = labels_in("en")
    unsettled = Sentence(parts=["Ten at most."], verdict=Verdict(verdict="unsettled", score=0.1))
    read_so = unsettled.judged(Verdict(verdict="unsettled", score=0.1, method="model"))
    assert (mark_of(words, unsettled), mark_of(words, read_so)) == (words.unsettled, words.read_so)
    assert "model" in words.read_so
