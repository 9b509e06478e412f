"""Text fragments: addresses that make a browser scroll to a quote on a web page.

See https://wicg.github.io/scroll-to-text-fragment/: `#:~:text=[prefix-,]start[,end][,-suffix]`. Each of the four terms
is within one block of the page and begins and ends at word boundaries; a browser shows the first match.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Final
from urllib.parse import quote

from ..evidence import visible
from .escape import is_web

LEAST: Final = (30, 60, 120)
"""Least characters of a term, tried in turn until it is unique on the page: about five, ten and twenty words."""

TELLING: Final = 12  # least characters of a term that menus and other text around the extracted one hardly contain
LONGEST_EXACT: Final = 500
"""Most characters of a quote that is in an address as a whole, if only its context makes it unique."""

CONTEXT: Final = 600  # characters before and after a quote that are searched for words that make it unique
_MARKS: Final = str.maketrans(dict.fromkeys("*_`[]()|#>~\\", " "))
_NOT_SHOWN: Final = re.compile(
    r"^[ \t>]*(?:[-+*•][ \t]|#{1,6}[ \t]|\d{1,9}[.)][ \t]|```.*$|~~~.*$|[|:=\- \t]+$)+", re.MULTILINE
)
"""Markup at the beginning of a line that a browser does not show as text, and lines that it does not show at all."""

_PICTURE: Final = re.compile(r"!\[[^\[\]\n]{0,500}\](?:\([^()\s]{0,2000}\))?")
_DOUBTFUL: Final = re.compile(r"[*_`<>\[\]\\&]")
_TARGET: Final = re.compile(r"\]\([^()\s]*\)")
_PIECE: Final = re.compile(r"(?:[^\n|\\ \t]|\\.|[ \t](?![ \t|\n]))+")
"""Text that is certainly in one block, without a gap: it ends at a line end, a table cell, or more than one space."""

_WORDS: Final = re.compile(r"\S+?(?:[、。，．！？；：」』）】]+|(?=\s)|\Z)\s*")
"""A word with the space after it: terms are cut at spaces, and after punctuation of scripts without spaces."""

_LETTER: Final = re.compile(r"[^\W_]")


@dataclass(frozen=True, slots=True)
class Directive:
    """A text directive: what a browser looks for."""

    start: str
    end: str = ""
    prefix: str = ""
    suffix: str = ""

    @property
    def length(self) -> int:
        """The number of characters that determine where the match begins."""
        return len(self.prefix) + len(self.start) + len(self.suffix)

    def __str__(self) -> str:
        """Return it in the form used in an address."""
        terms = [
            f"{_encoded(self.prefix)}-" if self.prefix else "",
            _encoded(self.start),
            _encoded(self.end),
            f"-{_encoded(self.suffix)}" if self.suffix else "",
        ]
        return f"text={','.join(filter(None, terms))}"


class LinkTarget:
    """The extracted text of a page, to whose spans links are made."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._folded = _folded(text)

    def link(self, start: int, end: int, url: str) -> str:
        """Return the address at which a browser shows `text[start:end]`.

        It is `url` itself if the quote has no words or `url` is not a web address.
        """
        directive = self.directive(start, end)
        return f"{_page(url)}{directive}" if directive and is_web(url) else url

    def directive(self, start: int, end: int) -> Directive | None:
        """Return the directive that leads to `text[start:end]`, None if it has no words.

        It matches nothing else on the page, unless the same words occur again in the same context.
        """
        start, end = self._whole_words(start, end)
        pieces = _pieces(self._text[start:end])
        if not pieces:
            return None
        shown = _folded(self._text[start:end])
        unique = []
        for candidate in self._candidates(pieces, shown, start, end):
            if self._is_only(candidate) and _ends_once(candidate, shown):
                if candidate.length >= TELLING:
                    return candidate
                unique.append(candidate)
        return max(unique, key=lambda candidate: candidate.length, default=_whole(pieces))

    def _candidates(self, pieces: list[str], shown: str, start: int, end: int) -> Iterator[Directive]:
        """Yield the directives that may lead to a quote, the better ones first."""
        whole = _whole(pieces)
        telling = [piece for piece in pieces if len(piece) >= TELLING] or pieces
        first, last = telling[0], telling[-1]
        for least in LEAST:
            if first is last and len(first) <= 3 * least:
                yield Directive(first)
            else:
                yield Directive(_head(first, least), _tail(last, least))
        yield from map(Directive, sorted(telling, key=len, reverse=True))
        for piece, following in pairwise(pieces):
            if _folded(f"{piece} {following}") in shown:
                yield Directive(piece, suffix=_head(following, LEAST[-1]))
        before, after = self._before(start), "" if whole.end else self._after(end)
        for least in (*LEAST, CONTEXT):
            prefix, suffix = _tail(before, least), _head(after, least)
            yield Directive(whole.start, whole.end, prefix=prefix)
            yield Directive(whole.start, whole.end, suffix=suffix)
            yield Directive(whole.start, whole.end, prefix=prefix, suffix=suffix)

    def _before(self, start: int) -> str:
        """Return the visible text right before a position, as far as it is certainly in one block."""
        raw = self._text[slice(*self._whole_words(max(0, start - CONTEXT), start))]
        last = next(reversed(_pieces(raw)), "")
        return last if _folded(raw).endswith(_folded(last)) else ""

    def _after(self, end: int) -> str:
        """Return the visible text right after a position, as far as it is certainly in one block."""
        raw = self._text[slice(*self._whole_words(end, min(end + CONTEXT, len(self._text))))]
        first = next(iter(_pieces(raw)), "")
        return first if _folded(raw).startswith(_folded(first)) else ""

    def _is_only(self, candidate: Directive) -> bool:
        """Whether the beginning of a directive is on the page exactly once."""
        words = " ".join(filter(None, (candidate.prefix, candidate.start, candidate.suffix)))
        folded = _folded(words)
        first = self._folded.find(folded)
        return first >= 0 and self._folded.find(folded, first + 1) < 0

    def _whole_words(self, start: int, end: int) -> tuple[int, int]:
        """Return the span without words that are cut at its ends."""
        text = self._text
        while start < end and _cuts(text, start):
            start += 1
        while start < end and _cuts(text, end):
            end -= 1
        return start, end


def _page(url: str) -> str:
    """Return an address, to which a directive can be appended; its fragment is kept, an old directive is dropped."""
    page, _, fragment = url.partition("#")
    return f"{page}#{fragment.partition(':~:')[0]}:~:"


def _encoded(term: str) -> str:
    return quote(term.encode("utf-8", "ignore"), safe="").replace("-", "%2D")


def _folded(text: str) -> str:
    """Return text in the form in which words are compared: lower case, single spaces, no Markdown markup."""
    plain = _NOT_SHOWN.sub("", text)
    if "](" in plain:
        plain = _TARGET.sub("] ", plain)
    return " ".join(plain.lower().translate(_MARKS).split())


def _pieces(raw: str) -> list[str]:
    """Return the visible text of a span, in pieces that are each certainly in one block of the page.

    A word with possible Markdown markup or a tag, which may be literal too, ends a piece if possible.
    """
    spans = [match[0].strip() for match in _PIECE.finditer(_NOT_SHOWN.sub("", _PICTURE.sub("", raw)))]
    certain = [piece for span in spans for piece in ([span] if visible(span) == span else _without_doubtful(span))]
    return _with_letters(certain) or _with_letters(map(visible, spans))


def _without_doubtful(span: str) -> list[str]:
    """Return the runs of words in a span that have no possible markup."""
    runs = groupby(span.split(" "), key=lambda word: bool(_DOUBTFUL.search(word)))
    return [" ".join(words) for is_doubtful, words in runs if not is_doubtful]


def _with_letters(pieces: Iterable[str]) -> list[str]:
    return [piece for piece in pieces if _LETTER.search(piece)]


def _whole(pieces: list[str]) -> Directive:
    if len(pieces) == 1 and len(pieces[0]) <= LONGEST_EXACT:
        return Directive(pieces[0])
    return Directive(_head(pieces[0], LEAST[-1]), _tail(pieces[-1], LEAST[-1]))


def _head(piece: str, least: int) -> str:
    """Return the first words of a piece with at least `least` characters, or the whole piece if it is shorter."""
    for match in _WORDS.finditer(piece):
        if match.end() >= least:
            return piece[: match.end()].rstrip()
    return piece


def _tail(piece: str, least: int) -> str:
    """Return the last words of a piece with at least `least` characters, or the whole piece if it is shorter."""
    starts = [match.start() for match in _WORDS.finditer(piece)]
    return next((piece[start:] for start in reversed(starts) if len(piece) - start >= least), piece)


def _ends_once(candidate: Directive, shown: str) -> bool:
    """Whether the end of a directive occurs only once in the quote after its beginning."""
    if not candidate.end:
        return True
    start, end = _folded(candidate.start), _folded(candidate.end)
    first = shown.find(end, shown.find(start) + len(start))
    return 0 <= first == shown.rfind(end)


def _cuts(text: str, at: int) -> bool:
    """Whether a position is within a word; never in scripts without spaces, where code cannot tell."""
    return 0 < at < len(text) and _joins(text[at - 1]) and _joins(text[at])


def _joins(char: str) -> bool:
    return char.isalnum() and not "\u0e00" <= char <= "\u0eff" and not "\u1000" <= char <= "\u109f" and char < "\u2e80"
