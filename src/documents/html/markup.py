"""A tokenizer that splits HTML into tags and text as browsers do, in linear time for any input.

It builds no tree. Tree builders take quadratic time on hostile pages: lexbor needs 29 s for 100,000 nested elements and
22 s for a tag with 100,000 attributes, and a few hundred unclosed `<font>` tags fill the memory.
"""

import html
import re
from collections.abc import Iterator
from typing import Final, Literal

Token = tuple[str, Literal["start", "end", "raw", ""], str, str]
"""The text before a tag, as in the source, and the tag: "start", name, attributes; or "end", name, ""; or, for content
that is not parsed, between a start and an end tag, "raw", name, content. The text at the end has no tag."""

_VALUE: Final = r"""\s*+(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z)|[^\s>"'][^\s>]*+)?+"""
_ATTRIBUTES: Final = rf"(?:[\s/]++|(?:=[^\s/>=]*+|[^\s/>=]++)(?:\s*+={_VALUE})?+)*+"
_TAG: Final = re.compile(
    r"([^<]*+(?:<(?![a-zA-Z/!?])[^<]*+)*+)"  # text, with each < that begins no tag
    rf"(?:<(?:(/?)([a-zA-Z][^\s/>]*+)({_ATTRIBUTES})(?:>|\Z)"
    r"|!--(?:-?>|(?:[^-]++|-(?!-!?>))*+(?:--!?>|\Z))"  # a comment
    r"|[!?/][^>]*+(?:>|\Z))|\Z)"
)
_ATTRIBUTE: Final = re.compile(r"""([^\s/>=]++)(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s>]++)))?+""")
_RAW: Final = {
    name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE)
    for name in ("script", "style", "title", "textarea", "xmp", "iframe", "noembed", "noframes", "plaintext")
}
_CLOSED: Final = re.compile(r"""(?:^|["'\s])/\s*\Z""")
_XHTML: Final = re.compile(r"<!DOCTYPE[^>]{0,200}XHTML|<html[^>]{0,200}1999/xhtml", re.IGNORECASE)
DECLARED: Final = 2_000  # first characters of a page in which a declaration as XHTML is searched for
_ENDLESS_NUMBER: Final = re.compile(r"&#[xX]?[0-9a-fA-F]{9,}+;?")


def tokens(source: str) -> Iterator[Token]:
    """Yield the tags of a page, names in lower case, and the text before each, without comments and declarations.

    `<iframe/>` ends its own element in XHTML, and in HTML if no end tag follows: else it would contain all the rest.
    """
    ended = set(_RAW) if _XHTML.search(source, 0, DECLARED) else set()  # elements that `/>` ends
    position: int | None = 0
    while position is not None:
        matches, position = _TAG.finditer(source, position), None
        for tag in matches:
            text, ends, name, raw = tag.groups()
            if name is None:
                if text:
                    yield text, "", "", ""
                continue
            name = name.lower()
            if ends:
                yield text, "end", name, ""
                continue
            yield text, "start", name, raw
            if name in _RAW:
                is_closed = _CLOSED.search(raw) is not None
                if is_closed and name not in ended and not _RAW[name].search(source, tag.end()):
                    ended.add(name)
                if is_closed and name in ended:
                    position = tag.end()
                    yield "", "end", name, ""
                else:
                    position = _after_raw(name, source, tag.end())
                    yield "", "raw", name, source[tag.end() : position]
                break


def _after_raw(name: str, source: str, position: int) -> int:
    """Return where unparsed content that begins at `position` ends: at its end tag, or at the end of the source."""
    end = _RAW[name].search(source, position)
    return end.start() if end else len(source)


def attributes(raw: str) -> dict[str, str]:
    """Return the attributes of a tag by lower-case name, entities decoded; of duplicate names, the first is used."""
    result: dict[str, str] = {}
    for match in _ATTRIBUTE.finditer(raw):
        value = match[2] or match[3] or match[4] or ""
        result.setdefault(match[1].lower(), decoded(value))
    return result


def number(raw: str, name: str, most: int) -> int:
    """Return a whole-number attribute, at least 1 and at most `most`; 1 if it is no number."""
    value = attributes(raw).get(name, "").strip()
    return max(1, min(int(value), most)) if value.isascii() and value.isdecimal() and len(value) < 10 else 1


def decoded(text: str) -> str:
    """Return text with its character references decoded."""
    if "&" not in text:
        return text
    if "&#" in text:
        text = _ENDLESS_NUMBER.sub("\ufffd", text)
    return html.unescape(text)
