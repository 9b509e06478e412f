"""What is worth reading: admitted, good enough, each page once, ranked over all queries."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spyglass.kernel.errors import SettingsError
from spyglass.kernel.settings import Settings
from spyglass.kernel.source import Source
from spyglass.search.candidates import Selection, deduplicate_results, filter_new_urls, fused, ranked, usable
from spyglass.search.result import SearchResult, score_of_rank
from spyglass.search.urls import normalize_url

PLAIN = Settings()


def result(url: str, score: float = 0.9, title: str = "T") -> SearchResult:
    return SearchResult(url=url if "://" in url else f"https://{url}", title=title, score=score)


def listed(*urls: str) -> list[SearchResult]:
    return [result(url, score_of_rank(rank)) for rank, url in enumerate(urls, start=1)]


def hosts(results: list[SearchResult]) -> list[str]:
    return [found.url.removeprefix("https://") for found in results]


RESULTS = st.lists(
    st.builds(result, st.sampled_from(["a.org", "a.org/", "a.org?utm_source=x", "b.org", "c.gov"]), st.floats(0, 1))
)


def test_results_below_the_least_score_are_dropped() -> None:
    assert hosts(usable([result("a.org", 0.3), result("b.org", 0.29)], PLAIN)) == ["a.org"]
    assert hosts(usable([result("a.org", 0.3)], Settings(search__min_score=0.5))) == []


def test_a_white_list_is_strict_and_a_black_list_goes_before_it() -> None:
    found = [result("a.org"), result("deep.a.org"), result("bad.a.org"), result("b.org"), result("nota.org")]
    assert hosts(usable(found, Settings(search__domains=["a.org"], search__block=["bad.a.org"]))) == [
        "a.org",
        "deep.a.org",
    ]
    assert usable(found, Settings(search__domains=["nothing.example"])) == []
    assert hosts(usable(found, Settings(search__block=["a.org"]))) == ["b.org", "nota.org"]


@pytest.mark.parametrize(
    "url", ["ftp://a.org/x", "javascript://a.org/%0aalert(1)", "data:text/html,a", "file:///a", "https://"]
)
def test_what_is_no_web_address_is_never_admitted(url: str) -> None:
    assert usable([result(url)] if "://" in url else [SearchResult(url=url, title="T", score=1)], PLAIN) == []


def test_a_list_that_names_no_domain_is_refused() -> None:
    with pytest.raises(SettingsError, match='"what is this" is not a domain'):
        Selection.of(Settings(search__trust=["what is this"]))


def test_within_a_batch_the_best_score_of_a_page_wins() -> None:
    found = [result("a.org/x#one", 0.5), result("b.org", 0.7), result("a.org/x/?utm_source=mail", 0.9)]
    assert hosts(deduplicate_results(found)) == ["a.org/x/?utm_source=mail", "b.org"]


def test_paths_that_differ_in_case_are_different_pages() -> None:
    assert len(deduplicate_results([result("a.org/Page"), result("a.org/page")])) == 2


def test_pages_that_the_run_has_seen_are_not_new_and_those_that_are_new_are_seen_then() -> None:
    new, seen = filter_new_urls([result("a.org/x/#there"), result("a.org/y"), result("a.org/y/")], ["https://A.org/x/"])
    assert hosts(new) == ["a.org/y"]
    assert seen == {"https://a.org/x", "https://a.org/y"}
    assert filter_new_urls(new, seen) == ([], seen)


def test_records_and_dicts_are_taken_as_results_are() -> None:
    scores = {"https://a.org/x#one": 0.5, "https://b.org": None, "https://a.org/x/": 0.9}
    dicts = [{"url": url, "score": score} for url, score in scores.items()]
    records = [
        Source(url=url, title="T", summary="", brief_summary="", keywords=[], score=score or 0.0)
        for url, score in scores.items()
    ]
    assert deduplicate_results(dicts) == [dicts[2], dicts[1]]
    assert deduplicate_results(records) == [records[2], records[1]]
    assert deduplicate_results([{"url": "https://a.org"}]) == [{"url": "https://a.org"}]
    assert filter_new_urls(dicts, set()) == (dicts[:2], {"https://a.org/x", "https://b.org"})
    assert filter_new_urls(records, {"https://b.org"})[0] == records[:1]


@given(RESULTS)
def test_deduplicated_results_are_distinct_sorted_and_the_best(found: list[SearchResult]) -> None:
    kept = deduplicate_results(found)
    pages = [normalize_url(one.url) for one in kept]
    assert len(set(pages)) == len(pages)
    assert set(pages) == {normalize_url(one.url) for one in found}
    assert [one.score for one in kept] == sorted((one.score for one in kept), reverse=True)
    for one in kept:
        assert one.score == max(other.score for other in found if normalize_url(other.url) == normalize_url(one.url))
    assert deduplicate_results(kept) == kept


def test_a_trusted_domain_rises_and_the_others_still_appear() -> None:
    found = listed("a.org", "b.org", "c.org", "d.org")
    assert hosts(ranked(found, Settings(search__trust=["c.org"]))) == ["c.org", "a.org", "b.org", "d.org"]
    assert [one.score for one in ranked(found, Settings(search__trust=["c.org"]))] == [0.9, 1.0, 0.95, 0.85]


def test_a_page_that_several_queries_find_comes_first() -> None:
    first = listed("a.org", "common.org/x?utm_source=1", "b.org")
    second = listed("c.org", "d.org", "common.org/x")
    assert hosts(fused([first, second], PLAIN))[0] == "common.org/x?utm_source=1", "the better scored spelling is kept"


def test_of_equal_ranks_the_more_credible_comes_first() -> None:
    assert hosts(fused([listed("blog.example"), listed("en.wikipedia.org"), listed("nature.com")], PLAIN)) == [
        "nature.com",
        "en.wikipedia.org",
        "blog.example",
    ]


def test_of_equal_credibility_the_better_score_then_the_first_found_comes_first() -> None:
    assert hosts(fused([[result("a.org", 0.8)], [result("b.org", 0.9)], [result("c.org", 0.8)]], PLAIN)) == [
        "b.org",
        "a.org",
        "c.org",
    ]


def test_reciprocal_ranks_are_those_of_the_paper() -> None:
    # 1/61 = 0.01639 for the first of one query; 1/70 + 1/70 = 0.02857 for the tenth of two
    tens = [f"only{number}.org" for number in range(9)]
    assert hosts(fused([listed(*tens, "both.org"), listed(*reversed(tens), "both.org")], PLAIN))[-1] == "both.org"
    once = fused(
        [listed("once.org"), listed(*tens, "both.org"), listed(*[f"x{ten}" for ten in tens], "both.org")], PLAIN
    )
    assert hosts(once)[0] == "both.org"


@given(st.lists(RESULTS, max_size=4))
def test_fusion_keeps_each_usable_page_once_in_any_mix(lists: list[list[SearchResult]]) -> None:
    found = fused(lists, PLAIN)
    pages = [normalize_url(one.url) for one in found]
    assert len(set(pages)) == len(pages)
    assert set(pages) == {normalize_url(one.url) for results in lists for one in usable(results, PLAIN)}
    assert found == fused(lists, PLAIN)
