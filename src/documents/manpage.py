"""Conversion of manual pages (roff with the macros of man or mdoc) to Markdown with the text that `man` shows.

Follows groff_man(7), groff_char(7) and mdoc(7). Registers and numeric conditions are not computed.
"""

import re
import tomllib
from collections.abc import Callable, Iterator
from functools import cache
from importlib.resources import files
from itertools import takewhile
from typing import Any, Final

from .document import Document
from .html.block import escaped
from .text import clean, tidy

DEEPEST: Final = 8  # maximum nesting of conditions in a line; deeper ones are skipped
LONGEST_STRING: Final = 1_000  # maximum length of a string that a page defines, in characters
_ESCAPE: Final = re.compile(
    r"\\(?:"
    r'(?P<comment>["#].*)|\((?P<two>..)|\[(?P<long>[^\]\n]*)\]|C\'(?P<named>[^\'\n]*)\''
    r"|\*(?:\((?P<string2>..)|\[(?P<string>[^\]\n]*)\]|(?P<string1>.))"
    r"|N'(?P<code>\d{1,6})'"
    r"|(?P<invisible>f(?:\(..|\[[^\]\n]*\]|.)|s(?:[-+]?\d{1,2}|'[^'\n]*'|\[[^\]\n]*\]|[-+]?\(..)"
    r"|[nmMFYgVk](?:[-+]?\(..|[-+]?\[[^\]\n]*\]|.)|[hvwbDlLoRSXxAZ]'[^'\n]*'|[&|^%:/,)cdurpaztE{}])"
    r"|(?P<single>.))"
)
_ARGUMENT: Final = re.compile(r'"((?:[^"]|"")*)"?|((?:\\ |\S)+)')
_REQUEST: Final = re.compile(r"[.'][ \t]*(?P<name>[^\s\\]*|\\[\"#{}])[ \t]*(?P<rest>.*)")
_CONDITION: Final = re.compile(r"(?P<test>![nt]|[nt](?=\s|\\|$)|\\n\(\.g|\S+)[ \t]*(?P<rest>.*)")
_NUMBERED: Final = re.compile(r"\(?\d{1,3}[.)]")
_VALUE: Final = re.compile(r"\d{1,3}")
_BULLETS: Final = frozenset("•-*o·–—+")
_HOLDS: Final = frozenset(("n", "!t", "\\n(.g"))
"""The conditions that are true for a terminal (n, !t) and for a formatter with all requests of groff (.g)."""

_QUOTED: Final = re.compile(r"`([^`']{1,80})'(?!\w)")
_SPACED: Final = frozenset(("B", "I", "SM", "SB", "R", "SY", "UR", "MT"))
_ALTERNATING: Final = frozenset(("BR", "IR", "RB", "RI", "BI", "IB"))
_CODE: Final = {"nf": "fi", "EX": "EE", "Vb": "Ve", "CS": "CE"}
_BREAKS: Final = ("PP", "P", "LP", "HP", "RS", "RE", "br", "sp", "Pp", "Lp", "Sp", "YS", "Re", "Ed", "Bd")
_JOINED: Final = "\ue000"
"""A mark for "no space" between two pieces of a line of macros."""

_CLOSING: Final = frozenset(".,:;)]?!")
_DEFINITIONS: Final = frozenset(("de", "de1", "am", "ig"))


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath("manpage.toml").read_text(encoding="utf-8"))


def read(source: str) -> Document:
    """Return a manual page as text; its title is its name and section: `find(1)`."""
    page = _Page()
    lines = iter(clean(source).replace("\\\n", "").split("\n"))
    for line in lines:
        page.take(line, lines)
    return Document(tidy("\n\n".join(page.finished())), page.title, "manpage")


class _Page:
    """The state of a parser: the finished blocks of a page, and the open paragraph, code, term and lists."""

    def __init__(self) -> None:
        self.title = ""
        self._blocks: list[str] = []
        self._words: list[str] = []
        self._mark = ""  # the marker of the open paragraph if it is a list item
        self._code: list[str] | None = None
        self._ends = ""  # the request that ends the code
        self._next: Callable[[str], None] | None = None  # receives the next line of text, which is a heading or a term
        self._strings: dict[str, str] = dict(_table()["strings"])
        self._otherwise = False  # whether the text after `el` is shown
        self._lists: list[list[Any]] = []  # each open list of mdoc: its kind, and its number of items
        self._name = ""
        self._bare = 0  # the number of blocks right after the last term was added
        self._guarded = 0  # current nesting of conditions in a line

    def finished(self) -> list[str]:
        """Close the open paragraph or code and return the blocks."""
        self._end_code()
        self._break()
        return self._blocks

    def take(self, line: str, lines: Iterator[str]) -> None:
        """Process a line, and the further lines of the same request, which are taken from `lines`."""
        if not line.startswith((".", "'")) or not (request := _REQUEST.match(line)):
            self._show(self._expanded(line))
            return
        name, rest = request.groups()
        if name in ("if", "ie", "el"):
            self._take_guarded(self._if(name, rest, lines), lines)
        elif name in _DEFINITIONS:
            end = f".{(rest.split() or ['', ''])[1]}" if name != "ig" and len(rest.split()) > 1 else ".."
            next((line for line in lines if line.replace(" ", "") == end), None)
        elif name == "TS":
            self._rows(lines)
        elif name == "EQ":
            next((line for line in lines if line.startswith(".EN")), None)
        elif name == "It" and "Xo" in rest.split():
            arguments = takewhile(lambda line: not line.startswith(".Xc"), lines)
            self._execute(name, " ".join([rest, *(line.lstrip(".") for line in arguments)]))
        elif name[:1] != "\\":
            self._execute(name, rest)

    def _take_guarded(self, guarded: str, lines: Iterator[str]) -> None:
        """Process the part of a line after a condition that is true, unless it is nested too deeply."""
        self._guarded += 1
        if guarded and self._guarded < DEEPEST:
            self.take(guarded, lines)
        self._guarded -= 1

    def _if(self, name: str, rest: str, lines: Iterator[str]) -> str:
        """Return the part of a line after its condition; if this is false, skip its further lines and return ""."""
        if name == "el":
            holds = self._otherwise
        else:
            match = _CONDITION.match(rest)
            holds, rest = (match["test"] in _HOLDS, match["rest"]) if match else (False, "")
            self._otherwise = not holds if name == "ie" else self._otherwise
        depth = rest.count("\\{") - rest.count("\\}")
        if holds:
            return rest.replace("\\{", "").replace("\\}", "").strip()
        while depth > 0 and (line := next(lines, None)) is not None:
            depth += line.count("\\{") - line.count("\\}")
        return ""

    def _execute(self, name: str, rest: str) -> None:
        args = self._arguments(rest)
        if name == self._ends:
            self._end_code()
        elif name == "ds":
            key, _, value = rest.partition(" ")
            self._strings[key] = self._expanded(value.lstrip().removeprefix('"'))[:LONGEST_STRING]
        elif name in _CODE:
            self._begin_code(_CODE[name])
        elif name == "Bd" and not {"-literal", "-unfilled"}.isdisjoint(args):
            self._begin_code("Ed")
        elif name in _BREAKS:
            self._break()
        elif name in _SPACED or name in _ALTERNATING:
            self._show(_in_fonts(name, args))
        elif not self._lay_out(name, args) and (text := self._phrase(name, args)):
            self._show(text)

    def _lay_out(self, name: str, args: list[str]) -> bool:
        """Begin or end a heading, term, item or list; return whether the macro is one of these."""
        match name:
            case "TH" | "Dt":
                title = args[0].lower() if args and args[0].isupper() else "".join(args[:1])
                self.title = f"{title}({args[1]})" if len(args) > 1 else title
            case "SH" | "Sh":
                self._after_break(lambda text: self._blocks.append(f"## {escaped(text)}"), args)
            case "SS" | "Ss":
                self._after_break(lambda text: self._blocks.append(f"### {escaped(text)}"), args)
            case "TP" | "TQ":
                self._after_break(self._term, [])
            case "IP":
                self._item(["tag", 0], "".join(args[:1]))
            case "Bl":
                self._break()
                self._lists.append([args[0][1:] if args else "item", 0])
            case "El":
                self._break()
                del self._lists[-1:]
            case "It":
                self._item(self._lists[-1] if self._lists else ["tag", 0], self._inline(args))
            case "Dl" | "D1":
                self._break()
                self._blocks.append(_fenced([self._inline(args)]))
            case _:
                return False
        return True

    def _phrase(self, name: str, args: list[str]) -> str:
        """Return the text that a macro produces within a line, or "" for an unknown macro."""
        match name:
            case "OP":
                return f"[{' '.join(args)}]"
            case "MR":
                return f"{''.join(args[:1])}({''.join(args[1:2])}){''.join(args[2:])}"
            case "so":
                return f"See {' '.join(args)}."
        return self._inline([name, *args]) if name in _table()["mdoc"] else ""

    def _arguments(self, rest: str) -> list[str]:
        rest = re.sub(r"\\[\"#].*", "", rest)
        return [self._expanded(bare or quoted.replace('""', '"')) for quoted, bare in _ARGUMENT.findall(rest)]

    # Output

    def _show(self, text: str) -> None:
        """Add a line of text; a blank line ends the paragraph."""
        if self._code is not None:
            self._code.append(text)
        elif not text.strip():
            self._break()
        elif self._next:
            take, self._next = self._next, None
            take(text.strip())
        else:
            self._words.append(text.strip())

    def _after_break(self, take: Callable[[str], None], args: list[str]) -> None:
        """End the paragraph, and call `take` with the arguments, or with the next line if there are none."""
        self._end_code()
        self._break()
        if args:
            take(" ".join(args))
        else:
            self._next = take

    def _term(self, text: str) -> None:
        """Add a term; consecutive terms without an explanation between them are joined as synonyms."""
        if self._bare == len(self._blocks) > 0:
            self._blocks[-1] += f", {escaped(text)}"
        else:
            self._blocks.append(escaped(text))
        self._bare = len(self._blocks)

    def _item(self, open_list: list[Any], tag: str) -> None:
        """Begin an item of a list; `open_list` holds the kind of the list and its number of items so far."""
        self._break()
        open_list[1] += 1
        if open_list[0] in ("bullet", "dash", "hyphen") or tag in _BULLETS:
            self._mark = "- "
        elif open_list[0] == "enum" or _NUMBERED.fullmatch(tag):
            self._mark = f"{tag.strip('().') or open_list[1]}. "
        elif _VALUE.fullmatch(tag):
            self._mark = f"- {tag} – "
        elif open_list[0] in ("column", "item"):
            self._words.append(tag)
        elif tag.strip():
            self._term(tag.strip())

    def _break(self) -> None:
        if self._words:
            text = _QUOTED.sub(r"‘\1’", " ".join(" ".join(self._words).split()))
            self._blocks.append(self._mark + escaped(text))
            self._mark = ""
        self._words = []

    def _begin_code(self, ends: str) -> None:
        self._end_code()
        self._break()
        self._code, self._ends = [], ends

    def _end_code(self) -> None:
        lines = [line.rstrip() for line in self._code or []]
        if any(lines):
            self._blocks.append(_fenced(lines))
        self._code, self._ends = None, ""

    def _rows(self, lines: Iterator[str]) -> None:
        """Add the rows of a table (tbl), each as a list item with its cells."""
        self._break()
        separator, layout, cell = "\t", True, None
        for line in lines:
            if line.startswith(".TE"):
                break
            if layout:
                if match := re.search(r"tab ?\((.)\)", line):
                    separator = match[1]
                layout = not line.rstrip().endswith(".")
            elif not line.startswith((".", "_", "=")) or cell is not None:
                cell = line if cell is None else f"{cell} {self._within_cell(line)}"
                if cell.count("T{") > cell.count("T}"):
                    continue
                cells = [self._expanded(re.sub(r"T[{}]", "", part)).strip() for part in cell.split(separator)]
                if any(cells):
                    self._blocks.append(f"- {escaped(' – '.join(filter(None, cells)))}")
                cell = None

    def _within_cell(self, line: str) -> str:
        """Return a line of a block of text in a table; of a macro only what a font macro shows."""
        if not line.startswith("."):
            return line
        name, _, rest = line[1:].partition(" ")
        return _in_fonts(name, self._arguments(rest))

    def _expanded(self, text: str) -> str:
        """Return a text with its escapes replaced by the characters that they represent."""
        return _ESCAPE.sub(self._sign, text) if "\\" in text else text

    def _sign(self, match: re.Match[str]) -> str:
        signs: dict[str, str] = _table()["signs"]
        if key := match["string2"] or match["string"] or match["string1"]:
            return self._strings.get(key, "")
        if match["invisible"] or match["comment"]:
            return ""
        if match["code"]:
            return _character(int(match["code"]))
        name = match["two"] or match["long"] or match["named"] or match["single"] or ""
        if re.fullmatch(r"u[0-9A-F]{4,6}", name):
            return _character(int(name[1:], 16))
        return signs.get(name, name if match["single"] else "")

    def _inline(self, args: list[str]) -> str:
        """Return the text that a line of mdoc macros produces; some of them enclose or join their arguments."""
        macros: dict[str, str] = _table()["mdoc"]
        size = max((i + 1 for i, arg in enumerate(args) if arg not in _CLOSING), default=0)
        pieces, ends, dash, joined = [""], "", "", ""
        for before, arg, after in zip(["", *args], args[:size], [*args[1:size], ""], strict=False):
            kind, has_text = macros.get(arg), after != "" and after not in macros and after not in _CLOSING
            opens, between, closes = (kind or "").partition("…")
            if arg == "Sm":
                joined = _JOINED if after == "off" else ""
            elif arg in ("on", "off") and before == "Sm":
                pass
            elif arg == "Nm":
                self._name = self._name or (after if has_text else "")
                pieces += [] if has_text else [self._name]
            elif kind is None:
                pieces.append(_JOINED + arg if arg in _CLOSING else dash + arg)
            elif kind == "join":
                pieces.append(_JOINED)
            elif kind == "dash":
                dash = "-" if has_text else ""
                pieces += [] if has_text else ["-" + _JOINED]
            elif between:
                dash, ends = "", (closes if opens else "") + ends
                pieces.append(opens + _JOINED if opens else _JOINED + closes)
            else:
                dash = ""
                pieces += [kind] if kind else []
            pieces[-1] += joined if arg not in ("Sm", "off") else ""
        text = re.sub(rf" ?{_JOINED}[{_JOINED} ]*", "", " ".join(filter(None, pieces)))
        if "Xr" in args:
            text = re.sub(r"(?<![\w(])([\w.+-]+) (\d\w{0,3})(?=[\s.,;:)]|$)", r"\1(\2)", text)
        return text + ends + "".join(args[size:])


def _character(code: int) -> str:
    """Return the character with this code, or "" if it cannot be shown."""
    return clean(chr(min(code, 0x10FFFF)))


def _fenced(lines: list[str]) -> str:
    return "```\n" + "\n".join(lines).strip("\n").replace("```", "'''") + "\n```"


def _in_fonts(name: str, args: list[str]) -> str:
    """Return what a macro for fonts shows, "" for any other macro."""
    if name in _SPACED:
        return " ".join(args)
    return "".join(args) if name in _ALTERNATING else ""
