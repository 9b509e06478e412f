"""A page has one spelling, a host one domain, and lists of domains go by whole labels."""

import string

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from spyglass.kernel.errors import SettingsError
from spyglass.search.urls import TRACKING, TRACKING_PREFIXES, domain_entry, domain_of, in_domains, normalize_url

PIECES = st.sampled_from(
    ["http", "https", "://", "/", "//", ".", "..", "?", "#", "&", "=", "@", ":", "%", "%2e", "%2F", "%zz", "[", "]",
     "\\", "www.", "example.org", "Bücher.example", "xn--bcher-kva.example", "::1", "127.0.0.1", "0x7f.1", ":80",
     ":443", ":99999", "utm_source", "gclid=1", "a", "B", "ü", "\u202e", "\ud800", "％", "。", " ", "\t", "\x00"]
)  # fmt: skip
ADDRESSES = st.one_of(
    st.text(),
    st.lists(PIECES, max_size=12).map("".join),
    st.lists(PIECES, max_size=8).map(lambda parts: "https://example.org/" + "".join(parts)),
)
LABELS = st.text(string.ascii_lowercase + string.digits, min_size=1, max_size=8)
HOSTS = st.lists(LABELS, min_size=1, max_size=4).map(lambda labels: ".".join([*labels, "example"]))


def test_a_page_has_one_spelling() -> None:
    cases = {
        "HTTP://Example.ORG/": "http://example.org",
        "https://example.org/a/": "https://example.org/a",
        "https://example.org/a#part": "https://example.org/a",
        "https://example.org:443/a": "https://example.org/a",
        "http://example.org:80": "http://example.org",
        "http://example.org:443/a": "http://example.org:443/a",
        "https://example.org./a": "https://example.org/a",
        "https://example.org/Path?Key=Value": "https://example.org/Path?Key=Value",
        "https://example.org/?b=2&a=1": "https://example.org?b=2&a=1",
        "https://example.org/a?": "https://example.org/a",
        "https://example.org/a?utm_source=x&id=7&fbclid=1&UTM_Medium=y": "https://example.org/a?id=7",
        "https://example.org/a?utm_source=x": "https://example.org/a",
        "https://example.org/a?ref=main&source=b": "https://example.org/a?ref=main&source=b",
        "https://example.org/a?%75tm_source=x&b=1": "https://example.org/a?b=1",
        "https://example.org/a?&&b=1&": "https://example.org/a?b=1",
        "https://example.org/%7euser/%c3%bc/ü": "https://example.org/~user/%C3%BC/%C3%BC",
        "https://example.org/a%2Fb": "https://example.org/a%2Fb",
        "https://example.org/100%": "https://example.org/100%25",
        "https://example.org/a/./b/../c": "https://example.org/a/c",
        "https://example.org/../../a": "https://example.org/a",
        "https://Bücher.example/": "https://xn--bcher-kva.example",
        "https://☃.net/a": "https://xn--n3h.net/a",
        "http://[2001:DB8:0:0:0:0:0:1]:80/a": "http://[2001:db8::1]/a",
        "https://www.example.org/a": "https://www.example.org/a",
        "https://user:Secret@Example.org/a": "https://user:Secret@example.org/a",
        "https://example.org/a b": "https://example.org/a%20b",
    }
    assert {url: normalize_url(url) for url in cases} == cases


def test_what_is_no_web_address_comes_back_unchanged() -> None:
    cases = ["", "example.org/a", "/a/b.pdf", "file:///etc/hosts", "data:text/html,hi", "mailto:a@b.org", "http://", "http:///a",
     "http://[::1/a", "http://a b/", "http://example.org:port/", "https://good.org\\@evil.org/"]  # fmt: skip
    assert [url for url in cases if normalize_url(url) != url] == []


@given(ADDRESSES)
@example("https://example.org/%2e%2e/%252e/%")
@example("https://example.org/?%26utm_source=1&&")
def test_normalising_twice_is_normalising_once(url: str) -> None:
    once = normalize_url(url)
    assert normalize_url(once) == once
    assert domain_of(once) == domain_of(url)


@given(HOSTS, st.text(string.ascii_letters + "/-_.~%&= üé", max_size=30))
def test_a_normal_address_is_ascii_without_fragment_or_trailing_slash(host: str, rest: str) -> None:
    normal = normalize_url(f"HTTPS://{host.upper()}/{rest}#fragment")
    assert normal.isascii()
    assert normal.startswith(f"https://{host}")
    assert not set(" #") & set(normal)
    assert not normal.partition("?")[0].endswith("/")


@given(st.lists(st.sampled_from([*sorted(TRACKING), *(f"{start}x" for start in TRACKING_PREFIXES)]), min_size=1))
def test_tracking_parameters_leave_no_trace(names: list[str]) -> None:
    query = "&".join(f"{name}=1" for name in names)
    assert normalize_url(f"https://example.org/a?{query}&id=3") == normalize_url("https://example.org/a?id=3")


def test_a_megabyte_of_dots_and_percents_is_normalised_in_time() -> None:
    hostile = "https://example.org/" + "%2e%2e/" * 100_000 + "%" * 100_000 + "?" + "&" * 100_000
    assert len(normalize_url(hostile)) == len("https://example.org/") + 300_000


def test_a_domain_is_the_host_without_www() -> None:
    cases = {
        "https://www.Example.org:8443/a": "example.org",
        "https://www.gov.uk/": "gov.uk",
        "https://www.com/": "www.com",
        "https://wwwx.example.org": "wwwx.example.org",
        "http://user:pw@a.example.org/": "a.example.org",
        "http://[::1]:80/": "::1",
        "notes/report.md": "",
        "file:///home/a.md": "",
        "https://good.org\\@evil.org/": "",
    }
    assert {url: domain_of(url) for url in cases} == cases


def test_a_domain_holds_its_subdomains_by_whole_labels() -> None:
    entries = ["example.org", ".example.org", "*.example.org", "https://www.Example.org/", "EXAMPLE.org."]
    places = [
        ("https://example.org/a", True),
        ("https://deep.sub.example.org/a", True),
        ("www.example.org", True),
        ("example.org:8080/path", True),
        ("example.org/go?to=https://evil.net/", True),
        ("https://notexample.org/", False),
        ("https://example.org.evil.net/", False),
        ("https://evil.net/?u=example.org", False),
        ("https://example.org@evil.net/", False),
        ("https://evil.net\\.example.org/", False),
        ("org", False),
        ("", False),
        ("not a host", False),
    ]
    assert [
        (entry, where, inside)
        for entry in entries
        for where, inside in places
        if in_domains(where, ["other.net", entry]) is not inside
    ] == []


def test_a_top_level_and_an_international_domain_may_be_listed() -> None:
    assert in_domains("https://www.nasa.gov/", [".gov"])
    assert in_domains("https://a.xn--bcher-kva.example/", ["bücher.example"])
    assert in_domains("https://a.bücher.example/", ["xn--bcher-kva.example"])
    assert not in_domains("https://example.org/", [])


def test_an_ip_address_is_listed_whole() -> None:
    assert in_domains("http://127.0.0.11:8090/a", ["127.0.0.11"])
    assert not in_domains("http://127.0.0.11:8090/a", ["0.0.11"])
    assert in_domains("http://2130706433/", ["127.0.0.1"]), "a browser reads the number as that address"


def test_what_names_no_domain_is_refused_with_a_remedy(subtests: pytest.Subtests) -> None:
    cases = ["", "*", ".", "a b.org", "https://", "example.org/path", "example.org:80", "me@example.org", "a..b", "?"]
    for entry in cases:
        with subtests.test(entry=entry), pytest.raises(SettingsError, match=r"is not a domain.*example\.org"):
            in_domains("https://example.org/", [entry])


@given(HOSTS, st.lists(LABELS, max_size=3))
def test_a_host_is_in_its_own_domain_and_in_every_one_above(host: str, below: list[str]) -> None:
    assert in_domains(".".join([*below, host]), [host])
    assert domain_entry(domain_entry(host)) == domain_entry(host)


@given(ADDRESSES, st.lists(HOSTS, max_size=3))
def test_no_address_is_too_strange_to_be_looked_up(url: str, domains: list[str]) -> None:
    assert in_domains(url, domains) in (True, False)
