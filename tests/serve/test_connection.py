"""Connections that do not ask, or do not take the answer, end, and keep nobody else out."""

import asyncio
import json
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import cycle, islice
from urllib.parse import urlsplit

import pytest

from loopback import SearchServer, WebServer
from serve.conftest import Serving
from spyglass.serve.caller import network_of
from tools.sites import finds

HEAD = b"GET /health HTTP/1.1\r\nHost: localhost\r\n"
POST = b"POST /search HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n"
BEGUN = {
    "nothing": b"",
    "half a request line": b"GET /hea",
    "half a head": HEAD,
    "half a head after an answer": HEAD + b"\r\n" + HEAD,
    "half a body": POST + b'{"query":',
    "half a body that was refused": POST.replace(b"localhost", b"evil.example") + b"{",
    "half a chunk": POST.replace(b"Content-Length: 1000", b"Transfer-Encoding: chunked") + b"ff\r\n{",
}
"""What a client sends that keeps a server waiting."""

ANSWERED = {"half a head after an answer": b"200", "half a body that was refused": b"403", "half a chunk": b"411"}
"""The status that some of it is answered with before it is cut off."""

HALVES = (b"", b"GET /hea", HEAD)


@asynccontextmanager
async def connected(
    base: str, sent: bytes = b"", host: str = "127.0.0.1"
) -> AsyncIterator[tuple[StreamReader, StreamWriter]]:
    """Connect from an address of this machine, and send something."""
    reader, writer = await asyncio.open_connection("127.0.0.1", urlsplit(base).port, local_addr=(host, 0))
    try:
        writer.write(sent)
        yield reader, writer
    finally:
        writer.transport.abort()


async def ended(reader: StreamReader) -> bytes:
    """Return what came until the server ended the connection."""
    received = b""
    try:
        while more := await asyncio.wait_for(reader.read(65_536), 60):
            received += more
    except ConnectionResetError:
        pass
    return received


async def healthy(base: str, host: str = "127.0.0.1") -> bool:
    async with connected(base, HEAD + b"Connection: close\r\n\r\n", host) as (reader, _):
        return (await ended(reader)).startswith(b"HTTP/1.1 200")


async def test_whatever_a_client_begins_and_does_not_end_is_cut_off(serving: Serving) -> None:
    async with serving(serve__deadline=0.3) as base, AsyncExitStack() as clients:
        told = {}
        for name, sent in BEGUN.items():
            reader, _ = await clients.enter_async_context(connected(base, sent))
            told[name] = (await ended(reader))[9:12]
        assert told == dict.fromkeys(BEGUN, b"") | ANSWERED


async def test_who_sends_a_little_ever_again_is_cut_off(serving: Serving) -> None:
    async def drip(writer: StreamWriter, piece: bytes) -> None:
        while True:
            writer.write(piece)
            await asyncio.sleep(0.01)

    dripped = {"half a head": b"X-More: 1\r\n", "half a body": b" ", "half a request line": b"h"}
    async with serving(serve__deadline=0.5) as base:
        for name, piece in dripped.items():
            async with connected(base, BEGUN[name]) as (reader, writer):
                dripping = asyncio.create_task(drip(writer, piece))
                told = await ended(reader)
                assert not dripping.done(), f"{name}: it was the client that ended it"
                assert told == b"", name
                dripping.cancel()


async def test_a_thousand_connections_that_ask_nothing_keep_nobody_out(serving: Serving) -> None:
    async with serving(serve__deadline=600) as base, AsyncExitStack() as clients:
        opened = [await clients.enter_async_context(connected(base, half)) for half in islice(cycle(HALVES), 1_000)]
        for reader, _ in opened[:-256]:
            await ended(reader)
        assert await healthy(base)
        assert await healthy(base, "127.0.0.2")


async def test_a_crowd_that_comes_at_once_is_cut_to_the_bound(serving: Serving) -> None:
    async with serving(serve__deadline=600, serve__connections=8) as base, AsyncExitStack() as clients:
        opened = await asyncio.gather(*(clients.enter_async_context(connected(base, HEAD)) for _ in range(300)))
        endings = [asyncio.create_task(ended(reader)) for reader, _ in opened]
        for done in islice(asyncio.as_completed(endings), 292):
            await done
        assert await healthy(base)
        for ending in endings:
            ending.cancel()


async def test_who_has_most_connections_makes_room(serving: Serving) -> None:
    async with serving(serve__deadline=600, serve__connections=8) as base, AsyncExitStack() as clients:
        reader, writer = await clients.enter_async_context(connected(base, HEAD, "127.0.0.2"))
        crowd = [await clients.enter_async_context(connected(base, HEAD)) for _ in range(50)]
        for other, _ in crowd[:40]:
            await ended(other)
        assert await healthy(base)
        writer.write(b"\r\n")
        assert (await reader.readline()).startswith(b"HTTP/1.1 200")


async def test_a_run_keeps_its_connection_when_others_crowd_in(
    serving: Serving, search_server: SearchServer, web_server: WebServer
) -> None:
    finds(search_server, web_server.url("/hang"))
    asked = json.dumps({"query": "How deep is it?"}).encode()
    post = POST.replace(b"1000", str(len(asked)).encode()) + asked
    async with serving(serve__deadline=0.3, serve__connections=2) as base, AsyncExitStack() as clients:
        readers = [(await clients.enter_async_context(connected(base, post)))[0] for _ in range(2)]
        for reader in readers:
            assert (await reader.readline()).startswith(b"HTTP/1.1 200")
        async with connected(base) as (reader, _):
            refused = await ended(reader)
        assert refused.startswith(b"HTTP/1.1 429")
        assert b"retry-after: 10" in refused.lower()
        await asyncio.wait_for(web_server.first_visit.wait(), 60)
        assert not any(reader.at_eof() for reader in readers)


async def test_who_does_not_take_the_answers_is_cut_off(serving: Serving) -> None:
    async def ask_on(writer: StreamWriter) -> None:
        while True:
            writer.write((HEAD + b"\r\n") * 100)
            await asyncio.wait_for(writer.drain(), 60)

    async with serving(serve__deadline=0.5) as base, connected(base) as (_, writer):
        with pytest.raises(ConnectionError):
            await ask_on(writer)


async def test_a_head_without_end_is_refused(serving: Serving) -> None:
    async with serving() as base:
        for sent in (HEAD + b"X: " + b"a" * 20_000, b"GET /" + b"a" * 20_000, b"\x16\x03\x01 no HTTP\r\n\r\n"):
            async with connected(base, sent) as (reader, _):
                answer = await ended(reader)
            assert answer.startswith(b"HTTP/1.1 400")
            assert set(json.loads(answer.partition(b"\r\n\r\n")[2])) == {"error", "type"}


def test_a_network_of_64_bits_is_one_client() -> None:
    cases = {
        "127.0.0.1": "127.0.0.1",
        "::ffff:127.0.0.1": "127.0.0.1",
        "2001:db8:1:2:3:4:5:6": "2001:db8:1:2::/64",
        "fe80::1%eth0": "fe80::/64",
        "": "",
    }
    assert {host: network_of(host) for host in cases} == cases
