"""Bytes of a page become the characters that its author wrote."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spyglass.documents.html.charset import decode

JAPANESE = "<title>日本語</title><p>自動バキュームは日本語で説明されています。</p>"


@pytest.mark.parametrize("encoding", ["shift_jis", "euc_jp", "iso2022_jp", "utf-8", "utf-8-sig", "utf-16"])
def test_japanese_without_a_declared_charset_is_read(encoding: str) -> None:
    assert decode(JAPANESE.encode(encoding)) == JAPANESE


def test_one_sentence_is_enough_to_recognise_an_encoding(subtests: pytest.Subtests) -> None:
    cases = [
        ("<p>中华人民共和国的首都是北京，人口约两千万。</p>", "gb18030"),
        ("<p>中華民國的首都是台北，人口約兩百五十萬。</p>", "big5"),
        ("<p>대한민국의 수도는 서울이며 인구는 약 천만 명이다.</p>", "euc_kr"),
        ("<p>Москва является столицей России.</p>", "cp1251 koi8-r iso8859-5 cp866"),
        ("<p>Η Αθήνα είναι η πρωτεύουσα της Ελλάδας.</p>", "cp1253"),
        ("<p>ירושלים היא בירת ישראל והעיר הגדולה</p>", "cp1255"),
        ("<p>القاهرة هي عاصمة مصر وأكبر مدنها</p>", "cp1256"),
        ("<p>กรุงเทพมหานครเป็นเมืองหลวงของประเทศไทย</p>", "cp874"),
        ("<p>Naïve déjà vu; prix 30 £.</p>", "cp1252 latin-1"),
        ("<p>Die Straße ist schön – überall Käse.</p>", "cp1252"),
        ("<p>Ação e reação são iguais</p>", "cp1252"),
        ("<p>Příliš žluťoučký kůň úpěl ďábelské ódy</p>", "cp1250 iso8859-2"),
        ("<p>İstanbul Türkiye'nin en kalabalık şehridir</p>", "cp1254"),
    ]
    for text, encodings in cases:
        with subtests.test(text=text, encodings=encodings):
            for encoding in encodings.split():
                assert decode(text.encode(encoding)) == text


def test_the_header_is_believed_before_the_page() -> None:
    assert decode(b"<meta charset=koi8-r><p>\xcf\xee</p>", "text/html; charset=windows-1251").endswith("<p>По</p>")


def test_what_servers_say_of_every_page_is_not_believed_before_the_page() -> None:
    body = b"<meta charset=windows-1251><p>\xcf\xee</p>"
    assert decode(body, "text/html; charset=ISO-8859-1").endswith("<p>По</p>")


@pytest.mark.parametrize(
    "declaration",
    [
        '<meta charset="shift_jis">',
        "<META HTTP-EQUIV=Content-Type CONTENT='text/html; charset=x-sjis'>",
        '<?xml version="1.0" encoding="Windows-31J"?>',
    ],
)
def test_a_page_declares_its_encoding_in_several_ways(declaration: str) -> None:
    assert decode(declaration.encode() + "<p>①髙</p>".encode("cp932")).endswith("<p>①髙</p>")


def test_latin_1_means_windows_1252_as_in_browsers() -> None:
    assert decode(b"\x93quoted\x94 \x96", "text/html; charset=iso-8859-1") == "“quoted” –"


def test_valid_utf_8_is_utf_8_whatever_is_declared() -> None:
    assert decode("Grüße".encode(), "text/html; charset=iso-8859-1") == "Grüße"


def test_only_the_encodings_of_the_web_are_used(subtests: pytest.Subtests) -> None:
    cases = ["utf-7", "rot13", "zlib", "idna", "unicode_escape", "no-such-thing", "", "x" * 500]
    for label in cases:
        with subtests.test(label=label):
            body = b"<p>+ADw-script+AD4- \\u003c</p>"
            assert decode(body, f"text/html; charset={label}") == body.decode()


def test_a_character_that_was_cut_off_spoils_nothing_else() -> None:
    assert decode("Grüße aus Köln, schön".encode()[:-2]).startswith("Grüße aus Köln, sch")


def test_a_few_bad_bytes_leave_the_rest_of_a_utf_8_page_readable() -> None:
    good = "Grüße aus Köln. " * 50
    assert decode(good.encode() + b"\xff" + good.encode()).count("Köln") == 100


@given(st.binary(max_size=400), st.text(max_size=40))
def test_any_bytes_become_text(body: bytes, content_type: str) -> None:
    assert isinstance(decode(body, content_type), str)


@given(st.text(max_size=200))
def test_utf_8_comes_back_as_it_was(text: str) -> None:
    assert decode(b"\xef\xbb\xbf" + text.encode("utf-8", "replace")) == text.encode("utf-8", "replace").decode()
