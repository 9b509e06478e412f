"""The settings of a run as its journal keeps them: whatever is not a secret and not of the machine."""

from collections.abc import Collection
from functools import reduce
from operator import attrgetter, getitem
from typing import Any, Final

from pydantic import ValidationError

from ..kernel.errors import SettingsError
from ..kernel.settings import Settings, is_secret, layered, nested, settings_in
from ..model.address import without_secrets

ALL: Final = settings_in(Settings)  # every setting by its name with its table, as a record has them

MACHINE: Final = frozenset(
    {"data_dir", "network.ca_file", "browser.chromium"}
    | {name for name in ALL if name.startswith(("observe.", "watch.", "runs."))}
)
"""Settings that say where a run is made and who watches it, not what."""

ASKED: Final = frozenset(
    {"effort", "language", "report.length", "report.sections", "search.time_range", "search.region"}
)
"""Settings that say what is wanted, and reach nobody: all that is taken from a run which anybody may have made."""

LIMITS: Final = frozenset(
    name for name in ALL if name.startswith("budget.") and name not in {"budget.prices", "budget.call_prices"}
)
"""Settings that may be others when a run is taken up again: what it found is the same."""


def kept(settings: Settings) -> dict[str, Any]:
    """Return settings as JSON by their names with their tables, addresses without passwords."""
    values = settings.model_dump(mode="json")
    return {
        name: _bare(reduce(getitem, name.split("."), values))
        for name, field in ALL.items()
        if name not in MACHINE and not is_secret(field)
    }


def recalled(record: dict[str, Any], today: Settings) -> Settings:
    """Return the settings that `kept` made a record of, with today's secrets, machine, and limits where there are any.

    An address is today's where both are the same but for the password. Raises SettingsError for an unreadable record.
    """
    then = _read(record, ALL)
    changed = {name: attrgetter(name)(today) for name in {*MACHINE, *(LIMITS & today.said)}}
    return then.updated(**changed, **_filled(then, today))


def adopted(record: dict[str, Any], today: Settings) -> Settings:
    """Return today's settings with what a run wants that anybody may have made: `ASKED`, and nothing else.

    So whom it asks, what it reads, what it may reach and spend, and as whom, is today's. Raises as `recalled` does.
    """
    then = _read(record, ASKED)
    return today.updated(**{name: attrgetter(name)(then) for name in ASKED & record.keys()})


def refused(record: dict[str, Any], today: Settings) -> dict[str, Any]:
    """Return the settings of a record that `adopted` does not take, where they are others than today's."""
    now = kept(today)
    return {name: value for name, value in sorted(record.items()) if name in now.keys() - ASKED and value != now[name]}


def unlike(record: dict[str, Any], today: Settings) -> list[str]:
    """Return the settings that today are said to be others than they were, and that a run does not change."""
    now = kept(today)
    said = today.said - LIMITS
    return sorted(name for name in said if name in now and now[name] != record.get(name))


def _read(record: dict[str, Any], names: Collection[str]) -> Settings:
    """Return the settings of these names that a record has, the others as they are by default."""
    known = {name: value for name, value in record.items() if name in names}
    try:
        return layered(Settings, [nested(known)])()
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        name = ".".join(map(str, first["loc"]))
        raise SettingsError(
            f'The run was made with a "{name}" that this version does not take: {first["msg"]}'
        ) from error


def _filled(then: Settings, today: Settings) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in ALL.keys() - MACHINE - LIMITS:
        value, now = attrgetter(name)(then), attrgetter(name)(today)
        if is_secret(ALL[name]) or (value != now and value == _bare(now)):
            found[name] = now
    return found


def _bare(value: Any) -> Any:
    """Return a value without what an address in it may hide."""
    if isinstance(value, dict):
        return {name: _bare(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_bare(one) for one in value]
    if not isinstance(value, str) or "://" not in value:
        return value
    try:
        return without_secrets(value)
    except ValueError:  # no address: whoever reads it will say so
        return ""
