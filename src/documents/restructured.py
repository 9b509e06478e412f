"""reStructuredText, as docutils reads it; of what only Sphinx knows, what a reader sees of it."""

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from copy import copy
from functools import cache
from typing import Any, ClassVar, Final

from docutils import nodes
from docutils.core import publish_doctree, publish_from_doctree
from docutils.frontend import Values, get_default_settings
from docutils.parsers.rst import Directive, Parser, directives, roles
from docutils.parsers.rst.languages import get_language
from docutils.parsers.rst.states import Inliner
from docutils.readers.standalone import Reader
from docutils.statemachine import StringList
from docutils.utils import new_document
from docutils.writers.html5_polyglot import Writer

from .document import Document
from .html import read_html
from .text import clean

_UNSEEN: Final = frozenset(
    (
        *("automodule", "currentmodule", "cssclass", "default-domain", "highlight", "index", "module"),
        *("contents", "include", "literalinclude", "tabularcolumns", "toctree"),
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
_DIRECTIVE: Final = re.compile(r"^[ \t]*\.\.[ \t]+(?:\|[^|\n]{1,100}\|[ \t]+)?([a-z][\w:+.-]{0,60}?)::", re.MULTILINE)
_ROLE: Final = re.compile(r":([a-zA-Z][\w:+.-]{0,60}):(?=`)")
_TARGET: Final = re.compile(r"\s*(?<!\\)<[^<>]*>\Z")
_SETTINGS: Final = {
    "_disable_config": True,
    "doctitle_xform": False,
    "file_insertion_enabled": False,
    "halt_level": 5,
    "initial_header_level": 1,
    "math_output": "LaTeX",
    "output_encoding": "unicode",
    "raw_enabled": False,
    "report_level": 5,
    "stylesheet_path": None,
    "syntax_highlight": "none",
}
"""No other file is opened, no configuration either; what docutils does not understand stays as it is, untold."""


def read(source: str) -> Document:
    """Return a text as a reader sees it, with its first heading for a title."""
    text, settings = clean(source), copy(_settings())
    _know(text, settings)
    tree = publish_doctree(text, settings=settings)
    heading = next(iter(tree.findall(nodes.title)), None)
    page = publish_from_doctree(tree, writer=Writer(), settings=settings)
    return Document(
        clean(read_html(str(page).encode(), "").text), heading.astext() if heading is not None else "", "restructured"
    )


@cache
def _settings() -> Values:
    found = get_default_settings(Parser, Reader, Writer)
    for name, value in _SETTINGS.items():
        setattr(found, name, value)
    return found


def _know(text: str, settings: Values) -> None:
    """Have docutils know every directive and role that a text has, with whatever options."""
    document = new_document("", settings)
    english: Any = get_language("en")
    for name in {found.lower() for found in _DIRECTIVE.findall(text)}:
        known, _ = directives.directive(name, english, document)
        plain = name.rpartition(":")[2]
        if plain in _CODE:
            directives.register_directive(name, _Code)
        elif known is None or plain in _UNSEEN:
            directives.register_directive(name, _Shown)
        elif not isinstance(known.option_spec, _Options):
            options = _Options(known.option_spec or {})
            directives.register_directive(name, type(known.__name__, (known,), {"option_spec": options}))
    for name in {found.lower() for found in _ROLE.findall(text)}:
        if roles.role(name, english, 0, document.reporter)[0] is None:
            roles.register_canonical_role(name, _role)


class _Options(defaultdict[str, Callable[[str], Any]]):
    """The options that a directive takes: those that it knows, and any other."""

    def __init__(self, known: Any = ()) -> None:
        super().__init__(lambda: directives.unchanged, known)

    def __bool__(self) -> bool:
        """Say that there are options, or docutils looks for none."""
        return True


class _Code(Directive):
    """A block of code, in whatever language."""

    has_content = True
    optional_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar = _Options()

    def run(self) -> Sequence[nodes.Node]:
        """Return the block."""
        text = "\n".join(self.content)
        return [nodes.literal_block(text, text)] if text else []


class _Shown(Directive):
    """What a directive shows that only Sphinx knows: what it is given, as a term, above what it says of that."""

    has_content = True
    optional_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar = _Options()

    def run(self) -> Sequence[nodes.Node]:
        """Return what is shown; nothing of what is given where nothing is said of it."""
        name = self.name.lower().rpartition(":")[2]
        given = " ".join(self.arguments)
        if name in _UNSEEN:
            return []
        if name in _VERSIONS:
            version, *rest = given.split(maxsplit=1)
            return self._said(f"{_VERSIONS[name]} {version}{': ' if rest or self.content else '.'}{' '.join(rest)}")
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
        lines.extend(self.content)
        self.state.nested_parse(lines, self.content_offset, holder, match_titles=True)
        return list(holder.children)


def _role(
    _name: str, _raw: str, text: str, _line: int, _inliner: Inliner, _options: Any = None, _content: Any = None
) -> tuple[list[Any], list[Any]]:
    """Return what is shown of a role that only Sphinx knows: its text, or the last name of one that is a path."""
    said = nodes.unescape(text)
    titled = _TARGET.sub("", said)
    if titled and titled != said:
        return [nodes.Text(titled)], []
    said = said.rpartition(".")[2] if said.startswith("~") else said.lstrip("!.")
    return [nodes.Text(said) if " " in said else nodes.literal(said, said)], []
