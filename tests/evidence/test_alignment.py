"""How the words of a claim lie in a text."""

from hypothesis import given
from hypothesis import strategies as st

from spyglass.evidence.alignment import MOST_BREADTH, Words, breadth, known_words


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


def test_pairs_are_neighbours_that_a_text_has_as_neighbours_too() -> None:
    words = Words("the queen lays eggs in spring")
    assert words.pairs("In spring the queen lays eggs.") == 4 / 5
    assert words.pairs("eggs spring queen") == 0.0
    assert Words("eggs").pairs("eggs") == 0.0


def test_breadth_grows_with_what_is_looked_through_and_ends() -> None:
    assert [breadth(0), breadth(1), breadth(2), breadth(1_000)] == [0.0, 0.0, 1.0, MOST_BREADTH]


@given(st.text(max_size=100), st.text(max_size=100))
def test_what_is_compared_lies_between_nothing_and_one(claim: str, text: str) -> None:
    words = Words(claim)
    bits = words.bits(known_words(text))
    assert all(0 <= value <= 1 for value in (words.share(bits), words.order(text), words.pairs(text)))
    assert words.order(claim) in (0.0, 1.0)
