"""All agents' records become one list: each page once, the most credible first."""

from hypothesis import given
from hypothesis import strategies as st

from spyglass.kernel.source import Passage, Source
from spyglass.search.consolidation import consolidate, credibility
from spyglass.search.urls import normalize_url


def source(
    url: str, score: int | None = None, *, kind: str = "web", snapshot: str = "", spans: tuple[int, ...] = ()
) -> Source:
    passages = [Passage(text="word", start=start, end=start + 4) for start in spans]
    return Source.model_validate(
        {"title": url, "summary": "S", "brief_summary": "B", "keywords": [], "url": url, "kind": kind,
         "credibility_score": score, "snapshot": snapshot, "passages": passages}
    )  # fmt: skip


def test_the_most_credible_comes_first_and_a_file_before_all() -> None:
    found = [
        source("https://a.example", 50),
        source("https://b.org", 90),
        source("file:///n.md", kind="file"),
        source("https://c.org"),
    ]
    assert [one.url for one in consolidate(found)] == [
        "file:///n.md",
        "https://b.org",
        "https://a.example",
        "https://c.org",
    ]


def test_of_one_page_the_record_with_the_highest_credibility_stays() -> None:
    found = [source("https://a.org/x", 50), source("https://a.org/x/#part", 90), source("https://a.org/x", 70)]
    assert [(one.url, one.credibility_score) for one in consolidate(found)] == [("https://a.org/x/#part", 90)]


def test_passages_of_the_same_text_come_together_in_its_order() -> None:
    found = [
        source("https://a.org", 50, snapshot="s", spans=(40, 10)),
        source("https://a.org", 50, snapshot="s", spans=(10, 20)),
        source("https://a.org", 50, snapshot="other", spans=(99,)),
    ]
    [kept] = consolidate(found)
    assert [passage.start for passage in kept.passages] == [10, 20, 40]


def test_one_text_at_two_addresses_is_one_page_of_the_more_credible() -> None:
    found = [
        source("https://copy.example", 50, snapshot="s", spans=(1,)),
        source("https://a.gov", 85, snapshot="s", spans=(9,)),
    ]
    [kept] = consolidate(found)
    assert kept.url == "https://a.gov"
    assert [passage.start for passage in kept.passages] == [1, 9]


def test_two_files_of_one_text_are_two_files() -> None:
    found = [source("file:///a.md", kind="file", snapshot="s"), source("file:///b.md", kind="file", snapshot="s")]
    assert len(consolidate(found)) == 2


def test_a_record_with_passages_goes_before_one_that_was_only_found() -> None:
    found = [source("https://a.org", 50), source("https://a.org", 50, snapshot="s", spans=(1,))]
    assert [one.snapshot for one in consolidate(found)] == ["s"]


SOURCES = st.lists(
    st.builds(
        source,
        st.sampled_from(
            ["https://a.org", "https://a.org/", "https://b.org", "https://c.org?utm_source=1", "https://c.org"]
        ),
        st.sampled_from([None, 0, 50, 70, 90]),
        snapshot=st.sampled_from(["", "s", "t"]),
        spans=st.lists(st.integers(0, 9), max_size=3).map(tuple),
    )
)


@given(SOURCES)
def test_whatever_was_found_is_there_once_and_in_order(found: list[Source]) -> None:
    kept = consolidate(found)
    pages = [normalize_url(one.url) for one in kept]
    assert len(set(pages)) == len(pages)
    assert [credibility(one) for one in kept] == sorted(map(credibility, kept), reverse=True)
    assert all(any(one.url == other.url and one.snapshot == other.snapshot for other in found) for one in kept)
    assert max(map(credibility, kept), default=0) == max(map(credibility, found), default=0)
