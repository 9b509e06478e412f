"""Claims that say more than their source, or are surer, and the words that somebody else said."""

import pytest

from spyglass import support
from spyglass.evidence.facts import facts, mismatches


def verdict(claim: str, span: str) -> str:
    return support(claim, [span]).verdict


def test_a_claim_that_leaves_out_a_limit_is_not_supported() -> None:
    cases = [
        ("Foresters welcome the beaver.", "Some foresters welcome the beaver, others do not."),
        ("Förster begrüßen den Biber.", "Einige Förster begrüßen den Biber."),
        ("Alle Schäden entstanden an Maisfeldern.", "Die meisten Schäden entstanden an Maisfeldern."),
        ("Every dam held.", "Most dams held."),
        ("Only maize fields were damaged.", "Most of the damage was to maize fields."),
        ("Most farmers suffered damage.", "Farmers suffered damage in 2020."),
        ("Beavers always build dams.", "Beavers often build dams."),
        ("Dams block trout.", "Beaver dams may block trout in dry years."),
        ("Die Dämme blockieren Forellen.", "Die Dämme könnten Forellen blockieren."),
        ("The mine polluted the river.", "The minister denied that the mine polluted the river."),
        ("The law is constitutional.", "The government argued before the court that the law is constitutional."),
        ("The mayor resigned.", "The mayor refused to resign."),
        ("Coffee lowers the risk of disease.", "Coffee was associated with a lower risk of disease."),
        ("Der Rückgang entstand wegen der Dämme.", "Der Rückgang entstand im Gebiet der Dämme."),
        ("Farmers reported damage of 48,000 euros a year.", "Farmers reported damage of 48,000 euros in 2020."),
    ]
    assert [case for case in cases if verdict(*case) == "supported"] == []
    assert [case for case in cases if not mismatches(*map(facts, case))] == []


def test_a_limit_that_a_claim_has_in_its_own_words_is_there() -> None:
    cases = [
        ("Some foresters welcome the beaver.", "Some foresters welcome the beaver, others do not."),
        ("Dams could block trout.", "Beaver dams may block trout in dry years."),
        ("According to the government the law is valid.", "The government argued that the law is valid."),
        ("Coffee is linked to a lower risk of disease.", "Coffee was associated with a lower risk of disease."),
        ("The flood was caused by rain.", "Rain led to the flood."),
        ("Most damage was to maize.", "The majority of the damage was to maize."),
        ("All patients recovered.", "Every patient recovered."),
        ("Farmers lose 4,000 euros a year.", "Farmers lose 4,000 euros annually."),
    ]
    assert [case for case in cases if mismatches(*map(facts, case))] == []


def test_none_for_some_and_the_other_way_round_is_a_contradiction() -> None:
    cases = [
        ("Biber fressen Fische.", "Biber fressen keine Fische."),
        ("Biber fressen keine Fische.", "Biber fressen Fische."),
        ("Biber fressen Fische.", "Biber fressen nie Fische."),
        ("Biber fressen nur Fische.", "Biber fressen keine Fische."),
        ("Keine Schäden entstanden an Maisfeldern.", "Die meisten Schäden entstanden an Maisfeldern."),
        ("No foresters welcome the beaver.", "Some foresters welcome the beaver, others do not."),
        ("Patients without diabetes improved.", "Patients with diabetes improved."),
        ("The company denied the allegations.", "The company confirmed the allegations."),
        ("The treatment worked in humans.", "The treatment worked in mice."),
        ("Beavers eat bark and fish.", "Beavers eat bark and twigs. They do not eat fish."),
    ]
    assert [case for case in cases if verdict(*case) != "contradicted"] == []


def test_the_same_number_in_another_form_is_found() -> None:
    cases = [
        ("The bridge spans about 2 km.", "The bridge is 2,000 metres long."),
        ("Four in five farmers agreed.", "80 percent of farmers agreed."),
        ("Vier von fünf Bürgern stimmten zu.", "80 Prozent der Bürger stimmten zu."),
        ("About a fifth of farmers agreed.", "22 percent of farmers agreed."),
        ("The lake lies 1,200 m above sea level.", "The lake is situated at an altitude of 1.2 kilometres."),
    ]
    assert [case for case in cases if verdict(*case) not in ("supported", "unsettled")] == []


def test_nine_in_ten_are_not_seventy_percent() -> None:
    assert verdict("Nine out of ten farmers agreed.", "70 percent of farmers agreed.") != "supported"


def test_more_certainty_than_the_source_has_is_not_supported() -> None:
    cases = [
        ("Tenants must keep a copy of the lease.", "Tenants may keep a copy of the lease."),
        ("The fund always pays in June.", "The fund can pay in June."),
        ("Every pupil learned to swim.", "Pupils learned to swim."),
        ("It is the largest quarry in the valley.", "It is a quarry in the valley."),
        ("It is the most popular beach of the island.", "It is a popular beach of the island."),
        ("The ferry crosses the fjord in the autumn of 2031.", "The ferry is expected to cross the fjord in 2031."),
        ("The line reopened in 2031.", "The council plans that the line will have reopened in 2031."),
    ]
    assert [case for case in cases if not mismatches(*map(facts, case))] == []
    assert [case for case in cases if support(case[0], [case[1]]).verdict == "supported"] == []


def test_as_much_certainty_in_other_words_is_fine() -> None:
    cases = [
        ("Tenants must keep a copy of the lease.", "Tenants are required to keep a copy of the lease."),
        ("All pupils learned to swim.", "Each of the pupils learned to swim."),
        ("Their most recent win was in 1973.", "They last won in 1973."),
        ("At most four cars fit on the ferry.", "Up to four cars fit on the ferry."),
        ("The ferry will cross the fjord in 2031.", "The ferry is expected to cross the fjord in 2031."),
    ]
    assert [case for case in cases if mismatches(*map(facts, case))] == []


@pytest.mark.parametrize("period", ["month", "day"])
def test_what_is_paid_a_year_is_not_paid_in_each_other_period(period: str) -> None:
    verdict = support(f"Members pay 40 euros a {period}.", ["Members pay 40 euros a year."])
    assert verdict.verdict == "contradicted"


def test_words_that_somebody_else_said_are_a_contradiction() -> None:
    span = 'Mayor Ines Duarte left early. "There was no money left for the bridge," Paul Ibsen told the council.'
    claim = '"There was no money left for the bridge," said {}.'
    assert support(claim.format("Paul Ibsen"), [span]).verdict == "supported"
    assert support(claim.format("Ines Duarte"), [span]).verdict == "contradicted"


def test_a_phrase_of_which_no_source_has_a_word_leaves_a_claim_partly_supported() -> None:
    span = "The mill closed in 1931. It was opened again as a museum by the town in 1978."
    verdict = support("The mill closed in 1931, because imported flour had become cheaper.", [span])
    assert verdict.verdict == "partial"
    assert any("imported flour" in str(reason) for reason in verdict.reasons)


def test_few_for_most_and_all_for_some_is_a_contradiction() -> None:
    for claim, span in {
        "Few members voted for the plan.": "Most members voted for the plan.",
        "All samples were contaminated.": "Some samples were contaminated.",
        "A majority opposed the bill.": "A minority opposed the bill.",
    }.items():
        assert verdict(claim, span) == "contradicted", claim
