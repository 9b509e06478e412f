"""`python docs/list_settings.py docs/settings.md` writes the guide's list of settings anew, from the class."""

import ast
import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel

from spyglass.kernel.settings import Role, Settings, settings, tables
from spyglass.kernel.settings.marks import Table
from spyglass.kernel.settings.tables import table_of

BEGIN: Final = "<!-- settings: made by docs/list_settings.py -->\n"
END: Final = "<!-- end of settings -->\n"


def listed() -> str:
    """Return every setting with its default and what it does, as Markdown: those on top, then each table."""
    named = {name: kind for name, field in Settings.model_fields.items() if (kind := table_of(field))}
    parts = {name: kind for name, kind in named.items() if issubclass(kind, Table)}
    parts_told = (f"### [{name}]\n\n{inspect.getdoc(kind)}\n\n{_table(kind)}" for name, kind in parts.items())
    return "\n".join([f"### On top\n\n{_table(Settings)}", *parts_told])


def renewed(guide: str) -> str:
    """Return the text of the guide with today's list. Raises ValueError where its marks are missing."""
    before, rest = guide.split(BEGIN)
    return f"{before}{BEGIN}\n{listed()}\n{END}{rest.split(END)[1]}"


def _table(kind: type[BaseModel]) -> str:
    told = dict(_docstrings(kind))
    rows = [
        f"| `{name}` | {_default(name, field.default)} | {told[name]} |\n"
        for name, field in kind.model_fields.items()
        if not ((table := table_of(field)) and issubclass(table, Table))
    ]
    return f"| setting | default | what it does |\n|---|---|---|\n{''.join(rows)}"


def _default(name: str, value: Any) -> str:
    if name == "data_dir":
        return "the platform's"
    if value in (None, "", [], {}, Role()):
        return "–"
    return (
        f"`{str(value).lower() if isinstance(value, bool) else format(value, 'g' if isinstance(value, float) else '')}`"
    )


def _docstrings(kind: type[BaseModel]) -> Iterator[tuple[str, str]]:
    """Yield what stands below each setting of a class; read when it is asked for, for importing has no use for it."""
    module = ast.parse(inspect.getsource(settings if kind is Settings else tables))
    [found] = [one for one in module.body if isinstance(one, ast.ClassDef) and one.name == kind.__name__]
    for field, below in zip(found.body, found.body[1:], strict=False):
        match field, below:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                yield name, " ".join(text.split())


if __name__ == "__main__":
    path = Path(sys.argv[1])
    path.write_text(renewed(path.read_text(encoding="utf-8")), encoding="utf-8")
