"""Detection of an outage of the whole network from the failures of several hosts, so that it is reported once."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, Self
from urllib.parse import urlsplit

from ..kernel.errors import SpyglassError
from ..kernel.journal import Answer
from ..kernel.notice import Notice
from .address import kind_of
from .host import is_local, literal

Fault = Literal["name", "connection", "proxy", "certificate"]
"""Why a host could not be reached, in the `details["fault"]` of errors."""

FEWEST: Final = 2
"""Hosts that must fail for the same reason, while none answers, if one is a search engine's, which certainly exists."""

MANY: Final = 4  # the same number if all are hosts of pages, some of which may have moved or gone

ANSWERED: Final = frozenset(
    {
        "NoPageTextError",
        "PageKindError",
        "PageTooLargeError",
        "RedirectError",
        "SearchBlockedError",
        "SearchBrokenError",
        "SearchKeyError",
        "ServerFaultError",
        "StatusError",
        "WallError",
    }
)
"""Errors which, unless they name a fault, mean that a host was reached and answered."""

_NOTICES: Final[dict[Fault, Notice]] = {
    "name": Notice("network_name"),
    "connection": Notice("network_connection"),
    "proxy": Notice("network_proxy"),
    "certificate": Notice("network_certificate"),
}


@dataclass(frozen=True, slots=True)
class Probe:
    """The outcome of a request to a host, a search engine's if `engine`: a fault, or an answer from the host `by`."""

    host: str
    fault: Fault | None = None
    by: str = ""
    engine: bool = True

    @classmethod
    def of(cls, request: Mapping[str, Any], answer: Answer) -> Self | None:
        """Return the probe in a `search` or `fetch` effect; None if it did not involve the network."""
        host = host_of(request.get("base") or request.get("url") or "")
        if not _is_outside(host):
            return None
        if answer.error is None:
            by = host_of(answer.value.get("url", "")) if isinstance(answer.value, dict) else host
            return cls(host, by=by, engine="base" in request)
        return cls.failed(host, answer.error, engine="base" in request)

    @classmethod
    def failed(cls, host: str, error: Mapping[str, Any], *, engine: bool) -> Self | None:
        """Return the probe in the record of an error, or None if it shows neither a fault nor an answer."""
        details = error.get("details", {})
        if fault := details.get("fault"):
            return cls(host, fault=fault, engine=engine)
        if error["type"] == "WallError":
            return cls(host, by=host_of(error["where"]), engine=engine)
        by = details.get("by") or (host if error["type"] in ANSWERED else "")
        return cls(host, by=by, engine=engine) if by else None


def outage(probes: Iterable[Probe | None]) -> Notice | None:
    """Return the network's fault if several hosts failed for one reason, or one host answered for them; else None."""
    failed: dict[Fault, dict[str, bool]] = defaultdict(dict)
    answered: dict[str, dict[str, bool]] = defaultdict(dict)
    for probe in filter(None, probes):
        if probe.fault:
            failed[probe.fault][probe.host] = probe.engine
        elif is_same_site(probe.host, probe.by):
            return None
        else:
            answered[probe.by][probe.host] = probe.engine
    for by, hosts in answered.items():
        if len(hosts) >= FEWEST and any(hosts.values()):
            return Notice("network_log_in", host=by)
    fault = max(failed, key=lambda each: len(failed[each]), default=None)
    if answered or fault is None:
        return None
    enough = FEWEST if any(failed[fault].values()) else MANY
    return _NOTICES[fault] if len(failed[fault]) >= enough else None


def outage_of(effects: Iterable[tuple[str, Any, Answer]]) -> Notice | None:
    """Return the network's fault that a run's `search` and `fetch` effects show, or None."""
    return outage(Probe.of(request, answer) for _, request, answer in effects)


def outage_among(errors: Iterable[tuple[str, SpyglassError]]) -> Notice | None:
    """Return the network's fault that errors show, given with the addresses of their requests, or None."""
    errors_by_host = ((host_of(url), error) for url, error in errors)
    return outage(
        Probe.failed(host, error.to_record(), engine=True) for host, error in errors_by_host if _is_outside(host)
    )


def host_of(url: str) -> str:
    """Return the host of an address; "" for one that does not parse."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def is_same_site(first: str, second: str) -> bool:
    """Whether two hosts seem to belong to one owner, by the ends of their names."""
    return first.split(".")[-2:] == second.split(".")[-2:]


def _is_outside(host: str) -> bool:
    """Whether a host is beyond this machine and its local network."""
    try:
        address = literal(host)
    except ValueError:
        return False
    return not (kind_of(address) if address is not None else is_local(host))
