"""Without a model a report says what the sources say, in their words."""

from collections.abc import Sequence

import pytest

from report.shelf import HONEY, WASPS, bees, plain_record, record
from report.written import text_of
from spyglass.kernel.journal import Journal
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Length
from spyglass.markup import CodeBlock
from spyglass.ranking import RankedCandidate, Ranking
from spyglass.ranking.ranker import openings
from spyglass.report.checker import Checker
from spyglass.report.composer import Composer
from spyglass.report.draft import Draft
from spyglass.report.duplicates import deduplicated
from spyglass.report.extractive import Extractor
from spyglass.report.quotable import quotable
from spyglass.report.source_index import SourceIndex
from spyglass.report.subjects import Subjects

ALL = ["S1", "S2", "S3"]


@pytest.fixture
def source_index() -> SourceIndex:
    journal = Journal()
    return SourceIndex.of(bees(journal), journal)


def text(draft: Draft | None) -> str:
    assert draft is not None
    return text_of(draft)


def quotes(index: SourceIndex, drafts: Sequence[Draft | None]) -> list[str]:
    cites = [cite for draft in drafts if draft for cite in draft.cites]
    return [index.by_label[cite.passage].verbatim(cite.start, cite.end) for cite in cites]


async def extractor(run: Run, source_index: SourceIndex, *questions: str, length: Length = "normal") -> Extractor:
    settings = run.settings.updated(report__length=length, retrieval__dense=False)
    composer = Composer(run, settings, source_index, questions[0], parts=questions)
    await composer.rank()
    return composer.extractor()


async def summary_over(run: Run, told: str, question: str) -> str:
    journal = Journal()
    source_index = SourceIndex.of([record(journal, "a.md", told)], journal)
    return text((await extractor(run, source_index, question, length="short")).summary("Summary"))


async def test_the_summary_opens_with_the_sentence_that_answers(run: Run, source_index: SourceIndex) -> None:
    summary = (await extractor(run, source_index, "How many eggs does the queen lay a day?")).summary("Summary")
    assert text(summary).startswith("The queen lays up to 2,000 eggs a day. [1]")


async def test_every_sentence_stands_so_in_its_source(run: Run, source_index: SourceIndex) -> None:
    writer = await extractor(run, source_index, "How does a colony of bees or wasps live?", length="long")
    said = quotes(source_index, [writer.summary("Summary"), writer.section("Bees", ALL)])
    assert len(said) >= 3
    assert all(quote in HONEY + WASPS + bees(Journal())[2]["summary"] for quote in said)


async def test_a_sentence_is_quoted_once_in_a_report(run: Run, source_index: SourceIndex) -> None:
    writer = await extractor(run, source_index, "How does a colony live?", length="long")
    said = quotes(
        source_index, [writer.summary("Summary"), writer.section("Colony", ALL), writer.section("Again", ALL)]
    )
    assert len(said) == len(set(said)) >= 2


async def test_two_sources_that_say_the_same_are_not_both_quoted(run: Run) -> None:
    journal = Journal()
    found = [
        record(journal, "a.md", "The queen lays up to 2,000 eggs a day.\n"),
        record(journal, "b.md", "The queen lays up to 2,000 eggs each day.\n"),
    ]
    source_index = SourceIndex.of(found, journal)
    writer = await extractor(run, source_index, "How many eggs does the queen lay?", length="long")
    assert len(quotes(source_index, [writer.summary("Summary")])) == 1


async def test_a_section_quotes_its_own_sources_only(run: Run, source_index: SourceIndex) -> None:
    section = (await extractor(run, source_index, "When does a colony of wasps die?")).section("Colony", ["S2"])
    assert section is not None
    assert {source_index.by_label[cite.passage].source.title for cite in section.cites} == {"wasps.md"}


async def test_nothing_is_quoted_that_has_nothing_to_do_with_the_question(run: Run, source_index: SourceIndex) -> None:
    writer = await extractor(run, source_index, "Who invented the telephone?")
    assert writer.summary("Summary") is None
    assert writer.section("bees.md", ALL) is None


async def test_a_row_of_a_table_is_a_list_item_of_its_own(run: Run, source_index: SourceIndex) -> None:
    asked = ("Which hive has movable frames?", "How many frames does the Dadant hive have?")
    summary = (await extractor(run, source_index, *asked)).summary("Summary")
    assert text(summary).startswith("Beekeepers keep a colony in a wooden hive with movable frames. [1]")
    assert "\n- Hive: Dadant · Frames: 12 [1]" in text(summary)


@pytest.mark.parametrize(("length", "most"), [("short", 3), ("normal", 4), ("long", 5)])
async def test_the_length_bounds_the_summary(run: Run, source_index: SourceIndex, length: Length, most: int) -> None:
    writer = await extractor(run, source_index, "bees wasps colony honey queen workers dance", length=length)
    assert 2 <= len(quotes(source_index, [writer.summary("Summary")])) <= most


async def test_what_holds_by_default_stands_in_a_section_with_what_it_is_the_default_of(run: Run) -> None:
    journal = Journal()
    told = (
        "# Signals\n\n## horn delay\n\nHow long the horn waits for an answer. Default: 240 seconds.\n\n"
        "## bell delay\n\nHow long the bell waits for an answer. Default: a third of the wait of the horn.\n"
    )
    source_index = SourceIndex.of([record(journal, "a.md", told)], journal)
    writer = await extractor(run, source_index, "What is the default wait of the horn?")
    said = text(writer.section("Waiting", ["S1"]))
    assert said.startswith("bell delay: Default: a third of the wait of the horn.")


async def test_the_length_bounds_a_section(run: Run) -> None:
    journal = Journal()
    many = " ".join(
        f"Colony number {n} near village {n * 7} of bees made {n * 13} jars in year {n}." for n in range(99)
    )
    source_index = SourceIndex.of([plain_record("many", many)], journal)
    lengths: tuple[Length, ...] = ("short", "normal", "long")
    question = "How many jars did each colony make?"
    drafts = [
        (await extractor(run, source_index, question, length=length)).section("many", ["S1"]) for length in lengths
    ]
    short, normal, long = (len(text(draft).split()) for draft in drafts)
    assert short < normal < long <= 300


async def test_hostile_sentences_are_shown_and_do_nothing(run: Run) -> None:
    journal = Journal()
    attack = (
        "The bees say <script>alert(1)</script> and ![x](https://evil.example/x.png) to [all](javascript:x) of us.\n"
    )
    source_index = SourceIndex.of([record(journal, "a.md", attack)], journal)
    summary = (await extractor(run, source_index, "What do the bees say?", length="short")).summary("S")
    assert text(summary) == "The bees say alert(1) and to all of us. [1]"


def test_of_a_table_the_rows_of_what_is_named_are_quoted() -> None:
    journal = Journal()
    table = "| Harbour | Depth |\n| --- | --- |\n| Altmere | 7 m |\n| Birkhall | 12 m |\n| Corvin | 5 m |\n"
    source_index = SourceIndex.of([record(journal, "harbours.md", table)], journal)
    ranking = Ranking(
        tuple(RankedCandidate(n, -0.3 * abs(n - 1)) for n in range(3)), 1.0, 1.0, "answered", absent=False
    )
    asked = "How deep is the harbour of Birkhall?"
    writer = Extractor(source_index, "normal", {asked: ranking})
    assert text(writer.summary("Summary")) == "- Harbour: Birkhall · Depth: 12 m [1]"
    assert writer.section("Harbours", ["S1"]) is None
    anybody = Extractor(source_index, "normal", {"How deep are the harbours?": ranking})
    assert "Corvin" in text(anybody.summary("Summary"))


def test_for_a_question_that_nothing_answers_nothing_is_quoted(source_index: SourceIndex) -> None:
    asked = ["How many eggs does the queen lay a day?", "What does a lighthouse cost?"]
    rankings = {
        asked[0]: Ranking((RankedCandidate(0, 1.0),), 1.0, 1.0, "answered", absent=False),
        asked[1]: Ranking((RankedCandidate(1, 1.0),), 0.0, 0.0, "not found", absent=True),
    }
    writer = Extractor(source_index, "normal", rankings)
    summary = writer.summary("Summary")
    assert summary is not None
    assert len(summary.cites) == 1
    assert writer.section(asked[1], ["S1", "S2"]) is None


HARBOUR = """# The harbour

Altmere lies on the western coast. It has a harbour, which Ada Lund built in 1880. Its basin is seven metres deep.

The harbour of Osthaven was built in 1912. The harbour of Norhaven was built in 1931.
"""


def ranking_of(best: int) -> Ranking:
    """Rank the statement of this number first, all others alike behind it."""
    others = tuple(RankedCandidate(number, -1.5) for number in range(5) if number != best)
    return Ranking((RankedCandidate(best, 0.0), *others), 1.0, 1.0, "answered", absent=False)


def summary_of(question: str, ranking: Ranking) -> str:
    journal = Journal()
    source_index = SourceIndex.of([record(journal, "harbour.md", HARBOUR)], journal)
    return text(Extractor(source_index, "normal", {question: ranking}).summary("Summary"))


def test_what_stands_beside_the_answer_is_quoted_with_it_and_other_paragraphs_are_not() -> None:
    assert summary_of("How deep is the basin of Altmere?", ranking_of(2)) == (
        "Its basin is seven metres deep. [1] Altmere lies on the western coast. [1] "
        "It has a harbour, which Ada Lund built in 1880. [1]"
    )


def test_where_it_is_not_sure_what_answers_another_paragraph_is_quoted() -> None:
    unsure = Ranking((RankedCandidate(0, 0.0), RankedCandidate(3, -1.5)), 1.0, 1.0, "perhaps", absent=False)
    assert "Osthaven" in summary_of("Where does Altmere lie?", unsure)


def test_the_sentence_behind_the_answer_is_quoted_with_it_unless_one_fact_is_wanted() -> None:
    only = Ranking((RankedCandidate(3, 0.0),), 1.0, 1.0, "answered", absent=False)
    two = "The harbour of Osthaven was built in 1912. [1] The harbour of Norhaven was built in 1931. [1]"
    assert summary_of("What is said of the harbour of Osthaven?", only) == two
    assert summary_of("When was the harbour of Osthaven built?", only) == two.partition(" The")[0]


def test_a_statement_about_another_thing_than_the_one_that_is_named_is_not_quoted_beside_it() -> None:
    journal = Journal()
    told = "# Bridge record {0}: Elmdale {0}\n\nThe weight limit is {0} tonnes.\n"
    shelves = [record(journal, f"bridge-{n}.txt", told.format(n), title=f"Bridge {n}") for n in (43, 7, 18)]
    asked = "What is the weight limit of bridge record 43?"
    for verdict in ("answered", "perhaps"):
        near = tuple(RankedCandidate(number, -0.1 * number) for number in range(3))
        ranking = Ranking(near, 1.0, 1.0, verdict, absent=False)
        draft = Extractor(SourceIndex.of(shelves, journal), "normal", {asked: ranking}).summary("Summary")
        assert "43 tonnes" in text(draft)
        assert "7 tonnes" not in text(draft)


def test_what_may_help_are_the_best_statement_and_the_next_best_with_what_follows_them_below_their_headings() -> None:
    journal = Journal()
    parts = (
        "# Fish\n\nThe harbour of Altmere sells herring.\n\n## Prices\n\nWhat a crate costs there is said by:\n\n"
        "```\nprice --of crate\n```\n"
    )
    harbours = HARBOUR.replace("The harbour of Osthaven", "## Elsewhere\n\nThe harbour of Osthaven")
    shelves = [record(journal, "harbour.md", harbours), record(journal, "fish.md", parts, title="Fish")]
    asked = "How deep is the basin of Altmere?"
    unsure = Ranking(
        tuple(RankedCandidate(number, -0.1 * place) for place, number in enumerate((2, 6, 0, 3))),
        1.0,
        1.0,
        "perhaps",
        absent=False,
    )
    draft = Extractor(SourceIndex.of(shelves, journal), "normal", {asked: unsure}).helping("These may help")
    assert draft is not None
    assert draft.title == "These may help"
    assert text(draft) == (
        "harbour.md › The harbour: Its basin is seven metres deep. [1] "
        "It has a harbour, which Ada Lund built in 1880. [1]\n\n"
        "Fish › Prices: What a crate costs there is said by: [2]\n\n```\nprice --of crate\n```"
    )
    nothing = Ranking((), 0.0, 0.0, "not found", absent=True)
    assert Extractor(SourceIndex.of(shelves, journal), "normal", {asked: nothing}).helping("These may help") is None


def test_a_statement_that_is_quoted_after_its_successor_is_in_brackets() -> None:
    journal = Journal()
    index = SourceIndex.of([record(journal, "harbour.md", HARBOUR)], journal)
    unsure = Ranking((RankedCandidate(2, 0.0),), 1.0, 0.5, "perhaps", absent=False)
    draft = Extractor(index, "short", {"How deep is Altmere?": unsure}, "Just before: ").helping("These may help")
    assert text(draft).startswith(
        "harbour.md › The harbour: Its basin is seven metres deep. [1] "
        "(Just before: It has a harbour, which Ada Lund built in 1880. [1]) The harbour of Osthaven"
    )


@pytest.mark.parametrize(
    ("before", "told"),
    [
        ("The director is in Augusta for a conference. Nate is in charge on both days.", True),
        ("The director is in Augusta for a conference.\n\nNate is in charge on both days.", False),
        ("The floor of the hall is new. Nate is in charge on both days.", False),
        ("The director is in Augusta for a conference. Nate is in charge, the director at a conference.", False),
    ],
)
def test_what_may_help_stands_with_the_sentence_before_it_that_has_what_it_lacks_of_the_question(
    before: str, told: bool
) -> None:
    journal = Journal()
    asked = "Who is in charge while the director is at the conference?"
    unsure = Ranking((RankedCandidate(1, 0.0),), 1.0, 0.5, "perhaps", absent=False)
    index = SourceIndex.of([record(journal, "rota.md", f"{before}\n")], journal)
    draft = Extractor(index, "short", {asked: unsure}).helping("These may help")
    assert draft is not None
    assert text(draft).startswith("rota.md: Nate is in charge")
    assert ("The director is in Augusta" in text(draft)) is told


@pytest.mark.parametrize(
    ("above", "told"),
    [
        (
            "--alarm\n\nStops every boat at the pier. It ends all visits.",
            "Stops every boat at the pier. [1] It ends all visits. [1] For example when a thief is seen. [1]",
        ),
        (
            "### What is the alarm?\n\nIt stops boats at the pier. It ends all visits.",
            "It stops boats at the pier. [1] It ends all visits. [1] For example when a thief is seen. [1]",
        ),
        ("### The alarm\n\nStops every boat at the pier. It ends all visits.", "For example when a thief is seen. [1]"),
        (
            "--alarm\n\nStops every boat at the pier." + " It ends all visits there." * 30,
            "For example when a thief is seen. [1]",
        ),
    ],
)
def test_what_may_help_opens_with_the_first_sentence_of_its_explanation(above: str, told: str) -> None:
    journal = Journal()
    manual = f"# The harbour\n\nIt is deep.\n\n{above} For example when a thief is seen."
    index = SourceIndex.of([record(journal, "manual.md", manual)], journal)
    statements = [one.text for entry in index.entries for passage in entry.passages for one in passage.statements]
    best = RankedCandidate(statements.index("For example when a thief is seen."), 0.0)
    unsure = Ranking((best,), 1.0, 1.0, "perhaps", absent=False)
    draft = Extractor(index, "short", {"What if a thief is seen?": unsure}).helping("These may help")
    assert text(draft).partition(": ")[2].partition("\n")[0] == told


def test_the_opening_precedes_a_statement_that_depends_on_it() -> None:
    journal = Journal()
    manual = "# The harbour\n\n--alarm\n\nStops every boat at the pier. This ends when the thief is found."
    index = SourceIndex.of([record(journal, "manual.md", manual)], journal)
    unsure = Ranking((RankedCandidate(1, 0.0),), 1.0, 1.0, "perhaps", absent=False)
    draft = Extractor(index, "short", {"When does it end?": unsure}).helping("These may help")
    assert text(draft).endswith(": Stops every boat at the pier. [1] This ends when the thief is found. [1]")


def test_of_the_passage_found_first_what_may_help_is_quoted_though_no_statement_there_was_ranked() -> None:
    journal = Journal()
    fish = "Fish (by Ada Lund of Altmere)\n\nHerring is sold there every morning. A crate of it costs ten crowns."
    shelves = [record(journal, "harbour.md", HARBOUR), record(journal, "fish.md", fish, title="Fish")]
    shelves[1]["passages"][0]["score"] = 2.0
    unsure = Ranking((RankedCandidate(2, 0.0),), 1.0, 1.0, "perhaps", absent=False)
    index = SourceIndex.of(shelves, journal)
    draft = Extractor(index, "short", {"How deep is the basin?": unsure}).helping("These may help")
    assert draft is not None
    assert text(draft).endswith("Fish: Herring is sold there every morning. [2] A crate of it costs ten crowns. [2]")


@pytest.mark.parametrize("asked", ["How do I get it back?", "When does it leave?"])
def test_a_step_that_may_help_beside_the_best_statement_brings_the_others_unless_a_fact_is_asked_for(
    asked: str,
) -> None:
    journal = Journal()
    steps = "1. Ask the pilot.\n2. Fasten the long line to the bow. Wait.\n3. Sail at seven in the morning.\n"
    shelves = [
        record(journal, "harbour.md", HARBOUR),
        record(journal, "towing.md", f"# Towing\n\n## Inside\n\n{steps}", title="Towing"),
    ]
    index = SourceIndex.of(shelves, journal)
    every = [one.text for entry in index.entries for passage in entry.passages for one in passage.statements]
    second = RankedCandidate(every.index("Fasten the long line to the bow."), -0.1)
    unsure = Ranking((RankedCandidate(2, 0.0), second), 1.0, 0.5, "perhaps", absent=False)
    draft = Extractor(index, "normal", {asked: unsure}).helping("These may help")
    whole = (
        "1. Ask the pilot. [2]\n2. Fasten the long line to the bow. [2] Wait. [2]\n3. Sail at seven in the morning. [2]"
    )
    assert (f"Towing › Inside:\n\n{whole}" in text(draft)) is asked.startswith("How")
    assert "Fasten the long line to the bow. [2]" in text(draft)


def test_no_place_that_may_help_opens_with_what_a_report_would_lose_for_repeating_another() -> None:
    journal = Journal()
    told = "The basin of the harbour is deep by default, or shallow where the sluice of the canal is shut at night."
    again = "The basin of the harbour is deep by default. It was dug by hand in a dry summer."
    shelves = [record(journal, "harbour.md", told), record(journal, "canal.md", again)]
    unsure = Ranking((RankedCandidate(0, 0.0), RankedCandidate(1, -0.1)), 1.0, 1.0, "perhaps", absent=False)
    for first in shelves:
        first["passages"][0]["score"] = 2.0
        draft = Extractor(SourceIndex.of(shelves, journal), "normal", {"Is it deep?": unsure}).helping("These may help")
        assert draft is not None
        assert deduplicated([draft]) == [draft]
        first["passages"][0]["score"] = 0.0


def test_a_question_that_wants_much_is_answered_from_several_paragraphs() -> None:
    assert "Osthaven" in summary_of("Describe the harbours.", ranking_of(0))
    assert "Osthaven" not in summary_of("What is the harbour?", ranking_of(0))


def test_a_sentence_that_leans_on_another_stands_beside_it() -> None:
    crowded = Ranking(
        tuple(
            RankedCandidate(number, score) for number, score in ((1, 0.0), (2, -0.1), (3, -0.1), (4, -0.1), (0, -9.0))
        ),
        1.0,
        1.0,
        "answered",
        absent=False,
    )
    assert summary_of("Who built the harbour?", crowded).startswith(
        "It has a harbour, which Ada Lund built in 1880. [1] Altmere lies on the western coast. [1]"
    )


def test_a_summary_as_the_texts_go_does_not_open_with_what_leans_on_another_sentence() -> None:
    few = Ranking((RankedCandidate(1, 0.0), RankedCandidate(4, -0.5)), 1.0, 1.0, "answered", absent=False)
    said = summary_of("Describe the harbours of the coast.", few)
    assert said.startswith("Altmere lies on the western coast. [1] It has a harbour, which Ada Lund built in 1880. [1]")


HISTORY = """# A short history of the lighthouse

## Fires on hills

The first lights were fires on hills, which priests kept. They burnt wood.

## Towers

Pharos of Alexandria was built about 280 BC. Its tower was a hundred metres high, and lighthouses are named after it.

## Lenses

In 1822 Augustin Fresnel made a lens of many rings. It gathers the light of the lighthouse.
"""


@pytest.mark.parametrize("asked", ["How did the lighthouse develop?", "history of the lighthouse"])
async def test_an_overview_is_what_each_part_of_a_document_about_just_that_begins_with(run: Run, asked: str) -> None:
    journal = Journal()
    other = record(journal, "ships.md", "# Ships\n\nA ship keeps away from the lighthouse of its harbour.\n")
    history = record(journal, "history.md", HISTORY, title="A short history of the lighthouse")
    index = SourceIndex.of([other, history], journal)
    summary = text((await extractor(run, index, asked)).summary("Summary"))
    places = [summary.index(lead) for lead in ("The first lights were", "Pharos of Alexandria was", "In 1822 Augustin")]
    assert places == sorted(places)
    assert "They burnt wood" not in summary
    assert "A ship keeps" not in summary


def test_an_answer_that_lacks_the_subject_stands_with_the_heading_that_has_it() -> None:
    journal = Journal()
    manual = "# Max readers\n\nThe default is 126, and more cost memory.\n"
    source_index = SourceIndex.of([record(journal, "settings.md", manual, title="Max readers")], journal)
    asked = "How many max readers are there?"
    ranking = Ranking((RankedCandidate(0, 0.0),), 1.0, 1.0, "answered", absent=False)
    summary = Extractor(source_index, "normal", {asked: ranking}).summary("Summary")
    assert text(summary).startswith("Max readers: The default is 126, and more cost memory. [1]")


async def test_the_code_that_a_sentence_leads_into_is_quoted_with_it(run: Run) -> None:
    text = "# Repair\n\nTo mend the index of a hive, run:\n\n```\nhive --mend index\n```\n\nThen start anew.\n"
    index = SourceIndex.of([record(run.journal, "repair.md", text)], run.journal)
    question = "How do I mend the index of a hive?"
    draft = (await extractor(run, index, question)).summary("Summary")
    assert draft is not None
    code = [sentence.text for sentence in draft.units if isinstance(sentence, CodeBlock)]
    assert code == ["hive --mend index"]
    (judged,) = [one for one in Checker(index).judged(draft).units if isinstance(one, CodeBlock)]
    assert judged.verdict is not None
    assert judged.verdict.verdict == "supported"


async def test_a_setting_is_quoted_with_what_it_does_though_its_default_stands_between(run: Run) -> None:
    text = "Keep a lamp burning at night for the boats at the pier.\nDefault: 0\n```\n#LAMP=0\n```\nCount the boats.\n"
    index = SourceIndex.of([record(run.journal, "harbour.conf", text)], run.journal)
    draft = (await extractor(run, index, "How do I keep a lamp burning at night?")).summary("Summary")
    assert draft is not None
    assert [sentence.text for sentence in draft.units if isinstance(sentence, CodeBlock)] == ["#LAMP=0"]


CRITERIA = (
    "# Guests\n\nThe harbour lets its boats to guests in summer.\n\n"
    "## Who may hire a boat\n\n- anyone who lives in a village by the sea;\n- anyone of eighteen years or more;\n"
    "- members of the club.\n\n"
    "## Who may not hire a boat\n\n- anyone who has sunk a boat before;\n- anyone with a debt at the harbour;\n"
)


def summary_ranked(told: str, question: str, *odds: tuple[int, float], sure: bool = True) -> str:
    """Return the summary that quotes a text, given the numbers and odds of the statements that rank highest."""
    journal = Journal()
    ranked = tuple(RankedCandidate(number, score) for number, score in odds)
    ranking = Ranking(ranked, 1.0, 1.0, "answered" if sure else "perhaps", absent=False)
    index = SourceIndex.of([record(journal, "a.md", told)], journal)
    return text(Extractor(index, "short", {question: ranking}).summary("Summary", sure=sure))


def test_the_list_of_which_several_items_answer_is_quoted_whole_and_in_order() -> None:
    whole = (
        "- anyone who lives in a village by the sea; [1]\n- anyone of eighteen years or more; [1]\n"
        "- members of the club. [1]"
    )
    assert summary_ranked(CRITERIA, "conditions of hiring a boat", (2, 0.0), (1, -0.3), (3, -3.0)) == whole
    assert summary_ranked(CRITERIA, "Which guests may hire a boat?", (1, 0.0), (2, -0.3)) == whole


def test_a_further_statement_stands_with_the_one_that_it_depends_on_through_another() -> None:
    told = (
        "# Fish\n\nHerring is sold at the pier.\n\n# Boats\n\nA boat may be returned only on a Sunday. It is handed "
        "over to the keeper. A letter does not count.\n"
    )
    journal = Journal()
    index = SourceIndex.of([record(journal, "a.md", told)], journal)
    ranked = (RankedCandidate(0, 0.0), RankedCandidate(3, -0.1))
    unsure = Ranking(ranked, 1.0, 1.0, "perhaps", absent=False)
    draft = Extractor(index, "normal", {"Does the keeper take a letter?": unsure}).helping("These may help")
    assert text(draft).endswith(
        "a.md › Boats: A boat may be returned only on a Sunday. [1] It is handed over to the keeper. [1] "
        "A letter does not count. [1]"
    )


def test_what_someone_says_of_himself_stands_behind_the_heading_that_says_who_it_is() -> None:
    told = (
        "# Per Holm\n\nThe pier is old and it leans.\n\n"
        "# Ada Lund\n\nThe pier is closed for now. My estimate of its cost is 12 million.\n"
    )
    said = summary_ranked(told, "What does Per Holm estimate as its cost?", (2, 0.0))
    assert said.startswith("Ada Lund: My estimate of its cost is 12 million. [1]")
    war = "# The pier\n\nThe pier had been closed by then. The pier burnt in World War I until 1916.\n"
    assert summary_ranked(war, "When did the pier burn?", (1, 0.0)) == "The pier burnt in World War I until 1916. [1]"


def test_one_item_that_answers_alone_is_quoted_without_its_list() -> None:
    answer = "- Guests: anyone of eighteen years or more; [1]"
    assert summary_ranked(CRITERIA, "How old must a guest be?", (2, 0.0)) == answer
    assert "members of the club" not in summary_ranked(CRITERIA, "age of guests", (2, 0.0), (1, -3.0))


def test_the_steps_that_rank_below_another_statement_of_their_document_are_quoted_whole() -> None:
    told = (
        "# When\n\nMoor a boat here if the pier is full of other boats.\n\n# Procedure\n\n"
        "1. Slow down.\n2. Come up against the wind that blows here. Never do so at night in winter.\n"
        "3. Moor the boat with a line from its bow.\n"
    )
    assert summary_ranked(told, "How do I moor a boat?", (0, 0.0), (1, -0.9), (3, -1.2), sure=False) == (
        "a.md › When: Moor a boat here if the pier is full of other boats. [1]\n\n1. Slow down. [1]\n"
        "2. Come up against the wind that blows here. [1] Never do so at night in winter. [1]\n"
        "3. Moor the boat with a line from its bow. [1]"
    )


def test_a_sentence_that_a_list_ends_is_quoted_with_the_list() -> None:
    told = (
        "# Rules\n\nMembers may use the crane for boats of their own if\n\n"
        "- the harbour master has agreed beforehand,\n- a second person stands by.\n"
    )
    assert summary_ranked(told, "May I use the crane for my boat?", (0, 0.0), sure=True) == (
        "- Members may use the crane for boats of their own if [1]\n\n"
        "- the harbour master has agreed beforehand, [1]\n- a second person stands by. [1]"
    )


def test_the_statement_above_the_steps_is_labelled_with_its_subject() -> None:
    told = (
        "# Commands\n\n## xmoor release\n\nThis takes the boat off the list of the harbour for good.\n\n"
        "1. Ask the owner of the boat for his consent.\n2. Type the number of the boat.\n"
    )
    assert summary_ranked(told, "How do I release a boat for good?", (0, 0.0), (2, -0.9), sure=True) == (
        "xmoor release: This takes the boat off the list of the harbour for good. [1]\n\n"
        "1. Ask the owner of the boat for his consent. [1]\n2. Type the number of the boat. [1]"
    )


def test_the_list_below_the_heading_of_the_answer_is_quoted_with_it() -> None:
    told = (
        "# xmoor\n\nIt moors boats in harbours.\n\n## Exit status\n\nIt exits with one of these:\n\n"
        "0. if all boats are moored\n"
        "123. if a boat of the harbour was lost at night\n1. if some other error occurred.\n\n"
        "Exit codes greater than 128 are used by the shell for a fatal signal.\n\n## Bugs\n\n"
        "- It has no window of its own.\n- Slow.\n"
    )
    codes = (
        r"- 0\. if all boats are moored [1]"
        "\n"
        r"- 123\. if a boat of the harbour was lost at night [1]"
        "\n"
        r"- 1\. if some other error occurred. [1]"
    )
    best = "Exit codes greater than 128 are used by the shell for a fatal signal. [1]"
    asked = "What are the exit codes of xmoor?"
    assert summary_ranked(told, asked, (5, 0.0), (3, -0.5)) == f"{codes}\n\n{best}", "as they are numbered there"
    assert summary_ranked(told, asked, (5, 0.0), (6, -0.5)).splitlines()[0] == f"xmoor: {best}"


def test_a_list_that_may_help_is_labelled_with_its_place() -> None:
    odds = (2, 0.0), (1, -0.3)
    asked = "Which guests may hire a ship?"
    assert summary_ranked(CRITERIA, asked, *odds, sure=False).startswith(
        "- a.md › Who may hire a boat: anyone who lives in a village by the sea; [1]\n- anyone of eighteen"
    )
    assert summary_ranked(CRITERIA, asked, *odds).startswith("- anyone who lives in a village by the sea; [1]\n")
    items = CRITERIA.partition("## Who may hire a boat")[2]
    told = f"# Hiring\n\n## Guests\n\nThese guests may hire a boat of the harbour:{items}"
    announced = "These guests may hire a boat of the harbour: [1]\n\n- anyone who lives in a village by the sea; [1]"
    assert summary_ranked(told, asked, (0, 0.0)).startswith(f"Guests: {announced}")
    assert summary_ranked(told, asked, (0, 0.0), sure=False).startswith(f"a.md › Guests: {announced}")


def test_steps_that_may_help_are_labelled_with_their_place() -> None:
    told = "# Rigging\n\n## Small boats\n\n1. Step the mast of the boat.\n2. Set the sail of the boat.\n"
    steps = "1. Step the mast of the boat. [1]\n2. Set the sail of the boat. [1]"
    asked = "How do I rig a boat?"
    assert summary_ranked(told, asked, (1, 0.0), sure=False) == f"a.md › Small boats:\n\n{steps}"
    assert summary_ranked(told, asked, (1, 0.0)) == steps


def test_steps_are_whole_and_in_order_for_an_overview_whose_best_statement_is_one_and_not_for_a_fact() -> None:
    lines = "1. Step the mast of the boat. It is heavy for one.\n2. Set the sail of the boat.\n3. Sail at seven.\n"
    steps = (
        "1. Step the mast of the boat. [1] It is heavy for one. [1]\n2. Set the sail of the boat. [1]\n"
        "3. Sail at seven. [1]"
    )
    told, odds = f"# Rigging\n\n## Boats\n\n{lines}", ((2, 0.0), (0, -9.0))
    assert summary_ranked(told, "Guests ask: how is a boat rigged?", *odds) == steps
    assert summary_ranked(told, "When is the sail set?", *odds) != steps


@pytest.mark.parametrize("sure", [True, False])
def test_steps_in_sentences_are_quoted_in_the_order_of_their_paragraph(sure: bool) -> None:
    asked, best = "A boat of ours is stolen. What do I do?", (2, 0.0)
    steps = "Ring the watch of the harbour.{0}Leave the berth as it is.{0}Tell the owner who lost it. Be quick."
    beside = "The insurer wants a list.\n\n## Berths\n\nThere are ten."
    told = f"# The harbour\n\nIt is deep.\n\n## Thefts\n\n{steps.format(' ')}\n\n{beside}\n"
    said = (
        "Ring the watch of the harbour. [1] Leave the berth as it is. [1] Tell the owner who lost it. [1] Be quick. [1]"
    )
    place = "" if sure else "a.md › Thefts: "
    assert summary_ranked(told, asked, best, sure=sure) == f"{place}{said}"
    assert summary_ranked(told, asked, best, (1, -0.5), sure=sure) == f"{place}{said}", "a second step ranks, too"
    found = summary_ranked(told, asked, best, (4, -0.5), sure=sure)
    assert found.startswith(f"{place}{said}")
    assert ("The insurer wants a list. [1]" in found) is sure, "another statement that serves is not lost"
    apart = told.replace(steps.format(" "), steps.format("\n\n"))
    assert (
        f"{place}{said} The insurer wants a list. [1]".split() == summary_ranked(apart, asked, best, sure=sure).split()
    )
    long = told.replace("Leave the berth", " ".join(f"Clause {n} of the insurer is long." for n in range(30)))
    assert not summary_ranked(long, asked, best, sure=sure).startswith(f"{place}Ring")
    asked = "Where do I leave the boat?"
    assert not summary_ranked(told, asked, best, sure=sure).startswith(f"{place}Ring"), "else the best one comes first"


def test_a_list_is_numbered_as_in_its_source() -> None:
    told = "# Rigging\n\nTo rig a boat:\n\n{}. Step the mast of the boat.\n{}. Set the sail of the boat.\n"
    odds = (0, 0.0), (1, -0.1)
    for numbers, shown in (((1, 2), (1, 2)), ((4, 5), (4, 5)), ((1, 1), (1, 2))):
        steps = summary_ranked(told.format(*numbers), "How do I rig a boat?", *odds)
        first, second = shown
        assert steps == f"{first}. Step the mast of the boat. [1]\n{second}. Set the sail of the boat. [1]"


def test_a_short_sentence_between_two_that_are_quoted_is_quoted_too() -> None:
    told = (
        "# Restoring\n\nA deleted category is restored from the delayed copy. Pause it first! "
        "Then the missing rows are taken from its tables.\n"
    )
    assert summary_ranked(told, "Where is a deleted category restored from?", (0, 0.0)) == (
        "A deleted category is restored from the delayed copy. [1] Pause it first! [1] "
        "Then the missing rows are taken from its tables. [1]"
    )


def test_the_short_sentence_with_which_the_paragraph_of_an_answer_ends_is_quoted_too() -> None:
    told = (
        "# Restoring\n\n- Within six hours a deleted category is in the delayed copy. Pause it first!\n"
        "- Later it is taken from the backup of the night.\n"
    )
    answer = (
        "- Within six hours a deleted category is in the delayed copy. [1] Pause it first! [1]\n"
        "- Later it is taken from the backup of the night. [1]"
    )
    assert summary_ranked(told, "Where is a deleted category?", (0, 0.0)) == answer


def test_rows_that_differ_in_their_values_are_different_statements() -> None:
    told = (
        "# Boats\n\n| Boat | Built | Length | State of the mast and of the sails |\n|---|---|---|---|\n"
        "| Ada | 1990 | 7 m | to be replaced this winter |\n| Eva | 1991 | 8 m | to be replaced this winter |\n"
    )
    assert summary_ranked(told, "Which masts are to be replaced?", (0, 0.0), (1, -0.1)).count("this winter") == 2


def test_a_question_for_which_nothing_is_left_to_quote_has_no_summary() -> None:
    ranking = Ranking((), 0.0, 0.0, "not found", absent=True)
    journal = Journal()
    index = SourceIndex.of([record(journal, "a.md", CRITERIA)], journal)
    asked = {"Which guests may hire a boat?": ranking, "hiring a boat": ranking}
    assert Extractor(index, "short", asked).summary("Summary") is None


CONFIGURED = (
    "The lamp that burns at night for the boats at the pier.\nLAMP=red\n\n"
    "Boats are turned away if there are more of them than this.\nThe default is 3. most_boats = 3\n\n"
    "Things to bring along when a boat is let to guests:\n- a rope of hemp and a new sail of canvas\n"
)


async def test_the_setting_right_below_what_it_does_is_quoted_with_it(run: Run) -> None:
    said = await summary_over(run, CONFIGURED, "What lamp burns at night for the boats?")
    assert said.startswith("The lamp that burns at night for the boats at the pier. [1]\n\n- LAMP=red [1]")


async def test_a_default_is_quoted_below_what_it_is_the_default_of(run: Run) -> None:
    said = await summary_over(run, CONFIGURED, "What is most_boats by default?")
    assert said == (
        "a.md: Boats are turned away if there are more of them than this. [1]\n\n- The default is 3. most_boats = 3 [1]"
    )


async def test_how_something_is_done_is_told_as_the_steps_of_the_source(run: Run) -> None:
    told = (
        "# Boats\n\nA boat should be moored with care.\n\n## Mooring\n\n"
        "1. Come up against the wind. Slow down in good time here.\n2. Moor the boat with a line from its bow.\n\n"
        "The harbour closes at ten in the evening.\n"
    )
    assert await summary_over(run, told, "How should I moor a boat?") == (
        "A boat should be moored with care. [1]\n\n1. Come up against the wind. [1] Slow down in good time here. [1]\n"
        "2. Moor the boat with a line from its bow. [1]"
    )


async def test_steps_of_another_subject_are_not_those_that_are_wanted(run: Run) -> None:
    told = (
        "# Boats\n\n## Mooring\n\nA boat should be moored with a line from its bow.\n\n## Fees\n\n"
        "1. A boat of six metres pays four crowns.\n2. A boat that is moored for a week pays ten crowns.\n"
    )
    assert not (await summary_over(run, told, "How should I moor a boat?")).startswith(
        "A boat should be moored with a line from its bow. [1]\n\n1."
    )


async def test_a_step_of_a_word_or_two_is_told_with_the_others(run: Run) -> None:
    told = "# Boats\n\nTo moor a boat:\n\n1. Slow down.\n2. Moor the boat with a line from its bow.\n3. Stop.\n"
    said = await summary_over(run, told, "How should I moor a boat?")
    assert said.endswith("1. Slow down. [1]\n2. Moor the boat with a line from its bow. [1]\n3. Stop. [1]")


LEAKS = """# The leak finder

## What it does

It watches every block of memory. The leak finder detects these problems in a program:

- Blocks that are never freed.
- Double frees
- Reading behind the end of a block, which is what most attacks begin with. That is slow.

A program runs ten times slower beside it.
"""


async def test_the_list_that_an_answer_leads_into_is_quoted_with_it(run: Run) -> None:
    assert await summary_over(run, LEAKS, "Which problems does the leak finder detect in a program?") == (
        "The leak finder detects these problems in a program: [1]\n\n- Blocks that are never freed. [1]\n"
        "- Double frees [1]\n- Reading behind the end of a block, which is what most attacks begin with. [1]"
    )


async def test_for_one_fact_no_list_is_quoted(run: Run) -> None:
    said = await summary_over(run, LEAKS, "How many times slower does a program run beside the leak finder?")
    assert "Double frees" not in said


AREAS = """# Harbour manual

## Areas

The harbour has areas for all kinds of boats. They are these.

### Main area

The main area holds the boats of the fishermen of the town.

### Guest area

The guest area holds whoever comes from abroad. It costs more.

## Priorities

Every boat has one.

ferry

Boats that people wait for go out of the harbour first.

rescue

Boats that rescue somebody never wait for any other boat.
"""


async def test_what_denies_a_statement_that_it_repeats_is_quoted_beside_it(run: Run) -> None:
    journal = Journal()
    plain = record(journal, "a.md", "Boats may enter the harbour of Altmere at night.\n")
    denied = record(journal, "b.md", "It is not true that Boats may enter the harbour of Altmere at night.\n")
    index = SourceIndex.of([plain, denied], journal)
    said = text((await extractor(run, index, "May boats enter the harbour of Altmere at night?")).summary("Summary"))
    assert "It is not true that" in said
    assert said.count("Boats may enter") == 2


async def test_steps_stand_beside_the_answer_to_the_other_half_of_a_question(run: Run) -> None:
    journal = Journal()
    told = (
        "# Boats\n\nThe first boat of the harbour was built in 1871.\n\n## Mooring\n\n"
        "1. Come up against the wind, and slow down.\n2. Moor the boat with a line from its bow.\n"
    )
    source_index = SourceIndex.of([record(journal, "a.md", told)], journal)
    asked = ("When was the first boat built?", "How should I moor a boat?")
    said = text((await extractor(run, source_index, *asked)).summary("Summary"))
    assert "The first boat of the harbour was built in 1871. [1]" in said
    assert said.endswith(
        "1. Come up against the wind, and slow down. [1]\n2. Moor the boat with a line from its bow. [1]"
    )


async def test_the_number_that_is_wanted_is_quoted_from_the_next_sentence(run: Run) -> None:
    told = (
        "# Tables\n\nThere is a limit on how many columns a table can contain. Depending on the types of the columns, "
        "it is between 250 and 1600. However, tables with nearly so many columns are highly unusual.\n"
    )
    assert (await summary_over(run, told, "How many columns can a table contain?")).startswith(
        "There is a limit on how many columns a table can contain. [1] "
        "Depending on the types of the columns, it is between 250 and 1600. [1]"
    )


HAILING = """# hail.conf

hail-count-max: \\<number>

How often a silent ship is hailed. If, for example, hail-interval is set to 15 and hail-count-max is left at the
default, it is given up after 45 seconds. The default value is 3.

hail-interval: \\<seconds>

Seconds after which a silent ship is hailed through the fog. It is watched from the pier. The default is 20.

-f, --fog-horn \\<note>

Sounds the horn of the pier.
"""


async def test_what_a_setting_is_by_default_is_told_from_below_its_own_name(run: Run) -> None:
    for question in ("What is the default of hail-interval?", "default hail-interval"):
        said = await summary_over(run, HAILING, question)
        assert said.startswith("hail-interval: The default is 20. [1]"), said
        assert "default value is 3" not in said
    assert "The default value is 3. [1]" in await summary_over(run, HAILING, "What is the default of hail-count-max?")


async def test_an_option_is_explained_by_what_stands_below_it(run: Run) -> None:
    said = await summary_over(run, HAILING, "What does --fog-horn do?")
    assert said.startswith("-f, --fog-horn: Sounds the horn of the pier. [1]")
    told = "# hail\n\n-p, --prompt\n\nAsks first.\n\n-P, --pilots=\\<number>\n\nRuns so many boats at once.\n"
    assert (await summary_over(run, told, "What does hail -P do?")).startswith("-P, --pilots: Runs so many")
    both = "# hail\n\n-k, --key\n\nHail by a key of the pier.\n\n-m, --merge\n\nHail those who were hailed before.\n"
    assert "Hail those" not in await summary_over(run, both, "What does hail -k do?")
    assert (await summary_over(run, HAILING, "Which option sounds the fog horn of the pier?")).startswith(
        "-f, --fog-horn: Sounds"
    )


async def test_a_directive_is_explained_by_the_sentence_that_begins_with_it_not_by_the_data_above(run: Run) -> None:
    told = (
        "# Moorings\n\n## QuayRoot\n\nSyntax: QuayRoot on|off\n\nContext: harbour config, pier, 2 berths\n\n"
        "In old harbours it was seldom set. The QuayRoot directive causes all lines to be dropped at night.\n"
    )
    assert (await summary_over(run, told, "What is QuayRoot?")).startswith("The QuayRoot directive causes all lines")


MANUAL = """# Settings

pack.limit

More packs than this are joined into one. The default value is 50.

loose.limit

More loose objects than this are packed. The default value is 6700.

pack.window

How far it looks back.
"""


async def test_a_value_is_told_of_the_setting_below_whose_name_it_stands(run: Run) -> None:
    said = await summary_over(run, MANUAL, "What is the default value of loose.limit?")
    assert said.startswith("loose.limit: The default value is 6700. [1]")


SHELL = """# The shell

It keeps a list of the lines that were typed, and options decide which.

HIST_SKIP_TWINS

Do not enter lines into the list of the history that are duplicates of the line before.

HIST_SHARE

Shells that run side by side read what the others wrote.
"""


async def test_an_option_is_named_before_what_it_does(run: Run) -> None:
    said = await summary_over(run, SHELL, "How do I keep duplicates of lines out of the history?")
    assert said.startswith("HIST_SKIP_TWINS: Do not enter lines into the list of the history that are duplicates")


async def test_a_statement_that_points_to_its_heading_stands_with_it_without_its_number(run: Run) -> None:
    told = (
        "# Manual\n\n## 3.1. sort_order\n\nThis variable decides in which order letters are listed.\n\n"
        "## 3.2. editor\n\nThis variable says which editor letters are written with.\n"
    )
    said = await summary_over(run, told, "How do I choose the editor to write letters with?")
    assert said.startswith("editor: This variable says which editor letters are written with. [1]")


async def test_what_every_page_is_headed_by_is_not_said_before_a_statement(run: Run) -> None:
    told = {
        "log": "Messages about missing pages are written at a low level, so the log lacks them.",
        "cache": "Pages that were asked for are kept in memory until they change.",
        "users": "Each user has a folder of pages.",
    }
    journal = Journal()
    pages = [
        record(journal, f"{name}.md", f"# {name.title()} – Server Version 2.4\n\n{text}") for name, text in told.items()
    ]
    asked = "Why are messages about missing pages not in the log since version 2.4?"
    index = SourceIndex.of(pages, journal)
    summary = text((await extractor(run, index, asked, length="short")).summary("Summary"))
    assert summary.startswith(told["log"])
    users = text((await extractor(run, index, "What does each have in Users?", length="short")).summary("Summary"))
    assert "Version" not in users


async def test_below_a_heading_that_asks_the_question_stands_the_answer(run: Run) -> None:
    told = (
        "# Questions\n\n## Can I attach the tool to a process that runs already?\n\n"
        "No. It has to control a process from its very first instruction.\n"
    )
    said = await summary_over(run, told, "Can I attach the tool to a process that runs already?")
    assert said == "No. It has to control a process from its very first instruction. [1]"


def test_asked_what_there_is_each_document_has_a_line(source_index: SourceIndex) -> None:
    asked = "What is in this folder?"
    ranking = openings([one.candidate for one in quotable(source_index)])
    lines = text(Extractor(source_index, "normal", {asked: ranking}).summary("Summary")).splitlines()
    assert [line.partition(":")[0] for line in lines] == [f"- {one.source.title}" for one in source_index.entries]


LEVELS = (
    "# Logging of the harbour\n\nThe logging levels of the harbour are given in the following table. "
    "A gull cannot read them.\n\n| Level | Meaning |\n| --- | --- |\n| STORM | Ships stay in. |\n"
    "| CALM | Ships may sail. |\n| FOG |\n\nThis chapter describes the logging of the harbour.\n"
)


async def test_a_table_that_a_statement_announces_is_shown_with_it(run: Run) -> None:
    found = await summary_over(run, LEVELS, "Which logging levels are there?")
    assert found.startswith(
        "The logging levels of the harbour are given in the following table. [1]\n\n| Level | Meaning |"
    )
    assert "| STORM | Ships stay in. [1] |" in found
    assert "| FOG |" in found, "a row may have fewer cells than the head"


async def test_a_row_brings_its_table_where_several_things_answer(run: Run) -> None:
    told = LEVELS.replace("are given in the following table", "were chosen by the pilots")
    found = await summary_over(run, told, "Which level means that ships stay in?")
    assert "| Level | Meaning |" in found
    assert "| CALM | Ships may sail." in found


@pytest.mark.parametrize(("levels", "rows", "is_whole"), [(3, (1, 2), True), (3, (1,), False), (7, (1, 2), False)])
def test_two_rows_that_may_help_bring_their_table_if_it_is_small(
    levels: int, rows: tuple[int, ...], is_whole: bool
) -> None:
    journal = Journal()
    table = "".join(f"| LEVEL {number} | Ships of class {number} stay in. |\n" for number in range(levels))
    told = f"# Harbour\n\n## Warnings\n\n| Level | Meaning |\n| --- | --- |\n{table}"
    index = SourceIndex.of([record(journal, "a.md", told)], journal)
    ranked = tuple(RankedCandidate(row, -0.1 * place) for place, row in enumerate(rows))
    unsure = Ranking(ranked, 1.0, 1.0, "perhaps", absent=False)
    found = text(Extractor(index, "short", {"What if such ships come?": unsure}).helping("These may help"))
    assert ("a.md › Warnings:\n\n| Level | Meaning |\n| --- | --- |\n| LEVEL 0 |" in found) is is_whole, found
    assert "LEVEL 1" in found


async def test_what_only_points_elsewhere_is_not_quoted(run: Run) -> None:
    told = "# Harbour\n\nThis chapter describes the logging of the harbour.\n\nThe harbour is logged by a pilot.\n"
    found = await summary_over(run, told, "How is the harbour logged?")
    assert found == "The harbour is logged by a pilot. [1]"


async def test_an_item_is_quoted_from_its_beginning(run: Run) -> None:
    told = (
        "# Harbours\n\nThe pilots tell apart the following two kinds of gulls.\n\n"
        "- *Grey*. These gulls nest on the northern mole every spring.\n- *White*. These gulls follow the ships.\n"
    )
    found = await summary_over(run, told, "Which kinds of gulls do the pilots tell apart?")
    assert "\n- Grey. These gulls nest on the northern mole every spring. [1]" in found
    assert "\n- White. These gulls follow the ships. [1]" in found


def test_an_item_that_has_the_answer_in_its_second_sentence_is_quoted_with_it() -> None:
    told = (
        "# Minutes\n\n- Regatta (Oct): 287 tickets, income 2,583 crowns; costs 985 crowns. Surplus about 1,598.\n"
        "- Lost property: one brown boot in the shed, 2 oars.\n- Mooring fee: 40 crowns for one of them.\n"
    )
    both = "costs 985 crowns. [1] Surplus about 1,598. [1]"
    assert summary_ranked(told, "How much profit did the regatta make?", (0, 0.0)).endswith(both)
    assert "Mooring" not in summary_ranked(told, "How many oars were lost?", (2, 0.0))


def test_a_place_without_a_name_is_not_named() -> None:
    journal = Journal()
    texts = {":": "Wasps chew wood into paper.", "a.md": "# Nests\n\nHives are made of wood."}
    statements = quotable(SourceIndex.of([record(journal, path, told) for path, told in texts.items()], journal))
    subjects = Subjects(statements)
    assert {one.statement.text: subjects.place(one) for one in statements} == {
        "Wasps chew wood into paper.": "",
        "Hives are made of wood.": "a.md › Nests: ",
    }


OLD, NEW = (
    "The pier is open from 8 in the morning to 10 at night.",
    "From May the pier is open from 8 in the morning to 6.",
)


def summary_of_dated(question: str, *documents: tuple[str, str], sure: bool = True) -> str:
    """Return the summary that quotes the first statement of documents with a date, which rank in their order."""
    journal = Journal()
    named = zip("abc", documents, strict=False)
    told = [record(journal, f"{name}.md", said) | {"published": date} for name, (date, said) in named]
    index = SourceIndex.of(told, journal)
    firsts = {statement.entry.id: statement.order for statement in reversed(quotable(index))}
    ranked = tuple(RankedCandidate(order, -place / 2) for place, order in enumerate(reversed(firsts.values())))
    ranking = Ranking(ranked, 1.0, 1.0, "answered" if sure else "perhaps", absent=False)
    return text(Extractor(index, "long", {question: ranking}).summary("Summary", sure=sure)).replace("\n\n", " ")


def test_of_two_statements_on_the_same_that_of_the_later_document_comes_first() -> None:
    asked, told = "How late is the pier open?", (("2022", OLD), ("2023-09-12", NEW))
    assert summary_of_dated(asked, *told, sure=False) == f"b.md (2023-09-12): {NEW} [1]"
    assert summary_of_dated(asked, *told) == f"b.md (2023-09-12): {NEW} [1] a.md (2022): {OLD} [2]"


def test_of_three_that_of_the_latest_document_comes_first() -> None:
    newest = "From June the pier is open from 8 in the morning to 7."
    told = (("2019", OLD), ("2021", NEW), ("2023", newest))
    assert summary_of_dated("How late is the pier open?", *told, sure=False) == f"c.md (2023): {newest} [1]"


@pytest.mark.parametrize(
    ("old", "new", "question"),
    [
        ("2022", "2022-09", "How late is the pier open?"),
        ("", "2023", "How late is the pier open?"),
        ("May 2022", "2023", "How late is the pier open?"),
        ("2022", "2023", "How late is the pier open in 2022?"),
        ("2022", "2023", "How late was the pier open?"),
        ("2022", "2023", "How late at night is the pier open?"),
    ],
)
def test_what_is_not_known_to_be_later_or_is_not_asked_for_stays_behind(old: str, new: str, question: str) -> None:
    dated = f" ({old})" if old else ""
    assert summary_of_dated(question, (old, OLD), (new, NEW), sure=False) == f"a.md{dated}: {OLD} [1]"


def test_each_document_is_labelled_with_its_date_once() -> None:
    told = [("2022", f"{OLD} Its lamps are lit at dusk."), ("2023", f"{NEW} Its lamps are lit at noon.")]
    said = summary_of_dated("How late is the pier open?", *told)
    assert said.startswith("b.md (2023): From May")
    assert [said.count(label) for label in ("b.md (2023): ", "a.md (2022): ")] == [1, 1]


@pytest.mark.parametrize(("year", "is_labelled"), [("2021", True), ("2024", False), ("", False)])
def test_documents_more_than_a_year_apart_are_labelled_with_their_dates_in_an_answer(
    year: str, is_labelled: bool
) -> None:
    told = [("2025-03", "It costs 12 pounds for half a day."), (year, "Mowers may be had for 8 crowns.")]
    said = summary_of_dated("What does the mower cost?", *told)
    assert ("a.md (2025-03): " in said) == is_labelled
    assert (f"b.md ({year}): " in said) == is_labelled


def test_a_place_has_the_date_of_its_document() -> None:
    journal = Journal()
    told = record(journal, "a.md", "# Nests\n\nHives are made of wood.") | {"published": "2024-05-31"}
    (statement,) = quotable(SourceIndex.of([told], journal))
    assert Subjects([statement]).place(statement) == "a.md › Nests (2024-05-31): "


async def test_what_a_settings_paragraph_says_stands_behind_the_settings_name(run: Run) -> None:
    told = (
        "# Pier\n\nlamp-rate\n\nThis is for windy nights. The pier turns on at most 40 lamps in a minute.\n\n"
        "tide-rate\n\nThe tide is measured 3 times an hour.\n"
    )
    found = await summary_over(run, told, "How many lamps does the pier turn on in a minute?")
    assert "lamp-rate: The pier turns on at most 40 lamps in a minute. [1]" in found


async def test_a_name_stands_before_the_first_of_two_sentences_that_belong_together(run: Run) -> None:
    told = (
        "# Pier\n\nlamp-rate\n\nAll lamps are lit at dusk by the watch. "
        "With this set to 9, the pier turns on fewer lamps.\n\n"
        "tide-rate\n\nThe tide is measured 3 times an hour.\n"
    )
    found = await summary_over(run, told, "How do I have the pier turn on fewer lamps?")
    assert found.startswith("lamp-rate: All lamps are lit at dusk by the watch. [1] With this set to 9, the pier turns")


PRICES = """# What it costs

| Type | Per month | Card |
|---|---|---|
| full | £32 | yes |
| household | £48 | yes |
| youth | £12 | yes |
| concession | £18 | no |

The prices hold until May.
"""


def helping_with(told: str, words: str, asked: str = "What does an ordinary membership cost?") -> list[str]:
    journal = Journal()
    index = SourceIndex.of([record(journal, "prices.md", told, title="Prices")], journal)
    best = next(quote.order for quote in quotable(index) if words in quote.statement.text)
    unsure = Ranking((RankedCandidate(best, 0.0),), 1.0, 0.1, "perhaps", absent=False)
    draft = Extractor(index, "short", {asked: unsure}, "Just before: ").helping("These may help")
    return [line.removeprefix("- ") for line in text(draft).split("\n") if line]


def test_a_row_that_may_help_brings_the_others_of_a_small_table() -> None:
    assert helping_with(PRICES, "household")[:4] == [
        "Prices › What it costs: Type: household · Per month: £48 · Card: yes [1]",
        "Type: full · Per month: £32 · Card: yes [1]",
        "Type: youth · Per month: £12 · Card: yes [1]",
        "Type: concession · Per month: £18 · Card: no [1]",
    ]


def test_a_row_of_a_large_table_or_next_to_another_table_stands_without_those() -> None:
    bands = "".join(f"| band {number} | £{number} | no |\n" for number in range(60))
    assert not any("full" in line for line in helping_with(PRICES.replace("| youth", f"{bands}| youth"), "household"))
    year = PRICES.replace("# What it costs\n", "## 2023").replace("£", "€")
    both = f"{year.partition('The prices')[0].rstrip()}\n## 2024{PRICES.partition('costs')[2]}".replace("\n\n|", "\n|")
    assert not any("€" in line for line in helping_with(both, "£48"))


def test_an_item_of_a_list_that_may_help_brings_what_follows_it_in_order() -> None:
    steps = [
        "Turn the red key to position 2",
        "Wait until the lamp is green.",
        "Press start for 3 s",
        "Close the lid when it is cold.",
    ]
    told = helping_with("# Start\n\n" + "".join(f"- {step}\n" for step in steps), "red key", "Where is the key?")
    assert [line.removesuffix(" [1]") for line in told] == [f"Prices › Start: {steps[0]}", *steps[1:]]


def test_a_row_that_the_next_sentence_leans_on_stands_as_what_is_just_before() -> None:
    leaning = "It is due on the first of May of each year."
    told = helping_with(PRICES.replace("\n\nThe prices hold until May.", f"\n{leaning}"), "due on")
    assert any("(Just before: Type: concession" in line for line in told)
