"""An address that can be misread is refused, and none shows its password or its keys."""

import pytest

from spyglass.kernel.url import masked, require_one_reading, shown

MISREAD = {
    "http://host／x": "only resembles a delimiter",
    "http://user：pass＠host/": "only resembles a delimiter",
    "http://exa℀mple.com/": "only resembles a delimiter",
    "http://host？x@evil.example/": "only resembles a delimiter",
    "http://good.example\\@evil.example/": "two ways",
    "http://good.example\\.evil.example/": "two ways",
    "http://a@b@evil.example/": "two ways",
    "http://ho\x00st/": "control character",
    "http://ho\x85st/": "control character",
    "http://ho st/": "white space",
    "http://ho\u00a0st/": "white space",
    "http://a%2Fb/": "percent-encoded delimiter",
    "http://a%40b/": "two ways",
    "http://evil.example%00.good.example/": "control character",
}

PLAIN = (
    "https://münchen.de/straße?q=ä／@\\",
    "https://ＥＸＡＭＰＬＥ．ｃｏｍ/",
    "https://user:p%40ss@127.0.0.1:8/v1",
    "http://[::1]:8/",
    "https://medium.com/@writer/a:b",
    "https://%65xample.com/",
    "127.0.0.1:11434",
    "",
)


def test_an_address_whose_host_programs_read_differently_is_refused() -> None:
    for url, why in MISREAD.items():
        with pytest.raises(ValueError, match=why) as refused:
            require_one_reading(url)
        assert "pass" not in str(refused.value)
    for url in PLAIN:
        require_one_reading(url)


def test_what_a_query_says_of_keys_is_masked_and_nothing_else() -> None:
    hidden = {
        "https://a.example/p?id=7&api_key=s3cret#top": "https://a.example/p?id=7&api_key=***#top",
        "https://a.example/?X-Amz-Signature=s3cret&page=2": "https://a.example/?X-Amz-Signature=***&page=2",
        "https://a.example/#access_token=s3cret": "https://a.example/#access_token=***",
        "https://me:s3cret@a.example/": "https://a.example/",
        'Not read: "https://a.example/?token=s3cret": No.': 'Not read: "https://a.example/?token=***": No.',
    }
    for name in ("key", "apikey", "ApiKey", "accessToken", "client_secret", "password", "sig", "subscription-key"):
        hidden[f"https://a.example/?{name}=s3cret"] = f"https://a.example/?{name}=***"
    assert {text: masked(text) for text in hidden} == hidden
    assert {text: masked(text) for text in hidden.values()} == {text: text for text in hidden.values()}
    for text in (
        "https://a.example/?monkey=1&tokens=2&q=a",
        "a@b.example and c://d",
        "https://a.example/@b",
        "key=value",
    ):
        assert masked(text) == text


def test_an_address_is_shown_whatever_it_is() -> None:
    for url in (*MISREAD, *PLAIN, "http://[::1", "x:\x00", "http://a/?api_key=s3cret"):
        assert shown(url).isprintable()
        assert "s3cret" not in shown(url)
