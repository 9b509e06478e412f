"""Where a server is."""

import ipaddress
from typing import Any, Final
from urllib.parse import urlsplit

GRACE: Final = 5.0  # seconds by which an SDK's own timeout lies behind our deadline, so that ours is the one that fires


def without_secrets(address: str) -> str:
    """Return an address, which may also be `host:port`, without a password, a query or a fragment.

    Raises ValueError for what is no address.
    """
    parts = urlsplit(address if "://" in address else f"//{address}")
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl().removeprefix("//")


def is_loopback(url: str) -> bool:
    """Return whether an address is on this machine: a proxy of the environment is no way to it."""
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def transport(url: str, deadline: float) -> dict[str, Any]:
    """Return the arguments of an HTTP client for a model's server, of httpx or httpx2.

    The environment's proxy is not used for this machine, redirects are not followed since they would carry prompts and
    key elsewhere, and certificates are loaded only for TLS.
    """
    return {
        "timeout": deadline + GRACE,
        "trust_env": not is_loopback(url),
        "verify": urlsplit(url).scheme != "http",
        "follow_redirects": False,
    }
