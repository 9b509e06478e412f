"""Quoted statements look as they do in their source: sentences in paragraphs, items in lists."""

from report.shelf import record
from report.written import text_of
from spyglass.kernel.journal import Journal
from spyglass.report.draft import Draft
from spyglass.report.quotable import quotable
from spyglass.report.quoted_blocks import as_blocks
from spyglass.report.source_index import SourceIndex


def blocks(told: str) -> str:
    journal = Journal()
    index = SourceIndex.of([record(journal, "a.md", told)], journal)
    return text_of(Draft(title="Crew", blocks=as_blocks(quotable(index)), quoted=True))


def test_items_stay_items_and_what_goes_on_in_one_stays_with_it() -> None:
    told = (
        "The crew has two members.\n\n- Ada Lund keeps the boats of the harbour. She has done so since 1990.\n"
        "2. Per Holm keeps the lamps of the harbour.\n\nThe crew meets on each of the Mondays.\n"
    )
    assert blocks(told) == (
        "The crew has two members. [1]\n\n- Ada Lund keeps the boats of the harbour. [1] "
        "She has done so since 1990. [1]\n- Per Holm keeps the lamps of the harbour. [1]\n\n"
        "The crew meets on each of the Mondays. [1]"
    )


def test_a_task_is_an_item_and_so_is_one_behind_a_bullet_of_another_kind() -> None:
    told = (
        "- [x] Call the harbour about lamps.\n- [ ] Call Ada Lund about the boats.\n• Pay the harbour its fee soon.\n"
    )
    assert blocks(told).splitlines() == [
        "- Call the harbour about lamps. [1]",
        "- Call Ada Lund about the boats. [1]",
        "- Pay the harbour its fee soon. [1]",
    ]


def test_a_sentence_behind_a_year_is_no_item() -> None:
    assert not blocks("The harbour of the town was built in\n1880. Its basin is seven metres deep.\n").startswith("-")
    assert blocks("The harbour was built in 1880. Its basin is seven metres deep.\n") == (
        "The harbour was built in 1880. [1] Its basin is seven metres deep. [1]"
    )
