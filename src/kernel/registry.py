"""Registries of classes by name, built in or from entry points of other distributions."""

from importlib.metadata import EntryPoint, entry_points
from typing import Generic, TypeVar, cast

from .argument import validated
from .errors import UnknownNameError

Kind = TypeVar("Kind")


class Registry(Generic[Kind]):
    """Classes by name; case and surrounding white space are ignored.

    Classes registered in code take precedence over entry points, which are loaded when first requested.
    """

    def __init__(self, noun: str, base: type, group: str, built_in: dict[str, type[Kind]]) -> None:
        self._noun = noun
        self._base = base
        self._group = group
        self._kinds = {name.lower(): kind for name, kind in built_in.items()}

    @validated
    def register(self, name: str, kind: type[Kind]) -> None:
        """Register a class under a name."""
        self._kinds[name.strip().lower()] = kind

    def names(self) -> list[str]:
        """Return all known names, sorted."""
        return sorted({*self._kinds, *self._points()})

    @validated
    def get(self, name: str) -> type[Kind]:
        """Return the class of that name. Raises UnknownNameError if there is none, or if it cannot be loaded."""
        key = name.strip().lower()
        if key in self._kinds:
            return self._kinds[key]
        point = self._points().get(key)
        if point is None:
            raise UnknownNameError(f'There is no {self._noun} "{name}"', remedy=f"Known: {', '.join(self.names())}.")
        return self._loaded(point)

    def _points(self) -> dict[str, EntryPoint]:
        return {point.name.lower(): point for point in entry_points(group=self._group)}

    def _loaded(self, point: EntryPoint) -> type[Kind]:
        where = f"entry point {point.value} of {point.dist.name if point.dist else 'an unknown distribution'}"
        remedy = "Update or remove that distribution."
        try:
            kind = point.load()
        except Exception as error:  # importing foreign code may raise anything
            what = f'The {self._noun} "{point.name}" cannot be loaded: {error}'
            raise UnknownNameError(what, where=where, remedy=remedy) from error
        if not (isinstance(kind, type) and issubclass(kind, self._base)):
            what = f'The {self._noun} "{point.name}" is not a subclass of {self._base.__name__}'
            raise UnknownNameError(what, where=where, remedy=remedy)
        return cast("type[Kind]", kind)
