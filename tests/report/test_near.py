"""A report that is not sure of an answer names the places that come nearest to the question."""

from report.shelf import HIVES, HONEY, WASPS, record
from spyglass.kernel.journal import Journal
from spyglass.ranking import RankedCandidate, Ranking
from spyglass.ranking.ranker import NOTHING
from spyglass.report.near import MOST, ROOM, nearest
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
    assert told[0] == "Wasps chew wood into paper and build their nests from it."
    assert told[1].startswith("Workers live for six weeks when they forage."), "it has most words of the question"
    assert told[2].startswith("Beekeepers keep a colony")


def test_a_place_is_shown_with_what_follows_there() -> None:
    index = source_index(HIVES)
    candidates = quotable(index)
    (told,) = shown(index, nearest("Hives?", [ranking(candidates, "Beekeepers keep")], candidates, cited=[]))
    assert told.startswith("Beekeepers keep a colony in a wooden hive with movable frames. A strong colony gives")


def test_a_place_is_named_once_and_not_where_it_is_cited() -> None:
    index = source_index(HONEY, WASPS)
    candidates = quotable(index)
    ranked = [ranking(candidates, "Foragers tell", "The queen"), ranking(candidates, "chew wood")]
    told = shown(index, nearest("Wasps?", ranked, candidates, cited=[]))
    assert [text.partition(" ")[0] for text in told] == ["Foragers", "A"]
    wasps = next(one for one in candidates if "chew wood" in one.statement.text).passage.label
    (told_without,) = shown(index, nearest("Wasps?", ranked, candidates, cited=[wasps]))
    assert told_without == told[0]


def test_what_a_second_form_of_a_document_says_again_is_not_shown_again() -> None:
    index = source_index(WASPS, WASPS.replace("# Wasps", "# 9 Wasps").replace("survive the winter", "live on"))
    candidates = quotable(index)
    told = shown(index, nearest("What do wasps chew?", [NOTHING], candidates, cited=[]))
    assert [text.startswith("Wasps chew wood") for text in told] == [True, False]
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
    assert told.startswith("Wasps chew wood")


def test_an_excerpt_ends_where_another_term_is_explained() -> None:
    index = source_index(
        "# Pier\n\n-l --lamps\n\nLight the lamps at dusk.\n\n-r --rope\n\nThrow a rope to each boat.\n"
    )
    candidates = quotable(index)
    (told,) = shown(index, nearest("Lamps?", [ranking(candidates, "Light the lamps")], candidates, cited=[]))
    assert told == "Light the lamps at dusk."
