"""Forms of one word are alike, other words are not."""

from hypothesis import given
from hypothesis import strategies as st

from spyglass.evidence.relevance import ordered_roots
from spyglass.ranking.words import alike


def test_inflections_and_compounds_are_alike_and_others_are_not() -> None:
    assert alike("hafen", "hafenbecken") >= 0.55
    assert alike("gegründet", "gegründeten") > 0.8
    assert [pair for pair in (("moon", "monk"), ("1871", "1872"), ("lens", "mirror")) if alike(*pair)] == []


def test_a_noun_is_like_the_adjective_that_it_is_made_of() -> None:
    pairs = [("stability", "stable"), ("Stabilität", "stabil"), ("stabilité", "stable"), ("estabilidad", "estable")]
    pairs += [
        ("estabilidade", "estável"),
        ("stabilità", "stabile"),
        ("Stabiliteit", "stabiel"),
        ("dryness", "dry coats"),
    ]
    roots = [(ordered_roots(one)[0], ordered_roots(other)[0]) for one, other in pairs]
    assert [alike(*pair) >= 0.9 for pair in roots] == [True] * 7 + [False], "a word of three letters says too little"
    assert alike("mobil", "notabl") == 0


@given(st.text(), st.text())
def test_likeness_is_a_share_and_goes_both_ways(one: str, other: str) -> None:
    assert 0 <= alike(one, other) == alike(other, one) <= 1
    assert alike(one, one) == 1
