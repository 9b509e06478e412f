"""A query is no longer than engines take, names its domains, and has its region read as people write it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spyglass.search.result import SearchQuery
from spyglass.search.wording import LONGEST, MOST_SITES, MOST_WORDS, Region, cut, region_of, with_sites

WORDS = st.lists(st.text("abcäß漢", min_size=1, max_size=60), min_size=1, max_size=90).map(" ".join)
DOMAINS = st.lists(st.text("abc", min_size=1, max_size=40).map("{}.example".format), max_size=15, unique=True).map(
    tuple
)


@given(WORDS)
def test_a_cut_ends_between_words(text: str) -> None:
    short = cut(text)
    assert len(short) <= LONGEST
    assert len(short.split()) <= MOST_WORDS
    assert text == short or text.startswith(f"{short} ")


def test_a_word_that_is_longer_than_everything_is_cut_in_two() -> None:
    assert cut("k" * 10_000) == "k" * LONGEST


@given(WORDS, DOMAINS)
def test_a_query_with_domains_is_no_longer_either(text: str, domains: tuple[str, ...]) -> None:
    asked = with_sites(SearchQuery(text=cut(text), domains=domains))
    assert len(asked) <= LONGEST
    assert len(asked.split()) <= MOST_WORDS
    assert asked.count("site:") in (0, len(domains))
    assert asked.split()[0] == cut(text).split()[0]


def test_domains_are_named_until_there_are_too_many() -> None:
    def named(number: int) -> str:
        return with_sites(SearchQuery(text="red kites", domains=tuple(f"{place}.example" for place in range(number))))

    assert named(0) == "red kites"
    assert named(1) == "red kites site:0.example"
    assert named(2) == "red kites (site:0.example OR site:1.example)"
    assert named(MOST_SITES).count("site:") == MOST_SITES
    assert named(MOST_SITES + 1) == "red kites"


def test_a_region_is_a_country_and_a_language(subtests: pytest.Subtests) -> None:
    cases = [
        ("de-AT", Region("at", "de"), "de-AT"),
        ("at-de", Region("at", "de"), "de-AT"),
        ("en_US", Region("us", "en"), "en-US"),
        ("us-en", Region("us", "en"), "en-US"),
        ("uk-en", Region("gb", "en"), "en-GB"),
        ("en-UK", Region("gb", "en"), "en-GB"),
        ("DE", Region("de", ""), ""),
        ("fr", Region("", "fr"), "fr"),
        (" pt-BR ", Region("br", "pt"), "pt-BR"),
        ("", Region(), ""),
        ("Germany", Region(), ""),
        ("de-", Region(), ""),
    ]
    for text, region, locale in cases:
        with subtests.test(text=text, locale=locale):
            assert region_of(text) == region
            assert region_of(text).locale == locale


@given(st.text(max_size=12))
def test_any_text_reads_as_codes_or_as_nowhere(text: str) -> None:
    region = region_of(text)
    assert {len(region.country), len(region.language)} <= {0, 2}
    assert region_of(region.locale).language == region.language
