"""The links of a folder of documentation, and which of them lead to the web at all, by a reading of its own."""

import gzip
import re
import zlib
from collections.abc import Iterator
from ipaddress import ip_address
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import lxml.html
from lxml.etree import LxmlError

_LINK: Final = re.compile(r"https?://[^\s<>\"'`|\\^{}\[\]]*[^\s<>\"'`|\\^{}\[\].,;:!?)*]", re.IGNORECASE)
_NAME: Final = re.compile(r"(?!.*\.\.)[\w.-]+")
_NOT_PUBLIC: Final = ("localhost", "local", "lan", "internal", "home.arpa", "onion")
_BROWSERS_REFUSE: Final = {
    *(1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566),
    *(6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080),
}


def links_of(folder: Path) -> set[str]:
    """Return the addresses of web pages in the files of a folder: what HTML links to, and what texts mention."""
    return {link for file in folder.rglob("*") if file.is_file() and not file.is_symlink() for link in _links_in(file)}


def no_page_of_the_web(url: str) -> str:
    """Return why nobody should follow a link, nothing when it leads to the web."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port or 443
    except ValueError:
        return "no address"
    if "@" in parts.netloc:
        return "holds credentials"
    try:
        return "" if ip_address(host).is_global else "a private address"
    except ValueError:
        pass
    if not _NAME.fullmatch(host) or host.startswith("."):
        return "no address"
    if "." not in host.strip(".") or host.rstrip(".").endswith(tuple(f".{each}" for each in _NOT_PUBLIC)):
        return "no public name"
    return "a port that is refused on purpose" if _is_refused(port) else ""


def _is_refused(port: int) -> bool:
    return (port < 1024 and port not in (80, 443)) or port in _BROWSERS_REFUSE


def _links_in(file: Path) -> Iterator[str]:
    try:
        raw = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
    except (OSError, EOFError, zlib.error):
        return
    if b"\0" in raw[:1_000]:
        return
    if not file.name.removesuffix(".gz").endswith((".html", ".htm")):
        yield from _LINK.findall(raw.decode("utf-8", "replace"))
        return
    try:
        linked = [link for _, _, link, _ in lxml.html.fromstring(raw).iterlinks()]
    except (LxmlError, ValueError):
        return
    for link in linked:
        if link.strip().lower().startswith(("http://", "https://", "//")):
            yield f"https:{link}" if link.startswith("//") else link
