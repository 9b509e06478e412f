import gzip
import tracemalloc
import zlib
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spyglass.kernel.errors import PageTooLargeError, UnreachableError
from spyglass.net.body import MOST_MEMBERS, Body

TEXT = b"Der Hafen wurde 1871 gebaut. " * 50


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "": bytes,
    "identity": bytes,
}


def read(encoding: str, packed: bytes, *, most: int = 10**6, pieces: int = 1000) -> bytes:
    body = Body(encoding, most)
    for start in range(0, len(packed), pieces):
        body.feed(packed[start : start + pieces])
    return body.whole()


@given(st.binary(max_size=5000), st.sampled_from(sorted(PACKERS)), st.integers(1, 700))
def test_a_body_comes_out_as_it_went_in_however_it_is_cut(data: bytes, encoding: str, pieces: int) -> None:
    assert read(encoding, PACKERS[encoding](data), pieces=pieces) == data


@pytest.mark.parametrize("size", [65_535, 65_536, 65_537, 131_072, 200_000])
def test_a_body_of_whole_pieces_loses_no_byte(size: int) -> None:
    for data in (bytes(size), (TEXT * 200)[:size]):
        assert read("gzip", gzip.compress(data)) == data


def test_deflate_without_its_header_is_read() -> None:
    assert read("deflate", raw_deflate(TEXT)) == TEXT


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "utf-8", "br", "gzip, gzip", "x-unheard-of"])
def test_text_whose_header_lies_is_taken_as_it_is(encoding: str) -> None:
    for text in (TEXT, b"<html>", b"", b"x", "日本語".encode("shift_jis")):
        assert read(encoding, text) == text


@pytest.mark.parametrize("encoding", ["gzip, gzip", "GZIP", " gzip , identity", "none"])
def test_gzip_is_known_by_its_first_bytes(encoding: str) -> None:
    assert read(encoding, gzip.compress(TEXT)) == (gzip.compress(TEXT) if encoding == "none" else TEXT)


@pytest.mark.parametrize("encoding", ["gzip", "br", "zstd", "x-unheard-of"])
def test_what_is_neither_text_nor_known_is_told(encoding: str) -> None:
    with pytest.raises(UnreachableError, match=f'cannot be decoded as "{encoding}"'):
        read(encoding, bytes(range(256)))


def test_several_gzip_streams_are_one_body_and_what_follows_them_is_padding() -> None:
    packed = gzip.compress(TEXT) + gzip.compress(b"end")
    assert read("gzip", packed) == read("gzip", packed + bytes(700), pieces=7) == TEXT + b"end"
    assert read("gzip", packed, pieces=1) == TEXT + b"end"


@pytest.mark.parametrize("cut", [3, 9, 20, -9, -1])
def test_a_compressed_body_that_breaks_off_is_an_error(cut: int) -> None:
    with pytest.raises(UnreachableError, match="was cut off"):
        read("gzip", gzip.compress(TEXT)[:cut])


def test_a_damaged_body_is_an_error() -> None:
    packed = bytearray(gzip.compress(TEXT))
    packed[len(packed) // 2] ^= 0xFF
    with pytest.raises(UnreachableError, match=r"damaged|was cut off"):
        read("gzip", bytes(packed))


@pytest.mark.parametrize("encoding", ["gzip", "deflate", ""])
def test_the_cap_counts_what_comes_out(encoding: str) -> None:
    data = bytes(1000)
    assert read(encoding, PACKERS[encoding](data), most=1000) == data
    with pytest.raises(PageTooLargeError, match="larger than 999 bytes"):
        read(encoding, PACKERS[encoding](data), most=999)


def test_a_bomb_takes_no_more_memory_than_its_cap() -> None:
    bomb = gzip.compress(bytes(100_000_000))
    tracemalloc.start()
    with pytest.raises(PageTooLargeError):
        read("gzip", bomb, most=1_000_000, pieces=65_536)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2_000_000


def test_empty_streams_without_end_are_given_up() -> None:
    with pytest.raises(UnreachableError, match="too many parts"):
        read("gzip", gzip.compress(b"") * (MOST_MEMBERS + 1), pieces=65_536)
