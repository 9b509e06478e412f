"""How far a page can be believed goes by the longest listed suffix of whole labels of its host."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spyglass.kernel.errors import SettingsError
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Settings
from spyglass.search.credibility import LISTED, credibility_of, label_of, quality_of, score_credibility
from spyglass.search.urls import domain_of

UNKNOWN = "Unknown domain — treat with caution"


def test_the_domain_decides(subtests: pytest.Subtests) -> None:
    cases = [
        ("https://www.reuters.com/world", 90, "tier1", "Established authoritative source"),
        ("https://pubmed.ncbi.nlm.nih.gov/1", 90, "tier1", "Established authoritative source"),
        ("https://www.ncbi.nlm.nih.gov/books", 85, "tier1", "Government or academic institution"),
        ("https://mit.edu", 85, "tier1", "Government or academic institution"),
        ("https://www.gov.uk/tax", 85, "tier1", "Government or academic institution"),
        ("https://www.cam.ac.uk", 85, "tier1", "Government or academic institution"),
        ("https://anu.edu.au", 85, "tier1", "Government or academic institution"),
        ("https://www.economie.gouv.fr", 85, "tier1", "Government or academic institution"),
        ("https://www.meti.go.jp", 85, "tier1", "Government or academic institution"),
        ("https://en.wikipedia.org/wiki/Lens", 70, "tier2", "Reputable secondary source"),
        ("https://someone.medium.com/a", 70, "tier2", "Reputable secondary source"),
        ("https://cloud.google.com/run", 70, "tier2", "Reputable secondary source"),
        ("https://google.com/", 50, "tier3", UNKNOWN),
        ("https://notnature.com/", 50, "tier3", UNKNOWN),
        ("https://nature.com.evil.example/", 50, "tier3", UNKNOWN),
        ("https://gov.evil.example/", 50, "tier3", UNKNOWN),
        ("https://go.com/", 50, "tier3", UNKNOWN),
        ("https://ac.dc.example/", 50, "tier3", UNKNOWN),
        ("https://nature.com@evil.example/", 50, "tier3", UNKNOWN),
        ("https://nature.com\\@evil.example/", 50, "tier3", UNKNOWN),
        ("not an address", 50, "tier3", UNKNOWN),
    ]
    for url, score, tier, reasoning in cases:
        with subtests.test(url=url, score=score):
            found = credibility_of(url)
            assert (found.score, found.tier, found.reasoning) == (score, tier, reasoning)


def test_the_score_says_whose_it_is() -> None:
    assert score_credibility("https://www.BBC.com/news", "bbc.com", "Words of the page.") == {
        "url": "https://www.BBC.com/news",
        "domain": "bbc.com",
        "score": 90,
        "tier": "tier1",
        "reasoning": "Established authoritative source",
    }


def test_a_domain_that_is_told_counts_only_where_the_address_has_none() -> None:
    assert credibility_of("", "www.nature.com").score == 90
    assert credibility_of("https://evil.example/", "nature.com").score == 50


def test_a_page_does_not_raise_its_own_credibility() -> None:
    praise = "Published by nature.com, an official .gov source, credibility 100."
    assert score_credibility("https://evil.example/", content_snippet=praise)["score"] == 50


def test_a_model_is_given_the_three_parameters_of_the_contract() -> None:
    schema = score_credibility.schema["input_schema"]
    assert list(schema["properties"]) == ["url", "domain", "content_snippet"]
    assert schema["required"] == ["url"]


async def test_in_a_run_the_ledger_has_the_score(run: Run) -> None:
    for url in ("https://arxiv.org/abs/1", "https://blog.example/"):
        run.ledger.add(url, "T", domain_of(url), "")
    assert (await score_credibility.call({"url": "https://arxiv.org/abs/1"}, run=run))["tier"] == "tier1"
    score_credibility("https://www.nature.com/unmet", run=run)
    records = {record.domain: (record.credibility_score, record.credibility_tier) for record in run.ledger.records}
    assert records == {"arxiv.org": (90, "tier1"), "blog.example": (50, "tier3")}


def test_the_users_list_extends_and_overrides() -> None:
    settings = Settings(
        search__credibility={"intranet.example": 95, "https://www.medium.com/": 20, ".gov": 60, "bücher.example": 70}
    )

    def scored(url: str) -> tuple[int, str]:
        found = credibility_of(url, settings=settings)
        return found.score, found.tier

    assert scored("https://wiki.intranet.example/a") == (95, "tier1")
    assert scored("https://medium.com/a") == (20, "tier3")
    assert scored("https://www.nasa.gov/") == (60, "tier3")
    assert scored("https://pubmed.ncbi.nlm.nih.gov/") == (90, "tier1"), "a longer suffix is listed"
    assert scored("https://xn--bcher-kva.example/") == (70, "tier2")
    assert credibility_of("https://medium.com/", settings=settings).reasoning == "Scored in the settings"


def test_a_users_entry_that_is_no_domain_is_refused() -> None:
    with pytest.raises(SettingsError, match="is not a domain"):
        credibility_of("https://example.org", settings=Settings(search__credibility={"example.org/path": 3}))
    with pytest.raises(SettingsError, match=r"credibility\.example\.org.*101"):
        Settings.load(search__credibility={"example.org": 101})


@given(st.sampled_from(sorted(LISTED)), st.text("abcdefghij", min_size=1, max_size=5))
def test_subdomains_have_the_score_of_their_domain_and_lookalikes_do_not(domain: str, word: str) -> None:
    assert credibility_of(f"https://{word}.{domain}/").score == LISTED[domain]
    assert credibility_of(f"https://{domain}.{word}.example/").score == 50


@given(st.text(), st.text(), st.text())
def test_any_text_is_scored(url: str, domain: str, snippet: str) -> None:
    assert 0 <= score_credibility(url, domain, snippet)["score"] <= 100
    assert quality_of(url) in range(1, 6)


def test_quality_tells_first_hand_from_second_hand() -> None:
    cases = [
        ("https://docs.python.org/3/library/asyncio.html", 5, "PRIMARY"),
        ("https://developer.mozilla.org/en-US/docs/Web", 5, "PRIMARY"),
        ("https://github.com/python/cpython", 5, "PRIMARY"),
        ("https://www.nasa.gov/", 5, "PRIMARY"),
        ("https://docs.unknown.example/guide", 4, "PRIMARY"),
        ("https://developer.apple.com/documentation", 4, "PRIMARY"),
        ("https://requests.readthedocs.io/en/latest", 4, "PRIMARY"),
        ("https://www.nature.com/articles/1", 4, "PRIMARY"),
        ("https://stackoverflow.com/q/1", 3, "SECONDARY"),
        ("https://medium.com/@a/b", 3, "SECONDARY"),
        ("https://dev.to/a/b", 3, "SECONDARY"),
        ("https://old.reddit.com/r/python", 3, "SECONDARY"),
        ("https://blog.example/", 2, "UNVERIFIED"),
        ("https://docs.google.com/document/d/1", 2, "UNVERIFIED"),
        ("https://github.com.evil.example/", 2, "UNVERIFIED"),
        ("https://docs/", 2, "UNVERIFIED"),
        ("notes.md", 2, "UNVERIFIED"),
    ]
    assert [
        (url, quality, label)
        for url, quality, label in cases
        if (quality_of(url), label_of(quality_of(url))) != (quality, label)
    ] == []


def test_a_domain_that_the_user_believes_is_first_hand() -> None:
    assert quality_of("https://intranet.example/", Settings(search__credibility={"intranet.example": 95})) == 4
