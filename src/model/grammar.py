"""The grammars of JSON and of Python literals as regular expressions that read a text once, from left to right.

What a pattern has matched it gives up no more (possessive quantifiers, `++` and `*+`), and one match takes a whole run
of scalars, or of opening brackets with their keys. Where nothing fits, everything that is open is dead, and reading
goes on behind it. So the work is linear in the text, whatever the text is.
"""

import re
from collections import deque
from collections.abc import Iterable

DEEPEST = 100
"""Levels of nesting that are read. What lies deeper is no value, so no parser recurses too far."""

_WS = r"[ \t\n\r]*+"
_END = rf"(?={_WS}(?:[,:\]}})]|\Z))"
"""Behind a string comes structure; where prose comes, its quote was none."""

_CLOSER = {"[": "]", "{": "}", "(": ")"}


def _any(*patterns: str) -> str:
    return f"(?:{'|'.join(patterns)})"


class Grammar:
    """A grammar of nested lists and dicts, made of patterns.

    `string` and `plain` are the scalars, `key` is what may be a key, `cut` is a string that the end of the text cut
    off. `lists` holds the brackets that open and close a list; a `trailing` comma may stand before a closing bracket.
    """

    def __init__(self, string: str, plain: str, key: str, cut: str, *, lists: str = "[]", trailing: str = "") -> None:
        begin, end = (f"[{re.escape(lists[side::2])}]" for side in (0, 1))
        pair = f"{key}{_WS}:{_WS}"
        empty = rf"{begin}{_WS}{end}|\{{{_WS}\}}"
        scalar = _any(string, plain, empty)
        opening = _any(rf"{begin}{_WS}(?!{end})", rf"\{{{_WS}{pair}")
        item, entry = f"{scalar}{_WS}", f"{pair}{scalar}{_WS}"
        run = rf"{opening}++(?={item}(?:,{_WS}(?:{pair})?+{item})*+(?:[\]}})]|,{_WS}(?:{pair})?+{opening}))"
        flat = _any(
            rf"\[{_WS}(?:{item}(?:,{_WS}{item})*+{trailing})?\]",
            rf"\{{{_WS}(?:{entry}(?:,{_WS}{entry})*+{trailing})?\}}",
        )
        prose = _any(
            r"[^\[{,:]++",
            rf'[,:]{_WS}(?:"(?:[^"\\\n]++|\\.)*+"(?={_WS}[,:\]}}])|{cut})',
            r"[,:]",
            rf"(?!{empty}|{run})(?:{opening}++(?:{string}|{cut})?+|[\[{{])",
        )
        nested = f"(?P<flat>{flat})|(?P<open>{run})"
        self._opening = re.compile(opening)
        self._prose = re.compile(f"{prose}*+(?:{nested})?")
        self._inside: dict[str, re.Pattern[str]] = {}
        self._behind: dict[str, re.Pattern[str]] = {}
        for brackets, closing, lead in ((lists[::2], end, ""), ("{", r"\}", pair)):
            more = f",{_WS}(?!{closing}){lead}"
            rest = rf"(?:{item}{more})*+(?:{nested}|{item}(?P<last>{trailing}{closing})?)?"
            inside = re.compile(rest)
            behind = re.compile(f"{_WS}(?:(?P<close>{trailing}{closing})|{more}{rest})?")
            for bracket in brackets:
                self._inside[bracket], self._behind[bracket] = inside, behind

    def growing_spans(self, text: str, regions: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
        """Return spans of lists and dicts in the regions of `text`, each longer than the one before it.

        The last one is the longest that there is, and of several the first. An empty list or dict counts only where
        nothing that is broken encloses it.
        """
        spans = [(0, 0)]
        for start, end in regions:
            self._read(text, start, end, spans)
        return spans[1:]

    def _read(self, text: str, position: int, end: int, spans: list[tuple[int, int]]) -> None:
        """Add to `spans` what is longer than its last one; `open_at` forgets what is open too far out."""
        open_at: deque[int] = deque(maxlen=DEEPEST)
        pattern = self._prose
        longest = spans[-1][1] - spans[-1][0]
        while position < end:
            match = pattern.match(text, position, end)
            assert match is not None
            position = match.end()
            found = match.lastgroup
            if found == "open":
                first = match.start("open")
                if text[first + 1 : position].isspace() or position == first + 1:
                    open_at.append(first)
                else:
                    open_at.extend(head.start() for head in self._opening.finditer(text, first, position))
                pattern = self._inside[text[open_at[-1]]]
                continue
            if found is None:
                open_at.clear()
            else:
                first = match.start("flat") if found == "flat" else open_at.pop()
                bracket = text[first]
                if _CLOSER[bracket] != text[position - 1]:
                    open_at.clear()
                elif position - first > longest and bracket != "(":
                    longest = position - first
                    spans.append((first, position))
            pattern = self._behind[text[open_at[-1]]] if open_at else self._prose


def json_grammar() -> Grammar:
    """JSON, but a string may hold control characters, and NaN and infinities are no numbers."""
    string = rf'"(?:[^"\\]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{{4}}))*+"{_END}'
    number = r"-?(?:0|[1-9][0-9]{0,4000}+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?"
    return Grammar(string, f"{number}|true|false|null", string, r'"(?:[^"\\\n]++|\\.?)*+\Z')


def python_grammar() -> Grammar:
    """Python lists, dicts and tuples of strings, finite decimal numbers, True, False and None."""
    triple = (rf"{quotes}(?:[^{quotes[0]}\\]++|\\.|{quotes[0]}(?!{quotes[1:]}))*+{quotes}" for quotes in ('"""', "'''"))
    single = (rf"{quote}(?:[^{quote}\\\n]++|\\.)*+{quote}" for quote in "\"'")
    string = f"{_any(*triple, *single)}{_END}"
    number = r"[+-]?(?:0|[1-9][0-9]{0,199}+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]{1,2}+)?"
    cut = r"""(?:"(?:[^"\\\n]++|\\.?)*+|'(?:[^'\\\n]++|\\.?)*+)\Z"""
    return Grammar(
        string, f"{number}|True|False|None", _any(string, number), cut, lists="[]()", trailing=f"(?:,{_WS})?"
    )
