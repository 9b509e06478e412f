"""Parsing and writing of heads of HTTP/1.1 messages: strict with clients' requests, tolerant of servers' answers."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

Fields = Sequence[tuple[str, str]]

_REQUEST = re.compile(rb"([A-Z]{3,20}) ([\x21-\x7e]+) HTTP/1\.[01]")
_RESPONSE = re.compile(rb"HTTP/1\.[01] ([1-5][0-9]{2})(?: ([\t\x20-\x7e\x80-\xff]*))?")
_FIELD = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*?)[ \t]*")
_AUTHORITY = re.compile(r"(?:\[[0-9A-Fa-f:.]+\]|[^\[\]/?#@:\\]+):[0-9]{1,5}")
_LENGTH = re.compile(r"[0-9]{1,15}")

HOP_BY_HOP: Final = frozenset({"connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade", "expect"})
"""Fields about one connection, which are not forwarded (RFC 9110, 7.6.1), like those that begin with `proxy-`."""


class HeadError(ValueError):
    """The head of a message cannot be forwarded; the text is the reason."""


@dataclass(frozen=True, slots=True)
class RequestHead:
    """A client's request to a proxy: a tunnel (CONNECT), or one plain HTTP exchange.

    `url` is the absolute address, for a tunnel `https://host:port/`; `length` is the number of bytes of the body.
    """

    method: str
    url: str
    fields: Fields
    length: int

    @property
    def is_tunnel(self) -> bool:
        """Whether the client wants a tunnel."""
        return self.method == "CONNECT"

    def head(self, target: str, host: str, more: Fields = ()) -> bytes:
        """Return the head to forward, for a connection that carries this request only."""
        end_to_end = [(name, value) for name, value in _end_to_end(self.fields) if name.lower() != "host"]
        return _encoded(
            f"{self.method} {target} HTTP/1.1", [("Host", host), *end_to_end, *more, ("Connection", "close")]
        )


@dataclass(frozen=True, slots=True)
class ResponseHead:
    """The head of a server's answer."""

    status: int
    reason: str
    fields: Fields

    def head(self) -> bytes:
        """Return the head to forward, for a connection that ends with this answer."""
        framing = [(name, value) for name, value in self.fields if name.lower() == "transfer-encoding"]
        fields = [*_end_to_end(self.fields), *framing, ("Connection", "close")]
        return _encoded(f"HTTP/1.1 {self.status} {self.reason}", fields)


def read_request(head: bytes) -> RequestHead:
    """Parse the head of a request to a proxy. Raises HeadError for anything ambiguous."""
    first, *lines = head.removesuffix(b"\r\n\r\n").split(b"\r\n")
    line = _REQUEST.fullmatch(first)
    if line is None:
        raise HeadError("the first line is not a request line")
    fields = _fields(lines)
    if len(fields) < len(lines):
        raise HeadError("a header field is malformed")
    method, target = line[1].decode(), line[2].decode()
    return RequestHead(method, _url(method, target), fields, _length(method, fields))


def read_response(head: bytes) -> ResponseHead:
    """Parse the head of a server's answer; fields that do not parse are left out. Raises HeadError."""
    first, *lines = head.removesuffix(b"\r\n\r\n").split(b"\r\n")
    line = _RESPONSE.fullmatch(first)
    if line is None:
        raise HeadError("the answer is not HTTP/1.1")
    return ResponseHead(int(line[1]), (line[2] or b"").decode("latin-1"), _fields(lines))


def _fields(lines: list[bytes]) -> list[tuple[str, str]]:
    """Return the fields that parse."""
    matches = [field for field in map(_FIELD.fullmatch, lines) if field]
    return [(field[1].decode(), field[2].decode("latin-1")) for field in matches]


def value_of(fields: Fields, name: str) -> str:
    """Return the value of a field that occurs once, else an empty string."""
    values = [value for key, value in fields if key.lower() == name]
    return values[0] if len(values) == 1 else ""


def _url(method: str, target: str) -> str:
    if method == "CONNECT":
        if not _AUTHORITY.fullmatch(target):
            raise HeadError("the target of CONNECT is not host:port")
        return f"https://{target}/"
    if not target.startswith("http://"):
        raise HeadError("the target is not an absolute http:// address")
    return target


def _length(method: str, fields: Fields) -> int:
    names = [name.lower() for name, _ in fields]
    if "transfer-encoding" in names:
        raise HeadError("Transfer-Encoding is not supported")
    if "content-length" not in names:
        return 0
    length = value_of(fields, "content-length")
    if method == "CONNECT" or not _LENGTH.fullmatch(length):
        raise HeadError("the length of the body is not valid")
    return int(length)


def _end_to_end(fields: Fields) -> Iterable[tuple[str, str]]:
    """Return the fields without connection-specific ones and those that `Connection` names, except `Content-Length`."""
    connection_names = {
        part.strip().lower() for name, value in fields if name.lower() == "connection" for part in value.split(",")
    }
    dropped = (connection_names | HOP_BY_HOP) - {"content-length"}
    return [
        (name, value) for name, value in fields if not name.lower().startswith("proxy-") and name.lower() not in dropped
    ]


def _encoded(first: str, fields: Fields) -> bytes:
    return "\r\n".join([first, *(f"{name}: {value}" for name, value in fields), "", ""]).encode("latin-1")
