"""Page addresses: their normal form, their domain, and lists of domains."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final
from urllib.parse import quote, urlsplit

from ..kernel.errors import SettingsError
from ..net.host import bracketed, read_host, without_www

TRACKING: Final = frozenset(
    {
        "_ga", "_gl", "_hsenc", "_hsmi", "__hssc", "__hstc", "__hsfp", "_openstat",  # analytics of sites and mails
        "dclid", "gad_source", "gad_campaignid", "gbraid", "gclid", "gclsrc", "wbraid", "srsltid",  # Google
        "msclkid",  # Microsoft
        "fbclid", "fb_action_ids", "fb_action_types", "fb_source", "igsh", "igshid",  # Meta
        "mc_cid", "mc_eid",  # Mailchimp
        "mkt_tok", "oly_anon_id", "oly_enc_id", "vero_conv", "vero_id", "wickedid",  # mail campaigns
        "li_fat_id", "rdt_cid", "ttclid", "twclid", "yclid", "ysclid",  # LinkedIn, Reddit, TikTok, X, Yandex
        "ref_src", "ref_url", "s_cid", "spm", "trk",  # X, Adobe, Alibaba, LinkedIn
    }
)  # fmt: skip
"""Query parameters that record how a reader reached a page, not which page it is; compared in lower case.

From the public lists of parameters that browsers strip (Firefox, Brave, ClearURLs), without names that sites also use
for content (`ref`, `source`, `id`).
"""

TRACKING_PREFIXES: Final = ("utm_", "hsa_", "pk_", "piwik_", "mtm_", "matomo_")
"""Prefixes of further tracking parameters: Urchin (Google), HubSpot ads, Piwik and Matomo."""

_PORTS: Final = {"http": 80, "https": 443}
_SCHEME: Final = re.compile(r"\s*[A-Za-z][A-Za-z0-9+.-]*://")
_ESCAPE: Final = re.compile(r"%([0-9A-Fa-f]{2})")
_LONE_PERCENT: Final = re.compile(r"%(?![0-9A-Fa-f]{2})")
_UNRESERVED: Final = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_IN_PATH: Final = "!$&'()*+,;=:@/%"
_IN_QUERY: Final = "!$&'()*+,;=:@/?%"


@lru_cache(maxsize=512)
def normalize_url(url: str) -> str:
    """Return the normal form of a web address, in which different spellings of an address are equal.

    Dropped: fragment, tracking parameters, trailing slashes, default port, empty query, the root's dot. Scheme and host
    become lower case, and the host A-labels; percent-encoding and dot segments are normalised as in RFC 3986 §6.2.2.
    Kept: `www.` (another host may answer there), credentials, the order of the parameters, the case of path and values.
    Idempotent; never raises: anything but an http or https address with a valid host is returned unchanged.
    """
    try:
        parts = urlsplit(url)
        host, port = _host(parts.hostname or ""), parts.port
    except ValueError:
        return url
    if parts.scheme not in _PORTS or not host or "\\" in parts.netloc:
        return url
    user = f"{_encoded(parts.netloc.rpartition('@')[0], _IN_PATH)}@" if "@" in parts.netloc else ""
    port_part = "" if port in (None, _PORTS[parts.scheme]) else f":{port}"
    query = _query(parts.query)
    return f"{parts.scheme}://{user}{bracketed(host)}{port_part}{_path(parts.path)}{f'?{query}' if query else ''}"


@lru_cache(maxsize=512)
def domain_of(url: str) -> str:
    """Return the host of an address without `www.`, in lower case and A-labels; "" when it has none (a file's path)."""
    try:
        parts = urlsplit(url)
        host = "" if "\\" in parts.netloc else _host(parts.hostname or "")
    except ValueError:
        return ""
    return without_www(host)


def in_domains(url_or_host: str, domains: Iterable[str]) -> bool:
    """Return whether an address or a host belongs to one of the domains or their subdomains, by whole labels.

    A domain is written `example.org`, `.gov`, `*.example.org` or `https://www.example.org/`, in any script; `www.` is
    ignored. Raises SettingsError for an entry that is not a domain.
    """
    host = domain_of(_address(url_or_host))
    return bool(host) and not suffixes(host).isdisjoint(domain_entries(domains))


def suffixes(host: str) -> set[str]:
    """Return a host and its parent domains: `a.b.org` gives `a.b.org`, `b.org`, `org`; an IP address only itself."""
    labels = host.split(".")
    if labels[-1].isdigit() or ":" in host:
        return {host}
    return {".".join(labels[start:]) for start in range(len(labels))}


def domain_entries(domains: Iterable[str]) -> frozenset[str]:
    """Return the hosts in a user's list of domains. Raises SettingsError for an entry that is not a domain."""
    return frozenset(map(domain_entry, domains))


@lru_cache(maxsize=1024)
def domain_entry(entry: str) -> str:
    """Return the host in an entry of a user's list. Raises SettingsError when the entry is not a domain."""
    bare = entry.strip().removeprefix("*").removeprefix(".")
    try:
        parts = urlsplit(_address(bare))
        host = _host(parts.hostname or "")
        rest = parts.path.strip("/") or parts.query or parts.fragment or parts.port or "@" in parts.netloc
    except ValueError:
        host, rest = "", ""
    if not host or rest:
        what = f'"{entry[:80]}" is not a domain'
        raise SettingsError(what, remedy='Write a host without path or port, such as "example.org" or ".gov".')
    return without_www(host)


def _address(url_or_host: str) -> str:
    return url_or_host if _SCHEME.match(url_or_host) else f"//{url_or_host}"


def _host(name: str) -> str:
    """Return a host in its normal form, "" for "". Raises ValueError when it is not a host."""
    return read_host(bracketed(name)) if name else ""


def _path(path: str) -> str:
    """Return a path without dot segments and trailing slashes (RFC 3986 §5.2.4)."""
    segments: list[str] = []
    for segment in _encoded(path, _IN_PATH).split("/")[1:]:
        if segment == "..":
            del segments[-1:]
        elif segment != ".":
            segments.append(segment)
    return "".join(f"/{segment}" for segment in segments).rstrip("/")


def _query(query: str) -> str:
    parameters = [part for part in _encoded(query, _IN_QUERY).split("&") if part]
    return "&".join(part for part in parameters if not _tracks(part.partition("=")[0].lower()))


def _tracks(name: str) -> bool:
    return name in TRACKING or name.startswith(TRACKING_PREFIXES)


def _encoded(text: str, safe: str) -> str:
    """Return text with unreserved and `safe` characters plain, and every other byte as `%XX`."""
    quoted = quote(_LONE_PERCENT.sub("%25", text), safe=safe, errors="surrogatepass")
    return _ESCAPE.sub(_escape, quoted)


def _escape(match: re.Match[str]) -> str:
    byte = int(match[1], 16)
    return chr(byte) if byte in _UNRESERVED else match[0].upper()
