"""A frame comes out as it went in, and the end of the other side is noticed."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spyglass.documents import frames

HEADERS = st.dictionaries(st.text(), st.one_of(st.integers(), st.text(), st.lists(st.integers())))


@given(st.lists(st.tuples(HEADERS, st.binary())))
def test_frames_come_out_as_they_went_in(sent: list[frames.Frame]) -> None:
    pipe = io.BytesIO()
    for header, data in sent:
        frames.write(pipe, header, data)
    pipe.seek(0)
    assert [frames.read(pipe) for _ in sent] == sent
    with pytest.raises(EOFError):
        frames.read(pipe)


@given(HEADERS, st.binary(), st.integers(1, 20))
def test_a_frame_that_breaks_off_is_an_end(header: dict[str, int], data: bytes, missing: int) -> None:
    pipe = io.BytesIO()
    frames.write(pipe, header, data)
    with pytest.raises(EOFError):
        frames.read(io.BytesIO(pipe.getvalue()[:-missing]))
