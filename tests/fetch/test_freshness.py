"""An answer is kept as long as HTTP and the user allow."""

from spyglass.fetch.freshness import is_fresh, may_keep, validators

HOUR = 3600.0


def test_what_may_be_kept() -> None:
    cases = [
        ({}, True),
        ({"cache-control": "public, max-age=60"}, True),
        ({"cache-control": "no-cache"}, True),
        ({"cache-control": "No-Store"}, False),
        ({"cache-control": "max-age=60, private"}, False),
        ({"cache-control": 'private="set-cookie"'}, False),
        ({"vary": "Accept-Encoding"}, True),
        ({"vary": "*"}, False),
    ]
    assert [(headers, kept) for headers, kept in cases if may_keep(headers) is not kept] == []


def test_it_is_fresh_for_the_shorter_of_both_times() -> None:
    cases = [
        ({}, HOUR, True),
        ({}, HOUR + 1, False),
        ({"cache-control": "max-age=60"}, 59, True),
        ({"cache-control": "max-age=60"}, 60, False),
        ({"cache-control": "max-age=86400"}, HOUR + 1, False),
        ({"cache-control": "max-age=0"}, 0, False),
        ({"cache-control": 'MAX-AGE="60"'}, 61, False),
        ({"cache-control": "max-age=soon"}, 10, True),
        ({"cache-control": "no-cache"}, 0, False),
        ({"pragma": "no-cache"}, 0, False),
        ({"pragma": "no-cache", "cache-control": "max-age=60"}, 10, True),
    ]
    assert [(headers, age, fresh) for headers, age, fresh in cases if is_fresh(headers, age, HOUR) is not fresh] == []


def test_it_is_asked_again_by_what_the_server_gave() -> None:
    assert validators({"etag": '"1"', "last-modified": "Mon"}) == {"if-none-match": '"1"', "if-modified-since": "Mon"}
    assert validators({"content-type": "text/html"}) == {}
