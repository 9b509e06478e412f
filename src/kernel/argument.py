"""Validation of the arguments of public functions and classes, which raises ArgumentError."""

import functools
import inspect
from collections.abc import Callable
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, TypeVar, Union, cast, get_args, get_origin

from pydantic import BaseModel, ValidationError

from .errors import ArgumentError
from .one_line import shortened

LONGEST_SHOWN: Final = 80  # characters of a wrong value that an error shows
Door = TypeVar("Door", bound=Callable[..., Any])


def validated(target: Door) -> Door:
    """Make a function, or a class's constructor, raise ArgumentError for arguments that do not match its type hints.

    The hints are evaluated at the first call. A pydantic model still converts its arguments.
    """
    if isinstance(target, type):
        guarded = _explained if issubclass(target, BaseModel) else _guarded
        setattr(target, "__init__", guarded(target.__init__, target.__name__))  # type: ignore[misc]  # noqa: B010
        return target
    return cast("Door", _guarded(target, target.__qualname__))


def require(function: str, /, **arguments: tuple[object, Any]) -> None:
    """Raise ArgumentError for the first argument, given as (value, type hint), whose value does not match its hint."""
    for name, (value, hint) in arguments.items():
        if not fits(value, hint):
            what = f'{function} does not accept {short(value)} for "{name}"'
            raise ArgumentError(what, remedy=f"Expected: {_worded(hint)}.")


def fits(value: object, hint: Any) -> bool:
    """Return whether a value matches a type hint, including the items of built-in collections.

    A string does not match a sequence of strings.
    """
    kind, parts = get_origin(hint) or hint, get_args(hint)
    if kind in (Union, UnionType):
        return any(fits(value, part) for part in parts)
    if kind is Annotated:
        return fits(value, parts[0])
    if kind is Literal:
        return value in parts
    if kind is Any or isinstance(kind, TypeVar):
        return True
    if not isinstance(value, (int, float) if kind is float else NoneType if kind is None else kind):
        return False
    if kind is Callable or not parts:
        return True
    if kind is tuple and parts[-1] is not Ellipsis:
        return isinstance(value, tuple) and len(value) == len(parts) and all(map(fits, value, parts))
    items = value if isinstance(value, list | tuple | set | frozenset | dict) else ()
    return not isinstance(value, str | bytes) and all(fits(item, parts[0]) for item in items)


def short(value: object) -> str:
    """Return the `repr` of a value, shortened for errors."""
    return shortened(repr(value), LONGEST_SHOWN)


def _guarded(function: Any, name: str) -> Any:
    signature = inspect.signature(function)
    many = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    parameters = signature.parameters.values()
    single = [item.name for item in parameters if item.kind not in many and item.name != "self"]
    hints = functools.cache(lambda: inspect.get_annotations(function, eval_str=True))

    def check(args: tuple[Any, ...], named: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        try:
            bound = signature.bind(*args, **named).arguments
        except TypeError as error:
            raise ArgumentError(f"{name}: {error}", remedy=f"Parameters: {', '.join(single) or 'none'}.") from error
        require(name, **{key: (bound[key], hints()[key]) for key in single if key in bound})
        return args, named

    return prepared(function, check)


def prepared(function: Any, prepare: Callable[[tuple[Any, ...], dict[str, Any]], tuple[Any, dict[str, Any]]]) -> Any:
    """Return the function, sync or async, with `prepare` applied to its arguments first."""
    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def awaited(*args: Any, **named: Any) -> Any:
            positional, by_name = prepare(args, named)
            return await function(*positional, **by_name)

        return awaited

    @functools.wraps(function)
    def called(*args: Any, **named: Any) -> Any:
        positional, by_name = prepare(args, named)
        return function(*positional, **by_name)

    return called


def _explained(function: Any, name: str) -> Any:

    @functools.wraps(function)  # copies the mark that lets pydantic skip calling this
    def checked(self: Any, *args: Any, **named: Any) -> None:
        if args:
            raise ArgumentError(f"{name} does not accept {short(args[0])}", remedy="Pass each value by keyword.")
        try:
            function(self, **named)
        except ValidationError as error:
            first = error.errors(include_url=False, include_context=False)[0]
            where = ".".join(map(str, first["loc"]))
            message = first["msg"].removeprefix("Value error, ")
            shown = "is missing" if first["type"] == "missing" else f"= {short(first['input'])}"
            raise ArgumentError(f'{name}: "{where}" {shown}', remedy=f"{message}.") from error

    return checked


def _worded(hint: Any) -> str:
    kind, parts = get_origin(hint) or hint, get_args(hint)
    if kind in (Union, UnionType):
        return " or ".join(map(_worded, parts))
    if kind is Annotated:
        return _worded(parts[0])
    if kind is Literal:
        return " or ".join(map(repr, parts))
    if kind in (None, NoneType):
        return "None"
    named = str(getattr(kind, "__name__", kind))
    inside = [] if kind is Callable else [_worded(part) for part in parts if part is not Ellipsis]
    return f"{named} of {' and '.join(inside)}" if inside else named
