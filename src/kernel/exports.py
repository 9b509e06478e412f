"""What a folder exports is imported when it is first used, so that importing the folder stays cheap."""

from collections.abc import Callable
from importlib import import_module


def lazy_exports(package: str, **exported: str) -> Callable[[str], object]:
    """Return the `__getattr__` of a package that exports names: `exported` are those that each module of it has.

    The two underscores in the name of a module stand for its dot.
    """
    homes = {name: module.replace("__", ".") for module, names in exported.items() for name in names.split()}

    def found(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f".{homes[name]}", package), name)

    return found
