"""The sources of settings (environment, `.env`, config file), their syntax, and errors about their values."""

import difflib
import json
import tomllib
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import dotenv
from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_settings import DotEnvSettingsSource, EnvSettingsSource
from pydantic_settings import SettingsError as SourceError

from ..errors import SettingsError
from ..one_line import shortened
from .marks import Table, variable
from .tables import Role, is_secret, settings_in, table_of
from .trust import Layer, SettingsWarning, field_of

ARGUMENTS: Final = "in the arguments"
ENVIRONMENT: Final = "in the environment"

LONGEST_SHOWN: Final = 80
"""Characters of a wrong value that an error shows."""

ALSO: Final = {"BLACKLISTED_DOMAINS": "search.block", "WHITELISTED_DOMAINS": "search.trust"}
"""Further variables that set a setting of a table."""


def nested(values: Mapping[str, Any]) -> Layer:
    """Return settings grouped by table; some of them are named `table__name` or `table.name`."""
    found: Layer = {}
    for name, value in values.items():
        *tables, last = name.replace(".", "__").split("__")
        part = found
        for table in tables:
            inside = part.get(table, {})
            part[table] = part = dict(inside) if isinstance(inside, dict) else {}
        is_table = not tables and isinstance(value, dict)
        part[last] = {**part.get(last, {}), **value} if is_table else value
    return found


class Environment(EnvSettingsSource):
    """The environment as a source: a list is comma-separated or JSON, a table is JSON."""

    def __call__(self) -> Layer:
        """Return the settings; a SettingsWarning names every variable with our prefix that is no setting.

        It is no error, because a cluster sets such variables for a service of this name.
        """
        for name in self._unknown_names():
            warnings.warn(str(_unknown(name, self.settings_cls, ENVIRONMENT)), SettingsWarning, stacklevel=4)
        return self._known()

    def _known(self) -> Layer:
        return {name: value for name, value in super().__call__().items() if field_of(self.settings_cls, name)}

    def _unknown_names(self) -> list[str]:
        prefix = self.env_prefix.lower()
        names = [name.removeprefix(prefix) for name in self.env_vars if name.startswith(prefix)]
        return [name for name in names if not field_of(self.settings_cls, name.partition("__")[0])]

    def _load_env_vars(self) -> Mapping[str, str | None]:
        found = dict(super()._load_env_vars())
        for name, setting in ALSO.items():
            if (value := found.get(name.lower())) is not None:
                found.setdefault(variable(setting).lower(), value)
        return found

    def decode_complex_value(self, field_name: str, field: FieldInfo, value: Any) -> Any:
        """Return the items of a comma-separated list, or the value of the JSON."""
        if not value.lstrip().startswith(("[", "{")):
            return [part.strip() for part in value.split(",") if part.strip()]
        return super().decode_complex_value(field_name, field, value)


class OwnLines(Environment, DotEnvSettingsSource):
    """The settings in a `.env` file, whose other lines are ignored.

    The file may be a stranger's: `${NAME}` is not expanded, so that no secret of the environment is sent elsewhere.
    """

    def __call__(self) -> Layer:
        """Return the settings, and unknown names with our prefix, which `require_known` rejects."""
        return {**self._known(), **dict.fromkeys(self._unknown_names())}

    def _read_env_file(self, file_path: Path) -> Mapping[str, str | None]:
        found = dotenv.dotenv_values(file_path, encoding="utf-8", interpolate=False)
        return {name.lower(): value for name, value in found.items()}


def read_config(path: Path) -> Layer:
    """Return the keys of a TOML or JSON file. Raises SettingsError with line and column if it cannot be parsed."""
    try:
        text = path.read_text(encoding="utf-8")
        content = json.loads(text) if path.suffix.lower() == ".json" else tomllib.loads(text)
    except FileNotFoundError as error:
        raise SettingsError("The config file does not exist", where=str(path)) from error
    except UnicodeDecodeError:
        raise
    except ValueError as error:  # both parsers also raise it for a number with too many digits
        raise SettingsError(f"The config file cannot be parsed: {error}", where=str(path)) from error
    if not isinstance(content, dict):
        raise SettingsError("The config file must contain an object whose keys are settings", where=str(path))
    return content


def read(where: str, source: Callable[[], Layer]) -> Layer:
    """Return the settings of a source. Raises SettingsError if it cannot be read or parsed."""
    try:
        return source()
    except SourceError as error:
        raise SettingsError(
            f"A value cannot be parsed: {error}", where=where, remedy="Write lists and tables as JSON."
        ) from error
    except UnicodeDecodeError as error:
        raise SettingsError("The file is not UTF-8", where=where, remedy="Save it as UTF-8.") from error
    except RecursionError as error:
        raise SettingsError("A value is nested too deeply", where=where) from error
    except OSError as error:
        raise SettingsError(f"The file cannot be read: {error.strerror}", where=where) from error


def require_known(values: Layer, model: type[BaseModel], where: str, prefix: str = "") -> None:
    """Raise SettingsError for the first unknown key, and for a table whose value is not a table."""
    for alias, value in values.items():
        found = field_of(model, alias)
        table = found and table_of(found[1])
        if found is None:
            raise _unknown(f"{prefix}{alias}", model, where)
        if table and isinstance(value, dict):
            require_known(value, table, where, f"{prefix}{found[0]}.")
        elif table and issubclass(table, Table) and not isinstance(value, table):
            raise _no_table(alias, table, where)


def _unknown(name: str, model: type[BaseModel], where: str) -> SettingsError:
    table, dot, last = name.rpartition(".")
    known = dict.fromkeys([*settings_in(model), *model.model_fields])
    near = [one for one in known if one.rpartition(".")[2] == last] or difflib.get_close_matches(last, known, n=1)
    meant = " or ".join(f'"{table}{dot}{one}"' for one in near)
    remedy = f"Did you mean {meant}?" if near else f"Known keys: {', '.join(model.model_fields)}."
    return SettingsError(f'Unknown setting "{name}"', where=_placed(where, name), remedy=remedy)


def _no_table(name: str, table: type[BaseModel], where: str) -> SettingsError:
    meant = ", ".join(f"{name}.{one}" for one in table.model_fields)
    return SettingsError(f'"{name}" is a table of settings', where=_placed(where, name), remedy=f"Set one of: {meant}.")


def _placed(where: str, name: str) -> str:
    """Return the source of a setting, with the variable if it is the environment."""
    return f"{where}: {variable(name)}" if where == ENVIRONMENT else where


def explained(error: ValidationError, model: type[BaseModel], layers: dict[str, Layer]) -> SettingsError:
    """Return an error with key, value and source for pydantic's first one; secrets are hidden."""
    first = error.errors(include_url=False, include_context=False)[0]
    loc = first["loc"]
    where = next((place for place, layer in layers.items() if _holds(layer, loc)), "by default")
    name = ".".join(str(part) for part in loc)
    shown = "" if _hides(model, loc) else f" = {_short(first['input'])}"
    said = first["msg"].removeprefix("Value error, ")
    named = ".".join(part for part in loc if isinstance(part, str))
    return SettingsError(f'The setting "{name}"{shown} is not valid: {said}', where=_placed(where, named))


def _hides(model: type[BaseModel], loc: tuple[int | str, ...]) -> bool:
    """Return whether a wrong value may be a secret; in a role it may have been meant for the key."""
    table: type[BaseModel] | None = model
    for part in loc:
        if table is None or (field := field_of(table, str(part))) is None:
            break
        if is_secret(field[1]) or "key" in field[0] or (table is Role and field[0] != "context_window"):
            return True
        table = table_of(field[1])
    return table is Role


def _holds(layer: Layer, loc: tuple[int | str, ...]) -> bool:
    """Return whether a layer has a value at a location, or a value in place of a table above it."""
    value: Any = layer
    for part in loc:
        if not isinstance(value, dict):
            return True
        if part not in value:
            return False
        value = value[part]
    return True


def _short(value: Any) -> str:
    shown = repr(value) if isinstance(value, str | int | float | Path) else f"a {type(value).__name__}"
    return shortened(shown, LONGEST_SHOWN)
