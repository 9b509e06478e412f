"""What of the settings the `.env` of the working folder may say: whoever made the folder may be a stranger."""

import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pydantic import AliasChoices, BaseModel
from pydantic.fields import FieldInfo

from .marks import PREFIX, Plain, Table
from .tables import table_of

Layer = dict[str, Any]
"""What one place says: settings by name or alias, the tables as dicts."""


class SettingsWarning(UserWarning):
    """Something that was said does not count; names the settings, and where to say them instead."""


def taken(layer: Layer, model: type[BaseModel], place: Path, user: Sequence[Layer]) -> Layer:
    """Return what counts of the `.env` at a place, beside what the user said; a SettingsWarning names the rest."""
    said = {name for one in user for name, _ in _named(one, model)}
    elsewhere = {name for name, field in _named(layer, model) if _mark(field) is None} - said
    refused: list[str] = []

    def counts(mark: Plain | None) -> bool:
        return mark is not None and elsewhere.isdisjoint(mark.beside) and said.isdisjoint(mark.unless)

    def part(layer: Layer, model: type[BaseModel], prefix: str) -> Layer:
        found = {}
        for alias, value in layer.items():
            name, field = field_of(model, alias) or (alias, None)
            if field is not None and (table := table_of(field)) and isinstance(value, dict):
                found[alias] = part(value, table, f"{prefix}{name}.")
            elif field is None or counts(_mark(field)):  # that there is no such setting is complained of later
                found[alias] = value
            else:
                refused.append(f"{prefix}{name}")
        return found

    found = part(layer, model, "")
    if refused:
        warnings.warn(_told(refused, place), SettingsWarning, stacklevel=3)
    return found


def field_of(model: type[BaseModel], alias: str) -> tuple[str, FieldInfo] | None:
    """Return the name and the field that a name in a layer stands for."""
    fields = model.model_fields.items()
    return next(((name, field) for name, field in fields if alias == name or alias in _aliases(field)), None)


def _named(layer: Layer, model: type[BaseModel], prefix: str = "") -> Iterator[tuple[str, FieldInfo]]:
    """Yield the settings in a layer, and those in its tables; those of a role by the names that the top has, too."""
    for alias, value in layer.items():
        if not (found := field_of(model, alias)):
            continue
        name, field = found
        if (table := table_of(field)) and isinstance(value, dict):
            yield from _named(value, table, f"{name}." if issubclass(table, Table) else "")
        else:
            yield f"{prefix}{name}", field


def _aliases(field: FieldInfo) -> list[str]:
    alias = field.validation_alias
    return [str(choice) for choice in alias.choices] if isinstance(alias, AliasChoices) else []


def _mark(field: FieldInfo) -> Plain | None:
    return next((mark for mark in field.metadata if isinstance(mark, Plain)), None)


def _told(refused: list[str], place: Path) -> str:
    variables = ", ".join(f"{PREFIX}{name.replace('.', '__')}".upper() for name in refused)
    return (
        f"Not taken from {place}, which whoever made this folder may have written: {', '.join(refused)}. "
        f"To have it so, say it in the environment ({variables}), in a config file that you name, or as an argument."
    )
