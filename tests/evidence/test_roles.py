"""Who does what to whom: claims that have the words of their source in the place of one another."""

import pytest

from spyglass import support
from spyglass.evidence.facts import facts, mismatches

TABLE = "year,beavers,territories\n1998,14,4,0\n2005,58,15,3100\n2010,121,30,21000\n"


def opposed(claim: str, span: str) -> bool:
    return any(one.opposed for one in mismatches(facts(claim), facts(span)))


def test_a_number_in_the_place_of_another_is_a_contradiction() -> None:
    cases = [
        ("Nitrate fell from 5.1 mg/l to 8.4 mg/l after 2005.", "Nitrate fell from 8.4 mg/l to 5.1 mg/l after 2005."),
        ("The fire killed 12 people and injured 30.", "The fire killed 30 people and injured 12."),
        ("Die Preise stiegen von 5 auf 3 Euro.", "Die Preise stiegen von 3 auf 5 Euro."),
        ("The lake is 45 metres deep.", "The lake is 45 metres wide."),
    ]
    assert [case for case in cases if not opposed(*case)] == []


def test_numbers_that_are_moved_with_what_they_count_agree() -> None:
    cases = [
        ("To 5 euros from 3 euros rose the price.", "The price rose from 3 euros to 5 euros."),
        (
            "Between 2005 and 2020 prices rose from 3 to 5 euros.",
            "Prices rose from 3 to 5 euros between 2005 and 2020.",
        ),
        ("Injuries: 30; deaths: 12 in the fire.", "The fire killed 12 people and injured 30."),
        ("The valley had 58 beavers in 2005.", TABLE),
        ("The valley had 58 beavers in 2005.", TABLE.replace(",", ";")),
        ("The tower is 45 metres tall.", "The tower is 45 metres high."),
    ]
    assert [case for case in cases if mismatches(*map(facts, case))] == []


def test_two_things_that_change_places_are_a_contradiction() -> None:
    cases = [
        ("Germany exported 4 million cars to France.", "France exported 4 million cars to Germany."),
        ("Farmers pay the agency 70 percent of the cost.", "The agency pays farmers 70 percent of the cost."),
        ("Gold is heavier than lead.", "Lead is heavier than gold."),
        ("Anna Kern succeeded Paul Lahm as director.", "Paul Lahm succeeded Anna Kern as director."),
        ("Die Stadt zahlt dem Land 3 Millionen Euro.", "Das Land zahlt der Stadt 3 Millionen Euro."),
        (
            "The state pays the rest, and the cities pay the fees.",
            "The state pays the fees, and the cities pay the rest.",
        ),
        (
            "The minister rejected the proposal after the committee approved it.",
            "The committee rejected the proposal after the minister approved it.",
        ),
    ]
    assert [case for case in cases if support(case[0], [case[1]]).verdict != "contradicted"] == []


def test_the_sides_of_a_comparison_that_change_places_are_a_contradiction() -> None:
    cases = [
        ("The old stove uses less fuel than the new stove.", "The new stove uses less fuel than the old stove."),
        ("The blue one is louder than the red one.", "The red pump is louder than the blue pump."),
        ("Dogs sleep longer than cats.", "Cats sleep longer than dogs."),
        ("More people died in 1954 than in 1921.", "More people died in 1921 than in 1954."),
    ]
    assert [case for case in cases if support(case[0], [case[1]]).verdict != "contradicted"] == []


def test_a_comparison_put_in_another_order_is_none() -> None:
    cases = [
        ("The red pump is louder than the blue one.", "The red pump is louder than the blue pump."),
        ("Than dogs, cats sleep longer.", "Cats sleep longer than dogs."),
        ("Cats sleep longer than dogs.", "Compared with dogs, cats sleep longer."),
    ]
    assert [case for case in cases if opposed(*case)] == []


def test_another_order_that_says_the_same_is_none() -> None:
    cases = [
        ("Apple was sued by Microsoft over patents.", "Microsoft sued Apple over patents."),
        ("Den Hund beißt der Mann im Park.", "Der Mann beißt den Hund im Park."),
        ("Apple, Google and Microsoft sued.", "Microsoft, Google and Apple sued."),
        ("In Bavaria beavers build dams.", "Beavers build dams in Bavaria."),
        ("France borders Germany.", "Germany borders France."),
        ("Tom, director of Acme, resigned.", "Acme director Tom resigned."),
        ("If no seat is free, guests wait.", "Guests wait for a free seat."),
    ]
    assert [case for case in cases if opposed(*case)] == []


def test_a_wider_window_that_counts_something_else_does_not_speak_against_a_claim() -> None:
    text = (
        "# Der Biber im Velmertal\n\nIm April 1998 wurden 14 Biber aus Bayern bei Orsa ausgesetzt. "
        "Im Jahr 2021 lebten im Velmertal 212 Tiere in 47 Revieren."
    )
    assert support("Im Velmertal gab es 2021 rund 212 Biber.", [text]).verdict == "unsettled"


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
