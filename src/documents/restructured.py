"""Conversion of reStructuredText by docutils; Sphinx's directives and roles become the text that a reader would see."""

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

_HIDDEN: Final = frozenset(
    (
        *("automodule", "currentmodule", "cssclass", "default-domain", "highlight", "index", "module"),
        *("contents", "date", "include", "literalinclude", "tabularcolumns", "toctree"),
    )
)
"""Directives that show nothing, among them those that list or include other texts."""

_CODE: Final = frozenset(("code", "code-block", "parsed-literal", "productionlist", "sourcecode"))
_WITH_TEXT: Final = frozenset(("seealso", "todo"))
"""Directives whose argument is the beginning of their text."""

_UNNAMED: Final = frozenset(("cond", "container", "glossary", "ifconfig", "only", "tab", "tab-item", "tab-set", "tabs"))
"""Directives that show their content, and not their argument."""

_VERSIONS: Final = {
    "versionadded": "Added in version",
    "versionchanged": "Changed in version",
    "versionremoved": "Removed in version",
    "deprecated": "Deprecated since version",
}
_LITERAL: Final = frozenset(("file", "kbd", "samp"))
"""Roles whose text is shown unchanged; in others it may be a title with a target, or a dotted path."""

_BLOCK: Final = re.compile(r"(?:[-*+]|\d+[.)]|\.\.)[ \t]")
"""The start of a list or a directive, which cannot continue a sentence."""

_PATH: Final = re.compile(r"[!~.][\w.]+(?:\(\))?")
"""A dotted path. After a tilde, only its last part is shown; a leading dot only tells Sphinx how to resolve it."""

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
"""Settings of docutils: it opens no other files and no configuration, and keeps invalid markup without messages."""


def read(source: str) -> Document:
    """Return a text as a reader sees it, titled by its first heading; if docutils fails, the source as plain text."""
    text = clean(source)
    try:
        with _lenient_registry():
            return _read(text)
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001 docutils fails on deep nesting, for instance; the plain text is still useful
        return Document(text, first_line(text), "text")


def _read(text: str) -> Document:
    settings = copy(_settings())
    tree = publish_doctree(text, settings=settings)
    for image in [*tree.findall(nodes.image)]:  # the writer would open their files
        label = nodes.Text(image.get("alt", ""))
        image.replace_self(label if isinstance(image.parent, nodes.TextElement) else nodes.paragraph("", "", label))
    for fields in [*tree.findall(nodes.field_list)]:
        fields.replace_self([block for field in fields.children for block in _named(field)])
    title = next((section.next_node(nodes.title) for section in tree.findall(nodes.section)), None)
    page = publish_from_doctree(tree, writer=Writer(), settings=settings)
    extract = read_html(clean(str(page)).encode(), "")
    skipped = (Notice("page_cut"),) if extract.cut else ()
    return Document(clean(extract.text), title.astext() if title is not None else "", "restructured", skipped=skipped)


def _named(field: nodes.Node) -> list[nodes.Node]:
    """Return the blocks of a field with its name in the first line ("type: a list of strings"), not as a heading."""
    name, body = field.children
    first = next(iter(body.children), None)
    line = first if isinstance(first, nodes.paragraph) else nodes.paragraph()
    line.insert(0, nodes.Text(f"{name.astext()}: "))
    return [line, *(block for block in body.children if block is not line)]


@cache
def _settings() -> Values:
    settings = get_default_settings(Parser, Reader, Writer)
    for name, value in _SETTINGS.items():
        setattr(settings, name, value)
    return settings


@contextmanager
def _lenient_registry() -> Iterator[None]:
    """Make docutils accept every directive and role; on exit, remove those that the text has defined."""
    known_directive, known_role = directives.directive, roles.role
    tables = (directives._directives, roles._roles, roles._role_registry)  # type: ignore[attr-defined]
    saved_tables = [dict(table) for table in tables]

    def directive(name: str, language: Any, document: Any) -> tuple[Any, list[Any]]:
        base, messages = known_directive(name, language, document)
        if base is None or _plain(name) in _HIDDEN | _CODE:
            return _SphinxDirective, []
        return type(base.__name__, (base,), {"option_spec": _Options(base.option_spec or {})}), messages

    def role(name: str, language: Any, line: int, reporter: Any) -> tuple[Any, list[Any]]:
        role_function, messages = known_role(name, language, line, reporter)
        return role_function or _role, messages

    directives.directive, roles.role = directive, role  # type: ignore[assignment]
    try:
        yield
    finally:
        directives.directive, roles.role = known_directive, known_role
        for table, saved in zip(tables, saved_tables, strict=True):
            table.clear()
            table.update(saved)


def _plain(name: str) -> str:
    """Return the name of a directive or role without its domain: "function" for "py:function"."""
    return name.lower().rpartition(":")[2]


class _Options(defaultdict[str, Callable[[str], Any]]):
    """The options of a directive: those that it declares, and any other."""

    def __init__(self, known: Any = ()) -> None:
        super().__init__(lambda: directives.unchanged, known)

    def __bool__(self) -> bool:
        """Return True: docutils parses no options if this is false."""
        return True


class _SphinxDirective(Directive):
    """A directive that only Sphinx knows, shown as a definition: its argument is the term, its content the meaning.

    It also shows blocks of code in any language, and shows nothing for the directives in _HIDDEN.
    """

    has_content = True
    optional_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar = _Options()

    def run(self) -> Sequence[nodes.Node]:
        """Return the nodes to be shown; an argument without content is not shown."""
        name = _plain(self.name)
        argument = " ".join(" ".join(self.arguments).split())
        if name in _HIDDEN:
            return []
        if name in _CODE:
            text = "\n".join(self.content)
            return [nodes.literal_block(text, text)] if text else []
        if name in _VERSIONS:
            version, _, rest = argument.partition(" ")
            continues = rest or (self.content and not _BLOCK.match(self.content[0]))
            label = f"{_VERSIONS[name]} {version}".rstrip()
            return self._content_after(f"{label}{': ' if continues else '.'}{rest}")
        if name in _WITH_TEXT:
            return self._content_after(argument)
        if not argument or name in _UNNAMED or not self.content:
            return self._content_after("")
        terms = [nodes.term("", "", nodes.literal(line, line.strip())) for line in self.arguments[0].splitlines()]
        meaning = nodes.definition("", *self._content_after(""))
        return [nodes.definition_list("", nodes.definition_list_item("", *terms, meaning))]

    def _content_after(self, beginning: str) -> list[nodes.Node]:
        """Return the nodes of the content, preceded by `beginning`, which is reStructuredText."""
        lines, holder = StringList(beginning.splitlines(), ""), nodes.Element()
        if beginning and self.content and _BLOCK.match(self.content[0]):
            lines.append("", "")
        lines.extend(self.content)
        self.state.nested_parse(lines, self.content_offset, holder, match_titles=True)
        return list(holder.children)


def _role(
    name: str, _raw: str, text: str, _line: int, _inliner: Inliner, _options: Any = None, _content: Any = None
) -> tuple[list[Any], list[Any]]:
    """Return the node for a role that only Sphinx knows: its text, its title, or the last part of a path."""
    shown = nodes.unescape(text)
    title, opens, _ = shown.rpartition(" <")
    if _plain(name) not in _LITERAL:
        shown = title.rstrip() if opens and shown.endswith(">") and title.strip() else shown
        is_path = _PATH.fullmatch(shown) is not None
        shown = shown.rpartition(".")[2] if is_path and shown.startswith("~") else shown
        shown = shown.lstrip("~.!") if is_path else shown.removeprefix("!")
    return [nodes.Text(shown) if " " in shown else nodes.literal(shown, shown)], []
