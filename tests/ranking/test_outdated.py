"""Of two rules that answer alike, that of the later document comes first."""

import math

import pytest

from spyglass.ranking.outdated import LIKELY, OUTDATED, less_if_outdated

ASKED = "When do I stop being a member if I do not pay?"


@pytest.mark.parametrize(
    ("dates", "outdated"),
    [
        (["2019-11-14", "2025"], [True, False]),
        (["2023", "2025-03-08"], [True, False]),
        (["2023-10-02", "2025-01-06", "2024-02"], [True, False, False]),
        (["2024-11-21", "2025-06"], [False, False]),
        (["2024", "2025"], [False, False]),
        (["", "2025-01-06"], [False, False]),
        (["2019", ""], [False, False]),
        (["May 2019", "2025"], [False, False]),
        (["2020-02-29T10:00:00Z", "2025"], [True, False]),
        ([], []),
    ],
)
def test_what_is_more_than_a_year_older_counts_less(dates: list[str], outdated: list[bool]) -> None:
    scores = [2.0] * len(dates)
    assert less_if_outdated(ASKED, dates, scores) == [2.0 - OUTDATED * is_one for is_one in outdated]


def test_what_hardly_answers_makes_nothing_outdated() -> None:
    for share, is_one in ((1.1, True), (0.9, False)):
        scores = [2.0, 2.0 + math.log(share * LIKELY)]
        assert (less_if_outdated(ASKED, ["2019", "2025"], scores) != scores) is is_one


@pytest.mark.parametrize("question", ["What was the fee?", "What is the fee of 2019?", "Wie hoch waren die Kosten?"])
def test_a_question_about_the_past_makes_nothing_outdated(question: str) -> None:
    assert less_if_outdated(question, ["2019", "2025"], [2.0, 2.0]) == [2.0, 2.0]


def test_what_one_has_to_do_is_not_the_past() -> None:
    duties = ["Where do we all have to gather when it is on fire?", "Was haben wir zu beachten?", "¿Qué han de pagar?"]
    assert [asked for asked in duties if less_if_outdated(asked, ["2019", "2025"], [2.0, 2.0])[0] == 2.0] == []
    assert less_if_outdated("What fees have to date been paid?", ["2019", "2025"], [2.0, 2.0])[0] == 2.0
