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


MOVED = "The factory was founded in 1921 and moved to Strand in 1954."
LINE = "The line opened on 3 May 1921 and closed on 4 June 1921."


def test_a_date_of_another_event_is_a_contradiction() -> None:
    cases = [
        ("The factory was founded in 1954.", MOVED),
        ("The factory moved to Strand in 1921.", MOVED),
        ("Founded in 1954, the factory moved to Strand in 1921.", MOVED),
        ("The treaty was signed in 1995.", "Talks began in 1995. The treaty was signed in 1998."),
        ("The mill was rebuilt in 1971.", "The mill burned in 1971. It was rebuilt in 1983."),
        ("The mill was rebuilt in 1971.", "In 1971 the mill burned, and in 1983 it was rebuilt."),
        ("The line opened on 4 June 1921.", LINE),
        ("Berg moved to Strand in 1921.", "The factory was founded in 1921 after Berg moved to Strand in 1919."),
        ("Die Fabrik wurde 1954 gegründet.", "Die Fabrik wurde 1921 gegründet und 1954 nach Strand verlegt."),
    ]
    assert [case for case in cases if verdict(*case) != "contradicted"] == []


def test_a_date_of_the_same_event_is_no_contradiction_wherever_it_stands() -> None:
    built = "The bridge was built and opened in 1921."
    cases = [
        ("The factory moved to Strand in 1954.", MOVED),
        ("Founded in 1921, the factory moved to Strand in 1954.", MOVED),
        ("The bridge was built in 1921.", built),
        ("The bridge was opened in 1921.", built),
        ("The line opened and closed in 1921.", LINE),
        ("She lived from 1921 to 1954.", "She was born in 1921 and died in 1954."),
        ("The book appeared in 1960.", "The book appeared in 1921 and was sold in 1954; it appeared again in 1960."),
        ("Die Fabrik wurde 1954 nach Strand verlegt.", "Die Fabrik wurde 1921 gegründet und 1954 nach Strand verlegt."),
    ]
    assert [case for case in cases if verdict(*case) == "contradicted"] == []
