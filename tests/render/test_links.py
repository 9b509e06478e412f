"""The addresses of a report's quotes."""

from report.sample import sample
from spyglass.render.links import Links


def test_a_quote_of_a_page_has_the_address_of_its_words() -> None:
    report = sample()
    links = Links(report)
    addresses = {citation.quote: links.citation(citation) for citation in report.citations}
    assert addresses["It hums at about 50 decibels when it is freezing outside."] == (
        "https://drafty.example/2019/winter"
        "#:~:text=It%20hums%20at%20about%2050%20decibels%20when%20it%20is%20freezing%20outside."
    )
    web = {reference.number for reference in report.references if reference.kind == "web"}
    assert all(("#:~:text=" in links.citation(one)) == (one.number in web) for one in report.citations)


def test_a_file_has_no_address() -> None:
    report = sample()
    files = [reference.number for reference in report.references if reference.kind == "file"]
    links = Links(report)
    assert {links.citation(one) for one in report.citations if one.number in files} == {""}


def test_a_page_of_a_paged_document_is_opened_at_that_page() -> None:
    report = sample()
    first = report.references[0].model_copy(update={"url": "https://a.example/x.pdf#old", "page": 7})
    paged = report.model_copy(update={"references": [first, *report.references[1:]]})
    assert Links(paged).citation(report.citations[0]) == "https://a.example/x.pdf#page=7"


def test_without_its_text_a_quote_has_the_address_of_its_page() -> None:
    report = sample(snapshots=[])
    assert Links(report).citation(report.citations[0]) == "https://agency.example/owners/heat-pumps"


def test_a_text_that_was_tampered_with_is_not_trusted() -> None:
    report = sample()
    texts = [one.model_copy(update={"text": one.text.upper()}) for one in report.snapshots]
    changed = report.model_copy(update={"snapshots": texts})
    assert Links(changed).citation(report.citations[0]) == "https://agency.example/owners/heat-pumps"


def test_the_sides_of_a_contradiction_have_addresses_too() -> None:
    report = sample()
    links = Links(report)
    one = report.contradictions[0]
    assert links.side(one.first).startswith("https://institute.example/papers/harrow-trial?lang=en#:~:text=Over")
    assert links.side(one.first.model_copy(update={"url": ""})) == ""
