"""What happens in a run is read by another process, from any event on."""

import json
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spyglass.kernel.events import TaskStarted
from spyglass.runs.event_log import EVENTS, EventLog, events_after


def names(journal: Path, after: int = 0) -> list[str]:
    return [event.data["task"] for event in events_after(journal, after)]


def test_events_are_read_from_any_of_them_on(tmp_path: Path) -> None:
    journal = tmp_path / "journal.sqlite"
    assert events_after(journal, 0) == []
    with EventLog(journal) as log:
        for number in range(4):
            log(TaskStarted("web", f"täsk {number}\n"))
        every = events_after(journal, 0)
        assert [event.name for event in every] == ["TaskStarted"] * 4
        for place, event in enumerate(every):
            assert names(journal, event.id) == names(journal)[place + 1 :]
        log(TaskStarted("web", "last"))
    assert names(journal, every[-1].id) == ["last"]
    assert (journal.with_name(EVENTS).stat().st_mode & 0o777) == 0o600


def test_what_a_killed_process_has_half_written_is_passed_over(tmp_path: Path) -> None:
    journal = tmp_path / "journal.sqlite"
    with EventLog(journal) as log:
        log(TaskStarted("web", "one"))
    with journal.with_name(EVENTS).open("ab") as file:
        file.write(json.dumps(TaskStarted("web", "two").to_record())[:20].encode())
    assert names(journal) == ["one"], "a line that is not ended may still be"
    with EventLog(journal) as log:
        log(TaskStarted("web", "three"))
    assert names(journal) == ["one", "three"]


@given(after=st.integers(min_value=-5, max_value=2_000))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_an_id_that_is_none_goes_on_with_a_whole_event(tmp_path: Path, after: int) -> None:
    journal = tmp_path / "journal.sqlite"
    if not journal.with_name(EVENTS).exists():
        with EventLog(journal) as log:
            for number in range(20):
                log(TaskStarted("web", str(number)))
    found = names(journal, after)
    assert found == [str(number) for number in range(20)][20 - len(found) :]
