"""How long a server asks to wait is read from its headers."""

from hypothesis import given
from hypothesis import strategies as st

from spyglass.kernel.retry import retry_after

DATE = {"Date": "Wed, 21 Oct 2026 07:28:00 GMT"}


def test_the_pause_that_a_server_asks_for_is_understood() -> None:
    cases: list[tuple[dict[str, str], float | None]] = [
        ({}, None),
        ({"Retry-After": "7"}, 7.0),
        ({"retry-after": " 0.5 "}, 0.5),
        ({"retry-after-ms": "1500"}, 1.5),
        ({"retry-after-ms": "1500", "Retry-After": "7"}, 1.5),
        ({"Retry-After": "Wed, 21 Oct 2026 07:28:30 GMT", **DATE}, 30.0),
        ({"Retry-After": "Wed, 21 Oct 2026 07:27:30 GMT", **DATE}, 0.0),
        ({"Retry-After": "Wed, 21 Oct 1998 07:27:30 GMT"}, 0.0),
        ({"Retry-After": "Wed, 21 Oct 2026 07:28:30", **DATE}, None),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": "9" * 400}, None),
        ({"Retry-After": "-3"}, None),
        ({"Retry-After": "nan"}, None),
        ({"Retry-After": ""}, None),
    ]
    assert [case for case in cases if retry_after(case[0]) != case[1]] == []


@given(st.text(), st.text())
def test_no_header_breaks_the_reading(value: str, date: str) -> None:
    pause = retry_after({"Retry-After": value, "Date": date})
    assert pause is None or pause >= 0
