"""Conversion of GNU manuals, as Texinfo source or Info files, to Markdown with the text that a reader would see."""

import re
from collections.abc import Iterator
from typing import Final

from .document import Document
from .html.block import escaped
from .text import clean, tidy

_LEVELS: Final = {
    **dict.fromkeys(("top", "chapter", "unnumbered", "appendix", "majorheading", "chapheading"), 1),
    **dict.fromkeys(("section", "unnumberedsec", "appendixsec", "appendixsection", "heading"), 2),
    **dict.fromkeys(("subsection", "unnumberedsubsec", "appendixsubsec", "subheading"), 3),
    **dict.fromkeys(("subsubsection", "unnumberedsubsubsec", "appendixsubsubsec", "subsubheading"), 4),
}
_HIDDEN: Final = re.compile(
    r"^@(detailmenu|direntry|html|ifhtml|ifnotinfo|ifnotplaintext|iftex|ignore|menu|r?macro|tex|titlepage)\b"
    r".*?^@end \1[^\n]*$",
    re.MULTILINE | re.DOTALL,
)
_CODE: Final = re.compile(
    r"^@((?:small)?(?:display|example|format|lisp)|verbatim)\b[^\n]*\n(.*?)^@end \1[^\n]*$", re.MULTILINE | re.DOTALL
)
_LISTS: Final = frozenset(("enumerate", "ftable", "itemize", "multitable", "table", "vtable"))
_ITEMS: Final = frozenset(("headitem", "item", "itemx", "tab"))
_SIGNS: Final = {
    "AA": "Å", "aa": "å", "AE": "Æ", "ae": "æ", "arrow": "→", "bullet": "•", "comma": ",", "copyright": "©",
    "dots": "…", "enddots": "…", "equiv": "≡", "error": "error→", "euro": "€", "expansion": "↦", "geq": "≥",
    "LaTeX": "LaTeX", "leq": "≤", "minus": "−", "O": "Ø", "o": "ø", "oe": "œ", "point": "⋆", "pounds": "£",
    "print": "⊣", "result": "⇒", "ss": "ß", "TeX": "TeX", "tie": " ", "today": "",
}  # fmt: skip
_REFERENCES: Final = {"xref": "See ", "pxref": "see ", "inforef": "see "}
_SILENT: Final = frozenset(("anchor", "c", "cindex", "comment", "findex", "footnotestyle", "image", "kindex", "vindex"))

_COMMAND: Final = re.compile(r"[ \t]*@([a-zA-Z]+)(?![{\w])[ \t]*(.*)")
_INLINE: Final = re.compile(r"@([a-zA-Z]+)\{([^{}]*)\}")
_SET: Final = re.compile(r"^@set[ \t]+(\S+)[ \t]*(.*)", re.MULTILINE)
_TITLE: Final = re.compile(r"^@title[ \t]+(.+)", re.MULTILINE)
_SETTITLE: Final = re.compile(r"^@settitle[ \t]+(.+)", re.MULTILINE)
_ALONE: Final = re.compile(r"^(-|\d+\.)\n(?=\S)", re.MULTILINE)
"""The marker of an item whose text begins on the next line."""

_ESCAPED: Final = {"@@": "\ue000", "@{": "\ue001", "@}": "\ue002"}
_SPACES: Final = re.compile(r"@[ \t*:/-]|@$", re.MULTILINE)
_NODES: Final = re.compile(r"\x1f\x0c?\n(?=File:|Tag Table:|Local Variables:|End Tag Table|Indirect:)")
_MENU: Final = re.compile(r"^\* [^\n]*\n(?:[ \t]{8}[^\n]*\n)*", re.MULTILINE)
"""The lines of menus and indexes; lists in the text are indented."""

_UNDERLINED: Final = re.compile(r"^(\S[^\n]*)\n([*=.-])\2{2,}$", re.MULTILINE)
_UNDERLINES: Final = "*=-."
_QUOTED: Final = r"(?:‘[^\n‘’]+’|'[^\n']+')"
_TERMS: Final = re.compile(rf"^([ ]*)({_QUOTED}(?:(?:, |\n\1){_QUOTED})*)\n(?=\1[ ]{{5}}\S)", re.MULTILINE)
"""Terms of a table, each in quotes, directly above their explanation."""

_NOTE: Final = re.compile(r"\*([Nn])ote\s+([^:]{1,200}?):(?::|\s[^.,]{1,200}(?=[.,]))")
_DEEPEST: Final = 8  # maximum nesting of inline commands


def read(source: str) -> Document:
    """Return a manual as text."""
    text = _ALONE.sub(r"\1 ", tidy(clean("\n".join(_blocks(_plain(_HIDDEN.sub("", source)))))))
    for sign, mark in _ESCAPED.items():
        text = text.replace(mark, sign[1])
    title = _TITLE.search(source) or _SETTITLE.search(source)
    return Document(text, _plain(title[1]) if title else "", "texinfo")


def read_info(source: str) -> Document:
    """Return the text of an Info file, without its navigation lines."""
    preamble, *nodes = _NODES.split(source)
    texts = [node.partition("\n")[2] for node in nodes if node.startswith("File:")]
    text = _UNDERLINED.sub(
        lambda match: f"{'#' * (1 + _UNDERLINES.index(match[2]))} {match[1]}", _MENU.sub("", "\n".join(texts) + "\n")
    )
    text = tidy(clean(_NOTE.sub(_reference, _TERMS.sub(_terms, text))))
    title = re.match(r"\s*# (.+)", text)
    return Document(text or clean(preamble), title[1] if title else "", "info")


def _terms(match: re.Match[str]) -> str:
    terms = [term[1:-1] for term in re.findall(_QUOTED, match[2])]
    return f"\n{match[1]}{', '.join(terms)}\n\n"


def _reference(match: re.Match[str]) -> str:
    if match[1] == "N":
        return f"See {match[2]}"
    is_aside = match.string[match.start() - 1 : match.start()] == "("
    return f"see {match[2]}" if is_aside else match[2]


def _plain(text: str) -> str:
    """Return text with its inline commands replaced by their meaning."""
    values = dict(_SET.findall(text))
    for sign, mark in _ESCAPED.items():
        text = text.replace(sign, mark)
    for _ in range(_DEEPEST):
        text, count = _INLINE.subn(lambda match: _expanded(match[1], match[2], values), text)
        if not count:
            break
    return _SPACES.sub(" ", text)


def _expanded(name: str, inside: str, values: dict[str, str]) -> str:
    if name == "value":
        return values.get(inside, inside)
    if name in _SILENT:
        return ""
    if name == "samp":
        return f"‘{inside}’"
    if name.endswith(("ref", "url", "email", "uref", "link")):
        parts = [part.strip() for part in inside.split(",") if part.strip()]
        shown = parts[0] if name.endswith("ref") and not name.startswith("u") else parts[-1]
        return _REFERENCES.get(name, "") + " ".join(shown.split()) if parts else ""
    return _SIGNS.get(name, inside)


def _blocks(text: str) -> Iterator[str]:
    """Yield the parts of the manual: code unchanged, and prose with its line commands applied."""
    at = 0
    for code in _CODE.finditer(text):
        yield from _prose(text[at : code.start()])
        yield f"\n```\n{code[2].rstrip()}\n```\n"
        at = code.end()
    yield from _prose(text[at:])


def _prose(text: str) -> Iterator[str]:
    lists: list[list[str]] = []  # each open list, and its items so far
    for line in text.split("\n"):
        name, rest = match.groups() if (match := _COMMAND.match(line)) else ("", line)
        if name in _LEVELS:
            yield f"\n{'#' * _LEVELS[name]} {escaped(rest)}\n"
        elif name in _LISTS:
            lists.append([name])
            yield ""
        elif name == "end" and lists and rest.startswith(lists[-1][0]):
            lists.pop()
            yield ""
        elif name in _ITEMS:
            (kind, *earlier) = items = lists[-1] if lists else ["table"]
            items.append(name)
            yield _item(kind, len(earlier) + 1, name, escaped(rest))
        elif name.startswith("def"):
            yield f"\n{escaped(' '.join(rest.split()))}\n"
        elif not name and not line.startswith("\\input"):
            yield escaped(line.replace("``", "“").replace("''", "”"))


def _item(kind: str, number: int, name: str, text: str) -> str:
    """Return the beginning of an item: a term on a separate line, a marker, a number, or a cell."""
    if kind.endswith("table") and kind != "multitable":
        return f"\n{text}\n"
    if kind == "multitable":
        return f" – {text}" if name == "tab" else f"\n{text}"
    return f"{number}. {text}" if kind == "enumerate" else f"- {text}"
