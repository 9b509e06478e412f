"""A page brings the browser to send nothing past the guard, in any of the known ways; unguarded, it does."""

import pytest

from fetch.vectors import VECTORS, measured
from loopback import island

EVERY = 5
"""Each test tries another fifth of the vectors; `make attack` and `bench/vectors.py` try all, in minutes."""

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(island.reason() != "", reason=f"no network namespace: {island.reason()}"),
]


def test_no_page_makes_the_browser_send_anything_past_the_guard() -> None:
    found = island.run(measured, "browser", True, 0, EVERY)
    assert len(VECTORS) >= 90
    assert len(found["sent"]) >= len(VECTORS) // EVERY
    assert found["exposed"] == ""
    assert [name for name, count in found["sent"].items() if count] == []
    assert found["others"] == []


def test_nor_does_it_make_the_one_that_crawl4ai_steers() -> None:
    found = island.run(measured, "crawl4ai", True, 1, EVERY)
    assert found["exposed"] == ""
    assert [name for name, count in found["sent"].items() if count] == []
    assert found["others"] == []


def test_nor_where_the_system_gives_no_namespace_and_only_its_flags_hold_it() -> None:
    found = island.run(measured, "browser", False, 2, EVERY)
    assert found["exposed"] != ""
    assert [name for name, count in found["sent"].items() if count] == []
    assert found["others"] == []


def test_a_browser_that_nothing_holds_back_sends_by_most_of_them() -> None:
    sent = island.run(measured, "unguarded", True, 3, EVERY)["sent"]
    assert sum(map(bool, sent.values())) > len(sent) * 3 / 4
