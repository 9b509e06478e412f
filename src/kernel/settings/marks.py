"""Building blocks of settings: types of values, the base class of tables, and the mark of what a `.env` may set."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar

from pydantic import BaseModel, BeforeValidator, SecretStr

PREFIX: Final = "SPYGLASS_"
"""The prefix of all settings in the environment."""


def variable(name: str) -> str:
    """Return the environment variable of a setting, `SPYGLASS_SEARCH__DEADLINE` of `search.deadline`."""
    return f"{PREFIX}{name.replace('.', '__')}".upper()


@dataclass(frozen=True, slots=True)
class Plain:
    """Marks a setting that a `.env` may set: it is a key, or shapes the answer.

    Settings without the mark control where data is read, stored, run or sent, or protect the machine. A marked setting
    is ignored if the same `.env` sets one of `beside`, for which it was meant and which a `.env` may not set, or if the
    user has set one of `unless` elsewhere. Both contain names with tables, such as `rerank.url`; a name at the top
    level also stands for that setting of each role.
    """

    beside: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()


Value = TypeVar("Value")
Choice = Annotated[Value, Plain()]


class Table(BaseModel, extra="forbid", frozen=True, validate_default=True, hide_input_in_errors=True):
    """The base class of tables of settings."""


def _as_list(value: Any) -> Any:
    return [value] if isinstance(value, str | Path) else value


def _as_seconds(value: Any) -> Any:
    """Convert `90s`, `5m`, `1.5h` and `7d` to seconds."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([smhd])\s*", value) if isinstance(value, str) else None
    return value if match is None else float(match[1]) * {"s": 1, "m": 60, "h": 3600, "d": 86_400}[match[2]]


Folders = Annotated[list[Path], BeforeValidator(_as_list)]
Names = Annotated[list[str], BeforeValidator(_as_list)]
Seconds = Annotated[float, BeforeValidator(_as_seconds)]
Key = SecretStr | None
