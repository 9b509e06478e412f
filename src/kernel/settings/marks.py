"""What settings are declared with: kinds of values, the base of tables, the mark of what a folder may say."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar

from pydantic import BaseModel, BeforeValidator, SecretStr

PREFIX: Final = "SPYGLASS_"
"""How the name of every setting begins in the environment."""


@dataclass(frozen=True, slots=True)
class Plain:
    """Marks a setting that a `.env` may say: it is a key, or shapes the answer.

    What has no such mark says where something is read, kept, run or sent, or what guards the machine; a new setting
    has none until somebody gives it one. A marked one still does not count where the same `.env` names one of `beside`,
    which it may not: it was meant for there. Nor does it where the user has said one of `unless` elsewhere. Both name
    settings with their tables, `rerank.url` say; those of a role are meant with those of the top.
    """

    beside: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()


Value = TypeVar("Value")
Choice = Annotated[Value, Plain()]


class Table(BaseModel, extra="forbid", frozen=True, validate_default=True, hide_input_in_errors=True):
    """Settings of one subject."""


def _as_list(value: Any) -> Any:
    return [value] if isinstance(value, str | Path) else value


def _as_seconds(value: Any) -> Any:
    """Take `90s`, `5m`, `1.5h` and `7d` for seconds."""
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([smhd])\s*", value) if isinstance(value, str) else None
    return value if found is None else float(found[1]) * {"s": 1, "m": 60, "h": 3600, "d": 86_400}[found[2]]


Folders = Annotated[list[Path], BeforeValidator(_as_list)]
Names = Annotated[list[str], BeforeValidator(_as_list)]
Seconds = Annotated[float, BeforeValidator(_as_seconds)]
Key = SecretStr | None
