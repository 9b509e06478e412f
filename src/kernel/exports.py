"""Lazy exports of packages: a module is imported when one of its names is first used."""

import sys
from collections.abc import Callable
from importlib import import_module
from types import ModuleType


class _Door(ModuleType):
    """A package whose exports are not replaced when one of its modules with the same name is imported.

    For example, `rag.ingest` is always the function, also after `rag/ingest.py` has been imported.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if not (isinstance(value, ModuleType) and name in self.__all__):
            super().__setattr__(name, value)


def lazy_exports(package: str, **exported: str) -> Callable[[str], object]:
    """Return the `__getattr__` of a package with lazy exports: `exported` maps each module to its exported names.

    Two underscores in the name of a module replace a dot.
    """
    modules = {name: module.replace("__", ".") for module, names in exported.items() for name in names.split()}
    sys.modules[package].__class__ = _Door

    def load(name: str) -> object:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f".{modules[name]}", package), name)

    return load
