"""Detects an outage of the network as a whole from how several hosts failed, to report it once."""

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
"""Why there was no way to a host, as errors have it in `details["fault"]`."""

FEWEST: Final = 2
"""Hosts that have to fail alike, while none answers for itself, where a search engine, which surely exists, is one."""

MANY: Final = 4  # as many of them where all are hosts of pages: some may have moved or gone

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
"""Errors which, unless they name a fault, say that a host was there and answered."""

_SAID: Final[dict[Fault, Notice]] = {
    "name": Notice("network_name"),
    "connection": Notice("network_connection"),
    "proxy": Notice("network_proxy"),
    "certificate": Notice("network_certificate"),
}


@dataclass(frozen=True, slots=True)
class Probe:
    """What came of asking a host, perhaps an engine's: a fault, or an answer, which `by` says whose it was."""

    host: str
    fault: Fault | None = None
    by: str = ""
    engine: bool = True

    @classmethod
    def of(cls, request: Mapping[str, Any], answer: Answer) -> Self | None:
        """Read it from an effect of the kind `search` or `fetch`; None where the network had no part in it."""
        asked = host_of(request.get("base") or request.get("url") or "")
        if not _is_outside(asked):
            return None
        if answer.error is None:
            by = host_of(answer.value.get("url", "")) if isinstance(answer.value, dict) else asked
            return cls(asked, by=by, engine="base" in request)
        return cls.failed(asked, answer.error, engine="base" in request)

    @classmethod
    def failed(cls, asked: str, error: Mapping[str, Any], *, engine: bool) -> Self | None:
        """Read it from the record of an error."""
        details = error.get("details", {})
        if fault := details.get("fault"):
            return cls(asked, fault=fault, engine=engine)
        if error["type"] == "WallError":
            return cls(asked, by=host_of(error["where"]), engine=engine)
        by = details.get("by") or (asked if error["type"] in ANSWERED else "")
        return cls(asked, by=by, engine=engine) if by else None


def outage(seen: Iterable[Probe | None]) -> Notice | None:
    """Return what is wrong with the network when hosts failed alike and none answered for itself, else None."""
    failed: dict[Fault, dict[str, bool]] = defaultdict(dict)
    answered: dict[str, dict[str, bool]] = defaultdict(dict)
    for one in filter(None, seen):
        if one.fault:
            failed[one.fault][one.host] = one.engine
        elif is_same_site(one.host, one.by):
            return None
        else:
            answered[one.by][one.host] = one.engine
    for by, hosts in answered.items():
        if len(hosts) >= FEWEST and any(hosts.values()):
            return Notice("network_log_in", host=by)
    fault = max(failed, key=lambda each: len(failed[each]), default=None)
    if answered or fault is None:
        return None
    enough = FEWEST if any(failed[fault].values()) else MANY
    return _SAID[fault] if len(failed[fault]) >= enough else None


def outage_of(effects: Iterable[tuple[str, Any, Answer]]) -> Notice | None:
    """Return what is wrong with the network by a run's effects of the kinds `search` and `fetch`."""
    return outage(Probe.of(request, answer) for _, request, answer in effects)


def outage_among(errors: Iterable[tuple[str, SpyglassError]]) -> Notice | None:
    """Return what is wrong with the network by addresses and the errors that asking them ended in."""
    told = ((host_of(url), error) for url, error in errors)
    return outage(Probe.failed(host, error.to_record(), engine=True) for host, error in told if _is_outside(host))


def host_of(url: str) -> str:
    """Return the host of an address; "" for one that does not parse."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def is_same_site(one: str, other: str) -> bool:
    """Whether two hosts seem to be one owner's, by the ends of their names."""
    return one.split(".")[-2:] == other.split(".")[-2:]


def _is_outside(host: str) -> bool:
    """Whether a host says something on the network beyond this machine and its neighbours."""
    try:
        address = literal(host)
    except ValueError:
        return False
    return not (kind_of(address) if address is not None else is_local(host))
