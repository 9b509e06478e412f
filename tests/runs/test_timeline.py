"""Where the time and the money of a run went: phases, calls by kind, and what the end waited for, from its journal."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runs.course import Course
from spyglass.kernel.events import LEFT, TAKEN_OVER, TAKEN_UP
from spyglass.runs.timeline import OWN, Timeline, TimelineRow, levels


@pytest.fixture
def course() -> Course:
    course = Course()
    course.mark(TAKEN_UP, 0)
    return course


def row(timeline: Timeline, name: str) -> TimelineRow:
    (found,) = (row for row in (*timeline.phases, *timeline.calls) if row.name == name)
    return found


def test_calls_are_told_by_kind_and_those_of_models_by_role(course: Course) -> None:
    course.model("planner", 0, 4)
    course.model("writer", 5, 6)
    course.model("writer", 5.5, 7)
    course.call("fetch", 4, 5, failed=True, url="https://a.example/")
    course.mark(LEFT, 8)
    timeline = course.timeline()
    assert [one.name for one in timeline.calls] == ["model planner", "fetch", "model writer"]
    writer = row(timeline, "model writer")
    assert (len(writer.stretches), writer.at_once, writer.seconds) == (2, 2, 2.0)
    assert row(timeline, "fetch").failed == 1
    assert timeline.seconds == pytest.approx(8.0)


def test_the_time_of_calls_beside_each_other_counts_once(course: Course) -> None:
    for began, ended in ((0, 4), (1, 3), (6, 7)):
        course.call("search", began, ended, query=str(began))
    assert row(course.timeline(), "search").seconds == pytest.approx(5.0)


def test_what_a_call_came_to_is_that_of_its_row(course: Course) -> None:
    for role, cost in (("planner", 0.25), ("writer", 0.5), ("writer", 0.125)):
        course.journal.charge(course.model(role, cost, 1), 100, 20, cost)
    timeline = course.timeline()
    assert (row(timeline, "model planner").tokens, row(timeline, "model planner").cost) == (120, 0.25)
    assert (row(timeline, "model writer").tokens, row(timeline, "model writer").cost) == (240, 0.625)


def test_a_row_with_a_call_of_unknown_price_has_no_cost(course: Course) -> None:
    for number, cost in enumerate((0.5, None, 0.5)):
        course.journal.charge(course.model("writer", number, number + 1), 10, 2, cost)
    assert row(course.timeline(), "model writer").cost is None


def test_what_was_tried_again_is_counted_where_a_call_was_under_way(course: Course) -> None:
    course.model("planner", 0, 4)
    course.model("writer", 5, 9)
    for at in (6, 7):
        course.mark(("model", "tried again"), at)
    timeline = course.timeline()
    assert (row(timeline, "model planner").again, row(timeline, "model writer").again) == (0, 2)


def test_a_phase_lasts_from_its_first_beginning_to_its_last_end(course: Course) -> None:
    course.mark(("WEB_SEARCH", "started"), 1)
    course.phase("WEB_SEARCH", 2, 3)
    course.mark(("WEB_SEARCH", "completed"), 5)
    search = row(course.timeline(), "web search")
    assert (search.seconds, search.at_once) == (4.0, 2)


def test_the_path_adds_up_to_the_whole_and_names_what_the_end_waited_for(course: Course) -> None:
    course.phase("WRITING", 5, 9)
    course.model("planner", 1, 4)
    course.call("search", 0.5, 2, query="beside the planner")
    course.model("writer", 5.5, 6)
    course.model("writer", 5, 8)
    course.mark(LEFT, 9)
    timeline = course.timeline()
    assert [(one.name, one.what, one.began, one.ended) for one in timeline.path] == [
        (OWN, "", 0, 1),
        ("model planner", "m", 1, 4),
        (OWN, "", 4, 5),
        ("model writer", "m", 5, 8),
        (OWN, "writing", 8, 9),
    ]


def test_what_lies_within_others_is_no_call_of_its_own(course: Course) -> None:
    course.call("gather", 0, 5, task="bees")
    course.call("fetch", 1, 3, url="https://a.example/")
    assert [one.name for one in course.timeline().calls] == ["fetch"]


def test_the_time_between_two_sessions_is_no_work(course: Course) -> None:
    course.model("planner", 1, 3)
    course.mark(("WRITING", "started"), 4)
    course.mark(TAKEN_UP, 1000)
    course.model("writer", 1001, 1002)
    course.mark(LEFT, 1003)
    timeline = course.timeline()
    assert [(one.how, one.seconds) for one in timeline.sessions] == [("broken off", 4.0), ("ended", 3.0)]
    assert timeline.seconds == 7.0
    assert timeline.gaps == [(4.0, 996.0)]
    assert [(one.began, one.ended) for one in row(timeline, "model writer").stretches] == [(5.0, 6.0)]
    assert sum(one.seconds for one in timeline.path) == pytest.approx(7.0)


def test_a_phase_that_was_broken_off_ends_with_its_session(course: Course) -> None:
    course.mark(("WRITING", "started"), 1)
    course.model("writer", 1, 3)
    course.mark(TAKEN_UP, 50)
    course.phase("WRITING", 51, 53)
    stretches = row(course.timeline(), "writing").stretches
    assert [(one.began, one.ended) for one in stretches] == [(1.0, 3.0), (4.0, 6.0)]


def test_a_run_that_is_going_on_is_told_so_far(course: Course) -> None:
    course.model("planner", 0, 2)
    assert [one.how for one in course.timeline(running=True).sessions] == ["going on"]


def test_a_run_that_branched_off_begins_with_what_it_took_over(course: Course) -> None:
    course.model("planner", 0, 2)
    course.mark(TAKEN_OVER, 900)
    course.mark(TAKEN_UP, 901)
    course.model("writer", 901, 903)
    course.mark(LEFT, 903)
    assert [(one.how, one.seconds) for one in course.timeline().sessions] == [("taken over", 2.0), ("ended", 2.0)]


def test_a_journal_of_before_there_were_marks_is_one_session() -> None:
    course = Course()
    course.model("planner", 0, 2)
    course.model("writer", 3, 5)
    assert [(one.how, one.seconds) for one in course.timeline().sessions] == [("broken off", 5.0)]


def test_a_journal_of_nothing_has_no_timeline() -> None:
    timeline = Course().timeline()
    assert (timeline.seconds, timeline.path, timeline.to_record()["sessions"]) == (0, [], [])


times = st.floats(0, 100, allow_nan=False)


@given(st.lists(st.tuples(times, times, st.booleans()), max_size=12), st.lists(times, max_size=3))
def test_whatever_the_clock_said_the_path_adds_up_and_nothing_is_outside(
    calls: list[tuple[float, float, bool]], taken_up: list[float]
) -> None:
    course = Course()
    for at in sorted(taken_up):
        course.mark(TAKEN_UP, at)
    for began, ended, failed in calls:  # a clock that is set back may end a call before it began
        course.model("writer", began, ended, failed=failed)
    timeline = course.timeline()
    assert sum(one.seconds for one in timeline.path) == pytest.approx(timeline.seconds)
    for one in (*timeline.path, *(stretch for row in timeline.calls for stretch in row.stretches)):
        assert -1e-9 <= one.began <= one.ended <= timeline.seconds + 1e-6
    for found in timeline.calls:
        assert found.seconds <= timeline.seconds + 1e-3
        assert all(level >= 0 for *_, level in levels(found.stretches))
