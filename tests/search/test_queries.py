"""Queries are compared by their words, and made of the words of a question."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spyglass.search.queries import longest, normalised, pointed, sides, topic_of, with_subject


def test_queries_are_the_same_when_their_words_are() -> None:
    cases = [
        ("Battery  recycling?", "battery recycling", True),
        ("ＡＢＣ １２３", "abc 123", True),
        ("Straße", "STRASSE", True),
        ('"exact phrase"', "exact phrase", True),
        ("C tutorial", "C++ tutorial", False),
        ("C# tutorial", "C++ tutorial", False),
        ("हिन्दी", "हिन्द", False),
        ("a 1", "a 2", False),
    ]
    assert [(one, other, same) for one, other, same in cases if (normalised(one) == normalised(other)) != same] == []


@given(st.text())
def test_normalising_a_query_twice_is_normalising_it_once(query: str) -> None:
    assert normalised(normalised(query)) == normalised(query)


def test_the_topic_leaves_out_what_only_makes_a_question() -> None:
    assert topic_of("What is the speed of light?") == "speed of light"
    assert topic_of("How deep is the Altmere basin?") == topic_of("How long was the Altmere basin?") == "Altmere basin"
    assert topic_of("What is the") == "the"
    assert topic_of("Tell me about ") == "Tell me about "


@pytest.mark.parametrize(
    ("question", "compared"),
    [
        ("refractor vs. reflector?", ["refractor", "reflector"]),
        ("first budget vs. final cost of the mirror", ["first budget of the mirror", "final cost of the mirror"]),
        ("cost of the lens vs. cost of the mirror?", ["cost of the lens", "cost of the mirror"]),
        ("Compare tea with coffee", ["tea", "coffee"]),
        ("the difference between a lens and a mirror", ["a lens", "a mirror"]),
        ("How do lenses work?", ["lenses work"]),
        ("What did the lens cost in 2026 compared with 2025?", ["lens cost in 2026 compared with 2025"]),
        ("cost of lenses 2026 vs 2025", ["cost of lenses 2026 vs 2025"]),
        ("How does a lens differ from a mirror?", ["a lens", "a mirror"]),
        ("How do lenses and mirrors differ?", ["lenses", "mirrors"]),
        ("Was ist der Unterschied zwischen Linsen und Spiegeln?", ["Linsen", "Spiegeln"]),
        ("¿Cuál es la diferencia entre lentes y espejos?", ["lentes", "espejos"]),
        ("compárame lentes y espejos", ["lentes", "espejos"]),
        ("Quelle est la différence entre lentilles et miroirs ?", ["lentilles", "miroirs"]),
        ("透镜和镜子有什么区别？", ["透镜", "镜子"]),
        ("レンズと鏡の違いは？", ["レンズ", "鏡"]),
        ("Is a lens heavy? What distinguishes a lens from a mirror, and which is cheaper?", ["a lens", "a mirror"]),
        ("How many miles are there between Rome and Milan?", ["miles are there between Rome and Milan"]),
    ],
)
def test_a_comparison_has_sides(question: str, compared: list[str]) -> None:
    assert sides(question) == compared


def test_a_page_of_text_compares_nothing() -> None:
    page = "What is the difference between a pier and " + "a mole " * 100
    assert sides(page) == [page.removeprefix("What is the ").strip()]


def test_the_longest_words_stay_in_their_order() -> None:
    assert longest("the great wall of china", 2) == ["great", "china"]


@given(st.lists(st.text()), st.text())
def test_pointed_queries_say_different_things(found: list[str], question: str) -> None:
    kept = pointed(found, question)
    assert len({normalised(query) for query in kept}) == len(kept)
    assert set(kept) <= set(found)


@pytest.mark.parametrize(
    ("question", "before", "whole"),
    [
        ("What are its drawbacks?", "What is MVCC?", "What are MVCC's drawbacks?"),
        ("Who built it?", "How deep is the Altmere basin?", "Who built Altmere basin?"),
        ("Who built it?", "Is it deep?", "Who built it?"),
        ("Who was Newton?", "What is MVCC?", "Who was Newton?"),
        ("Who gets them?", "How long does ant wait between annoy messages?", "Who gets annoy messages?"),
        ("where does it land", "How do I turn on a trace?", "where does a trace land"),
        ("what does each of them mean", "Which logging levels are there", "what does each of logging levels mean"),
        (
            "what should I use instead",
            "Which commands are deprecated?",
            "what should I use instead of deprecated commands",
        ),
        ("Is it safe?", "In which version did sendfile appear?", "Is sendfile safe?"),
        ("Is it safe?", "Where is the spool directory?", "Is spool directory safe?"),
        ("Is it safe?", "I bought a used telescope.", "Is a used telescope safe?"),
        ("Can it be off?", "Does nginx log addresses?", "Can it be off (nginx log addresses)?"),
        ("Can it be off?", "How does SQLite handle NULL?", "Can it be off (SQLite handle NULL)?"),
        ("Can its name have a dot?", "My cron needs a job.", "Can its name have a dot (My cron needs a job)?"),
        ("Which one is cheaper?", "Is a lens or a mirror better?", "Which one is cheaper (lens or a mirror better)?"),
        ("Which is better?", "Is X fast? And what is Y?", "Which is better (X fast, what is Y)?"),
        ("What does this mean?", "A long letter. " * 100, "What does this mean?"),
    ],
)
def test_a_question_that_asks_on_keeps_the_subject_of_the_one_before(question: str, before: str, whole: str) -> None:
    assert with_subject(question, before) == whole
