"""Builds the site, which loads nothing from elsewhere: `python docs/make_site.py build/site`, or `make site`.

The command line is made from the parser, the API from the docstrings; the list of settings stands in its guide. What
Sphinx warns of, such as a link that leads nowhere, is an error.
"""

import importlib
import shutil
import sys
from collections.abc import Iterator
from inspect import isclass
from pathlib import Path
from types import FunctionType
from typing import Any, Final

import click
import typer
from sphinx.application import Sphinx

from spyglass import __version__
from spyglass.cli.app import app

ROOT: Final = Path(__file__).parents[1]

AT_THE_ROOT: Final = {
    "README.md": "index.md",
    **{name: name for name in ("SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md")},
}

CONTENTS: Final = {
    "Begin": ("start",),
    "By job": (
        *("serving", "assistants", "watching", "notebooks", "tools", "crawling", "rendering", "observing"),
        *("extending", "container", "cluster"),
    ),
    "Concepts": ("how-it-works", "checking", "SECURITY"),
    "Reference": ("commands", "settings", "reference"),
    "The project": ("CONTRIBUTING", "CHANGELOG"),
}

DOORS: Final = ("", ".sync", ".notebook", ".tools", ".search", ".model", ".agent")
"""The modules whose names are public, below `spyglass`."""

METHODS: Final = (FunctionType, classmethod, staticmethod, property)
"""What is listed below a class; its fields stand in its signature."""

CONFIG: Final = {
    "project": "Spyglass",
    "release": __version__,
    "extensions": ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"],
    "myst_heading_anchors": 3,
    "default_role": "code",  # a docstring marks code as Markdown does
    "autodoc_typehints_format": "short",
    "autodoc_member_order": "bysource",
    "autodoc_class_signature": "mixed",
    "python_use_unqualified_type_names": True,
    "python_maximum_signature_line_length": 90,
    "html_theme": "furo",
    "html_title": "Spyglass",
    "html_favicon": "pictures/icon.svg",
    "html_copy_source": False,
    "html_show_sphinx": False,
    "suppress_warnings": ["misc.highlighting_failure", "autodoc.mocked_object"],
}


def main() -> None:
    """Stage the sources beside the site, and build it. Exits 1 on a warning."""
    site = Path(sys.argv[1])
    staged = site.with_name(f"{site.name}-sources")
    shutil.rmtree(staged, ignore_errors=True)
    shutil.copytree(ROOT / "docs", staged, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    for name, page in AT_THE_ROOT.items():
        (staged / page).write_text(_relinked((ROOT / name).read_text(encoding="utf-8")), encoding="utf-8")
    for guide in staged.glob("*.md"):
        guide.write_text(_relinked(guide.read_text(encoding="utf-8")), encoding="utf-8")
    with (staged / "index.md").open("a", encoding="utf-8") as index:
        index.writelines(_contents())
    (staged / "commands.md").write_text("\n".join(commands()), encoding="utf-8")
    (staged / "reference.rst").write_text("\n".join(reference()), encoding="utf-8")
    sphinx = Sphinx(staged, None, site, staged / ".doctrees", "html", dict(CONFIG), warningiserror=True, status=None)
    sphinx.build()
    sys.exit(sphinx.statuscode)


def _relinked(guide: str) -> str:
    """Return a guide whose links lead to where the pages stand here: all in one folder."""
    return guide.replace("](docs/", "](").replace("](../", "](")


def _contents() -> Iterator[str]:
    for title, pages in CONTENTS.items():
        yield f"\n```{{toctree}}\n:hidden:\n:caption: {title}\n\n" + "\n".join(pages) + "\n```\n"


def commands() -> Iterator[str]:
    """Yield the lines of a page with each command, its arguments and its options, as the parser has them."""
    root = typer.main.get_command(app)
    yield f"# Command line\n\n{root.help}\n\n{root.epilog}\n"
    yield from _below("spyglass", root)


def _below(path: str, group: Any) -> Iterator[str]:
    for name, command in group.commands.items():
        if command.hidden:
            continue
        context = click.Context(command, info_name=f"{path} {name}")
        usage = command.get_usage(context).removeprefix("Usage: ")
        yield f"## {path} {name}\n\n{command.help}\n\n```\n{usage}\n```\n"
        if rows := [record for one in command.params if (record := one.get_help_record(context))]:
            yield "| option | what it says |\n|---|---|"
            yield from (f"| `{_cell(what)}` | {_cell(says)} |" for what, says in rows)
            yield ""
        if hasattr(command, "commands"):
            yield from _below(f"{path} {name}", command)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def reference() -> Iterator[str]:
    """Yield the lines of a page, in reStructuredText, with each public name, its signature and its docstring."""
    yield "Python\n======\n\nThe names of these modules are public. What is `async` has a twin in `spyglass.sync`."
    for door in (f"spyglass{name}" for name in DOORS):
        module = importlib.import_module(door)
        yield f"\n{door}\n{'-' * len(door)}\n\n{module.__doc__}\n"
        for name in module.__all__:
            value = getattr(module, name)
            kind = "class" if isclass(value) else "function" if callable(value) else "data"
            yield f".. auto{kind}:: {door}.{name}"
            if isclass(value):
                kept = [one for one, what in vars(value).items() if one[0] != "_" and isinstance(what, METHODS)]
                yield f"   :members: {', '.join(kept)}" if kept else ""
            yield ""


if __name__ == "__main__":
    main()
