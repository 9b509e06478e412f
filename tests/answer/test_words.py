"""Forms of one word are alike, other words are not."""

from hypothesis import given
from hypothesis import strategies as st

from spyglass.answer.words import alike


def test_inflections_and_compounds_are_alike_and_others_are_not() -> None:
    assert alike("hafen", "hafenbecken") >= 0.55
    assert alike("gegründet", "gegründeten") > 0.8
    assert [pair for pair in (("moon", "monk"), ("1871", "1872"), ("lens", "mirror")) if alike(*pair)] == []


@given(st.text(), st.text())
def test_likeness_is_a_share_and_goes_both_ways(one: str, other: str) -> None:
    assert 0 <= alike(one, other) == alike(other, one) <= 1
    assert alike(one, one) == 1
