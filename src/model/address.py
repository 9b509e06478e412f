"""Addresses of model servers and their HTTP settings."""

import ipaddress
from typing import Any, Final
from urllib.parse import urlsplit

GRACE: Final = 5.0  # seconds added to our deadline for the SDK's own timeout, so that ours is the one that fires


def without_secrets(address: str) -> str:
    """Return an address, a URL or `host:port`, without user, password, query and fragment.

    Raises ValueError if it is not an address.
    """
    parts = urlsplit(address if "://" in address else f"//{address}")
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl().removeprefix("//")


def is_loopback(url: str) -> bool:
    """Return whether an address is on this machine, which the environment's proxy cannot reach."""
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def transport(url: str, deadline: float) -> dict[str, Any]:
    """Return the arguments of an HTTP client (of httpx or httpx2) for a model's server.

    The environment's proxy is not used for this machine, redirects are not followed because they would send prompts and
    key elsewhere, and certificates are loaded only for TLS.
    """
    return {
        "timeout": deadline + GRACE,
        "trust_env": not is_loopback(url),
        "verify": urlsplit(url).scheme != "http",
        "follow_redirects": False,
    }
