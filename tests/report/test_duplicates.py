"""Nothing is claimed twice in a report, whoever wrote it."""

import pytest

from report.shelf import bees, record
from report.written import texts_of
from spyglass.kernel.journal import Journal
from spyglass.report.checker import Checker
from spyglass.report.draft_parser import read
from spyglass.report.duplicates import deduplicated
from spyglass.report.source_index import SourceIndex


@pytest.fixture(scope="module")
def source_index() -> SourceIndex:
    journal = Journal()
    return SourceIndex.of(bees(journal), journal)


def shown(source_index: SourceIndex, *texts: str) -> list[str]:
    """Return the sections of drafts with these texts, judged, as a report has them."""
    checker = Checker(source_index)
    drafts = deduplicated([checker.judged(read(f"T{n}", text, source_index.passages)) for n, text in enumerate(texts)])
    return texts_of(drafts)


DANCE = "Foragers tell the others where the flowers are by a waggle dance [S1]."


def test_the_words_of_a_claim_stand_in_one_section(source_index: SourceIndex) -> None:
    again = "By a waggle dance the foragers tell others where flowers are [S1]. Wasps chew wood into paper [S2]."
    assert shown(source_index, DANCE, again) == [
        "Foragers tell the others where the flowers are by a waggle dance [1].",
        "Wasps chew wood into paper [2].",
    ]


def test_one_span_is_not_told_in_two_sections_or_bullets_in_other_words(source_index: SourceIndex) -> None:
    first, other = shown(
        source_index, DANCE, "A waggle dance shows where nectar is [S1]. The queen lays 2,000 eggs [S1]."
    )
    assert first.startswith("Foragers")
    assert other == "The queen lays 2,000 eggs [1]."
    (bullets,) = shown(source_index, f"- {DANCE}\n- A waggle dance shows where nectar is [S1].\n- Workers forage [S1].")
    assert [line[:8] for line in bullets.splitlines()] == ["- Forage", "- Worker"]


def test_two_steps_that_one_sentence_of_the_source_tells_both_stay() -> None:
    journal = Journal()
    text = "Please put the certificate files as single files into /usr/local/share/certs and run 'update-certs'.\n"
    index = SourceIndex.of([record(journal, "certs.md", text)], journal)
    steps = "1. Put the certificate files into /usr/local/share/certs [S1].\n2. Run 'update-certs' [S1]."
    (listed,) = shown(index, steps)
    assert [line[:6] for line in listed.splitlines()] == ["1. Put", "2. Run"]
    (once,) = shown(index, f"{steps}\n3. Put the certificate files as single files there [S1].")
    assert len(once.splitlines()) == 2


def test_a_label_before_what_is_cited_and_a_colon_behind_it_make_it_nothing_new(source_index: SourceIndex) -> None:
    labelled = "Bees: Foragers tell the others where the flowers are by a waggle dance [S1]."
    assert shown(source_index, DANCE, labelled)[1] == ""
    opens = "It can also be shown by a dance of the foragers, as follows: [S1]"
    assert shown(source_index, opens, opens)[1] == ""


def test_a_section_that_says_nothing_new_is_empty(source_index: SourceIndex) -> None:
    assert shown(source_index, DANCE, f"### Dance\n\n- {DANCE}\n")[1] == ""


def test_what_may_add_or_disagree_stays(source_index: SourceIndex) -> None:
    claims = (
        "The queen lays up to 2,000 eggs a day [S1].",
        "The queen lays up to 3,000 eggs a day [S1].",
        "The queen never lays up to 2,000 eggs a day [S1].",
        "The queen of Ligurian bees lays up to 2,000 eggs a day [S1].",
        "| Hive | Frames |\n| --- | --- |\n| Langstroth | 10 [S3] |\n| Dadant | 12 [S3] |",
    )
    left = shown(source_index, *claims)
    assert [text.count("[") for text in left] == [1, 1, 1, 1, 2]


def test_a_numbered_list_that_loses_a_step_has_bullets(source_index: SourceIndex) -> None:
    steps = f"1. {DANCE}\n2. The queen lays up to 2,000 eggs a day [S1].\n3. Wasps chew wood into paper [S2]."
    assert shown(source_index, "Bees fly [S1].", steps)[1].startswith("1. ")
    assert shown(source_index, DANCE, steps)[1].splitlines() == [
        "- The queen lays up to 2,000 eggs a day [1].",
        "- Wasps chew wood into paper [2].",
    ]
