"""Questions split where they join, and queries never repeat."""

from hypothesis import given
from hypothesis import strategies as st

from spyglass.agent.decompose import MOST_SUB_QUESTIONS, further_queries, sub_questions
from spyglass.search.queries import normalised


def test_a_question_splits_into_what_it_asks() -> None:
    cases = {
        "How do lenses work?": ["How do lenses work?"],
        "What is a lens and how is it cleaned?": ["What is a lens", "how is lens cleaned"],
        "What is SQLite's WAL mode, and what are its limitations?": [
            "What is SQLite's WAL mode",
            "what are SQLite's WAL mode's limitations",
        ],
        "When was the harbour built, and how deep is it?": ["When was the harbour built", "how deep is harbour"],
        "Who made it? When was it sold?": ["Who made it", "When was it sold"],
        "refractor vs reflector": ["refractor vs reflector", "refractor", "reflector"],
        "What is the difference between a lens and a mirror?": [
            "What is the difference between a lens and a mirror",
            "a lens",
            "a mirror",
        ],
        "salt and pepper": ["salt and pepper"],
        "stack frames show ??? after dlclose, how to keep them": [
            "stack frames show ??? after dlclose, how to keep them"
        ],
        "how to keep $? for later": ["how to keep $? for later"],
    }
    assert {question: sub_questions(question) for question in cases} == cases


def test_of_a_letter_the_sentences_that_ask_are_the_questions() -> None:
    letter = (
        "Dear colleague, thank you for your letter. "
        + "We have spent the summer in the mountains. " * 9
        + "When was the harbour of Altmere built? And how deep is the basin? I would print both. Yours, Martha"
    )
    assert sub_questions(letter) == ["When was the harbour of Altmere built", "how deep is the basin"]
    further = letter.replace("I would", "Please also tell me how much the pier has cost, if you can. I would")
    assert sub_questions(further)[2] == "how much the pier has cost, if you can"
    told = letter.replace("?", ".")
    assert sub_questions(told)[0].startswith("Dear colleague")


def test_what_asks_nothing_stays_with_the_questions_beside_it() -> None:
    cases = {
        "my package needs a cron job; can its file name contain a dot?": [
            "my package needs a cron job; can its file name contain a dot?"
        ],
        "Mein Paket braucht einen Cronjob; darf sein Dateiname einen Punkt haben?": [
            "Mein Paket braucht einen Cronjob; darf sein Dateiname einen Punkt haben?"
        ],
        "I have a lens and how do I clean it?": ["I have a lens and how do I clean it?"],
        "How do I clean a lens? I have a telescope.": ["How do I clean a lens? I have a telescope."],
        "We use RAID 5; is it safe, and how long does a rebuild take?": [
            "We use RAID 5; is it safe",
            "We use RAID 5; how long does a rebuild take",
        ],
        "size of the pool and how to raise it": ["size of the pool", "how to raise size of the pool"],
        "backup strategies; restore strategies": ["backup strategies", "restore strategies"],
        "In which version did sendfile appear, and what is it good for?": [
            "In which version did sendfile appear",
            "what is sendfile good for",
        ],
        "The weir at Hale - how high is it and what was behind it?": [
            "The weir at Hale - how high is it",
            "The weir at Hale - what was behind it",
        ],
    }
    assert {question: sub_questions(question) for question in cases} == cases


def test_a_question_stays_with_the_one_that_it_refers_to() -> None:
    whole = [
        "writethrough or writeback: which is the default and which one can lose data if the SSD fails?",
        "on a check over ssh, which part runs on the server and which on the client?",
        "How much free disk space do I need to run VACUUM, and can it change the rowids?",
        "Where does nginx store logs and how do I rotate them?",
        "Who wrote Dune, and when was he born?",
        "How do I mount a share; does this need root?",
        "What is round(0.5) and why?",
        "When and where was Nestor Makhno born?",
        "Was ist ein Objektiv? Wie reinigt man es?",
        "What was found when the baker complained about the flour, and what did we do?",
        "When was the last test of the boiler and what was the result?",
        "Who did we choose for the engine, and why not the cheapest offer?",
        "Where are the oldest minute books and is anything missing?",
    ]
    assert [question for question in whole if sub_questions(question) != [question]] == []
    assert sub_questions("What is the difference between a lens and a mirror, and which one is cheaper?") == [
        "What is the difference between a lens and a mirror, and which one is cheaper",
        "a lens",
        "a mirror",
    ]


@given(st.text(min_size=1))
def test_any_question_has_a_bounded_number_of_parts(question: str) -> None:
    assert 1 <= len(sub_questions(question)) <= MOST_SUB_QUESTIONS


@given(st.text(min_size=1), st.sets(st.text()))
def test_further_queries_were_never_asked(question: str, asked: set[str]) -> None:
    asked = {normalised(query) for query in asked}
    assert not asked & {normalised(query) for query in further_queries(question, asked)}


def test_further_queries_are_of_the_words_that_say_what_a_question_is_about() -> None:
    assert further_queries("my data file uses semicolons between the columns", set()) == [
        "data file",
        "uses semicolons columns",
    ]
