"""The settings that the `.env` of the working folder may set, because the folder may not be the user's own."""

import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pydantic import AliasChoices, BaseModel
from pydantic.fields import FieldInfo

from .marks import Plain, Table, variable
from .tables import table_of

Layer = dict[str, Any]
"""The settings of one source, by name or alias, tables as dicts."""


class SettingsWarning(UserWarning):
    """Some settings of a `.env` are ignored; names them, and where to set them instead."""


def applicable(layer: Layer, model: type[BaseModel], place: Path, user: Sequence[Layer]) -> Layer:
    """Return the settings of a `.env` that apply besides those of the user; warn about the others (SettingsWarning)."""
    by_user = {name for source in user for name, _ in _named(source, model)}
    unmarked = {name for name, field in _named(layer, model) if _mark(field) is None} - by_user
    refused: list[str] = []

    def applies(mark: Plain | None) -> bool:
        return mark is not None and unmarked.isdisjoint(mark.beside) and by_user.isdisjoint(mark.unless)

    def filtered(layer: Layer, model: type[BaseModel], prefix: str) -> Layer:
        allowed = {}
        for alias, value in layer.items():
            name, field = field_of(model, alias) or (alias, None)
            if field is not None and (table := table_of(field)) and isinstance(value, dict):
                allowed[alias] = filtered(value, table, f"{prefix}{name}.")
            elif field is None or applies(_mark(field)):  # unknown settings raise an error later
                allowed[alias] = value
            else:
                refused.append(f"{prefix}{name}")
        return allowed

    result = filtered(layer, model, "")
    if refused:
        warnings.warn(_warning(refused, place), SettingsWarning, stacklevel=3)
    return result


def field_of(model: type[BaseModel], alias: str) -> tuple[str, FieldInfo] | None:
    """Return the name and the field of a setting by its name or alias."""
    fields = model.model_fields.items()
    return next(((name, field) for name, field in fields if alias == name or alias in _aliases(field)), None)


def _named(layer: Layer, model: type[BaseModel], prefix: str = "") -> Iterator[tuple[str, FieldInfo]]:
    """Yield the settings of a layer and its tables as (name, field); those of a role have top-level names."""
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


def _warning(refused: list[str], place: Path) -> str:
    variables = ", ".join(map(variable, refused))
    return (
        f"Some settings in {place} are ignored, because it may be somebody else's file: {', '.join(refused)}. "
        f"To use them, set them in the environment ({variables}), in a config file that you name, or as arguments."
    )
