"""E-mails (RFC 5322) as text: each message below a heading that says who wrote it and when.

A message that another one quotes, with marks (`> `) or below its own header lines, is a part of its own, so that its
words are not taken for those of the other one's author.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from email import message_from_bytes, policy
from email.errors import HeaderParseError
from email.header import decode_header, make_header
from email.message import EmailMessage
from email.utils import parseaddr, parsedate_to_datetime
from itertools import groupby, takewhile
from typing import Final, cast

from .text import clean, decode

_SHOWN: Final = ("From", "To", "Cc")
_SENDERS: Final = ("from", "von", "de", "da", "van", "från", "od", "发件人", "差出人")
"""The names of the field that begins the header of a quoted message, as mail programs translate it."""

_FIELD: Final = re.compile(r"[*_]{0,2}([^\W\d_][\w -]{0,18})\s?[:：][*_]{0,2}\s*(\S.*)")
_SEPARATOR: Final = re.compile(r"\s*[-_=]{5,}.*")
_MARK: Final = re.compile(r"[ \t]?>[ \t]?")
_INTRODUCTION: Final = re.compile(r"(?!#).{5,200}[:：]")
_DATE: Final = re.compile(r"\d{1,4}\D{1,12}\d")
"""A date or a time: two numbers with little between them."""

_MOST_FIELDS: Final = 8
DEEPEST: Final = 20


@dataclass(frozen=True, slots=True)
class Mail:
    """A message: its subject, its text with those that it quotes, and the names and bytes of the files attached."""

    subject: str
    text: str
    attached: tuple[tuple[str, bytes], ...]


def read(data: bytes) -> Mail:
    """Return a message as text; fields and bodies that cannot be decoded are shown as they are."""
    message = message_from_bytes(data, policy=policy.default)
    fields = {name: value for name in _SHOWN if (value := _field(message, name))}
    author = ", ".join(filter(None, (_name(fields.get("From", "")), _time(_field(message, "Date")))))
    body = message.get_body(("plain", "html"))
    told = _told(body) if isinstance(body, EmailMessage) else ""
    attached = tuple(_attached(part) for part in message.iter_attachments())
    return Mail(_field(message, "Subject"), _message(author, list(fields.items()), told.splitlines()), attached)


def _told(body: EmailMessage) -> str:
    payload = cast("bytes", body.get_payload(decode=True) or b"")
    if body.get_content_subtype() == "html":
        from .html import read_html

        return read_html(payload, "", str(body.get("Content-Type", ""))).text
    return clean(decode(payload, body.get_content_charset("")))


def _attached(part: EmailMessage) -> tuple[str, bytes]:
    """Return the name of an attached file, or its type if it has none, and its content."""
    if part.get_content_type() == "message/rfc822":
        return part.get_filename("message.eml"), cast("EmailMessage", part.get_content()).as_bytes()
    return part.get_filename(part.get_content_type()), cast("bytes", part.get_payload(decode=True) or b"")


def _field(message: EmailMessage, name: str) -> str:
    """Return the decoded value of a header field, empty if there is none."""
    raw = next((str(value) for field, value in message.raw_items() if field.casefold() == name.casefold()), "")
    try:
        value = str(make_header(decode_header(raw)))
    except (LookupError, UnicodeDecodeError, HeaderParseError):
        value = raw
    return " ".join(value.split())


def _name(sender: str) -> str:
    name, address = parseaddr(sender) if "@" in sender else ("", "")
    return name or address or sender


def _time(date: str) -> str:
    try:
        return f"{parsedate_to_datetime(date):%Y-%m-%d %H:%M}"
    except ValueError:
        return date


def _message(author: str, fields: Sequence[tuple[str, str]], lines: Sequence[str], depth: int = 0) -> str:
    """Return a message below a heading, its header fields as a list, and below it the messages that it quotes.

    Of these the list leaves out the fields that the heading has.
    """
    headers = {at: own for at in range(len(lines)) if (own := _header(lines[at : at + _MOST_FIELDS]))}
    ends = [*headers, len(lines)]
    parts = [_part(author, fields, lines[: _end(lines, ends[0])], depth)]
    for (at, own), end in zip(headers.items(), ends[1:], strict=True):
        sender = ", ".join(filter(None, (_name(own[0][1]), _date_among(own))))
        others = [(name, value) for name, value in own if value not in sender]
        parts.append(_part(sender, others, lines[at + len(own) : _end(lines, end)], depth))
    return "\n\n".join(filter(None, parts))


def _part(author: str, fields: Sequence[tuple[str, str]], lines: Sequence[str], depth: int) -> str:
    header = "\n".join(f"- {name}: {value}" for name, value in fields)
    text = "\n".join(_marked(author, lines, depth)).strip()
    return "\n\n".join(filter(None, (f"# {author}" if author else "", header, text)))


def _end(lines: Sequence[str], end: int) -> int:
    """Return the end of a message before the header at `end`, without the rule above that."""
    while end < len(lines) and end and (not lines[end - 1].strip() or _SEPARATOR.fullmatch(lines[end - 1])):
        end -= 1
    return end


def _header(lines: Sequence[str]) -> list[tuple[str, str]]:
    """Return the fields of the header of a quoted message that begins with these lines, empty if none does."""
    matches = takewhile(bool, (_FIELD.fullmatch(line.strip()) for line in lines))
    fields = [(match[1], match[2].strip("*_ ")) for match in matches if match]
    return fields if len(fields) > 1 and fields[0][0].casefold() in _SENDERS else []


def _date_among(fields: Sequence[tuple[str, str]]) -> str:
    return next((value for _, value in fields[1:] if _DATE.search(value)), "")


def _marked(author: str, lines: Sequence[str], depth: int) -> Iterator[str]:
    """Yield lines, those with marks of a quotation without these below what introduces them ("On Monday, Ada wrote:").

    What follows them is below the heading of the author again. Lines that nothing introduces keep their marks, as do
    those that are quoted more than DEEPEST times.
    """
    told: list[str] = []
    is_after = False
    for is_quoted, run in groupby(lines, lambda line: bool(_MARK.match(line))):
        own = [*run]
        if not is_quoted:
            told += [f"# {author}", "", *own] if is_after and any(map(str.strip, own)) else own
            continue
        unmarked = [_MARK.sub("", line, count=1) for line in own]
        introduction = "" if depth == DEEPEST else _introduction(told) or _introduction_of(unmarked)
        first = [line for line in unmarked if line.strip()][:_MOST_FIELDS]
        if depth == DEEPEST or not (introduction or _header(first)):
            told += own
            continue
        is_after = True
        told += ["", _message(introduction, [], unmarked, depth + 1), ""]
    yield from told


def _introduction(told: list[str]) -> str:
    """Remove the last paragraph if it introduces a quotation, and return it without its colon; else return nothing."""
    end = next((number + 1 for number in reversed(range(len(told))) if told[number].strip()), 0)
    start = next((number + 1 for number in reversed(range(end)) if not told[number].strip()), 0)
    last = " ".join(" ".join(told[start:end]).split())
    if not _INTRODUCTION.fullmatch(last):
        return ""
    del told[start:]
    return last.rstrip(":： ")


def _introduction_of(quoted: list[str]) -> str:
    """Remove the first line of a quotation if it introduces it, and return it; else return nothing."""
    first = next((line.strip() for line in quoted if line.strip()), "")
    if not (_INTRODUCTION.fullmatch(first) and _DATE.search(first)):
        return ""
    del quoted[: next(number for number, line in enumerate(quoted) if line.strip()) + 1]
    return first.rstrip(":： ")
