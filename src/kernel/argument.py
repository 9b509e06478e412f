"""Whether the arguments of a function that is public are what it takes."""

from collections.abc import Iterator
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Union, get_args, get_origin

from .errors import ArgumentError

LONGEST_SHOWN: Final = 80
"""Characters of a wrong value that an error shows."""


def require(function: str, /, **arguments: tuple[object, Any]) -> None:
    """Raise ArgumentError for the first argument whose value is of no class of its type, `Settings | None`, say.

    Only the value itself is looked at, not what is in it.
    """
    for name, (value, hint) in arguments.items():
        kinds = tuple(_classes(hint))
        if not isinstance(value, kinds):
            takes = " or ".join("None" if kind is NoneType else kind.__name__ for kind in kinds)
            raise ArgumentError(f'{function} cannot take {short(value)} for "{name}"', remedy=f"It takes {takes}.")


def short(value: object) -> str:
    """Return how a value is shown in an error."""
    shown = repr(value)
    return shown if len(shown) <= LONGEST_SHOWN else f"{shown[:LONGEST_SHOWN]}…"


def _classes(hint: Any) -> Iterator[type]:
    origin = get_origin(hint)
    if origin is Annotated:
        yield from _classes(get_args(hint)[0])
    elif origin in (Union, UnionType):
        for one in get_args(hint):
            yield from _classes(one)
    else:
        yield NoneType if hint is None else origin or hint
