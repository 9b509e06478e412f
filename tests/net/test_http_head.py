"""Heads of HTTP messages: what two readers could read differently is refused."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spyglass.net.http_head import HeadError, read_request, read_response, value_of

NAMES = st.text(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%&'*+-.^_`|~", min_size=1, max_size=12
)
VALUES = st.text(st.characters(min_codepoint=0x20, max_codepoint=0xFF, exclude_characters="\x7f"), max_size=30)


def head(first: str, *fields: str) -> bytes:
    return "\r\n".join([first, *fields, "", ""]).encode("latin-1")


def test_a_plain_request_is_read_and_written_anew() -> None:
    request = read_request(
        head(
            "POST http://site.example:8080/a?b=c HTTP/1.1",
            "Host: somewhere.else",
            "Proxy-Authorization: Basic c2VjcmV0",
            "Proxy-Connection: keep-alive",
            "Connection: keep-alive, X-Hop",
            "X-Hop: 1",
            "Accept: text/html",
            "Content-Length: 3",
            "Upgrade: h2c",
        )
    )
    assert (request.method, request.url, request.length) == ("POST", "http://site.example:8080/a?b=c", 3)
    assert not request.is_tunnel
    assert request.head("/a?b=c", "site.example:8080") == head(
        "POST /a?b=c HTTP/1.1", "Host: site.example:8080", "Accept: text/html", "Content-Length: 3", "Connection: close"
    )


def test_no_field_can_take_away_the_one_that_tells_where_the_body_ends() -> None:
    fields = ["Connection: Content-Length, close", "Content-Length: 7"]
    passed_on = read_request(head("POST http://site.example/ HTTP/1.1", *fields)).head("/", "site.example")
    assert b"Content-Length: 7\r\n" in passed_on


@pytest.mark.parametrize("place", ["site.example:443", "10.0.0.1:80", "[::1]:8443"])
def test_a_tunnel_leads_to_host_and_port(place: str) -> None:
    request = read_request(head(f"CONNECT {place} HTTP/1.1", f"Host: {place}"))
    assert request.is_tunnel
    assert request.url == f"https://{place}/"


def test_a_first_line_of_another_kind_is_refused(subtests: pytest.Subtests) -> None:
    cases = [
        "GET / HTTP/1.1",
        "GET https://site.example/ HTTP/1.1",
        "GET ftp://site.example/ HTTP/1.1",
        "GET file:///etc/passwd HTTP/1.1",
        "GET  http://site.example/ HTTP/1.1",
        "GET http://site.example/ HTTP/2.0",
        "GET http://site.example/ HTTP/1.1 ",
        "GET http://site.example/",
        "GET http://site.example/ä HTTP/1.1",
        "get http://site.example/ HTTP/1.1",
        "CONNECT site.example HTTP/1.1",
        "CONNECT site.example:443/path HTTP/1.1",
        "CONNECT me@site.example:443 HTTP/1.1",
        "CONNECT http://site.example:443 HTTP/1.1",
        "PRI * HTTP/2.0",
        "",
    ]
    for first in cases:
        with subtests.test(first=first), pytest.raises(HeadError):
            read_request(head(first))


def test_what_two_readers_could_read_differently_is_refused(subtests: pytest.Subtests) -> None:
    cases = [
        ["Content-Length: 1", "Content-Length: 2"],
        ["Content-Length: 1", "content-length: 1"],
        ["Content-Length: 1, 1"],
        ["Content-Length: +1"],
        ["Content-Length: 0x1"],
        ["Content-Length: -1"],
        ["Content-Length:"],
        ["Content-Length: ١"],
        ["Transfer-Encoding: chunked"],
        ["transfer-encoding: identity", "Content-Length: 1"],
        ["Transfer-Encoding : chunked"],
        [" folded: line"],
        ["Accept: a", "\tb"],
        ["no colon"],
        [": no name"],
        ["Na me: x"],
        ["X: a\nTransfer-Encoding: chunked"],
        ["X: a\rY: b"],
        ["X: a\x00b"],
    ]
    for fields in cases:
        with subtests.test(fields=fields):
            text = "\r\n".join(["POST http://site.example/ HTTP/1.1", *fields, "", ""])
            with pytest.raises(HeadError):
                read_request(text.encode())


@given(st.lists(st.tuples(NAMES, VALUES), max_size=6), st.binary(max_size=40))
def test_what_is_passed_on_reads_the_same_again_and_holds_one_request(
    fields: list[tuple[str, str]], noise: bytes
) -> None:
    raw = head("GET http://site.example/ HTTP/1.1", *(f"{name}: {value}" for name, value in fields))
    for candidate in (raw, raw.replace(b"example", noise), raw[: len(noise)] + raw):
        try:
            request = read_request(candidate)
        except HeadError:
            continue
        passed_on = request.head("http://site.example/", "site.example")
        assert passed_on.count(b"\r\n\r\n") == 1
        assert b"\n" not in passed_on.replace(b"\r\n", b"")
        again = read_request(passed_on)
        assert again.length == request.length
        assert value_of(again.fields, "host") == "site.example"
        assert value_of(again.fields, "connection") == "close"
        assert not [name for name, _ in again.fields if name.lower().startswith("proxy-")]


def test_an_answer_is_read_though_a_field_is_not_and_ends_the_connection() -> None:
    answer = read_response(
        head("HTTP/1.0 200", "Content-Type: text/html", "a field", "Keep-Alive: 5", "Transfer-Encoding: chunked")
    )
    assert answer.status == 200
    assert answer.head() == head(
        "HTTP/1.1 200 ", "Content-Type: text/html", "Transfer-Encoding: chunked", "Connection: close"
    )


@pytest.mark.parametrize("first", ["ICY 200 OK", "HTTP/2 200", "HTTP/1.1 20", "HTTP/1.1 999 x", "<html>"])
def test_an_answer_that_is_not_http_is_refused(first: str) -> None:
    with pytest.raises(HeadError):
        read_response(head(first))


@given(st.binary(max_size=200))
def test_garbage_is_read_or_refused_and_nothing_else(garbage: bytes) -> None:
    for read in (read_request, read_response):
        with suppress(HeadError):
            assert "\n" not in str(read(garbage).fields)
