"""A report that is not sure of an answer names the places that come nearest to the question."""

from dataclasses import replace

from report.shelf import HIVES, HONEY, WASPS, record
from spyglass.kernel.journal import Journal
from spyglass.ranking import RankedCandidate, Ranking
from spyglass.ranking.ranker import NOTHING
from spyglass.report.near import BEFORE, MOST, ROOM, nearest
from spyglass.report.quotable import Quotable, quotable
from spyglass.report.report import Near
from spyglass.report.source_index import SourceIndex


def source_index(*texts: str) -> SourceIndex:
    journal = Journal()
    return SourceIndex.of([record(journal, f"{number}.md", text) for number, text in enumerate(texts)], journal)


def ranking(candidates: list[Quotable], *best: str) -> Ranking:
    """Return a ranking of the statements with these words, the first one best."""
    numbers = [next(one.order for one in candidates if words in one.statement.text) for words in best]
    ranked = tuple(RankedCandidate(number, -float(place)) for place, number in enumerate(numbers))
    return Ranking(ranked, 0.0, 0.0, "not found", absent=False)


def shown(index: SourceIndex, near: list[Near]) -> list[str]:
    entries = {entry.source.id: entry for entry in index.entries}
    return [entries[one.source_id].passages[one.passage].verbatim(one.start, one.end) for one in near]


def test_the_place_that_ranks_highest_comes_first_then_those_that_the_search_found_first() -> None:
    index = source_index(HONEY, WASPS, HIVES)
    candidates = quotable(index)
    ranked = [ranking(candidates, "chew wood", "20 kilograms")]
    told = shown(index, nearest("How long do workers live?", ranked, candidates, cited=[]))
    assert told[0] == WASPS.removeprefix("# Wasps\n\n").rstrip()
    assert told[1].startswith("A honey bee colony holds about 50,000 workers in summer. Workers live for six weeks")
    assert told[2].startswith("Beekeepers keep a colony")


def test_what_models_have_read_comes_in_their_order_and_in_turns_of_the_questions() -> None:
    index = source_index(HONEY, WASPS, HIVES)
    candidates = quotable(index)
    numbers = {
        words: ranking(candidates, words).ranked[0].number for words in ("Workers live", "chew wood", "Beekeepers")
    }
    bees, wasps, hives = numbers.values()
    one = replace(ranking(candidates, "chew wood"), nearest=(wasps, hives))
    other = replace(ranking(candidates, "Workers live"), nearest=(bees, wasps))
    told = shown(index, nearest("Queens?", [one, other], candidates, cited=[]))
    assert [[words in text for words in numbers] for text in told] == [
        [False, True, False],
        [True, False, False],
        [False, False, True],
    ]


def test_beside_what_models_find_nearly_as_good_nothing_is_shown() -> None:
    candidates = quotable(index := source_index(HONEY, WASPS, HIVES))
    wasps = ranking(candidates, "chew wood")
    read = replace(wasps, nearest=(wasps.ranked[0].number,))
    assert len(nearest("Queens?", [wasps], candidates, cited=[])) == MOST
    (told,) = shown(index, nearest("Queens?", [read], candidates, cited=[]))
    assert "chew wood" in told


def test_a_place_is_shown_with_what_follows_there() -> None:
    index = source_index(HIVES)
    candidates = quotable(index)
    (told,) = shown(index, nearest("Hives?", [ranking(candidates, "Beekeepers keep")], candidates, cited=[]))
    assert told.startswith("Beekeepers keep a colony in a wooden hive with movable frames. A strong colony gives")


def test_a_place_is_shown_from_the_first_step_of_its_list_if_there_is_room() -> None:
    steps = "".join(f"{n}. Then take the mooring line of the boat number {n} in.\n" for n in range(1, 7))
    for above, first in (
        ("", "Then take the mooring line of the boat number 1"),
        ("Boats are moored thus. " * 9, None),
    ):
        index = source_index(f"# Boats\n\n## Mooring\n\n{above}\n\n{steps}")
        candidates = quotable(index)
        (told,) = shown(index, nearest("Moor?", [ranking(candidates, "number 6")], candidates, cited=[]))
        assert told.startswith(first or "Then take the mooring line of the boat number 3")


def test_a_place_is_named_once_and_not_where_it_is_cited() -> None:
    index = source_index(HONEY, WASPS)
    candidates = quotable(index)
    ranked = [ranking(candidates, "Foragers tell", "The queen"), ranking(candidates, "chew wood")]
    told = shown(index, nearest("Wasps?", ranked, candidates, cited=[]))
    assert [("Foragers tell" in text, "chew wood" in text) for text in told] == [(True, False), (False, True)]
    wasps = next(one for one in candidates if "chew wood" in one.statement.text).passage.label
    (told_without,) = shown(index, nearest("Wasps?", ranked, candidates, cited=[wasps]))
    assert told_without == told[0]


def test_what_a_second_form_of_a_document_says_again_is_not_shown_again() -> None:
    index = source_index(WASPS, WASPS.replace("# Wasps", "# 9 Wasps").replace("survive the winter", "live on"))
    candidates = quotable(index)
    told = shown(index, nearest("What do wasps chew?", [NOTHING], candidates, cited=[]))
    assert [text.startswith("A wasp colony dies") for text in told] == [True, True]
    assert ["Wasps chew wood" in text for text in told] == [True, False]


def test_what_a_cited_passage_says_is_not_shown_of_a_second_form_of_its_document() -> None:
    index = source_index(WASPS, WASPS.replace("# Wasps", "# 9 Wasps"), HONEY)
    candidates = quotable(index)
    cited = next(one for one in candidates if "chew wood" in one.statement.text).passage.label
    told = shown(index, nearest("What do wasps chew?", [NOTHING], candidates, cited=[cited]))
    assert told
    assert not any("Wasps" in text for text in told)


def test_there_are_few_places_and_little_of_each() -> None:
    index = source_index(*(f"# Hive {number}\n\n" + f"The hive {number} has a lid. " * 40 for number in range(9)))
    candidates = quotable(index)
    told = shown(index, nearest("Which hive?", [ranking(candidates, "hive 7")], candidates, cited=[]))
    assert len(told) == MOST
    assert all(len(text) <= ROOM for text in told)
    assert told[0].startswith("The hive 7")


def test_without_a_ranking_it_is_what_the_search_found_first() -> None:
    index = source_index(WASPS)
    (told,) = shown(index, nearest("What do wasps chew?", [NOTHING], quotable(index), cited=[]))
    assert told == WASPS.removeprefix("# Wasps\n\n").rstrip()


def test_an_excerpt_begins_shortly_before_its_statement_below_the_same_heading() -> None:
    said = "The quay is of oak, and it is 90 metres long in all. "
    index = source_index(f"# Pier\n\nIt is old.\n\n## Quay\n\n{said * 9}It was built by Ada in May.\n")
    candidates = quotable(index)
    (told,) = shown(index, nearest("Who?", [ranking(candidates, "built by Ada")], candidates, cited=[]))
    assert told.startswith("The quay is of oak")
    assert told.endswith(" It was built by Ada in May.")
    assert BEFORE - len(said) < told.index("It was built") <= BEFORE


def test_an_excerpt_of_a_table_begins_with_its_row() -> None:
    index = source_index(
        "# Stock\n\n| Article | Left |\n| --- | --- |\n| Pen | 3 |\n| Calculator | 13 |\n| Glue | 8 |\n"
    )
    candidates = quotable(index)
    (told,) = shown(index, nearest("How many?", [ranking(candidates, "Calculator")], candidates, cited=[]))
    assert told.startswith("| Calculator | 13 |")


def test_an_excerpt_ends_where_another_term_is_explained() -> None:
    index = source_index(
        "# Pier\n\n-l --lamps\n\nLight the lamps at dusk.\n\n-r --rope\n\nThrow a rope to each boat.\n"
    )
    candidates = quotable(index)
    (told,) = shown(index, nearest("Lamps?", [ranking(candidates, "Light the lamps")], candidates, cited=[]))
    assert told == "Light the lamps at dusk."
