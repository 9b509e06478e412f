"""A server's refusal becomes the error that says what to do, and how long to wait."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spyglass.kernel.errors import ModelBusyError, ModelError
from spyglass.model.rejection import LONGEST_QUOTE, Rejection, as_model_error

DATE = {"Date": "Wed, 21 Oct 2026 07:28:00 GMT"}


def explained(rejection: Rejection) -> ModelError:
    return as_model_error(
        rejection,
        "openai m, http://a",
        key_variable="A_KEY",
        unknown_remedy="Pull it.",
        unreachable_remedy="Start it.",
    )


def test_a_long_answer_is_quoted_in_part_and_on_one_line() -> None:
    said = str(explained(Rejection(400, "no\n" * 1000)))
    assert len(said) < LONGEST_QUOTE + 200
    assert "\n" not in said


def test_a_page_is_not_quoted_at_all() -> None:
    assert "it answered with an HTML page" in str(explained(Rejection(502, " <!DOCTYPE html><html>…")))


def test_an_answer_without_words_says_so() -> None:
    assert "it gave no reason" in str(explained(Rejection(500, "")))


def test_a_secret_is_blotted_out_before_the_words_are_cut() -> None:
    secret = "sk-0123456789"
    rejection = Rejection(401, "x" * (LONGEST_QUOTE - 5) + secret).without(secret)
    assert "sk-01" not in str(explained(rejection))


@given(st.none() | st.integers(300, 599), st.text(max_size=50))
def test_every_refusal_is_an_error_that_says_where(status: int | None, message: str) -> None:
    error = explained(Rejection(status, message))
    assert isinstance(error, ModelError)
    assert "openai m, http://a" in str(error)


def test_what_passes_may_be_tried_again(subtests: pytest.Subtests) -> None:
    for status in [408, 409, 425, 429, 500, 502, 503, 504, 529]:
        with subtests.test(status=status):
            error = explained(Rejection(status, "wait", {"Retry-After": "2"}))
            assert isinstance(error, ModelBusyError)
            assert error.retryable
            assert error.details == {"retry_after": 2.0}


def test_what_does_not_pass_is_not_tried_again() -> None:
    assert [
        status
        for status in [301, 308, 400, 401, 402, 403, 404, 405, 413, 422]
        if explained(Rejection(status, "no")).retryable
    ] == []
