"""A streamed answer is told without its thinking, however it is cut into pieces."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spyglass.model.think_filter import LongEnoughError, ThinkFilter


def told(pieces: list[str]) -> str:
    said: list[str] = []
    aloud = ThinkFilter(said.append)
    for piece in pieces:
        aloud(piece)
    aloud.end()
    return "".join(said)


def test_what_is_heard_does_not_depend_on_the_pieces(subtests: pytest.Subtests) -> None:
    cases = [
        ("A telescope.", "A telescope."),
        ("<think>Ships?</think>A telescope.", "A telescope."),
        ("<THINKING>\nShips?\n</THINKING>\n\nA telescope.", "\n\nA telescope."),
        ("  <think>Ships?</think>A telescope.", "  A telescope."),
        ("<think>a</think><think>b</think>c", "c"),
        ("One.\n<think>Hm.</think>Two.", "One.\nTwo."),
        ("The tag <think> is only mentioned.", "The tag <think> is only mentioned."),
        ("Ships.</think>A telescope.", "Ships.A telescope."),
        ("<think>It never ends", ""),
        ("1 < 2 and <b>bold</b> <", "1 < 2 and <b>bold</b> <"),
        ("<think", "<think"),
    ]
    for text, heard in cases:
        with subtests.test(text=text, heard=heard):
            assert told([text]) == heard
            assert told(list(text)) == heard
            assert told([text[:3], text[3:9], text[9:]]) == heard


@given(
    st.lists(st.sampled_from(["<think>", "</think>", "\n", "a", "<", "think>", "</", " "]), max_size=12).map("".join),
    st.data(),
)
def test_no_cut_changes_what_is_heard(text: str, data: st.DataObject) -> None:
    first = data.draw(st.integers(0, len(text)))
    second = data.draw(st.integers(first, len(text)))
    assert told([text[:first], text[first:second], text[second:]]) == told([text])


@given(st.text(alphabet=st.characters(exclude_characters="<")))
def test_a_text_without_tags_is_heard_whole(text: str) -> None:
    assert told([text]) == text


def test_after_so_many_characters_the_stream_is_given_up() -> None:
    told: list[str] = []
    aloud = ThinkFilter(told.append, 10)
    aloud("<think>thinking does not count at all</think>")
    aloud("0123456789")
    with pytest.raises(LongEnoughError):
        aloud("x")
    assert aloud.passed == "".join(told) == "0123456789x"
