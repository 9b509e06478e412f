"""Where a server is."""

import ipaddress
from urllib.parse import urlsplit


def without_secrets(url: str) -> str:
    """Return an address without a password, a query or a fragment."""
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()


def is_loopback(url: str) -> bool:
    """Say whether an address is on this machine: a proxy of the environment is no way to it."""
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
