"""Parses citations of a report to check: addresses, files, and entries of its list of references."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import unquote

from ..kernel.term import STOP_WORDS, terms
from ..render.escape import is_web
from ..render.labels import REFERENCE_HEADINGS
from ..report.markers import LinkMarker, find_links, find_markers, without_links

SUFFIXES = "pdf|docx?|pptx?|xlsx?|csv|tsv|txt|md|markdown|rst|html?|epub|eml|msg|json|xml|rtf|odt"
"""File name suffixes that a citation of a file may have."""

LONGEST_AUTHORS = 300
"""Characters at the start of an entry that are searched for its authors."""

LONGEST_ENTRY = 2_000
"""Most characters of an entry of the list of references that are read."""

_MORE_HEADINGS = frozenset(
    {"footnotes", "notes", "endnotes", "links", "reference", "cited", "reading", "further reading"}
    | {"einzelnachweise", "fußnoten", "belege", "notas", "note"}
)
_HEADINGS = REFERENCE_HEADINGS | _MORE_HEADINGS
_HEADED = re.compile(
    r"^[ ]{0,3}(?:(?P<marks>#{1,6})[ \t]+|(?P<bold>\*\*|__))?(?:\d{1,2}[.)]?[ \t]+)?(?P<name>[^\n#*:]{3,40}?)"
    r"[ \t]*:?(?:\*\*|__)?[ \t]*:?[ \t#]*$",
    re.MULTILINE,
)
_ANY_HEADING = re.compile(r"^[ ]{0,3}#{1,6}[ \t]", re.MULTILINE)
_DEFINITION = re.compile(
    r"^[ ]{0,3}\[(?P<foot>\^)?(?P<label>[^\[\]\n]{1,40})\]:[ \t]*(?P<entry>[^\n]+(?:\n(?:[ ]{2,}|\t)\S[^\n]*)*)",
    re.MULTILINE,
)
_NUMBERED = re.compile(
    rf"^[ \t]*(?:[-*+•][ \t]+)?\[(?P<label>\d{{1,4}})\][.:)]?[ \t]+"
    rf"(?P<entry>[^\n]*https?://[^\n]*|[^\s.!?][^\n.!?]{{0,200}}\.(?:{SUFFIXES})[ \t]*)$",
    re.MULTILINE,
)
_ITEM = re.compile(
    r"[ \t]*(?:(?P<bullet>[-*+•])[ \t]+)?(?:\[\^?(?P<square>[^\[\]\s]{1,40})\][.:)]?|(?P<number>\d{1,4})[.)])[ \t]+"
    r"|[ \t]*[-*+•][ \t]+"
)

_FOOTNOTE = re.compile(r"[ ]?\[\^(?P<label>[^\[\]\s]{1,40})\](?![(:])")
_BY_LABEL = re.compile(r"(?<!\])\[(?P<text>[^\[\]\n]{1,300})\][ ]?\[(?P<label>[^\[\]\n]{0,40})\]")
_AUTHOR = re.compile(
    r"[ ]?[(\[](?:(?:see|cf\.|e\.g\.,?|vgl\.|siehe|in)[ ])?(?P<names>[^\W\d_][^()\[\]\d\n]{1,80}?),?[ ]"
    r"(?:19|20)\d\d[a-z]?(?:[,:][ ]?(?:p{1,2}\.|S\.)?[ ]?\d[\d–-]*)?(?:;[^()\[\]\n]{3,200})?[)\]]"
)
_NARRATED = re.compile(
    r"(?P<names>[^\W\d_a-zß-ÿ]\w+(?:[ ]et[ ]al\.?|,?[ ](?:and|&|und|et|y|e|en)[ ][^\W\d_a-zß-ÿ]\w+)?)"
    r"[ ]\((?:19|20)\d\d[a-z]?\)"
)
_SURNAME = re.compile(r"[^\W\d_a-zß-ÿ][\w’'-]+")
_YEAR = re.compile(r"(?:19|20)\d\d[a-z]?")
_FILE = re.compile(
    rf"[ ]?[(\[](?:(?:sources?|see|from|cf\.|in|quelle|siehe)[ ]?:?[ ])?"
    rf"(?P<name>[^()\[\]\n]{{1,200}}?\.(?:{SUFFIXES}))(?P<place>[,;: ][^()\[\]\n]{{0,60}})?[)\]]",
    re.IGNORECASE,
)
_NAMES_NOTHING = re.compile(
    r"\W*(?:\^?\d{1,3}|sources?|links?|here|ref(?:erence)?s?|quelle|hier|fuente|fonte|bron|\W|"
    r"(?:https?://)?(?:[\w-]+\.)+[a-z]{2,}(?:/\S*)?)\W*",
    re.IGNORECASE,
)
"""Link texts that are not words of the sentence."""

_SAYS = re.compile(
    r"(?!according|as[ ]|see|source|via|from|per[ ]|read|this|more|here)[a-zß-ÿ][\w'’-]*(?:[ ][^ ]+){2,}"
)
"""A link text that belongs to the sentence and is not the name of a page."""

_GONE, _OPEN, _CLOSE = "\x00", "\x01", "\x02"
_LONE = re.compile(r"[ ]?[(\[（](?:[\s,;&|/–-]|and|und|et|y|e|see|source[s:]*|via|\x00|\x01[^\x01\x02\n]*\x02)*[)\]）]")
_TAIL = re.compile(
    r"(?P<word>[^\W\d_]+)?(?P<gap>[ ,;–—-]*)(?P<links>(?:\x01[^\x01\x02\n]*\x02[ ,;|&]*)+)"
    r"(?P<end>[.!?…。]*[*_\"'”’)]*\s*)$"
)
_LINKED = re.compile(r"\x01[^\x01\x02\n]*\x02|\b(?:Sources?|Quellen?|Fuentes?|Fonti?|Via|See|References?)\b")
_SENTENCE = re.compile(r"[.!。][\"'”’)*_]*\x02?\W*$")
_INTRODUCES = re.compile(r"[ ]?[(\[]?\b(?:Sources?|Quellen?|Fuentes?|Fonti?|Via|References?)[ ]?:?[ ]*(?=[.)\]]*\s*$)")
_EMPTY = re.compile(r"(?:[ ]|(?<!\w))(?:\([\s,;]*\)|\[[\s,;]*\])")
"""Empty brackets, except right behind a word, where they belong to a call: `readFile()`."""


@dataclass(frozen=True, slots=True)
class ListedReference:
    """An entry of a list of references: its address, if it has one, and its words."""

    url: str
    words: str


@dataclass(frozen=True, slots=True)
class CitationTarget:
    """The target of a citation: a `url`, or a file or work named in `words`, or nothing if both are empty.

    `spelled` is the citation as written in the text.
    """

    spelled: str
    url: str = ""
    words: str = ""


def read_references(text: str) -> tuple[str, dict[str, ListedReference]]:
    """Return a text without its references (lists, footnotes, link definitions), and these by lower-case label."""
    references: dict[str, ListedReference] = {}

    def keep(label: str, entry: str) -> None:
        references.setdefault(label.strip().casefold(), _reference(entry[:LONGEST_ENTRY]))

    for start, end in reversed(_lists(text)):
        for label, entry in _entries(text[start:end]):
            keep(label, entry)
        text = f"{text[:start]}\n{text[end:]}"

    def define(match: re.Match[str]) -> str:
        if not (match["foot"] or match["label"].isdigit() or _address(match["entry"])):
            return match[0]  # a remark in brackets, not a definition
        keep(match["label"], match["entry"])
        return ""

    def number(match: re.Match[str]) -> str:
        keep(match["label"], match["entry"])
        return ""

    text = _DEFINITION.sub(define, text)
    return _NUMBERED.sub(number, text), references


def _lists(text: str) -> list[tuple[int, int]]:
    """Return the spans of the lists of references, each from its heading to the next heading."""
    spans: list[tuple[int, int]] = []
    for match in _HEADED.finditer(text):
        if match["name"].strip().casefold() not in _HEADINGS or (spans and match.start() < spans[-1][1]):
            continue
        following = _ANY_HEADING.search(text, match.end())
        end = following.start() if following else len(text)
        first = next((line for line in text[match.end() : end].split("\n") if line.strip()), "")
        if match["marks"] or _ITEM.match(first) or "://" in first:
            spans.append((match.start(), end))
    return spans


def _entries(text: str) -> Iterable[tuple[str, str]]:
    """Return the entries of a list of references with their labels; one without a label gets its number in the list."""
    entries: list[tuple[str, list[str]]] = []
    open_entry = False
    for line in text.split("\n")[1:]:
        match = _ITEM.match(line)
        if not line.strip():
            open_entry = False
        elif match or not open_entry:
            label = (match["square"] or match["number"]) if match else None
            entries.append((label or str(len(entries) + 1), [line[match.end() if match else 0 :]]))
            open_entry = True
        else:
            entries[-1][1].append(line)
    return ((label, " ".join(lines)) for label, lines in entries)


def _reference(entry: str) -> ListedReference:
    return ListedReference(_address(entry), " ".join(entry.split()))


def _address(entry: str) -> str:
    urls = (_target(entry[link.start : link.end]) for link in find_links(entry))
    return next((url for url in urls if is_web(url)), "")


def _target(link: str) -> str:
    if "](" in link and link.endswith(")"):
        parts = link[link.rindex("](") + 2 : -1].split()
        target = parts[0].strip("<>") if parts else ""
    else:
        target = link.strip("<>")
    return f"https://{target}" if target[:4].lower() == "www." else target


def without_citations(
    sentence: str, references: Mapping[str, ListedReference]
) -> tuple[str, tuple[CitationTarget, ...]]:
    """Return a sentence without its citations, and their targets, each once.

    Of a link whose text is part of the sentence, the text remains. The target of a number, footnote or label without a
    reference is empty.
    """
    named: list[CitationTarget] = []

    def cited(label: str, spelled: str) -> None:
        entry = references.get(label.strip().casefold())
        named.append(
            CitationTarget(spelled.strip(), entry.url, entry.words) if entry else CitationTarget(spelled.strip())
        )

    def by_label(match: re.Match[str]) -> str:
        label = match["label"] or match["text"]
        if match["text"].strip().isdigit():
            return match[0]  # two adjacent numbers, each a citation
        if label.strip().casefold() not in references:
            return match[0]
        cited(label, match[0])
        return _link_text(match["text"])

    def footnote(match: re.Match[str]) -> str:
        cited(match["label"], match[0])
        return _GONE

    text = _BY_LABEL.sub(by_label, sentence)
    text = _without_links(text, named.append)
    text = _FOOTNOTE.sub(footnote, text)
    text = _without_markers(text, references, cited)
    text = _FILE.sub(lambda match: _works(match, named.append), text)
    text = _AUTHOR.sub(lambda match: _of_author(match, references, named.append) or _works(match, named.append), text)
    text = _NARRATED.sub(lambda match: _of_author(match, references, named.append) or match[0], text)
    return sentence if text == sentence else _tidy(text), tuple(dict.fromkeys(named))


def _works(match: re.Match[str], keep: Callable[[CitationTarget], None]) -> str:
    words = match.groupdict().get("name") or match[0].strip(" ()[]")
    keep(CitationTarget(match[0].strip(), words=words.strip()))
    return _GONE


def _of_author(
    match: re.Match[str], references: Mapping[str, ListedReference], keep: Callable[[CitationTarget], None]
) -> str:
    """Return the text that replaces a citation by author and year if exactly one reference has both, else ""."""
    author, year = _SURNAME.search(match["names"]), _YEAR.search(match[0])
    if author is None or year is None:
        return ""
    entries = (entry for entry in references.values() if author[0] in entry.words[:LONGEST_AUTHORS])
    matches = [entry for entry in entries if year[0] in entry.words]
    if len(set(matches)) != 1:
        return ""
    keep(CitationTarget(match[0].strip(), matches[0].url, matches[0].words))
    return f"{match['names']}{_GONE}" if match.re is _NARRATED else _GONE


def _without_links(text: str, keep: Callable[[CitationTarget], None]) -> str:
    def replaced(link: LinkMarker) -> str:
        raw = text[link.start : link.end]
        target = _target(raw)
        if is_web(target):
            keep(CitationTarget(raw, url=target))
        elif (name := unquote(target).partition("#")[0]) and re.search(rf"\.(?:{SUFFIXES})$", name, re.IGNORECASE):
            keep(CitationTarget(raw, words=name.removeprefix("file://")))
        return _link_text(link.text)

    return without_links(text, replaced)


def _link_text(text: str) -> str:
    if _SAYS.match(text):
        return text
    return _GONE if not text or _NAMES_NOTHING.fullmatch(text) else f"{_OPEN}{text}{_CLOSE}"


def _without_markers(text: str, references: Mapping[str, ListedReference], cited: Callable[[str, str], None]) -> str:
    known = {label for label in references if label.isdigit()}
    pieces, position = [], 0
    for marker in find_markers(text, known):
        labels = (*marker.labels, *marker.unknown)
        for label in labels:
            cited(label, text[marker.start : marker.end] if len(labels) == 1 else f"[{label}]")
        pieces += [text[position : marker.start].rstrip(" "), _GONE]
        position = marker.end
    return "".join([*pieces, text[position:]])


def _tidy(text: str) -> str:
    """Return a sentence without the remains of removed citations: empty brackets, blanks, `Source:`."""
    if not terms(_LINKED.sub("", text)) and not _SENTENCE.search(text):
        return ""
    text = _LONE.sub(lambda match: "" if _GONE in match[0] or _OPEN in match[0] else match[0], text)
    tail = _TAIL.search(text)
    if tail and (not tail["word"] or tail["word"].lower() not in STOP_WORDS) and tail.start():
        text = f"{text[: tail.start()]}{tail['word'] or ''}{tail['end'].lstrip(' ')}"
    text = re.sub(r"[ ]?\x00", "", text)
    text = _EMPTY.sub("", _INTRODUCES.sub("", text.replace(_OPEN, "").replace(_CLOSE, "")))
    return re.sub(r"[ ]+(?=[.,;:!?)\]])", "", re.sub(r"(?<=\S)[ ]{2,}", " ", text)).strip()
