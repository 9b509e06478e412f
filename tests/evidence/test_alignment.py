"""How the words of a claim lie in a text."""

from hypothesis import given
from hypothesis import strategies as st

from spyglass.evidence.alignment import LIKELY, WEIGHTS, Alignment, Words, known_words, unlike_length


def coverage(claim: str, text: str) -> float:
    words = Words(claim)
    return words.share(words.bits(known_words(text)))


def test_every_word_there_is_full_coverage_and_none_is_nothing() -> None:
    assert coverage("The bees dance.", "In the dark bees dance on combs") == 1.0
    assert coverage("The bees dance.", "Wasps sting") == 0.0
    assert coverage("the of and", "the of and") == 0.0


def test_a_number_counts_twice() -> None:
    assert coverage("bees 1758", "1758") == 2 / 3


def test_english_words_of_one_stem_are_alike_and_german_compounds_are_not() -> None:
    assert coverage("the computation of the bees", "the computing bees") == 1.0
    assert coverage("die Bundesrepublik und der Staat", "der Bundeskanzler und der Staat") < 1.0


def test_order_is_the_longest_common_subsequence() -> None:
    words = Words("the queen lays eggs in spring")
    assert words.order("The queen lays many eggs in early spring.") == 1.0
    assert words.order("In spring eggs.") == 2 / 6
    assert words.order("") == 0.0


def test_likeness_counts_the_order_twice() -> None:
    assert Alignment(1.0, 0.0).likeness == 1 / 3
    assert Alignment(1.0, 1.0).likeness == 1.0


def test_the_more_alike_and_the_nearer_in_length_the_likelier() -> None:
    alike = WEIGHTS.probability(0.9, 0.0)
    assert 0 < WEIGHTS.probability(0.9, 2.0) < alike < 1
    assert 0 < WEIGHTS.probability(0.4, 0.0) < alike
    assert LIKELY < WEIGHTS.supported < WEIGHTS.probability(1.0, 0.0)
    assert unlike_length("12345", "54321") == 0.0
    assert unlike_length("123", "1234567") == unlike_length("1234567", "123") == 1.0


@given(st.text(max_size=100), st.text(max_size=100))
def test_what_is_compared_lies_between_nothing_and_one(claim: str, text: str) -> None:
    words = Words(claim)
    bits = words.bits(known_words(text))
    assert all(0 <= value <= 1 for value in (words.share(bits), words.order(text)))
    assert words.order(claim) in (0.0, 1.0)
