"""A number or a year is that of what the claim says it of, and not of another year or name in the same passage."""

from spyglass import support

TABLE = "year,beavers,territories\n1998,14,4,0\n2005,58,15,3100\n2010,121,30,21000\n"
TOWNS = "Hamburg has 1.8 million inhabitants, Berlin 3.6 million."


def verdict(claim: str, span: str) -> str:
    return support(claim, [span]).verdict


def test_a_number_of_another_year_or_month_is_a_contradiction() -> None:
    cases = [
        ("Sales rose 20 percent in 2022.", "Sales rose 20 percent in 2021, and profits rose 10 percent in 2022."),
        ("Sales rose 10 percent in 2021.", "Sales rose 20 percent in 2021, and profits rose 10 percent in 2022."),
        ("The fund returned 8% in 2019.", "The fund returned 5% in 2019 and 8% in 2020."),
        ("Output rose to 40 tonnes in March.", "Output was 20 tonnes in March and rose to 40 tonnes in April."),
        ("The valley had 121 beavers in 2005.", TABLE),
    ]
    assert [case for case in cases if verdict(*case) != "contradicted"] == []


def test_a_number_of_somebody_else_is_a_contradiction() -> None:
    assert verdict("Hamburg has 3.6 million inhabitants.", TOWNS) == "contradicted"
    assert verdict("Bo lifted 90 kg.", "Ada lifted 90 kg, and Bo lifted 70 kg.") == "contradicted"


def test_a_year_of_another_sentence_is_a_contradiction() -> None:
    flood = "The flood of 2013 did harm. In the dry year 2018 the flow rose."
    assert verdict("In the dry year 2013 the flow rose.", flood) == "contradicted"
    treaty = "Talks began in 1995. The treaty was signed in 1998."
    assert verdict("The treaty was signed in 1995.", treaty) == "contradicted"


def test_what_belongs_together_is_no_contradiction_however_it_is_ordered() -> None:
    cases = [
        ("Hamburg has 1.8 million inhabitants.", TOWNS),
        ("Berlin has 3.6 million inhabitants.", TOWNS),
        ("The fund returned 8% in 2020.", "The fund returned 5% in 2019 and 8% in 2020."),
        ("In 2019 the fund returned 5%.", "The fund returned 5% in 2019 and 8% in 2020."),
        ("Bo lifted 70 kg.", "Ada lifted 90 kg, and Bo lifted 70 kg."),
        ("The valley had 121 beavers in 2010.", TABLE),
        ("Acme sold 12 boats in Norway.", "Acme, which sold 3 boats in Iceland, sold 12 boats in Norway."),
    ]
    assert [case for case in cases if verdict(*case) == "contradicted"] == []
