"""The circuit breaker opens after three failures in a row, rests a minute, and then lets exactly one call try."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from spyglass.kernel.errors import SearchBrokenError, SearchKeyError, SearchPausedError
from spyglass.search.breaker import REST, Breaker, State


class Bench:
    """A breaker with a clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.states: list[str] = []
        self.breaker = Breaker(lambda: self.now)

    def state(self) -> State:
        return self.breaker.state

    def call(self, error: Exception | None = None, *, last: bool = True) -> None:
        with self.breaker.call("kite", lambda state, _why: self.states.append(state), last=last):
            if error is not None:
                raise error

    def fail(self, times: int = 1, *, last: bool = True) -> None:
        for _ in range(times):
            with pytest.raises(SearchBrokenError):
                self.call(SearchBrokenError("it is down"), last=last)


def test_it_opens_after_three_failures_in_a_row() -> None:
    bench = Bench()
    bench.fail(2)
    assert bench.state() == "closed"
    bench.fail()
    assert bench.state() == "open"
    with pytest.raises(SearchPausedError, match="kite is paused after failures: it is down"):
        bench.call()
    assert bench.states == ["open"]


def test_a_success_sets_the_count_back() -> None:
    bench = Bench()
    bench.fail(2)
    bench.call()
    bench.fail(2)
    assert bench.state() == "closed"


def test_an_attempt_that_is_tried_again_does_not_count() -> None:
    bench = Bench()
    bench.fail(10, last=False)
    assert bench.state() == "closed"


def test_a_refused_key_or_request_says_nothing_about_the_engine() -> None:
    bench = Bench()
    bench.fail(2)
    with pytest.raises(SearchKeyError):
        bench.call(SearchKeyError("no"))
    bench.fail()
    assert bench.state() == "open"


def test_after_its_rest_one_success_closes_it() -> None:
    bench = Bench()
    bench.fail(3)
    bench.now += REST - 0.1
    with pytest.raises(SearchPausedError):
        bench.call()
    bench.now += 0.1
    bench.call()
    assert bench.state() == "closed"
    assert bench.states == ["open", "half-open", "closed"]
    bench.fail(2)
    assert bench.state() == "closed"


def test_a_failed_trial_opens_it_for_another_rest_even_when_it_would_be_tried_again() -> None:
    bench = Bench()
    bench.fail(3)
    bench.now += REST
    bench.fail(last=False)
    assert bench.state() == "open"
    bench.now += REST - 0.1
    with pytest.raises(SearchPausedError):
        bench.call()
    assert bench.states == ["open", "half-open", "open"]


def test_only_one_trial_goes_out() -> None:
    bench = Bench()
    bench.fail(3)
    bench.now += REST
    with bench.breaker.call("kite", lambda *_: None):
        for _ in range(5):
            with pytest.raises(SearchPausedError):
                bench.call()
    assert bench.state() == "closed"


@pytest.mark.parametrize("error", [SearchKeyError("no"), KeyboardInterrupt()])
def test_a_trial_of_which_nothing_came_leaves_the_next_one_free(error: BaseException) -> None:
    bench = Bench()
    bench.fail(3)
    bench.now += REST
    with pytest.raises(type(error)), bench.breaker.call("kite", lambda *_: None):
        raise error
    assert bench.state() == "half-open"
    bench.call()
    assert bench.state() == "closed"


def test_late_failures_of_calls_from_before_do_not_end_a_trial() -> None:
    bench = Bench()
    late = bench.breaker.call("kite", lambda *_: None)
    late.__enter__()
    bench.fail(3)
    bench.now += REST
    with bench.breaker.call("kite", lambda *_: None):
        error = SearchBrokenError("late")
        assert late.__exit__(SearchBrokenError, error, None) is False
        with pytest.raises(SearchPausedError):
            bench.call()
    assert bench.state() == "closed"


def test_of_many_threads_exactly_one_tries() -> None:
    bench = Bench()
    bench.fail(3)
    bench.now += REST
    begun, over = Barrier(8), Barrier(8)

    def tried(_: int) -> bool:
        begun.wait(60)
        try:
            with bench.breaker.call("kite", lambda *_: None):
                over.wait(60)
        except SearchPausedError:
            over.wait(60)
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(tried, range(8))) == 1
    assert bench.state() == "closed"
