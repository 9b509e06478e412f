"""Decoding of bytes in any encoding, and removal of control characters and embedded data from text."""

import re
from typing import Final

from ..kernel.errors import TooLargeError, UnsupportedError
from ..kernel.notice import Notice
from ..kernel.one_line import sanitized

MOST_CHARACTERS: Final = 20_000_000
"""Maximum length of a text; a longer one would not fit the memory that an ingest may use."""

SAMPLE: Final = 16_384  # bytes given to the charset detector, whose cost grows with their number

OVERSTRUCK: Final = re.compile(r"[^\x00-\x1f]\x08")
"""A character and a backspace: the next character overprints it, as terminals and printers made bold and underlined
text. Search decoded text only: in UTF-16 these bytes are part of other characters."""

_BOMS: Final = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
_HIGH: Final = re.compile(rb"[\x80-\xff]")
_LINE_ENDS: Final = re.compile(r"\r\n?")
_BREAKS: Final = re.compile(r"[\x0b\x0c\x1c-\x1f\x85]")
_JUNK: Final = re.compile(r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ufeff\ufffe\uffff]")
_COLOURS: Final = re.compile(r"\x1b\[[0-9;]{0,30}[A-Za-z]")
_SURROGATES: Final = re.compile(r"[\ud800-\udfff]")
_PREAMBLE: Final = r"(?:---\n.{0,2000}?\n---\n)?(?:[ \t]*(?:[\[!<][^\n]*)?\n){0,20}"
_HEADING: Final = re.compile(_PREAMBLE + r"#[ \t]+(\S[^\n]*)", re.DOTALL)
_RULE: Final = r"[*=~-]{3,}[ \t]*\n"
_TITLE: Final = re.compile(
    rf"\s{{0,200}}(?:{_RULE})?[ \t*]*"
    r"((?=[^\W\d_a-z])[^\s|<>{}=;:]+(?:[ \t]+[^\s|<>{}=;]+){1,9}(?<![.,;:!?]))"
    rf"[ \t*]*\n[ \t]*(?:\n|{_RULE})"
)
_DATA_URI: Final = re.compile(r"(data:[a-z]{1,20}/[\w.+-]{1,80};base64,)[A-Za-z0-9+/=]{64,}")


def decode(data: bytes, declared: str = "") -> str:
    """Return bytes as text, decoded by byte order mark, else as UTF-8, else as `declared`, else by detection.

    Single bytes that cannot be decoded become U+FFFD. Raises UnsupportedError if the bytes are not text in any known
    encoding.
    """
    decoded = _decoded(data, declared)
    text = OVERSTRUCK.sub("", decoded or "")
    if decoded is None or _is_noise(text):
        raise UnsupportedError(Notice("file_of_unknown_encoding"), remedy=Notice("save_it_as", kinds="UTF-8"))
    return text


def _decoded(data: bytes, declared: str) -> str | None:
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        pass
    return _utf16(data) or _damaged_utf8(data) or _as(data, declared) or _detected(data)


def _utf16(data: bytes) -> str | None:
    """Decode UTF-16 without a byte order mark, which has many zeros among its even or odd bytes; else return None."""
    even, odd = data[:SAMPLE:2].count(0), data[1:SAMPLE:2].count(0)
    if max(even, odd) * 8 < min(len(data), SAMPLE):
        return None
    return data.decode("utf-16-be" if even > odd else "utf-16-le", "replace")


def _damaged_utf8(data: bytes) -> str | None:
    """Decode UTF-8 with some invalid bytes; return None if these are too many for UTF-8."""
    text = data.decode("utf-8", "replace")
    bad = text.count("\ufffd")
    good = len(text) - len(text.encode("ascii", "ignore")) - bad
    return text if bad * 10 <= good else None


def _as(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding) if encoding else None
    except (UnicodeDecodeError, LookupError):
        return None


def _detected(data: bytes) -> str | None:
    from charset_normalizer import from_bytes

    first = _HIGH.search(data)
    start = data.rfind(b"\n", 0, first.start()) + 1 if first else 0
    best = from_bytes(data[max(start, first.start() - SAMPLE // 2 if first else 0) :][:SAMPLE]).best()
    return None if best is None else data.decode(best.encoding, "replace")


def _is_noise(text: str) -> bool:
    """Whether more than a twentieth of a text is control characters or undecodable."""
    sample = text if len(text) <= 2 * SAMPLE else text[:SAMPLE] + text[-SAMPLE:]
    return (len(_JUNK.findall(sample)) + sample.count("\ufffd")) * 20 > len(sample)


def clean(text: str) -> str:
    """Return the text with newlines as its only line ends and without unprintable characters.

    Control characters and characters that change the direction of text are removed, breaks other than newlines become
    spaces, lone surrogates become U+FFFD, embedded binary data is removed. The number of lines does not change. Raises
    TooLargeError beyond MOST_CHARACTERS.
    """
    if "\r" in text:
        text = _LINE_ENDS.sub("\n", text)
    if "\x1b" in text:
        text = _COLOURS.sub("", text)
    if not text.isascii():
        text = _SURROGATES.sub("\ufffd", text)
    text = _JUNK.sub("", _BREAKS.sub(" ", text))
    if not text.isascii():
        text = sanitized(text)
    if ";base64," in text:
        text = _DATA_URI.sub(r"\1…", text)
    if len(text) > MOST_CHARACTERS:
        size = Notice("text_too_long", characters=f"{len(text):,}", most=f"{MOST_CHARACTERS:,}")
        raise TooLargeError(size, remedy=Notice("split_it"))
    return text


def tidy(text: str) -> str:
    """Return Markdown without spaces at line ends and without more than one blank line in a row."""
    lines = "\n".join(line.rstrip() for line in text.split("\n"))
    return re.sub(r"\n{3,}", "\n\n", lines).strip("\n")


def first_line(text: str) -> str:
    """Return the first line of a plain text if it is a title (short, unpunctuated, separated from the rest), or ""."""
    match = _TITLE.match(text)
    return match[1].strip(" *=#~-") if match else ""


def first_heading(text: str) -> str:
    """Return the heading at the start of a Markdown text, or ""; badges and front matter may precede it."""
    match = _HEADING.match(text)
    return match[1].strip(" #*_") if match else ""
