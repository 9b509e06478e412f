"""Claims that say more than their source, which limits what it says."""

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
        ("Most farmers suffered damage.", "Farmers suffered damage in 2020."),
        ("Only maize fields were damaged.", "Most of the damage was to maize fields."),
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
    assert [case for case in cases if verdict(*case) not in ("partial", "contradicted", "unsupported")] == []
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
    assert [case for case in cases if verdict(*case) != "supported"] == []


def test_nine_in_ten_are_not_seventy_percent() -> None:
    assert verdict("Nine out of ten farmers agreed.", "70 percent of farmers agreed.") != "supported"
