"""The rules for which addresses belong to a site, and which lead to the same page."""

import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final, Self
from urllib.parse import urlsplit

from ..kernel.errors import AddressError
from ..net.host import without_www
from ..net.target import DEFAULT_PORTS, Target, read_target
from ..search.urls import normalize_url

_SESSIONS: Final = "phpsessid jsessionid aspsessionid sessionid session_id sessid s_id sid oscsid zenid cfid cftoken"
SESSIONS: Final = frozenset(_SESSIONS.split())
"""Query parameters that identify the reader's session, not the page; compared in lower case."""

_ENDINGS: Final = (
    "7z apk avi avif bin bmp bz2 css dmg eot exe flac gif gz ico iso jar jpeg jpg js json m4a m4v map mkv mov mp3 mp4 "
    "mpeg msi ogg ogv otf png rar rss svg tar tgz tif tiff ttf wav webm webp wmv woff woff2 xz zip"
)
WITHOUT_TEXT: Final = frozenset(_ENDINGS.split())  # suffixes of addresses without text
_PATH_SESSION: Final = re.compile(r";[a-z_]*sess[a-z_]*=[^/?;]*|;sid=[^/?;]*", re.IGNORECASE)
_DIGITS: Final = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Site:
    """The pages of one host, with or without `www.`, over http or https; of one folder, if `folder` is not "/".

    `port` is 0 for the default port of the scheme.
    """

    host: str
    port: int
    folder: str = "/"

    @classmethod
    def of(cls, url: str) -> Self:
        """Return the site of an address: its host, or its folder if the path ends with a slash.

        Raises AddressError for anything but an http or https address.
        """
        target = read_target(url)
        is_folder = target.path.partition("?")[0].endswith("/")
        return cls(without_www(target.host), _port(target), _folder(target) if is_folder else "/")

    def holds(self, url: str) -> bool:
        """Whether an address belongs to the site."""
        try:
            target = read_target(url)
        except AddressError:
            return False
        origin = without_www(target.host), _port(target)
        return origin == (self.host, self.port) and _folder(target).startswith(self.folder)


def page_key(url: str) -> str:
    """Return a key that is equal for all addresses of a page: without scheme, `www.`, parameter order and sessions."""
    parts = urlsplit(normalize_url(url))
    path = _PATH_SESSION.sub("", parts.path)
    query = sorted(pair for pair in parts.query.split("&") if pair and pair.partition("=")[0].lower() not in SESSIONS)
    return f"{without_www(parts.netloc)}{path}?{'&'.join(query)}"


def family(url: str) -> str:
    """Return a key that is equal for pages generated alike: the address without digits and parameter values."""
    parts = urlsplit(page_key(url))
    names = sorted({pair.partition("=")[0] for pair in parts.query.split("&")})
    return f"{_DIGITS.sub('0', parts.path)}?{'&'.join(names)}"


def has_text(url: str) -> bool:
    """Whether an address may lead to text, judged by its suffix."""
    return PurePosixPath(urlsplit(url).path).suffix.lower().removeprefix(".") not in WITHOUT_TEXT


def _folder(target: Target) -> str:
    """Return the path of a target with a slash at the end, without dot segments."""
    return f"{urlsplit(normalize_url(str(target))).path}/"


def _port(target: Target) -> int:
    return 0 if target.port in DEFAULT_PORTS.values() else target.port
