"""Without a model a report says what the sources say, in their words."""

from collections.abc import Sequence

import pytest

from report.shelf import HONEY, WASPS, bees, plain_record, record
from spyglass.answer import Ranked, Ranking
from spyglass.answer.ranker import openings
from spyglass.journal import Journal
from spyglass.report.catalogue import Catalogue
from spyglass.report.draft import Draft, Numbering
from spyglass.report.extractive import Extractor
from spyglass.report.quotable import quotable
from spyglass.settings import Length

ALL = ["S1", "S2", "S3"]


@pytest.fixture
def catalogue() -> Catalogue:
    journal = Journal()
    return Catalogue.of(bees(journal), journal)


def text(draft: Draft | None) -> str:
    assert draft is not None
    return Numbering().sections([draft])[0].text


def quotes(drafts: Sequence[Draft | None]) -> list[str]:
    return [cite.passage.verbatim(cite.start, cite.end) for draft in drafts if draft for cite in draft.cites]


def test_the_summary_opens_with_the_sentence_that_answers(catalogue: Catalogue) -> None:
    summary = Extractor(catalogue, ["How many eggs does the queen lay a day?"], "normal").summary("Summary")
    assert text(summary).startswith("The queen lays up to 2,000 eggs a day. [1]")


def test_every_sentence_stands_so_in_its_source(catalogue: Catalogue) -> None:
    extractor = Extractor(catalogue, ["How does a colony of bees or wasps live?"], "long")
    drafts = [extractor.summary("Summary"), extractor.section("Bees", ALL)]
    said = quotes(drafts)
    assert len(said) >= 3
    assert all(quote in HONEY + WASPS + bees(Journal())[2]["summary"] for quote in said)


def test_a_sentence_is_quoted_once_in_a_report(catalogue: Catalogue) -> None:
    extractor = Extractor(catalogue, ["How does a colony live?"], "long")
    said = quotes([extractor.summary("Summary"), extractor.section("Colony", ALL), extractor.section("Again", ALL)])
    assert len(said) == len(set(said))


def test_two_sources_that_say_the_same_are_not_both_quoted() -> None:
    journal = Journal()
    found = [
        record(journal, "a.md", "The queen lays up to 2,000 eggs a day.\n"),
        record(journal, "b.md", "The queen lays up to 2,000 eggs each day.\n"),
    ]
    summary = Extractor(Catalogue.of(found, journal), ["How many eggs does the queen lay?"], "long").summary("Summary")
    assert len(quotes([summary])) == 1


def test_a_section_quotes_its_own_sources_only(catalogue: Catalogue) -> None:
    section = Extractor(catalogue, ["How does a colony live?"], "long").section("Colony", ["S2"])
    assert section is not None
    assert {cite.passage.source.title for cite in section.cites} == {"wasps.md"}


def test_nothing_is_quoted_that_shares_no_word_with_the_question(catalogue: Catalogue) -> None:
    extractor = Extractor(catalogue, ["Who invented the telephone?"], "normal")
    assert extractor.summary("Summary") is None
    assert extractor.section("bees.md", ALL) is None


def test_a_row_of_a_table_is_a_list_item_of_its_own(catalogue: Catalogue) -> None:
    summary = Extractor(catalogue, ["Which hive has movable frames, and what about Dadant?"], "long").summary("Summary")
    assert text(summary) == (
        "Beekeepers keep a colony in a wooden hive with movable frames. [1]\n\n- Hive: Dadant · Frames: 12 [1]"
    )


@pytest.mark.parametrize(("length", "most"), [("short", 3), ("normal", 4), ("long", 5)])
def test_the_length_bounds_the_summary(catalogue: Catalogue, length: Length, most: int) -> None:
    extractor = Extractor(catalogue, ["bees wasps colony honey queen workers dance"], length)
    assert len(quotes([extractor.summary("Summary")])) <= most


def test_the_length_bounds_a_section() -> None:
    journal = Journal()
    many = " ".join(
        f"Colony number {n} near village {n * 7} of bees made {n * 13} jars in year {n}." for n in range(99)
    )
    catalogue = Catalogue.of([plain_record("many", many)], journal)
    lengths: tuple[Length, ...] = ("short", "normal", "long")
    question = "How many jars did each colony make?"
    drafts = [Extractor(catalogue, [question], length).section("many", ["S1"]) for length in lengths]
    short, normal, long = (len(text(draft).split()) for draft in drafts)
    assert short < normal < long <= 300


def test_hostile_sentences_are_shown_and_do_nothing() -> None:
    journal = Journal()
    attack = (
        "The bees say <script>alert(1)</script> and ![x](https://evil.example/x.png) to [all](javascript:x) of us.\n"
    )
    summary = Extractor(
        Catalogue.of([record(journal, "a.md", attack)], journal), ["What do the bees say?"], "short"
    ).summary("S")
    assert text(summary) == "The bees say alert(1) and to all of us. [1]"


def test_for_a_question_that_nothing_answers_nothing_is_quoted(catalogue: Catalogue) -> None:
    asked = ["How many eggs does the queen lay a day?", "What does a lighthouse cost?"]
    rankings = {
        asked[0]: Ranking((Ranked(0, 1.0),), 1.0, 1.0, "answered", absent=False),
        asked[1]: Ranking((Ranked(1, 1.0),), 0.0, 0.0, "not found", absent=True),
    }
    extractor = Extractor(catalogue, asked, "normal", rankings)
    summary = extractor.summary("Summary")
    assert summary is not None
    assert len(summary.cites) == 1
    assert extractor.section(asked[1], ["S1", "S2"]) is None


HARBOUR = """# The harbour

Altmere lies on the western coast. It has a harbour, which Ada Lund built in 1880. Its basin is seven metres deep.

The harbour of Osthaven was built in 1912. The harbour of Norhaven was built in 1931.
"""


def ranking_of(best: int, *, sure: bool = True) -> Ranking:
    """Rank the statement of this number first, all others alike behind it."""
    others = tuple(Ranked(number, -1.5) for number in range(5) if number != best)
    return Ranking((Ranked(best, 0.0), *others), 1.0, 1.0, "answered" if sure else "perhaps", absent=False)


def summary_of(question: str, ranking: Ranking) -> str:
    journal = Journal()
    catalogue = Catalogue.of([record(journal, "harbour.md", HARBOUR)], journal)
    return text(Extractor(catalogue, [question], "normal", {question: ranking}).summary("Summary"))


def test_what_stands_beside_the_answer_is_quoted_with_it_and_other_paragraphs_are_not() -> None:
    assert summary_of("How deep is the basin of Altmere?", ranking_of(2)) == (
        "Its basin is seven metres deep. [1] Altmere lies on the western coast. [1] "
        "It has a harbour, which Ada Lund built in 1880. [1]"
    )


def test_where_it_is_not_sure_what_answers_every_paragraph_is_quoted() -> None:
    assert "Osthaven" in summary_of("How deep is the basin of Altmere?", ranking_of(2, sure=False))


def test_a_question_that_wants_much_is_answered_from_several_paragraphs() -> None:
    assert "Osthaven" in summary_of("Describe the harbours.", ranking_of(0))
    assert "Osthaven" not in summary_of("What is the harbour?", ranking_of(0))


def test_a_sentence_that_leans_on_another_stands_beside_it() -> None:
    crowded = Ranking(
        tuple(Ranked(number, score) for number, score in ((1, 0.0), (2, -0.1), (3, -0.1), (4, -0.1), (0, -9.0))),
        1.0,
        1.0,
        "answered",
        absent=False,
    )
    assert summary_of("Who built the harbour?", crowded).startswith(
        "It has a harbour, which Ada Lund built in 1880. [1] Altmere lies on the western coast. [1]"
    )


def test_an_answer_that_lacks_the_subject_stands_with_the_heading_that_has_it() -> None:
    journal = Journal()
    manual = "# Max readers\n\nThe default is 126, and more cost memory.\n"
    catalogue = Catalogue.of([record(journal, "settings.md", manual, title="Max readers")], journal)
    asked = "How many max readers are there?"
    ranking = Ranking((Ranked(0, 0.0),), 1.0, 1.0, "answered", absent=False)
    summary = Extractor(catalogue, [asked], "normal", {asked: ranking}).summary("Summary")
    assert text(summary).startswith("Max readers: The default is 126, and more cost memory. [1]")


def test_asked_what_there_is_each_document_has_a_line(catalogue: Catalogue) -> None:
    asked = "What is in this folder?"
    ranking = openings([one.candidate for one in quotable(catalogue)])
    lines = text(Extractor(catalogue, [asked], "normal", {asked: ranking}).summary("Summary")).splitlines()
    assert [line.partition(":")[0] for line in lines] == [f"- {one.source.title}" for one in catalogue.entries]
