"""reStructuredText, as docutils reads it; of what only Sphinx knows, what a reader sees of it."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from functools import cache
from typing import Any, ClassVar, Final

from docutils import nodes
from docutils.core import publish_doctree, publish_from_doctree
from docutils.frontend import Values, get_default_settings
from docutils.parsers.rst import Directive, Parser, directives, roles
from docutils.parsers.rst.states import Inliner
from docutils.readers.standalone import Reader
from docutils.statemachine import StringList
from docutils.writers.html5_polyglot import Writer

from ..kernel.notice import Notice
from .document import Document
from .html import read_html
from .text import MOST_CHARACTERS, clean, first_line

_UNSEEN: Final = frozenset(
    (
        *("automodule", "currentmodule", "cssclass", "default-domain", "highlight", "index", "module"),
        *("contents", "date", "include", "literalinclude", "tabularcolumns", "toctree"),
    )
)
"""Directives of which nothing is shown: what lists or fetches other texts among them."""

_CODE: Final = frozenset(("code", "code-block", "parsed-literal", "productionlist", "sourcecode"))
_WHOLE: Final = frozenset(("seealso", "todo"))
"""Directives that are given the beginning of what they show."""

_UNNAMED: Final = frozenset(("cond", "container", "glossary", "ifconfig", "only", "tab", "tab-item", "tab-set", "tabs"))
"""Directives that show what they hold, and not what they are given."""

_VERSIONS: Final = {
    "versionadded": "Added in version",
    "versionchanged": "Changed in version",
    "versionremoved": "Removed in version",
    "deprecated": "Deprecated since version",
}
_LITERAL: Final = frozenset(("file", "kbd", "samp"))
"""Roles whose text is shown as it is; that of others may be a title with its target, or the path of a name."""

_BLOCK: Final = re.compile(r"(?:[-*+]|\d+[.)]|\.\.)[ \t]")
"""What begins a list or a directive, which goes on with no sentence."""

_PATH: Final = re.compile(r"[!~.][\w.]+(?:\(\))?")
"""The path of a name: of one with a tilde the last part is shown; a dot in front says where to look for it."""

_SETTINGS: Final = {
    "_disable_config": True,
    "doctitle_xform": False,
    "file_insertion_enabled": False,
    "halt_level": 5,
    "initial_header_level": 1,
    "line_length_limit": MOST_CHARACTERS,
    "math_output": "LaTeX",
    "output_encoding": "unicode",
    "raw_enabled": False,
    "report_level": 5,
    "stylesheet_path": None,
    "syntax_highlight": "none",
    "traceback": True,
}
"""No other file is opened, no configuration either; what docutils does not understand stays as it is, untold."""


def read(source: str) -> Document:
    """Return a text as a reader sees it, with its first heading for a title; as it is where docutils cannot read it."""
    text = clean(source)
    try:
        with _knowing_all():
            return _read(text)
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001 what docutils cannot read, nested too deep for instance, is a text all the same
        return Document(text, first_line(text), "text")


def _read(text: str) -> Document:
    settings = copy(_settings())
    tree = publish_doctree(text, settings=settings)
    for image in [*tree.findall(nodes.image)]:  # which the writer would open
        said = nodes.Text(image.get("alt", ""))
        image.replace_self(said if isinstance(image.parent, nodes.TextElement) else nodes.paragraph("", "", said))
    title = next((one.next_node(nodes.title) for one in tree.findall(nodes.section)), None)
    page = publish_from_doctree(tree, writer=Writer(), settings=settings)
    found = read_html(clean(str(page)).encode(), "")
    skipped = (Notice("page_cut"),) if found.cut else ()
    return Document(clean(found.text), title.astext() if title is not None else "", "restructured", skipped=skipped)


@cache
def _settings() -> Values:
    found = get_default_settings(Parser, Reader, Writer)
    for name, value in _SETTINGS.items():
        setattr(found, name, value)
    return found


@contextmanager
def _knowing_all() -> Iterator[None]:
    """Have docutils know every directive and role, as Sphinx does, and forget afterwards what a text has defined."""
    known_directive, known_role = directives.directive, roles.role
    tables = (directives._directives, roles._roles, roles._role_registry)  # type: ignore[attr-defined]
    before = [dict(table) for table in tables]

    def directive(name: str, language: Any, document: Any) -> tuple[Any, list[Any]]:
        found, told = known_directive(name, language, document)
        if found is None or _plain(name) in _UNSEEN | _CODE:
            return _Shown, []
        return type(found.__name__, (found,), {"option_spec": _Options(found.option_spec or {})}), told

    def role(name: str, language: Any, line: int, reporter: Any) -> tuple[Any, list[Any]]:
        found, told = known_role(name, language, line, reporter)
        return found or _role, told

    directives.directive, roles.role = directive, role  # type: ignore[assignment]
    try:
        yield
    finally:
        directives.directive, roles.role = known_directive, known_role
        for table, kept in zip(tables, before, strict=True):
            table.clear()
            table.update(kept)


def _plain(name: str) -> str:
    """Return the name of a directive or a role without the domain that it is of: "py:function" is a function."""
    return name.lower().rpartition(":")[2]


class _Options(defaultdict[str, Callable[[str], Any]]):
    """The options that a directive takes: those that it knows, and any other."""

    def __init__(self, known: Any = ()) -> None:
        super().__init__(lambda: directives.unchanged, known)

    def __bool__(self) -> bool:
        """Say that there are options, or docutils looks for none."""
        return True


class _Shown(Directive):
    """What a directive shows that only Sphinx knows: what it is given, as a term, above what it says of that.

    Also a block of code, in whatever language, and nothing of what has no place in a text.
    """

    has_content = True
    optional_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar = _Options()

    def run(self) -> Sequence[nodes.Node]:
        """Return what is shown; nothing of what is given where nothing is said of it."""
        name = _plain(self.name)
        given = " ".join(" ".join(self.arguments).split())
        if name in _UNSEEN:
            return []
        if name in _CODE:
            text = "\n".join(self.content)
            return [nodes.literal_block(text, text)] if text else []
        if name in _VERSIONS:
            version, _, rest = given.partition(" ")
            goes_on = rest or (self.content and not _BLOCK.match(self.content[0]))
            told = f"{_VERSIONS[name]} {version}".rstrip()
            return self._said(f"{told}{': ' if goes_on else '.'}{rest}")
        if name in _WHOLE:
            return self._said(given)
        if not given or name in _UNNAMED or not self.content:
            return self._said("")
        terms = [nodes.term("", "", nodes.literal(line, line.strip())) for line in self.arguments[0].splitlines()]
        meaning = nodes.definition("", *self._said(""))
        return [nodes.definition_list("", nodes.definition_list_item("", *terms, meaning))]

    def _said(self, beginning: str) -> list[nodes.Node]:
        """Return what it holds, behind a beginning."""
        lines, holder = StringList(beginning.splitlines(), ""), nodes.Element()
        if beginning and self.content and _BLOCK.match(self.content[0]):
            lines.append("", "")
        lines.extend(self.content)
        self.state.nested_parse(lines, self.content_offset, holder, match_titles=True)
        return list(holder.children)


def _role(
    name: str, _raw: str, text: str, _line: int, _inliner: Inliner, _options: Any = None, _content: Any = None
) -> tuple[list[Any], list[Any]]:
    """Return what is shown of a role that only Sphinx knows: its text, its title, or the last name of a path."""
    said = nodes.unescape(text)
    title, opens, _ = said.rpartition(" <")
    if _plain(name) not in _LITERAL:
        said = title.rstrip() if opens and said.endswith(">") and title.strip() else said
        is_path = _PATH.fullmatch(said) is not None
        said = said.rpartition(".")[2] if is_path and said.startswith("~") else said
        said = said.lstrip("~.!") if is_path else said.removeprefix("!")
    return [nodes.Text(said) if " " in said else nodes.literal(said, said)], []
