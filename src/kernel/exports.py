"""Lazy exports of packages: the module of a name is imported at its first use."""

import sys
from collections.abc import Callable
from importlib import import_module
from types import ModuleType


class _Door(ModuleType):
    """A package whose exported names stay: importing a module of it does not put the module in place of its namesake.

    So `rag.ingest` is the function, whether `rag/ingest.py` has been imported or not.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if not (isinstance(value, ModuleType) and name in self.__all__):
            super().__setattr__(name, value)


def lazy_exports(package: str, **exported: str) -> Callable[[str], object]:
    """Return the `__getattr__` of a package that exports names: `exported` are those that each module of it has.

    The two underscores in the name of a module stand for its dot.
    """
    homes = {name: module.replace("__", ".") for module, names in exported.items() for name in names.split()}
    sys.modules[package].__class__ = _Door

    def found(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f".{homes[name]}", package), name)

    return found
