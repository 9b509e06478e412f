"""Serialises settings for a run's journal, without secrets and machine settings, and restores them from it."""

import re
from collections.abc import Collection
from functools import reduce
from operator import attrgetter, getitem
from typing import Any, Final

from pydantic import ValidationError

from ..kernel.errors import SettingsError
from ..kernel.settings import Settings, is_secret, layered, nested, settings_in
from ..model.address import without_secrets

ALL: Final = settings_in(Settings)  # every setting by its full name, `table.name`, as records have it

MACHINE: Final = frozenset(
    {"data_dir", "network.ca_file", "browser.chromium"}
    | {name for name in ALL if name.startswith(("observe.", "watch.", "runs."))}
)
"""Settings of the machine and of monitoring, which do not change a run's result."""

REPORT_SETTINGS: Final = frozenset(
    {"effort", "language", "report.length", "report.sections", "search.time_range", "search.region"}
)
"""Settings that describe the report and cause no access; the only ones taken from an untrusted run."""

LIMITS: Final = frozenset(
    name for name in ALL if name.startswith("budget.") and name not in {"budget.prices", "budget.call_prices"}
)
"""Settings that may change when a run is resumed, because its results so far stay valid."""


_ADDRESS: Final = re.compile(r"://|\A[^\s/@:]*:[^\s/@]*@\S+\Z")
"""Matches `://`, or an entire address without a scheme but with a password: `user:password@host:port`."""


def settings_record(settings: Settings) -> dict[str, Any]:
    """Return settings as JSON values by full name, addresses without passwords."""
    values = settings.model_dump(mode="json")
    return {
        name: _bare(reduce(getitem, name.split("."), values))
        for name, field in ALL.items()
        if name not in MACHINE and not is_secret(field)
    }


def settings_from_record(record: dict[str, Any], today: Settings) -> Settings:
    """Return the settings of a `settings_record`, with today's secrets, machine settings, and limits if set.

    Today's address is used if it differs only in the password. Raises SettingsError for an unreadable record.
    """
    recorded = _read(record, ALL)
    changed = {name: attrgetter(name)(today) for name in {*MACHINE, *(LIMITS & today.explicit)}}
    return recorded.updated(**changed, **_filled(recorded, today))


def safe_settings(record: dict[str, Any], today: Settings) -> Settings:
    """Return today's settings with those of `REPORT_SETTINGS` from the record of an untrusted run.

    Servers, files, network access, spending and identity are thus today's. Raises as `settings_from_record` does.
    """
    recorded = _read(record, REPORT_SETTINGS)
    return today.updated(**{name: attrgetter(name)(recorded) for name in REPORT_SETTINGS & record.keys()})


def ignored_settings(record: dict[str, Any], today: Settings) -> dict[str, Any]:
    """Return the settings of a record that `safe_settings` ignores and that differ from today's."""
    now = settings_record(today)
    return {
        name: value
        for name, value in sorted(record.items())
        if name in now.keys() - REPORT_SETTINGS and value != now[name]
    }


def unlike(record: dict[str, Any], today: Settings) -> list[str]:
    """Return the names of today's explicit settings that differ from a run's record and that resuming ignores."""
    now = settings_record(today)
    return sorted(name for name in today.explicit - LIMITS if name in now and now[name] != record.get(name))


def _read(record: dict[str, Any], names: Collection[str]) -> Settings:
    """Return settings with a record's values for these names, and defaults for the others."""
    known = {name: value for name, value in record.items() if name in names}
    try:
        return layered(Settings, [nested(known)])()
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        name = ".".join(map(str, first["loc"]))
        raise SettingsError(
            f'The run was made with a "{name}" that this version does not accept: {first["msg"]}'
        ) from error


def _filled(recorded: Settings, today: Settings) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name in ALL.keys() - MACHINE - LIMITS:
        value, now = attrgetter(name)(recorded), attrgetter(name)(today)
        if is_secret(ALL[name]) or (value != now and value == _bare(now)):
            values[name] = now
    return values


def _bare(value: Any) -> Any:
    """Return a value with the secrets removed from its addresses."""
    if isinstance(value, dict):
        return {name: _bare(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_bare(item) for item in value]
    if not isinstance(value, str) or not _ADDRESS.search(value):
        return value
    try:
        return without_secrets(value)
    except ValueError:  # not an address; the code that uses the setting reports that
        return ""
