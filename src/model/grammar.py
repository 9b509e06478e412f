"""The grammars of JSON and of Python literals as regular expressions that read a text once, from left to right.

What a pattern has matched it gives up no more (possessive quantifiers, `++` and `*+`), and one match takes a whole run
of scalars, or of opening brackets with their keys. Where nothing fits, everything that is open is dead, and reading
goes on behind it. So the work is linear in the text, whatever the text is.
"""

import re
from collections import deque
from collections.abc import Iterable

DEEPEST = 100  # levels of nesting that are read. What lies deeper is no value, so no parser recurses too far.
_WS = r"[ \t\n\r]*+"
_END = rf"(?={_WS}(?:[,:\]}})]|\Z))"  # behind a string comes structure; where prose comes, its quote was none
_CLOSER = {"[": "]", "{": "}", "(": ")"}


def _any(*patterns: str) -> str:
    return f"(?:{'|'.join(patterns)})"


class Grammar:
    """A grammar of nested lists and dicts, made of patterns.

    `string` and `plain` are the scalars, `key` is what may be a key, `cut` is a string that the end of the text cut
    off. `lists` holds the brackets that open and close a list; a `trailing` comma may stand before a closing bracket.

    A bracket counts as open only when scalars follow it and then its own closing bracket or another opening one; all
    others are passed over together with the prose. One match takes any number of brackets that open one behind the
    other, the scalars in the innermost, and its closing bracket.
    """

    def __init__(self, string: str, plain: str, key: str, cut: str, *, lists: str = "[]", trailing: str = "") -> None:
        begin, end = (f"[{re.escape(lists[side::2])}]" for side in (0, 1))
        pair = f"{key}{_WS}:{_WS}"
        empty = rf"(?:{begin}{_WS}{end}|\{{{_WS}\}})"
        scalar = f"{_any(string, plain, empty)}{_WS}"
        head = _any(f"{begin}(?!{_WS}{end})", rf"\{{{_WS}{key}{_WS}:")
        heads = f"{head}(?:{_WS}{head})*+"
        in_list = rf"(?<=[\[(]){_WS}{scalar}(?:,{_WS}{scalar})*+"
        in_dict = rf"(?<=:){_WS}{scalar}(?:,{_WS}{pair}{scalar})*+"
        list_end, dict_end = f"{trailing}{end}", rf"{trailing}\}}"
        closings = rf"(?:{_WS}{trailing}[\]}})])*+"
        opened = (
            f"(?P<open>{heads})"
            f"(?:{in_list}(?:(?P<list>{list_end}{closings})|(?=,{_WS}{head}))"
            f"|{in_dict}(?:(?P<dict>{dict_end}{closings})|(?=,{_WS}{pair}{head})))"
        )
        alive = re.sub(r"\(\?P<\w+>", "(?:", opened)
        dead = _any(
            r"[^\[{,:]++",
            rf'[,:]{_WS}(?:"(?:[^"\\\n]++|\\.)*+"(?={_WS}[,:\]}}])|{cut})',
            r"[,:]",
            rf"(?!{empty}|{alive})(?:{heads}{_any(in_list, in_dict)}?+{_WS}(?:{cut})?+|[\[{{])",
        )
        self._head = re.compile(f"{head}{_WS}")
        flat = rf"(?P<flat>(?=[\[{{])(?:{head}(?:{in_list}{list_end}|{in_dict}{dict_end})|{empty}))"
        self._prose = re.compile(rf"{flat}(?:[\s,]*+{empty})*+|{opened}|{dead}++")
        self._behind: dict[str, re.Pattern[str]] = {}
        for brackets, close, lead in ((lists[::2], list_end, ""), ("{", dict_end, pair)):
            behind = f"{_WS}(?:,{_WS}{lead}{scalar})*+(?:(?P<close>{close}{closings})|,{_WS}{lead}(?:{flat}|{opened}))?"
            self._behind |= dict.fromkeys(brackets, re.compile(behind))

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
        while position < end:
            pattern = self._behind[text[open_at[-1]]] if open_at else self._prose
            match = pattern.match(text, position, end)
            assert match is not None
            found = match.lastgroup
            if found is None:
                open_at.clear()
            elif found == "flat":
                _add(spans, *match.span("flat"))
            else:
                start, stop = match.span("open")
                while start < stop:
                    open_at.append(start)
                    head = self._head.match(text, start, stop) if stop - start > 1 else None
                    start = head.end() if head else stop
                if found != "open":
                    _close(text, open_at, match.span(found), spans)
            position = match.end()


def _close(text: str, open_at: deque[int], closings: tuple[int, int], spans: list[tuple[int, int]]) -> None:
    """Close what is open with each closing bracket in `closings`; behind one that does not fit everything is dead."""
    for position in range(*closings):
        if text[position] in "]})" and open_at:
            first = open_at.pop()
            if _CLOSER[text[first]] != text[position]:
                open_at.clear()
                return
            if text[first] != "(":
                _add(spans, first, position + 1)


def _add(spans: list[tuple[int, int]], first: int, last: int) -> None:
    start, end = spans[-1]
    if last - first > end - start:
        spans.append((first, last))


_NUMBER = r"(?:0|[1-9][0-9]{0,4000}+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]{1,4}+)?"


def json_grammar() -> Grammar:
    """JSON, but a string may hold control characters, and NaN and infinities are no numbers."""
    string = rf'"(?:[^"\\]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{{4}}))*+"{_END}'
    return Grammar(string, f"-?{_NUMBER}|true|false|null", string, r'"(?:[^"\\\n]++|\\.?)*+\Z')


def python_grammar() -> Grammar:
    """Python lists, dicts and tuples of strings, decimal numbers, True, False and None, as `repr` writes them."""
    triple = (rf"{q * 3}(?:[^{q}\\]++|\\.|{q}(?!{q * 2}))*+{q * 3}" for q in "\"'")
    single = (rf"{q}(?:[^{q}\\\n]++|\\.)*+{q}" for q in "\"'")
    string = f"{_any(*triple, *single)}{_END}"
    number = rf"[+-]?{_NUMBER}"
    cut = r"""(?:"(?:[^"\\\n]++|\\.?)*+|'(?:[^'\\\n]++|\\.?)*+)\Z"""
    plain, trailing = f"{number}|True|False|None", f"(?:,{_WS})?"
    return Grammar(string, plain, _any(string, number), cut, lists="[]()", trailing=trailing)
