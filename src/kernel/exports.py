"""Lazy exports of packages: the module of a name is imported at its first use."""

import sys
from collections.abc import Callable
from importlib import import_module
from types import ModuleType


class _Door(ModuleType):
    """A package whose exported names stay: importing one of its modules does not replace the export of the same name.

    So `rag.ingest` is the function, whether `rag/ingest.py` has been imported or not.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if not (isinstance(value, ModuleType) and name in self.__all__):
            super().__setattr__(name, value)


def lazy_exports(package: str, **exported: str) -> Callable[[str], object]:
    """Return the `__getattr__` of a package with lazy exports: `exported` maps each module to its exported names.

    Two underscores in the name of a module stand for a dot.
    """
    modules = {name: module.replace("__", ".") for module, names in exported.items() for name in names.split()}
    sys.modules[package].__class__ = _Door

    def load(name: str) -> object:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f".{modules[name]}", package), name)

    return load
