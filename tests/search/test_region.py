"""A region is read as people write it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spyglass.search.region import Region, region_of


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
