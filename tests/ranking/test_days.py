"""Days are read in any notation, so that a row of a rota is the one that is asked for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spyglass.ranking.candidate import Candidate, Question
from spyglass.ranking.days import days, without_weekdays


@pytest.mark.parametrize(
    "text",
    [
        "Where do we rehearse on 3 March?",
        "Tue 3 Mar · Elgar",
        "the 3rd of March",
        "March 3, 2026",
        "am 3. März",
        "Di 3.3. – Gudrun",
        "03.03.2026",
        "2026-03-03",
        "el 3 de marzo",
        "1/3 March",
        "2–4 Mar",
        "2.-4.3.",
        "in der Nacht vom 3. auf den 4. März",
        "from 27 February to Friday 6 March",
        "vom 27. Februar bis 6. März",
        "No cut between 15 January and 10 May",
        "zwischen dem 20. Dezember und dem 6. März",
        "from 20 December 2025 to 6 March 2026",
    ],
)
def test_a_day_is_the_same_in_any_notation(text: str) -> None:
    assert (3, 3) in days(text)


@pytest.mark.parametrize(
    "text", ["March 2026", "9.30 to 11.45", "£3.30", "3 marches", "30 February", "13.13.", "99/99"]
)
def test_what_is_no_day_is_none(text: str) -> None:
    assert not days(text)


def test_a_range_has_the_days_between_its_ends_and_two_days_have_none() -> None:
    assert len(days("from 30 March to 24 April")) == 26
    assert days("24/25 Aug and 31 Aug/1 Sep") == {(8, 24), (8, 25), (8, 31), (9, 1)}


@given(st.text("0123456789./- toMarchbis", max_size=40))
def test_every_day_is_one_of_the_year(text: str) -> None:
    assert all(1 <= month <= 12 and 1 <= day <= 31 for month, day in days(text))


def test_a_statement_names_the_day_asked_for_or_only_others() -> None:
    rows = {"Tue 3 Mar · Drama Studio": 1, "Tue 24 Feb · Methodist Hall": -1, "All Tuesdays at the hall": 0}
    rows |= {"Rehearsal: 22 March, at the hall from 2.45": -1}
    rows |= {"The hall is closed until 10 February": 0, "From 1 March we are in the Drama Studio": 0}
    question = Question("Where do we rehearse on 3 March?", [Candidate(row) for row in rows])
    assert {row: question.dated(Candidate(row)) for row in rows} == rows
    assert Question("Where do we rehearse?", []).dated(Candidate("Tue 3 Mar")) == 0
    assert question.dated(Candidate("Drama Studio", around="Rehearsal of 3 March")) == 1
    week = "Rota (2–8 March)"
    below = {"Mon 2 Mar: Ann": -1, "Tue 3 Mar: Ben": 1, "Keys: Cleo": 1}
    assert {row: question.dated(Candidate(row, around=week, row=True)) for row in below} == below
    assert question.dated(Candidate("Closed from 2 March, but for the café.", around=week)) == 1, "no row"


@pytest.mark.parametrize(
    ("text", "without"),
    [
        ("Who does dispatch on Saturday 15 June?", "Who does dispatch on 15 June?"),
        ("Wer hat am Samstag, den 15. Juni, Dienst?", "Wer hat am den 15. Juni, Dienst?"),
        ("¿Quién abre el sábado 15 de junio y el domingo?", "¿Quién abre el 15 de junio y el domingo?"),
        (
            "Who opens on Saturday the 15th of June, and who on Sunday?",
            "Who opens on the 15th of June, and who on Sunday?",
        ),
        ("Is the shop open on Sunday? 15 June is a holiday.", "Is the shop open on Sunday? 15 June is a holiday."),
        ("Is the bar open Sunday 24/7?", "Is the bar open Sunday 24/7?"),
        ("Who is on duty Sat 15 June?", "Who is on duty 15 June?"),
        ("What is open on Saturdays and Sundays in June?", "What is open on Saturdays and Sundays in June?"),
    ],
)
def test_a_weekday_is_needless_before_a_day_only(text: str, without: str) -> None:
    assert without_weekdays(text) == without


@given(
    st.lists(st.sampled_from(["on", "Monday", "15 June", "Samstag", "or", "the", "24/7", "?", "3.", ","]), max_size=8)
)
def test_any_text_keeps_what_is_no_weekday(words: list[str]) -> None:
    kept = [word for word in without_weekdays(" ".join(words)).split() if word not in ("Monday", "Samstag", ",")]
    assert kept == [word for word in " ".join(words).split() if word not in ("Monday", "Samstag", ",")]
