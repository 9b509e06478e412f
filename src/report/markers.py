"""Finds the citation markers in a model's text, in the many spellings that models use, and its links."""

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from ..evidence.statement import within

LONGEST_RANGE = 20
"""Most labels in a range such as [1-3]; a longer range is no citation."""

WIDEST_INDENT = 80
"""Characters before `(1)` that are examined: with only blanks and list bullets there, it is the number of an item."""

_ATOM = r"(?:[Ss]\d{1,4}(?:\.\d{1,4})?|\d{1,3})"
_NOUN = (
    r"(?:(?:[Ss]ources?|[Pp]assages?|[Rr]ef(?:erence)?s?\.?)(?:[ ]?:)?[ ]?(?:no\.[ ]?|#)?"
    r"|(?:[Ss]ee|[Cc]f\.)[ ](?=[Ss]\d))"
)
_JOINT = r"[ ]{0,2}(?:[,;&/]|and\b|[-–—])[ ]{0,2}(?:and[ ])?"
_LIST = rf"{_NOUN}?{_ATOM}(?:{_JOINT}{_NOUN}?{_ATOM}){{0,30}}"
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")

_MARKER = re.compile(
    rf"(?P<definition>^[ ]{{0,3}}\[\^?{_ATOM}\]:)"
    rf"|[\[［]\^?[ ]?(?P<square>{_LIST})[ ]?[\]］](?!\()"
    rf"|【[ ]?(?P<lens>{_LIST})(?:[ ]?†[^】\n]{{0,60}})?[ ]?】"
    rf"|[(（][ ]?(?P<round>{_LIST})[ ]?[)）]"
    rf"|\b(?P<plain>[Ss]ources?[ ](?:no\.[ ]|#)?{_ATOM}\b(?!\.\d)(?:(?:,[ ]|[ ]and[ ]){_ATOM}\b){{0,9}})"
    r"|(?P<bare>(?:^[ ]{0,3}S\d{1,4}|\bS\d{1,4}\.\d{1,4})\b(?!\.\d))(?=[.:]?[ ]{0,3}$)"
    r"|(?<=[\w.,;:!?)\"”’])(?P<raised>[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3})",
    re.MULTILINE,
)
_CODE = re.compile(
    r"^[ ]{0,3}(?P<fence>`{3,}+|~{3,}+)[^\n]*\n(?s:.*?)(?:^[ ]{0,3}(?P=fence)[^\n]*$|\Z)"
    r"|(?<!`)(?P<ticks>`{1,2})(?!`)[^`\n]{1,400}(?P=ticks)(?!`)",
    re.MULTILINE,
)
_LINK = re.compile(
    r"(?P<definition>^[ ]{0,3}\[[^\[\]\n]{1,99}\]:[ \t]{0,9}<?(?:https?://|www\.|#|/)[^\n]{0,2000}$\n?)"
    r"|!?\[(?P<text>(?:[^\[\]\n]|\[[^\[\]\n]{0,80}\]){0,500})\]"
    r"\([ ]{0,3}<?[^()\s<>]{0,2000}(?:\([^()\s<>]{0,200}\)[^()\s<>]{0,2000}){0,3}>?"
    r"(?:[ ]{1,3}[\"'(][^\"'\n)]{0,200}[\"')])?[ ]{0,3}\)"
    r"|<(?:https?|ftp|file|mailto|javascript|data):[^<>\s]{1,2000}>"
    r"|\b(?:https?|ftp|file)://[^\s<>\[\]\"”’]{1,2000}|\bwww\.[^\s<>\[\]\"”’]{1,2000}",
    re.MULTILINE | re.IGNORECASE,
)
_ENDS_A_URL = ".,;:!?)'*_"
_ENUMERATES = re.compile(r"[ ]{1,2}[a-z]")


@dataclass(frozen=True, slots=True)
class LabelMarker:
    """A citation marker at `text[start:end]`, with its known labels and its unknown ones."""

    start: int
    end: int
    labels: tuple[str, ...]
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LinkMarker:
    """A link at `text[start:end]`; `text` is its visible text, "" for a bare address."""

    start: int
    end: int
    text: str


def find_markers(text: str, known: Collection[str]) -> list[LabelMarker]:
    """Return the citation markers in `text`, in order and without overlap; `known` are the valid labels.

    Labels are like `S1` and `S1.2`, or numbers; a bare number stands for `S<number>` if labels have that form.
    Ambiguous markers count only with a known label: (1), superscripts, `Source 1` in a sentence, a bare `S1.2` that
    ends a line. Code, footnote definitions, links, years and enumerations such as `(1) the cost` contain no markers.
    Linear in `text`.
    """
    code = [match.span() for match in _CODE.finditer(text)]
    markers = []
    for match in _MARKER.finditer(text):
        form = match.lastgroup or ""
        if form == "definition" or within(code, match.start()):
            continue
        labels, unknown = _split(_labels(match[form], known), known)
        if _is_marker(form, match, text, labels, unknown):
            markers.append(LabelMarker(match.start(), match.end(), labels, unknown))
    return markers


def find_links(text: str) -> list[LinkMarker]:
    """Return links, images and addresses outside code, in order and without overlap.

    The text of a link that is a marker, as in `[1](…)`, keeps its brackets.
    """
    code = [match.span() for match in _CODE.finditer(text)]
    links = []
    for match in _LINK.finditer(text):
        if within(code, match.start()):
            continue
        link_text = match["text"] or ""
        if re.fullmatch(rf"\^?{_LIST}", link_text):
            link_text = f"[{link_text}]"
        end = match.end()
        if match["text"] is None and match["definition"] is None and not match[0].startswith("<"):
            end -= len(match[0]) - len(match[0].rstrip(_ENDS_A_URL))
        links.append(LinkMarker(match.start(), end, "" if match[0].startswith("!") else link_text))
    return links


def without_links(text: str, replacement: Callable[[LinkMarker], str] = lambda link: link.text) -> str:
    """Return a text with each link replaced, by default by its visible text."""
    parts, position = [], 0
    for link in find_links(text):
        parts += [text[position : link.start], replacement(link)]
        position = link.end
    return "".join([*parts, text[position:]])


def _labels(written: str, known: Collection[str]) -> Iterator[str]:
    """Yield the labels of a list, with its ranges expanded."""
    atoms = list(re.finditer(_ATOM, written.translate(_SUPERSCRIPTS)))
    for number, atom in enumerate(atoms):
        between = written[atoms[number - 1].end() : atom.start()].strip() if number else ""
        if between in ("-", "–", "—"):
            yield from _between(_label(atoms[number - 1][0], known), _label(atom[0], known))
        yield _label(atom[0], known)


def _label(atom: str, known: Collection[str]) -> str:
    """Return the label that an atom stands for: `1` means S1 if labels have that form."""
    if atom in known or not atom.isdigit():
        return atom if atom in known else atom.upper()
    return f"S{int(atom)}" if f"S{int(atom)}" in known or any(label.startswith("S") for label in known) else atom


def _between(first: str, last: str) -> Iterator[str]:
    """Yield the labels inside a range without its ends; none if the ends do not make a range."""
    head, tail = re.match(r"(.*?)(\d+)$", first), re.match(r"(.*?)(\d+)$", last)
    if head and tail and head[1] == tail[1] and 0 < int(tail[2]) - int(head[2]) < LONGEST_RANGE:
        yield from (f"{head[1]}{number}" for number in range(int(head[2]) + 1, int(tail[2])))


def _split(labels: Iterator[str], known: Collection[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    distinct = dict.fromkeys(labels)
    return tuple(label for label in distinct if label in known), tuple(
        label for label in distinct if label not in known
    )


def _is_marker(form: str, match: re.Match[str], text: str, labels: tuple[str, ...], unknown: tuple[str, ...]) -> bool:
    """Whether a match is a marker, by its form and context."""
    if form in ("square", "lens"):
        return True
    if form == "raised":
        word = re.search(r"[^\W\d_]*$", text[max(0, match.start() - 20) : match.start()])
        is_power = text[match.start() - 1].isdigit() or (word is not None and len(word[0]) in (1, 2, 3))  # 10², km²
        return bool(labels) and not unknown and not is_power
    if form == "round" and re.match(r"[a-zA-Z]{3}", match["round"]):
        return True
    if form == "round":
        line = text[max(0, match.start() - WIDEST_INDENT) : match.start()].rpartition("\n")[2]
        is_number = match["round"].isdigit()
        numbers_an_item = is_number and not line.strip(" \t>*-")
        is_call = is_number and line[-1:].isalnum()  # lstat(2), a manual page
        is_other = numbers_an_item or is_call or _ENUMERATES.match(text, match.end())
        return bool(labels) and not unknown and not is_other
    return bool(labels) and not unknown
