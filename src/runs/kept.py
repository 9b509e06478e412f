"""The settings of a run as its journal keeps them: whatever is not a secret and not of the machine."""

from collections.abc import Collection
from typing import Any, Final, get_args

from pydantic import BaseModel, SecretStr, ValidationError
from pydantic.fields import FieldInfo

from ..errors import SettingsError
from ..model.address import without_secrets
from ..settings import Settings, layered

MACHINE: Final = frozenset(
    {"data_dir", "durability", "keep_runs_days", "ca_file", "chromium", "log", "otel", "otel_content"}
)
"""Settings that say where a run is made and who watches it, not what."""

ASKED: Final = frozenset({"effort", "language", "length", "sections", "time_range", "region"})
"""Settings that say what is wanted, and reach nobody: all that is taken from a run which anybody may have made."""

LIMITS: Final = frozenset(
    {"max_cost", "max_tokens", "max_calls", "max_searches", "max_fetches", "max_time", "role_limits", "writing_share"}
)
"""Settings that may be others when a run is taken up again: what it found is the same."""


def kept(settings: BaseModel) -> dict[str, Any]:
    """Return settings as JSON, addresses without passwords."""
    values = settings.model_dump(mode="json")
    return {
        name: kept(value) if isinstance(value, BaseModel) else _bare(values[name])
        for name, value in settings
        if name not in MACHINE and not _is_secret(type(settings).model_fields[name])
    }


def recalled(record: dict[str, Any], today: Settings) -> Settings:
    """Return the settings that `kept` made a record of, with today's secrets, machine, and limits where there are any.

    An address is today's where both are the same but for the password. Raises SettingsError when this version cannot
    take the record.
    """
    then = _read(record, set(Settings.model_fields))
    ours = {*MACHINE, *(LIMITS & today.model_fields_set)}
    changed = {name: getattr(today, name) for name in ours} | _filled(then, today)
    return then.model_copy(update=changed)


def adopted(record: dict[str, Any], today: Settings) -> Settings:
    """Return today's settings with what a run wants that anybody may have made: `ASKED`, and nothing else.

    So whom it asks, what it reads, what it may reach and spend, and as whom, is today's. Raises as `recalled` does.
    """
    then = _read(record, ASKED)
    return today.model_copy(update={name: getattr(then, name) for name in ASKED & record.keys()})


def refused(record: dict[str, Any], today: Settings) -> dict[str, Any]:
    """Return the settings of a record that `adopted` does not take, where they are others than today's."""
    now = kept(today)
    return {name: value for name, value in sorted(record.items()) if name in now.keys() - ASKED and value != now[name]}


def unlike(record: dict[str, Any], today: Settings) -> list[str]:
    """Return the settings that today are said to be others than they were, and that a run does not change."""
    now = kept(today)
    said = today.model_fields_set - LIMITS
    return sorted(name for name in said if name in now and now[name] != record.get(name))


def _read(record: dict[str, Any], names: Collection[str]) -> Settings:
    """Return the settings of these names that a record has, the others as they are by default."""
    known = {name: value for name, value in record.items() if name in names}
    try:
        return layered(Settings, [known])()
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        name = ".".join(map(str, first["loc"]))
        raise SettingsError(
            f'The run was made with a "{name}" that this version does not take: {first["msg"]}'
        ) from error


def _filled(then: BaseModel, today: BaseModel) -> dict[str, Any]:
    """Return what takes its value from today: secrets, and addresses that may hold one."""
    found: dict[str, Any] = {}
    for name, value in then:
        now = getattr(today, name)
        if isinstance(value, BaseModel):
            found[name] = value.model_copy(update=_filled(value, now))
        elif _is_secret(type(then).model_fields[name]) or (value != now and value == _bare(now)):
            found[name] = now
    return found


def _is_secret(field: FieldInfo) -> bool:
    return SecretStr in (field.annotation, *get_args(field.annotation))


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
