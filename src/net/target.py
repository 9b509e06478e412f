"""The target of a request: a URL, parsed as browsers do, and refused if it is ambiguous."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote, urlencode, urljoin

from ..kernel.errors import AddressError
from ..kernel.notice import Notice
from ..kernel.url import LONGEST_SHOWN, require_one_reading, shown
from .host import HostError, authority, bracketed, read_host

DEFAULT_PORTS: Final = {"http": 80, "https": 443}

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_SLASHES = re.compile(r"(?:(?<=^)|(?<=^http:)|(?<=^https:))/{2,}")
_TRIMMED = "".join(map(chr, range(0x21)))
_KEPT = "!$%&'()*+,-./:;=?@[]_~"


@dataclass(frozen=True, slots=True)
class Target:
    """A URL's parts in normal form; `path` starts with a slash and includes the query, `host` has no brackets."""

    scheme: str
    host: str
    port: int
    path: str

    def __str__(self) -> str:
        return f"{self.scheme}://{self.netloc}{self.path}"

    @property
    def netloc(self) -> str:
        """Host and port as in a URL, without the scheme's default port."""
        is_default = self.port == DEFAULT_PORTS[self.scheme]
        return bracketed(self.host) if is_default else authority(self.host, self.port)

    @property
    def origin(self) -> tuple[str, str, int]:
        """Scheme, host and port: the recipient of a request's secrets."""
        return self.scheme, self.host, self.port

    def with_params(self, params: Mapping[str, str]) -> "Target":
        """Return the target with more fields in its query."""
        if not params:
            return self
        joint = "&" if "?" in self.path else "?"
        return Target(self.scheme, self.host, self.port, f"{self.path}{joint}{urlencode(params)}")


def read_target(url: str) -> Target:
    """Parse a URL, lenient with slashes, tabs and backslashes as browsers are, strict with everything else.

    Raises AddressError: not http or https, credentials, no host, a host or port that does not parse.
    """
    text = re.sub(r"[\t\r\n]", "", url.strip(_TRIMMED))
    scheme = _SCHEME.match(text)
    if scheme is None or scheme[1].lower() not in DEFAULT_PORTS:
        notice = Notice("address_without_scheme")
        if scheme:
            notice = Notice("scheme_not_fetched", scheme=scheme[1][:LONGEST_SHOWN])
        raise AddressError(notice, where=shown(url), remedy=Notice("give_web_address"))
    rest, _, _ = text[scheme.end() :].partition("#")
    before_query, _, query = rest.partition("?")
    authority, _, path = before_query.replace("\\", "/").lstrip("/").partition("/")
    if "@" in authority:
        remedy = Notice("leave_out_credentials")
        raise AddressError(Notice("address_with_credentials"), where=shown(url), remedy=remedy)
    try:
        host, port = _split_port(authority)
        target = quote(f"/{path}?{query}" if query else f"/{path}", safe=_KEPT, errors="surrogateescape")
        parsed = Target(scheme[1].lower(), read_host(host), port or DEFAULT_PORTS[scheme[1].lower()], target)
    except HostError as error:
        raise AddressError(Notice("address_invalid", why=str(error)), where=shown(url)) from error
    except UnicodeEncodeError as error:
        raise AddressError(Notice("address_without_encoding"), where=shown(url)) from error
    try:
        require_one_reading(text)
    except ValueError as error:
        raise AddressError(Notice("address_ambiguous", why=str(error)), where=shown(url)) from error
    return parsed


def joined(base: str, reference: str) -> str:
    """Resolve a reference on a page or in a header against its base. Raises AddressError."""
    path, sign, rest = re.split(r"([?#]|$)", reference.strip(_TRIMMED), maxsplit=1)
    try:
        return urljoin(base, f"{_SLASHES.sub('//', path.replace(chr(92), '/'))}{sign}{rest}")
    except ValueError as error:
        raise AddressError(Notice("reference_no_address"), where=shown(base)) from error


def _split_port(authority: str) -> tuple[str, int | None]:
    """Return host and port of `host:port`; None for an empty port."""
    host, colon, port = authority.rpartition(":")
    if not colon or authority.endswith("]"):
        return authority, None
    if not port:
        return host, None
    if not (port.isascii() and port.isdigit()) or len(port) > 10 or not 0 < int(port) < 65536:
        raise HostError("its port is not a number from 1 to 65535")
    return host, int(port)
