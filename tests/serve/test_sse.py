"""Events of any size go over the wire in slices, and come out as they went in."""

import random
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from serve.wire import received
from spyglass.kernel.errors import RunError
from spyglass.serve.sse import DELTA, LEAST, ServerEvent, join, split

_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=8) | st.dictionaries(st.text(), inner, max_size=8),
)
_events = st.builds(ServerEvent, st.sampled_from(["tool_update", "tool_end", "error"]), _json)
_limits = st.integers(1, 2_000)

BIG = ServerEvent("tool_end", {"response": 'He said "no" \\ and left.\n' * 4_000, "sources": ["漢字", "\U0001f600"]})


def wire(event: ServerEvent) -> list[str]:
    """Return the lines of an event as a server writes them."""
    return [f"event: {event.name}", f"data: {event.text}", ""]


@given(st.lists(_events, max_size=5), _limits)
def test_what_is_split_and_joined_is_what_it_was(events: list[ServerEvent], limit: int) -> None:
    sent = list(chain.from_iterable(split(event, limit) for event in events))
    assert list(join(sent)) == events


@given(_events, _limits)
def test_nothing_on_the_wire_is_longer_than_the_limit(event: ServerEvent, limit: int) -> None:
    for part in split(event, limit):
        assert len("\r\n".join(wire(part)).encode()) + 4 <= max(limit, LEAST)


@given(st.lists(_events, max_size=5), _limits)
def test_a_client_reads_from_the_wire_what_was_sent(events: list[ServerEvent], limit: int) -> None:
    lines = chain.from_iterable(wire(part) for event in events for part in split(event, limit))
    assert list(join(received(lines))) == events


def test_an_event_below_the_limit_is_sent_as_it_is() -> None:
    event = ServerEvent("tool_update", {"phase": "WEB_SEARCH"})
    assert split(event, 32_768) == [event]


def test_a_large_event_is_sent_in_slices_that_say_what_they_are() -> None:
    slices = split(BIG, 32_768)
    assert {part.name for part in slices} == {DELTA}
    assert [part.data["index"] for part in slices] == list(range(len(slices)))
    assert {(part.data["id"], part.data["total"]) for part in slices} == {(slices[0].data["id"], len(slices))}
    assert all(part.data["slice"].isascii() for part in slices)


def test_slices_of_two_events_may_be_mixed_and_out_of_order() -> None:
    other = ServerEvent("tool_update", list(range(30_000)))
    sent = [*split(BIG, 10_000), *split(other, 10_000)]
    random.Random(3).shuffle(sent)
    assert sorted(event.name for event in join(sent)) == ["tool_end", "tool_update"]


def test_equal_events_one_after_the_other_are_two() -> None:
    assert list(join([*split(BIG, 9_000), *split(BIG, 9_000)])) == [BIG, BIG]


def test_a_stream_that_breaks_off_within_an_event_is_an_error() -> None:
    with pytest.raises(RunError, match="broke off"):
        list(join(split(BIG, 9_000)[:-1]))


@pytest.mark.parametrize("data", [None, {}, {"id": "a", "index": 0, "total": 1, "slice": "{"}, {"id": [], "index": 0}])
def test_a_slice_of_another_form_is_an_error(data: object) -> None:
    with pytest.raises(RunError, match="cannot be read"):
        list(join([ServerEvent(DELTA, data)]))


def test_comments_and_other_fields_of_a_stream_are_passed_over() -> None:
    lines = [": ping", "", "id: 7", "retry: 100", "event: a", 'data: {"b":', "data: 1}", "", "event: lost", "data: 2"]
    assert list(received(lines)) == [ServerEvent("a", {"b": 1})]
