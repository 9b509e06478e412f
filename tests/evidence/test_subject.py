"""Who does what: claims that give the deed of one to another."""

import pytest

from spyglass import support
from spyglass.evidence.facts import facts, mismatches


@pytest.mark.parametrize(
    ("claim", "span"),
    [
        ("Halden Mills acquired Osby Yarn in 1988.", "Halden Mills was acquired by Osby Yarn in 1988."),
        ("Osby Yarn bought a tenth of Halden Mills.", "In May Halden Mills bought a tenth of the shares of Osby Yarn."),
        ("Rune is a newer fork of Saga.", "Saga was released first, and Saga is a newer fork of Rune."),
        ("The guests from Rome praised the cook at length.", "The cook praised the guests from Rome at length."),
    ],
)
def test_a_deed_given_to_another_is_a_contradiction(claim: str, span: str) -> None:
    assert any(one.opposed for one in mismatches(facts(claim), facts(span)))
    assert support(claim, [span]).verdict == "contradicted"


@pytest.mark.parametrize(
    ("claim", "span"),
    [
        ("Osby Yarn acquired Halden Mills in 1988.", "Halden Mills was acquired by Osby Yarn in 1988."),
        ("In May Halden Mills bought shares of Osby Yarn.", "Halden Mills bought shares of Osby Yarn in May."),
        ("Most towns of the coast support the ferry.", "The ferry is supported in most towns of the coast."),
        ("The largest producer is Albany Salt.", "Albany Salt is the largest producer."),
        ("Lis will act as deputy governor.", "Lis, the deputy governor, will act for now as governor."),
    ],
)
def test_the_same_deed_in_another_order_is_none(claim: str, span: str) -> None:
    assert not any(one.opposed for one in mismatches(facts(claim), facts(span)))
