"""A URL's host in normal form, as browsers parse it (WHATWG URL, "host parsing")."""

import re
from ipaddress import IPv4Address, IPv6Address
from typing import Final
from urllib.parse import unquote

from .address import IPAddress

LONGEST_NAME: Final = 253  # characters of a name (RFC 1035); a label has at most 63

LOCAL_SUFFIXES: Final = frozenset(
    {
        "localhost",
        "localdomain",
        "local",
        "internal",
        "intranet",
        "private",
        "corp",
        "home",
        "lan",
        "home.arpa",
        "onion",
    }
)
"""Suffixes that no public name server serves: RFC 6761, 6762, 7686, 8375, and names that ICANN reserves."""

METADATA_NAMES: Final = frozenset({"metadata.goog", "metadata.tencentyun.com"})
"""Public names of clouds' metadata services; the others end in a local suffix or have no dot."""

_LABEL = re.compile(r"[a-z0-9_-]{1,63}")
_NUMBER = re.compile(r"[0-9]+|0[xX][0-9A-Fa-f]*")


class HostError(ValueError):
    """A text is not a host; the message is the reason."""


def read_host(raw: str) -> str:
    """Return the host as an A-label name, a dotted IPv4 or an IPv6 without brackets; raises HostError.

    Every spelling of an IPv4 address that browsers and C libraries take (decimal, octal, hexadecimal, short, in
    full-width digits, percent-encoded) is returned with four decimal parts.
    """
    if raw.startswith("["):
        return _read_ipv6(raw)
    name = _mapped(_decoded(raw)).removesuffix(".")
    labels = name.split(".")
    if _NUMBER.fullmatch(labels[-1]):
        return str(_read_ipv4(labels))
    if not name or len(name) > LONGEST_NAME:
        raise HostError("it has no host" if not name else "its host name is too long")
    if not all(_LABEL.fullmatch(label) for label in labels):
        raise HostError("its host name is not valid")
    return name


def without_www(host: str) -> str:
    """Return a normal host without `www.`, unless only a top-level domain would be left."""
    rest = host.removeprefix("www.")
    return rest if "." in rest else host


def bracketed(host: str) -> str:
    """Return a host as in a URL: an IPv6 address has brackets."""
    return f"[{host}]" if ":" in host else host


def authority(host: str, port: int) -> str:
    """Return `host:port` as in a URL."""
    return f"{bracketed(host)}:{port}"


def literal(host: str) -> IPAddress | None:
    """Return a normalised host as an IP address, or None for a name."""
    if ":" in host:
        return IPv6Address(host)
    return IPv4Address(host) if host.rpartition(".")[2].isdigit() else None


def is_localhost(name: str) -> bool:
    """Whether a name means this machine, whatever a name server says (RFC 6761)."""
    return name in ("localhost", "localhost.localdomain") or name.endswith(".localhost")


def is_local(name: str) -> bool:
    """Return whether a name belongs to a local network or a metadata service, without asking a name server."""
    labels = name.split(".")
    return (
        len(labels) == 1
        or labels[-1] in LOCAL_SUFFIXES
        or ".".join(labels[-2:]) in LOCAL_SUFFIXES
        or name in METADATA_NAMES
    )


def _decoded(raw: str) -> str:
    try:
        return unquote(raw, errors="strict")
    except UnicodeDecodeError as error:
        raise HostError("its host name is not valid") from error


def _mapped(name: str) -> str:
    """Return a name in lower case and A-labels (UTS 46, non-transitional, as browsers do)."""
    if name.isascii():
        return name.lower()
    import idna

    try:
        labels = idna.uts46_remap(name, std3_rules=False, transitional=False).split(".")
    except idna.IDNAError as error:
        raise HostError("its host name is not valid") from error
    return ".".join(label if label.isascii() else f"xn--{label.encode('punycode').decode()}" for label in labels)


def _read_ipv6(raw: str) -> str:
    if "%" in raw or not raw.endswith("]"):
        raise HostError("its IPv6 address has a zone" if "%" in raw else "its IPv6 address is malformed")
    try:
        return str(IPv6Address(raw[1:-1]))
    except ValueError as error:
        raise HostError("its IPv6 address is malformed") from error


def _read_ipv4(parts: list[str]) -> IPv4Address:
    """Read one to four parts in decimal, octal or hexadecimal; the last one fills the remaining bytes (inet_aton)."""
    if len(parts) > 4 or not all(_NUMBER.fullmatch(part) for part in parts):
        raise HostError("its IPv4 address is malformed")
    try:
        numbers = [_read_number(part) for part in parts]
    except ValueError as error:
        raise HostError("its IPv4 address is malformed") from error
    *heads, last = numbers
    if any(head > 255 for head in heads) or last >= 256 ** (5 - len(numbers)):
        raise HostError("its IPv4 address is out of range")
    return IPv4Address(sum(head << 8 * (3 - position) for position, head in enumerate(heads)) + last)


def _read_number(part: str) -> int:
    if len(part) > 40:  # Python refuses, slowly, to read thousands of digits
        raise HostError("its IPv4 address is out of range")
    if part[:2] in ("0x", "0X"):
        return int(part[2:] or "0", 16)
    return int(part, 8) if len(part) > 1 and part.startswith("0") else int(part)
