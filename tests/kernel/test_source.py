"""Sources have ids that derive from what they hold, and passages say where they stand."""

from hypothesis import given
from hypothesis import strategies as st

from spyglass.kernel.source import Passage, Source, digest


def source(**changes: object) -> Source:
    record: dict[str, object] = {"title": "T", "summary": "S", "brief_summary": "B", "keywords": [], "url": "file:///a"}
    return Source.model_validate({**record, **changes})


def test_equal_evidence_has_an_equal_id() -> None:
    assert source().id == source(title="other title").id
    assert source().id != source(url="file:///b").id
    assert source(snapshot="x").id != source(snapshot="y").id


@given(st.text(), st.lists(st.text()), st.text())
def test_a_source_survives_the_message_round_trip(title: str, keywords: list[str], own: str) -> None:
    there = source(title=title, keywords=keywords, somebodys_own_key=own)
    assert Source.model_validate(there.model_dump(mode="json")) == there


def test_a_passage_says_where_it_stands() -> None:
    cases: list[tuple[dict[str, int], str]] = [
        ({"page": 3, "line": 9}, "page 3"),
        ({"line": 9}, "line 9"),
        ({"line": 9, "last_line": 9}, "line 9"),
        ({"line": 9, "last_line": 12}, "lines 9-12"),
        ({}, ""),
    ]
    for fields, place in cases:
        assert Passage.model_validate({"text": "t", "start": 0, "end": 1, **fields}).place == place


def test_a_digest_keeps_its_parts_apart() -> None:
    assert digest("ab", "c") != digest("a", "bc")
