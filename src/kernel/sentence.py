"""Sentence splitting for plain text and Markdown.

`sentencex` is twice as fast, but needs the language and supports neither Markdown nor citation markers: it splits 14 of
17 lines of the tests as a reader would, this module all.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from .term import STOP_WORDS, fold

_OPENERS = "\"'“‘„‚«‹([{*_`¿¡>「『（《〈【"
_CLOSERS = "\"'”’»›)\\]}*_`」』）》〉】"
_CITED = r"(?:[ ]?[\[【［]\^?(?:[Ss]ources? )?S?\d[^\[\]【】［］\n]{0,24}[\]】］]|\[[^\W\d_][^\[\]\n]{2,24}\](?![(\[]))"
"""A citation marker, or a remark like [citation needed] directly after the full stop."""


_STOP = re.compile(
    rf"(?P<wide>[。！？｡．।॥۔؟։።။។]++)(?P<wide_tail>[{_CLOSERS}]*+(?:{_CITED})*+)"
    rf"|(?P<mark>[.!?…]++)(?P<tail>[{_CLOSERS}“‘«‹]*+(?:{_CITED}|[¹²³⁴⁵⁶⁷⁸⁹⁰]{{1,6}})*+)(?P<space>\s*+)"
)
"""A full stop of any script with the quotes, brackets and citation markers that belong to it. Quantifiers are
possessive, so a megabyte of full stops is scanned once."""

Listed = Literal["bullet", "numbered"] | None
"""The kind of the item that a paragraph belongs to; None if it is in no list."""

_LEADER = r"[^\n.]*+(?:\.(?!\.\.)[^\n.]*+){0,9}(?:(?<=[ \t])\.{3}|\.{4})[. \t]*+(?=[^\n]*\d)[^\n]{1,30}$"
"""A line whose words dots lead to a number: "Household, two adults ....... £58"."""

_LABEL = r"(?:\*\*|__)?[^\W\d_a-zß-öø-ÿ][^\n:.!?,;|]{1,38}:(?:\*\*|__)?[ \t]+\S"
"""The beginning of a line that says what it is about: "Start: 10 am", "**Exam fee:** £155"."""

_FENCE = re.compile(r"[ \t]*+(`{3,}+(?=[^`\n]*$)|~{3,}+)")
_LINE = re.compile(
    r"(?P<text>(?:[ \t]*+>)*+[ \t]*+)(?:"
    r"(?P<blank>[-=_*~#>|:+`\s]*+\Z)"
    rf"|(?P<whole>\#{{1,6}}[ \t]++|(?=\|)|(?={_LEADER}))"
    r"|(?P<item>[-*+•‣◦▪][ \t]++(?:\[[ xX]\][ \t]++)?|1[.)][ \t]++|\[\^[^\]\s]{1,32}\]:[ \t]*+)"
    r"|(?P<numbered>(?:\d{1,4}[.)]|[a-z]\))[ \t]++|(?=\[\d{1,4}\][ \t]))"
    rf"|(?P<label>(?={_LABEL}))"
    r")?"
)
"""Classifies a line by its beginning: the name of the last group that matched. The markup that it consumes is not part
of a sentence."""


_HEADLINE = re.compile(
    r"(?P<head>(?:(?:\d+|[A-Z])(?:\.\d+)*\.?[ \t]+)?(?=[^\W\d_a-zß-öø-ÿ])[^\n|]{2,70}[^\s.,;:!?…|-])[ \t]*\n[ \t]*"
    r"(?P<below>(?=[^\W\d_a-zß-öø-ÿ])[^\n|]{60})"
)
"""A line that may be a heading above a line of prose: it has no end mark, and the next line begins a sentence."""

_BOTH_LABELLED = re.compile(rf"{_LABEL}[^\n]*\n[ \t]*{_LABEL}")
"""A line with a label above another one."""

_ENDS_LINE = frozenset(".!?…:;”\"')")
_SHARE_OF_LINE = 0.6
"""Maximum length of a heading as a fraction of the line below: running text would have filled the line."""


def heads(text: str, start: int) -> int:
    """Return the end of the line that begins at `start` if it is a heading directly above a paragraph; else 0."""
    match = _HEADLINE.match(text, start)
    if match is None or fold(match["head"].split()[-1]) in STOP_WORDS or _BOTH_LABELLED.match(text, start):
        return 0
    line = text.find("\n", match.start("below"))
    below = (line if line >= 0 else len(text)) - match.start("below")
    return match.end("head") if len(match["head"]) <= _SHARE_OF_LINE * below else 0


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_NEVER_LAST = _words(
    "dr mr mrs ms mx prof rev hon gen col capt lt sgt messrs mme mlle sr sra srta dott sig ing dipl hr fr st ste "
    "v vs cf e.g i.e eg viz z.b d.h u.a bzw ggf inkl p.ej bspw"
)
"""Abbreviations that are always followed by a word."""

_BEFORE_A_NUMBER = _words(
    "no nos nr fig figs vol vols p pp sec sect art eq eqs ch chap ed eds app tab para par approx ca c circa s abs abb "
    "kap bd ver num núm n col cap pág pag págs t jg"
)
"""Words that are abbreviations only before a number (not in `I said no. Then …`)."""

_PERHAPS_LAST = _words(
    "etc al inc ltd co corp llc plc bros jr sr dept univ assn assoc est govt gov sen rep pres min max avg incl excl "
    "jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun ave blvd rd mt ft usw ecc ff resp "
    "tel ext intl natl mfg gmbh op cit ibid"
)
"""Abbreviations that close a sentence when a word follows that often opens one."""

_OFTEN_FIRST = _words(
    "the a an this that these those it its he she we they you his her our their there here in on at by for from with "
    "after before when while if as since although though because but and or so yet however moreover furthermore "
    "therefore thus then also both each every all some many most no not one two what who how why where which "
    "der die das ein eine es er sie wir ihr im am bei mit nach vor wenn aber und doch so dies diese dieser "
    "le la les un une il elle ils elles ce cette ces dans en pour mais et el los las una lo pero y se de"
)

_AFTER_ORDINAL = _words(
    "januar februar märz april mai juni juli august september oktober november dezember jahrhundert januari februari "
    "maart mei juli augustus eeuw og ug obergeschoss untergeschoss stockwerk etage quartal halbjahr klasse"
)
"""Words after a number with a full stop that make it an ordinal (`3. Oktober`, `19. Jahrhundert`, `2. OG`)."""

_BEFORE_ORDINAL = _words("der die das des dem den im am zum zur vom beim ins jeder jede jedes jeden")
"""Words before such a number that make it one if a noun may follow: `im 1. Rang`, `der 2. Weltkrieg`."""

_LONGEST_ORDINAL = 2  # digits: in "das war 1990. Dann …" a sentence ends

_BRACKETS = ("(", "[", "{")
_JOINING = _words("and or und oder et ou y o e ed en of")
"""Words after a full stop without a word, by which it is only mentioned: "characters (. or +)", "instead of . and of
+"."""

_WORD = re.compile(r"[^\W\d_]+")
_INITIALS = re.compile(r"(?:[^\W\d_]{1,2}\.)+[^\W\d_]{1,2}")
_DATE = re.compile(r"\d{1,2}\.\d{1,2}")
_ROMAN = re.compile(r"(?:[IVXLC]{2,}|[VX])\b")
_SKIPPED = _OPENERS + "|\\"
_INITIAL = re.compile(r"[^\W\d_]\.")
_LONGEST_WORD = 32
_PLAIN_WORD = 5
"""Minimum letters of an unknown lower-case word that is hardly an abbreviation, so that a sentence may end before
`npm`."""


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return the sentences of a plain or Markdown text as spans: exact, ordered, disjoint, offsets in code points.

    Bullets, numbers, heading and quote marks, fences and rules are in no span; every other character that is not white
    space lies in exactly one. A heading, an item, a row and a line of code end with their line, and a line with a label
    ends before the next one; closing quotes and citation markers belong to the sentence before them. Linear in `text`.
    """
    spans = []
    for start, end, whole in _blocks(text):
        for first, last in [(start, end)] if whole else _pieces(text, start, end):
            piece = text[first:last]
            trimmed = piece.strip()
            if trimmed:
                begin = first + len(piece) - len(piece.lstrip())
                spans.append((begin, begin + len(trimmed)))
    return spans


def _blocks(text: str) -> Iterator[tuple[int, int, bool]]:
    """Yield (start, end, whole): paragraphs and list items, and `whole` lines that are always one sentence."""
    open_at: int | None = None
    listed: Listed = None
    labelled = False
    for start, begin, end, kind in _lines(text):
        # A number or a [label] at the start of a line opens an item only where no paragraph would wrap into it.
        if kind not in ("blank", "whole", "item") and _begins(text, open_at, start) and heads(text, start):
            begin, kind = start, "whole"
        is_item = kind == "item" or (kind == "numbered" and (open_at is None or _follows(text, start, begin, listed)))
        is_label = kind == "label" and (labelled or (_BOTH_LABELLED.match(text, start) and not _is_open(text, start)))
        if open_at is not None and (is_item or is_label or kind in ("blank", "whole")):
            yield open_at, start, False
            open_at = None
        if kind == "whole":
            yield begin, end, True
        elif kind != "blank" and open_at is None:
            is_numbered = kind == "numbered" or any(map(str.isdigit, text[start:begin]))
            open_at, listed = begin, ("numbered" if is_numbered else "bullet") if is_item else None
            labelled = kind == "label"
    if open_at is not None:
        yield open_at, len(text), False


def _follows(text: str, start: int, begin: int, listed: Listed) -> bool:
    """Return whether a numbered line in the paragraph of an item is an item, too.

    In the text of a bullet ("due by" above "31. …") it is one only if the text before it ends; a date never is one.
    """
    if listed is None or text[max(0, start - _LONGEST_WORD) : start].rstrip()[-1:] in _ENDS_LINE:
        return listed is not None
    following = _WORD.match(text, begin)
    is_date = following is not None and following[0].lower() in _AFTER_ORDINAL
    return listed == "numbered" and not is_date


def _is_open(text: str, start: int) -> bool:
    """Return whether the text before a line ends in a word that is seldom the last one of a sentence."""
    words = text[max(0, start - _LONGEST_WORD) : start].split()
    return bool(words) and fold(words[-1]) in STOP_WORDS


def _begins(text: str, open_at: int | None, start: int) -> bool:
    """Return whether a sentence may begin at a line, because the text before it ends a sentence."""
    return open_at is None or text[max(open_at, start - _LONGEST_WORD) : start].rstrip()[-1:] in _ENDS_LINE


def _lines(text: str) -> Iterator[tuple[int, int, int, str]]:
    """Yield (start, start of its words, end, kind) of each line; a line of fenced code is whole, its fence blank."""
    fence = ""
    end = 0
    for line in text.splitlines(keepends=True):
        start, end = end, end + len(line)
        mark = _FENCE.match(line)
        if mark and not fence:
            fence = mark[1]
            yield start, start, end, "blank"
        elif fence and mark and mark[1].startswith(fence) and not line[mark.end() :].strip():
            fence = ""
            yield start, start, end, "blank"
        elif fence:
            yield start, start, end, "whole"
        else:
            match = _LINE.match(line)
            assert match is not None
            yield start, start + match.end(), end, str(match.lastgroup)


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for match in _STOP.finditer(text, start, end):
        stop = match.end("tail") if match["mark"] else match.end()
        if match["wide"]:
            is_end = not (match["wide_tail"] and text[stop : stop + 1] in ("と", "っ"))
        elif stop < end and not match["space"]:
            is_end = False
        else:
            is_end = stop == end or _ends(text, start, match, end)
        if is_end:
            yield start, stop
            start = stop
    yield start, end


def _ends(text: str, start: int, match: re.Match[str], end: int) -> bool:
    """Return whether a full stop before white space closes its sentence, by the words on both sides."""
    following = text[match.end() : min(match.end() + _LONGEST_WORD, end)].lstrip(_SKIPPED)
    if match["mark"] != ".":
        return not following[:1].islower()
    before = text[max(start, match.start() - _LONGEST_WORD) : match.start()]
    word = before.split()[-1].lstrip(_OPENERS) if before and not before[-1].isspace() else ""
    if not word:
        is_named = before[-1:] in _BRACKETS or following.partition(" ")[0] in _JOINING
        return not (is_named or before.rstrip().endswith(".") or following[:1] == ".")
    return _closes(before.split()[-2:-1], word, following)


def _closes(preceding: Sequence[str], word: str, following: str) -> bool:
    name = word.lower()
    first = following[:1]
    match = _WORD.match(following)
    next_word = match[0].lower() if match else ""
    if name in _NEVER_LAST or (len(word) == 1 and _INITIAL.match(following)):
        return False
    if name in _PERHAPS_LAST or _INITIALS.fullmatch(word) or (len(word) == 1 and word.isupper()):
        return next_word in _OFTEN_FIRST and not first.islower()
    if name in _BEFORE_A_NUMBER:
        return not (first.isdigit() or first.islower() or _ROMAN.match(following))
    if _DATE.fullmatch(word):  # "7.6. – Gudrun", "7.6. Gudrun", but "until 7.6. Then"
        return bool(preceding) and first.isalpha() and not first.islower()
    if word.isdigit():
        is_after = not _BEFORE_ORDINAL.isdisjoint(map(str.lower, preceding)) and next_word not in _OFTEN_FIRST
        is_ordinal = len(word) <= _LONGEST_ORDINAL and (is_after or next_word in _AFTER_ORDINAL)
        return not (is_ordinal or first.islower())
    return not first.islower() or (word.islower() and word.isalpha() and len(word) >= _PLAIN_WORD)
