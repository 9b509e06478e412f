"""Two sources contradict each other only where they say the same but for one thing; what only looks so is let be."""

from collections.abc import Sequence
from dataclasses import replace

from spyglass.evidence.contradictions import Conflict, contradictions
from spyglass.evidence.stated import Stated
from spyglass.evidence.statement import statements
from spyglass.kernel.source import Passage


def all_stated(text: str, group: str, above: str = "") -> list[Stated]:
    return [Stated(statement, group, above) for statement in statements(Passage(text=text, start=0, end=len(text)))]


def stated(text: str, group: str, above: str = "", *, is_item: bool = False) -> Stated:
    (one,) = all_stated(text, group, above)
    return replace(one, is_item=is_item)


def between(one: str, other: str, above: str = "", other_above: str | None = None) -> list[Conflict]:
    sides = [stated(one, "a", above), stated(other, "b", above if other_above is None else other_above)]
    return contradictions(sides, [0])


def turned(one: str, other: str, above: str) -> list[Conflict]:
    return between(other, one, above)


REAL = [
    # numbers
    ("The Eiffel Tower is 330 metres tall.", "The Eiffel Tower is 312 m tall.", ""),
    ("The Eiffel Tower stands 324 metres tall.", "The Eiffel Tower, an iron lattice tower, is 330 m tall.", ""),
    ("The river Nile is 6,650 kilometres long.", "The Nile river is 6,400 kilometres long.", ""),
    ("Mount Everest is 8,848 m high.", "Officially, Mount Everest is 8.611 km high.", ""),
    ("A honey bee queen lays up to 2,000 eggs a day.", "A honey bee queen lays up to 3,000 eggs a day.", "Honey bees"),
    ("A colony holds about 50,000 workers in summer.", "A colony holds about 80,000 workers in summer.", "Bee colony"),
    ("The default port of PostgreSQL is 5432.", "The default port of PostgreSQL is 5433.", ""),
    ("Germany has 83 million inhabitants.", "Germany has 78 million inhabitants.", "Population of Germany"),
    ("Light travels at 299,792 km/s in a vacuum.", "Light travels at 250,000 km/s in a vacuum.", "Speed of light"),
    ("Pure iron melts at about 1,538 °C.", "Pure iron melts at 1,050 °C.", "Melting point of iron"),
    ("The human body has 206 bones.", "The human body has 212 bones.", "Human skeleton"),
    ("Der Eiffelturm ist 330 Meter hoch.", "Der Eiffelturm ist 300 Meter hoch.", "Eiffelturm"),
    ("La tour Eiffel mesure 330 mètres de haut.", "La tour Eiffel mesure 300 mètres de haut.", "La tour Eiffel"),
    # dates
    ("The company Siemens was founded in 1847.", "Siemens was founded in 1857.", "Siemens"),
    ("Marie Curie was born in Warsaw on 7 November 1867.", "Marie Curie was born in Warsaw on 7 November 1876.", ""),
    (
        "The treaty of Versailles was signed on 28 June 1919.",
        "The treaty of Versailles was signed on 28 July 1919.",
        "",
    ),
    ("Die Firma Bosch wurde 1886 in Stuttgart gegründet.", "Die Firma Bosch wurde 1896 in Stuttgart gegründet.", ""),
    # names
    ("The telephone was invented by Graham Bell.", "The telephone was invented by Antonio Meucci.", "Telephone"),
    ("Canberra is the capital of Australia.", "Sydney is the capital of Australia.", "Australia"),
    # denials
    ("SQLite supports concurrent writers on disk.", "SQLite does not support concurrent writers on disk.", ""),
    ("The Great Wall of China is visible from space.", "The Great Wall of China is not visible from space.", ""),
    ("Die Donau fließt durch Budapest.", "Die Donau fließt nicht durch Budapest.", "Die Donau"),
]


def test_what_cannot_both_be_true_is_found_from_either_side() -> None:
    for case in REAL:
        found = [(one.first, one.second, one.what, one.found) for one in between(*case)]
        assert found == [(0, 1, other.found, other.what) for other in turned(*case)], case
        assert len(found) == 1, case


ALIKE = [
    # the same, in other words or units
    ("The Eiffel Tower is 330 metres tall.", "The Eiffel Tower is 0.33 km tall.", ""),
    ("The Eiffel Tower is 330 metres tall.", "The Eiffel Tower is about 325 metres tall.", ""),
    ("The Eiffel Tower is 330 metres tall.", "The Eiffel Tower is more than 300 metres tall.", ""),
    ("A honey bee queen lays up to 2,000 eggs a day.", "A honey bee queen lays 1,500 eggs a day.", "Honey bees"),
    ("Siemens was founded in 1847.", "Siemens was founded on 1 October 1847.", ""),
    ("SQLite does not support concurrent writers on disk.", "SQLite lacks support for concurrent writers on disk.", ""),
    # another thing
    ("The queen of the bees lays 2,000 eggs a day.", "The queen of the wasps lays 200 eggs a day.", "Queens"),
    ("Winter bees live for 6 months in the hive.", "Summer bees live for 6 weeks in the hive.", "Honey bees"),
    ("Bees live for 6 weeks in the hive.", "Winter bees live for 26 weeks in the hive.", "Honey bees"),
    ("The Rhine is 1,233 kilometres long.", "The Danube is 2,850 kilometres long.", "Rivers of Europe"),
    ("Marie Curie was born in 1867.", "Pierre Curie was born in 1859.", "The Curies"),
    ("Paris is the capital of France.", "Berlin is the capital of Germany.", "Capitals of Europe"),
    ("The default value is 100 pages.", "The default value is 64 pages.", "Settings"),
    ("The default is 128 MB of memory.", "The default is 4 MB of memory.", "shared_buffers"),
    ("The average rent in Paris is 1,100 euros.", "The average rent in Lyon is 700 euros.", "Rent in France"),
    ("The average rent in France is 700 euros.", "In Paris, the average rent in France is 1,100 euros.", "Rent"),
    ("Groups of Python start at 1.", "Indices of Python start at 0.", "Python"),
    ("The column is allowed to contain null values.", "The column is not allowed to contain null values.", "CREATE"),
    # another time
    ("In 2019, Berlin had 3.6 million inhabitants.", "In 2023, Berlin had 3.8 million inhabitants.", "Berlin"),
    ("Berlin has 3.8 million inhabitants.", "In 1950, Berlin had 3.3 million inhabitants.", "Berlin"),
    ("The Eiffel Tower is 330 metres tall.", "The Eiffel Tower was 312 metres tall.", ""),
    ("The conference was held in Paris in 2019.", "The conference was held in Paris in 2021.", "PyCon"),
    ("Kenya won 11 medals in Tokyo.", "Kenya won 4 medals in Paris.", "Kenya at the Olympic Games"),
    # another version
    ("Python 3.8 has 35 keywords.", "Python 3.12 has 39 keywords.", "Keywords of Python"),
    ("PostgreSQL 9 uses 32 MB of buffers.", "PostgreSQL 15 uses 128 MB of buffers.", ""),
    ("In version 2 of SQLite, pages have 1024 bytes.", "In version 3 of SQLite, pages have 4096 bytes.", "SQLite"),
    # bounded
    (
        "SQLite supports concurrent writers on disk.",
        "SQLite does not support concurrent writers on disk unless it is in WAL mode.",
        "",
    ),
    ("Most penguins of Antarctica can swim.", "Some penguins of Antarctica cannot swim.", ""),
    ("Water boils at 100 °C at sea level.", "Water boils at 93 °C on a mountain.", "Boiling point of water"),
    ("The Nile must not be dammed.", "The Nile may be dammed.", "Nile"),
    ("If the server of PostgreSQL runs, it listens.", "If the server of PostgreSQL runs, it does not listen.", ""),
    # ranges and lists
    ("Foxes of Norway weigh 3 to 5 kilograms.", "Foxes of Norway weigh 6 to 9 kilograms.", "Foxes"),
    ("The hives of Langstroth have 8 or 10 frames.", "The hives of Langstroth have 12 frames.", "Hives"),
    # what leans on the text around it
    ("This bridge of London is 244 metres long.", "This bridge of London is 269 metres long.", "Bridges of London"),
    ("It has a mass of 5 kilograms on Earth.", "It has a mass of 9 kilograms on Earth.", "Rocks"),
    ("The study of London followed 120 patients.", "The study of London followed 95 patients.", "Trials"),
    ("For example, Anna of Bergen pays 12 euros.", "For example, Anna of Bergen pays 15 euros.", "Tickets"),
    ("The call `sleep(5)` of Python waits 5 seconds.", "The call `sleep(7)` of Python waits 7 seconds.", "Python"),
    ("Figure 6 of Smith shows 30 bees of Norway.", "Figure 2 of Smith shows 40 bees of Norway.", "Bees"),
    # what happens more than once, and what many have
    ("Anna Berg visited Norway in 1998.", "Anna Berg visited Norway in 2004.", "Anna Berg"),
    ("The Beatles were praised by John Lennon.", "The Beatles were praised by Paul Simon.", "The Beatles"),
]


def test_what_only_looks_like_a_contradiction_is_let_be() -> None:
    assert [case for case in ALIKE if between(*case) or turned(*case)] == []


TALL, SHORT = "The Eiffel Tower is 330 metres tall.", "The Eiffel Tower is 300 metres tall."


def test_a_conflict_says_what_it_is_about_and_what_differs() -> None:
    (conflict,) = between(TALL, SHORT)
    assert conflict == Conflict(0, 1, "number", "Eiffel Tower tall", "330 metres", "300 metres")


def test_copies_do_not_contradict_each_other() -> None:
    assert contradictions([stated(TALL, "a"), stated(SHORT, "a")], [0, 1]) == []


def test_only_what_is_cited_is_compared() -> None:
    sides = [stated(TALL, "a"), stated("Bees live in hives of wood.", "a"), stated(SHORT, "b")]
    assert contradictions(sides, [1]) == []
    assert [(one.first, one.second) for one in contradictions(sides, [2])] == [(2, 0)]
    assert [(one.first, one.second) for one in contradictions(sides, [0, 2])] == [(0, 2)]


def test_two_sources_that_disagree_in_one_thing_do_so_once() -> None:
    sides = [stated(TALL, "a"), stated(SHORT, "b"), stated("The Eiffel Tower stands 300 m tall.", "b")]
    assert [(one.first, one.second) for one in contradictions(sides, [0])] == [(0, 1)]


def test_items_of_a_list_lean_on_what_introduces_them() -> None:
    assert contradictions([stated(TALL, "a"), stated(SHORT, "b", is_item=True)], [0]) == []
    assert contradictions([stated(TALL, "a", is_item=True), stated(SHORT, "b")], [0]) == []


def test_rows_of_tables_are_not_compared() -> None:
    table = "| Tower of Paris | Height |\n| --- | --- |\n| Eiffel Tower is tall | {} metres |"
    sides = [*all_stated(table.format(330), "a"), *all_stated(table.format(300), "b")]
    assert [one.statement.kind for one in sides] == ["row", "row"]
    assert contradictions(sides, [0, 1]) == []


def test_titles_with_other_numbers_are_of_other_versions_or_years() -> None:
    one, other = "The server of PostgreSQL has 8 workers.", "The server of PostgreSQL has 16 workers."
    assert between(one, other, "PostgreSQL 13", "PostgreSQL 16") == []
    assert len(between(one, other, "PostgreSQL 16", "PostgreSQL 16: workers")) == 1


def test_a_title_names_what_a_sentence_is_about() -> None:
    assert (
        len(between("Pure iron melts at about 1,538 °C.", "Pure iron melts at 1,050 °C.", "Iron", "Melting iron")) == 1
    )
    assert between("Pure iron melts at about 1,538 °C.", "Pure iron melts at 1,050 °C.", "Iron", "Alloys") == []


def test_six_hundred_statements_that_are_all_alike_are_compared() -> None:
    sides = [*map(_row, range(600))]
    assert _numbers(contradictions(sides, range(0, 600, 20)), sides)


def _row(number: int) -> Stated:
    river = ("Rhine", "Danube", "Elbe", "Oder", "Weser", "Main", "Inn", "Isar")[number % 8]
    verb = ("flows", "runs", "winds", "turns", "rises")[number // 8 % 5]
    place = ("Bonn", "Ulm", "Pirna", "Breslau", "Verden")[number // 40 % 5]
    text = f"The river {river} {verb} past {place} for {100 + number // 200 * 7} kilometres of green meadows."
    return stated(text, str(number % 12), f"Rivers near {place}")


def _numbers(found: Sequence[Conflict], sides: Sequence[Stated]) -> bool:
    """Whether conflicts were found, each between statements that are equal but for the number."""
    said = [{*sides[one.first].statement.text.split()} ^ {*sides[one.second].statement.text.split()} for one in found]
    return bool(said) and all(all(word.isdigit() for word in words) for words in said)
