"""Fusion rewards what both legs found, and calls nothing found when nothing answers."""

from hypothesis import given
from hypothesis import strategies as st

from spyglass.rag.fuse import NO_LEG, Leg, LegHit, fused


def leg(rows: list[int], *, weight: float = 1.0, least: float = 0.5, met: float = 1.0) -> Leg:
    return Leg([LegHit((0, row), 1.0, met) for row in rows], weight, least)


_rows = st.lists(st.integers(0, 50), unique=True, max_size=50)


@given(_rows, _rows, st.floats(0.1, 10))
def test_scores_lie_between_0_and_1_and_ranks_are_those_of_the_legs(
    words: list[int], near: list[int], weight: float
) -> None:
    found = fused(leg(words), leg(near, weight=weight))
    assert {one.key[1] for one in found} == {*words, *near}
    for one in found:
        assert 0 < one.score <= 1.000001
        assert one.lexical == (words.index(one.key[1]) + 1 if one.key[1] in words else None)
        assert one.dense == (near.index(one.key[1]) + 1 if one.key[1] in near else None)


def test_first_in_both_legs_is_1_and_above_all_others() -> None:
    scores = {one.key[1]: one.score for one in fused(leg([1, 2, 3]), leg([1, 3, 2], weight=2))}
    assert scores[1] == 1
    assert scores[1] > scores[3] > scores[2]


def test_one_leg_alone_keeps_its_order() -> None:
    found = sorted(fused(leg([3, 1, 2]), NO_LEG), key=lambda one: -one.score)
    assert [one.key[1] for one in found] == [3, 1, 2]
    assert found[0].score == 1


def ranked(words: Leg, near: Leg, *, floor: bool = True) -> set[int]:
    """Return the rows that a leg found near enough."""
    return {one.key[1] for one in fused(words, near, floor=floor) if (one.lexical, one.dense) != (None, None)}


def test_nothing_is_found_when_nothing_answers_but_all_may_be_judged() -> None:
    words, near = leg([1, 2], met=0.49), leg([3], met=0.49)
    assert ranked(words, near) == set()
    assert {one.key[1] for one in fused(words, near)} == ranked(words, near, floor=False) == {1, 2, 3}


def test_a_leg_that_only_proposes_finds_nothing() -> None:
    assert ranked(leg([1]), leg([1, 2], least=2.0)) == {1}
    assert ranked(leg([1], met=0.3), leg([1, 2], least=2.0)) == set()


def test_beside_an_answer_a_little_less_suffices() -> None:
    words = Leg([LegHit((0, 1), 9.0, 0.5), LegHit((0, 2), 8.0, 0.41), LegHit((0, 3), 7.0, 0.3)], 1.0, 0.5)
    assert ranked(words, NO_LEG) == {1, 2}
