"""A query and a passage meet in the same form of their words."""

from hypothesis import given
from hypothesis import strategies as st

from spyglass.kernel.term import STOP_WORDS, fold, misspelt, terms


def test_terms_are_the_folded_content_words() -> None:
    cases = {
        "What is the Café's price?": ["cafe", "price"],
        "Naïve ÜBERGRÖSSE, ёлка, ﬁne, ＡＢＣ": ["naive", "ubergrosse", "елка", "fine", "abc"],
        "pi is 3.14, or 1,000 in v2 of GPT-4": ["pi", "3.14", "1,000", "v2", "gpt", "4"],
        "snake_case": ["snake", "case"],
        "GPTモデルは良い": ["gpt", "モデ", "デル", "良"],
        "长城是什么时候修建的？": ["长城", "修建"],
        "味噌はどこで保存すればいいですか": ["味噌", "保存"],
        "中 ｶﾞ": ["中", "ガ"],
        "यह हिन्दी है।": ["यह", "हिन्दी", "है"],
        "한국어 문장": ["한국어", "문장"],
        "Wo ist der Bahnhof und où est la gare?": ["bahnhof", "gare"],
        "The war at the door: why do cells die?": ["war", "door", "cells", "die"],
        "": [],
    }
    assert {text: terms(text) for text in cases} == cases


def test_words_that_ask_are_no_content() -> None:
    for asked in ("¿Cuánto cuesta?", "¿Cuándo cuesta?", "Woher cuesta", "Combien cuesta ?", "Quanto cuesta?"):
        assert terms(asked) == ["cuesta"]


def test_stop_words_are_written_as_they_are_compared() -> None:
    assert {fold(word) for word in STOP_WORDS} == STOP_WORDS


def test_an_endless_word_is_cut() -> None:
    assert terms("x" * 1000) == ["x" * 64]


@given(st.text())
def test_a_term_is_never_empty_and_never_a_stop_word(text: str) -> None:
    found = terms(text)
    assert all(found)
    assert not STOP_WORDS & set(found)


LETTERS = "abcdeéüñßøİ XYZПёΣ中文カ.,1３Ａ_'\u0301\n"


@given(st.text(alphabet=LETTERS))
def test_terms_are_terms_of_themselves(text: str) -> None:
    found = terms(text)
    assert [again for term in found for again in terms(term)] == found


@given(st.text(alphabet=LETTERS))
def test_upper_and_lower_case_give_the_same_terms(text: str) -> None:
    assert terms(text.upper()) == terms(text.lower())


def test_a_word_is_taken_for_a_known_one_that_is_one_slip_away() -> None:
    known = ["telescope", "bacteria", "galileo", "germany", "australia", "x1000", "tele"]
    slips = ("telescpe", "telesscope", "telescobe", "tleescope", "bakteria", "gallileo")
    assert {word: misspelt(word, known) for word in slips} == {
        **{slip: ["telescope"] for slip in slips[:4]},
        "bakteria": ["bacteria"],
        "gallileo": ["galileo"],
    }


def test_other_words_names_and_numbers_are_no_slips() -> None:
    known = ["telescope", "horse", "x1000", "tele", "australia", "gandhi", "logic"]
    others = ("telescope", "austria", "x1001", "tela", "microscope", "", "login")
    assert [misspelt(word, known) for word in others] == [[]] * len(others)
