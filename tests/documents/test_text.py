"""Bytes become text in the encoding that they are in, and text loses what has no place in it."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from spyglass.documents import text as module
from spyglass.documents.text import clean, decode, first_heading, tidy
from spyglass.kernel.errors import TooLargeError, UnsupportedError

LINES = {
    "latin-1": "Die Größe der Äpfel überraschte alle Gäste, auch später noch.\n",
    "cp1251": "Широкая электрификация южных губерний даст мощный толчок подъёму сельского хозяйства.\n",
    "cp932": "これは日本語のテキストです。文字コードを正しく判定してください。\n",
    "gb18030": "这是一个简体中文的文本文件，用于测试编码检测是否正确。\n",
}
WORDS = st.text(st.characters(exclude_categories=["Cs", "Cc", "Cn"], exclude_characters="\ufeff\ufffd"), min_size=1)


@given(WORDS)
def test_utf_8_is_read_as_it_was_written(text: str) -> None:
    assert decode(text.encode()) == text


@example("\u0820", "utf-16")
@given(WORDS, st.sampled_from(["utf-8-sig", "utf-16", "utf-32"]))
def test_a_byte_order_mark_decides(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)) == text


@pytest.mark.parametrize(("encoding", "line"), LINES.items())
def test_other_encodings_are_detected(encoding: str, line: str) -> None:
    assert decode((line * 5).encode(encoding)) == line * 5


def test_detection_looks_where_the_letters_are_not_where_the_file_begins() -> None:
    line = LINES["cp932"]
    assert decode(("id,name\n" * 50_000 + line * 5).encode("cp932")).endswith(line)


def test_utf_16_without_a_mark_is_read() -> None:
    assert decode("Größe and more words".encode("utf-16-le")) == "Größe and more words"
    assert decode("Größe and more words".encode("utf-16-be")) == "Größe and more words"


def test_one_bad_byte_does_not_spoil_the_rest() -> None:
    assert decode("Größe über alles, äöü ".encode() * 5 + b"\xff!") == "Größe über alles, äöü " * 5 + "\ufffd!"


def test_a_declared_encoding_is_believed_when_it_fits() -> None:
    assert decode("Größe".encode("cp850"), "cp850") == "Größe"
    assert decode("Größe".encode(), "cp850") == "Größe"
    assert decode(LINES["latin-1"].encode("latin-1"), "no-such-encoding") == LINES["latin-1"]


@pytest.mark.parametrize("data", [bytes(5000), bytes(range(256)) * 20, b"\xff\xfe" + b"\x01\x00" * 500])
def test_what_is_no_text_is_refused(data: bytes) -> None:
    with pytest.raises(UnsupportedError, match="neither text"):
        decode(data)


@given(st.text())
def test_cleaning_twice_is_cleaning_once(text: str) -> None:
    assert clean(clean(text)) == clean(text)


@given(st.lists(st.text(st.characters(exclude_characters="\r\n"))), st.sampled_from(["\n", "\r\n", "\r"]))
def test_cleaning_keeps_the_lines(lines: list[str], end: str) -> None:
    assert clean(end.join(lines)).count("\n") == max(len(lines) - 1, 0)


@given(st.text(st.one_of(st.characters(), st.characters(categories=["Cs", "Cc"]))))
def test_clean_text_can_be_written_and_shown(text: str) -> None:
    cleaned = clean(text)
    cleaned.encode()
    assert not [c for c in cleaned if c != "\n" and c != "\t" and (c < " " or c in "\x7f\ufeff\ufffe\uffff")]


def test_colours_of_a_log_and_embedded_pictures_go() -> None:
    assert clean("\x1b[31mERROR\x1b[0m at 12:00\x00") == "ERROR at 12:00"
    assert clean("![x](data:image/png;base64," + "QUJD" * 1000 + ") after") == "![x](data:image/png;base64,…) after"


def test_a_text_beyond_all_measure_is_refused() -> None:
    with pytest.raises(TooLargeError, match="20,000,001 characters"):
        clean("a" * (module.MOST_CHARACTERS + 1))


def test_hostile_text_is_read_to_its_end(subtests: pytest.Subtests) -> None:
    cases = ["data:image/png;base64,", "\x1b[0;", "# ", "\n" * 3, " ", "---\n", "[\n"]
    for hostile in cases:
        with subtests.test(hostile=hostile):
            text = tidy(clean(hostile * (1_000_000 // len(hostile)) + "\nThe end"))
            assert text.endswith("The end")
            assert len(first_heading(text)) < len(text)


def test_tidy_markdown_has_no_trailing_spaces_and_no_double_blank_lines() -> None:
    assert tidy("\n\na  \n\n \n\n\nb\t\n") == "a\n\nb"


@pytest.mark.parametrize(
    ("text", "heading"),
    [
        ("# The title\n\nText", "The title"),
        ("\n[![badge](x)](y)\n<p align=center>\n\n# The **title** #\n", "The **title"),
        ("---\ntitle: x\n---\n\n# The title", "The title"),
        ("Text first\n\n# Not a title", ""),
        ("## Only a section", ""),
        ("", ""),
    ],
)
def test_the_first_heading_is_found_only_where_it_is_the_title(text: str, heading: str) -> None:
    assert first_heading(text) == heading
