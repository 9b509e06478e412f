"""How long a server asks to wait before the next attempt."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

_NUMBER: Final = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?")


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that a server asks to wait: `retry-after-ms`, or `retry-after` as seconds or as a date.

    A date counts from the answer's own `Date`, if it has one (RFC 9110 §10.2.3). None for no header that is understood.
    """
    lowered = {name.lower(): value.strip() for name, value in headers.items()}
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        if _NUMBER.fullmatch(lowered.get(name, "")):
            return float(lowered[name]) * unit
    try:
        asked = parsedate_to_datetime(lowered["retry-after"])
        now = parsedate_to_datetime(lowered["date"]) if "date" in lowered else datetime.now(UTC)
        return max(0.0, (asked - now).total_seconds())
    except (KeyError, ValueError, TypeError):
        return None
