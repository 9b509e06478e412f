"""A section as a model wrote it, read into a draft: its markers become citations, the rest of it harmless text."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..evidence.relevance import Relevance, roots
from ..line import one_line
from ..sentence import sentence_spans
from ..term import terms
from .catalogue import Labelled
from .draft import Cite, Draft
from .escape import harmless
from .labels import REFERENCE_HEADINGS
from .markers import Marker, find_links, find_markers, strip_markers

FEWEST_TERMS = 3
"""Content words from which a sentence claims something, so that it counts as uncited without a marker."""

_WRAPPED = re.compile(r"\s*```(?:markdown|md)?[ \t]*\n(.*)\n[ \t]*```\s*", re.DOTALL)
_FENCED = re.compile(
    r"^(?P<indent>[ ]{0,3})(?P<fence>`{3,}|~{3,})[ \t]*(?P<name>[\w+.#-]*)[^\n]*\n"
    r"(?P<code>.*?)(?P<end>^[ ]{0,3}(?P=fence)[`~]*[ \t]*$|\Z)",
    re.MULTILINE | re.DOTALL,
)
_HEADING = re.compile(r"^[ ]{0,3}(?P<marks>#{1,6})(?=[ \t])", re.MULTILINE)
_TITLE = re.compile(r"[ \t]{0,3}(?:#{1,6}[ \t]+|\*\*|__)?(?P<title>[^\n]*?)[#*_: \t]*(?:\n|\Z)")
_LIST_ITEM = re.compile(r"[ \t]*(?:[-*+•]|\d{1,3}[.)]|[\[(【^]|https?:|www\.|(?:[Ss]ource|S)\s?\d)")
_BEFORE_CITE = " \t"


def read(title: str, text: str, passages: Sequence[Labelled]) -> Draft:
    """Return the draft of a section from a model's text; see Reader."""
    return Reader(passages).draft(title, text)


@dataclass(frozen=True, slots=True)
class _Cited:
    parts: list[str | Cite]
    uncited: int


class Reader:
    """Reads what a model wrote from these passages. Making one takes longer than reading; it blocks."""

    def __init__(self, passages: Sequence[Labelled]) -> None:
        self._passages = passages
        self._by_label = {passage.label: passage for passage in passages}
        self._known = {*self._by_label, *(label.partition(".")[0] for label in self._by_label)}
        self._relevance = Relevance(s.roots for passage in passages for s in passage.statements)

    def draft(self, title: str, text: str) -> Draft:
        """Return the draft of a section from a model's text.

        A marker of a passage is resolved to the sentence of it that is most like the model's; one of a source, to its
        passage that is most like it. Markers that name neither are dropped and counted. Addresses are removed and the
        texts of links kept; the section's own heading and a list of references go; headings stay below the section's.
        """
        text, dropped = self.without_orphans(_without_links(text))
        parts: list[str | Cite] = []
        uncited = 0
        for block, is_code in _blocks(_body(text, title)):
            if is_code:
                parts.append(block)
            else:
                cited = self.cited(block)
                parts += cited.parts
                uncited += cited.uncited
        return Draft(title, tuple(_trimmed(parts)), dropped, uncited)

    def without_orphans(self, text: str) -> tuple[str, int]:
        """Return the text without the markers that name nothing, and the number of labels dropped."""
        kept, position, dropped = [], 0, 0
        for marker in find_markers(text, self._known):
            dropped += len(marker.unknown)
            if not marker.labels:
                kept.append(text[position : marker.start].rstrip(_BEFORE_CITE))
                position = marker.end
        return "".join([*kept, text[position:]]), dropped

    def cited(self, block: str) -> _Cited:
        """Return a block of prose as harmless text and citations, and how many of its sentences have none."""
        spans = sentence_spans(block)
        claims = [strip_markers(block[start:end], self._known) for start, end in spans]
        markers = find_markers(block, self._known)
        parts: list[str | Cite] = []
        position, with_cite = 0, set()
        for marker in markers:
            claim = _claim_of(marker, spans, claims)
            with_cite.add(claim)
            before = harmless(block[position : marker.start])
            if before.strip() or not parts:
                parts.append(_spaced(before))
            parts += self._cites(marker, roots(claims[claim]) if claim >= 0 else frozenset())
            position = marker.end
        parts.append(harmless(block[position:]))
        bare = [i for i, span in enumerate(spans) if i not in with_cite and _claims(block, span, claims[i])]
        return _Cited(parts, len(bare))

    def _cites(self, marker: Marker, claim: frozenset[str]) -> list[Cite]:
        found = dict.fromkeys(self._cite(self._passage(label, claim), claim) for label in marker.labels)
        return list(found)

    def _passage(self, label: str, claim: frozenset[str]) -> Labelled:
        """Return the passage of a label; of a source's label, its passage that has most of the claim."""
        if label in self._by_label:
            return self._by_label[label]
        own = [passage for passage in self._passages if passage.label.startswith(f"{label}.")]
        return max(own, key=lambda passage: self._relevance.coverage(claim, roots(passage.passage.text)))

    def _cite(self, passage: Labelled, claim: frozenset[str]) -> Cite:
        """Return the span of the statement that is most like the claim, of the whole passage where none is."""
        likeness = {s: self._relevance.likeness(claim, s.roots) for s in passage.statements}
        best = max(likeness, key=lambda s: likeness[s], default=None)
        if best is not None and likeness[best] > 0:
            return Cite(passage, best.start, best.end)
        text = passage.passage.text
        start = passage.passage.start + len(text) - len(text.lstrip())
        return Cite(passage, start, start + len(text.strip()))


def _without_links(text: str) -> str:
    kept, position = [], 0
    for link in find_links(text):
        kept += [text[position : link.start], link.text]
        position = link.end
    return "".join([*kept, text[position:]])


def _body(text: str, title: str) -> str:
    """Return what the model wrote for the section itself, headings of it two levels below the report's."""
    wrapped = _WRAPPED.fullmatch(text)
    text = _without_references((wrapped[1] if wrapped else text).strip())
    first = _TITLE.match(text)
    if first and _same(first["title"], title):
        text = text[first.end() :].lstrip()
    return _HEADING.sub(lambda match: match["marks"] if len(match["marks"]) > 2 else "###", text)


def _same(written: str, title: str) -> bool:
    bare = re.sub(r"(?i)^\s*section\s*(?:\d+\s*)?[:.]\s*", "", written)
    return one_line(bare).strip("#*_:. ").casefold() == one_line(title).strip("#*_:. ").casefold()


def _without_references(text: str) -> str:
    """Return the text up to a list of references that the model made at its end."""
    lines = text.split("\n")
    for number, line in enumerate(lines):
        name = line.strip(" \t#*_:").casefold()
        rest = [later for later in lines[number + 1 :] if later.strip()]
        if name in REFERENCE_HEADINGS and all(map(_LIST_ITEM.match, rest)):
            return "\n".join(lines[:number]).rstrip()
    return text


def _blocks(text: str) -> Iterator[tuple[str, bool]]:
    """Yield prose and fenced code in turn; the fences are made anew, longer than any in the code.

    What follows a fence that nothing closes is prose: models quote the beginning of an example, and go on.
    """
    position = 0
    for match in _FENCED.finditer(text):
        yield text[position : match.start()], False
        position = match.end()
        if not match["end"]:
            yield match["code"], False
            continue
        fence = "`" * max(3, 1 + max(map(len, re.findall("`+", match["code"])), default=0))
        yield f"{fence}{match['name']}\n{match['code'].rstrip()}\n{fence}", True
    yield text[position:], False


def _claim_of(marker: Marker, spans: list[tuple[int, int]], claims: list[str]) -> int:
    """Return the number of the sentence that a marker belongs to: its own, or the last one before it with words."""
    index = bisect_right(spans, marker.start, key=lambda span: span[0]) - 1
    while index > 0 and not terms(claims[index]):
        index -= 1
    return index


def _claims(block: str, span: tuple[int, int], claim: str) -> bool:
    """Say whether a span asserts something: no heading, no label before a list, no stub."""
    line = block[block.rfind("\n", 0, span[0]) + 1 : span[0]]
    return not line.lstrip().startswith("#") and not claim.rstrip("*_ ").endswith((":", "?")) and _wordy(claim)


def _wordy(claim: str) -> bool:
    return len(terms(claim)) >= FEWEST_TERMS


def _spaced(before: str) -> str:
    """Return the text before a citation with one space at its end, unless a line begins there."""
    bare = before.rstrip(_BEFORE_CITE)
    return bare if not bare or bare.endswith("\n") else f"{bare} "


def _trimmed(parts: Sequence[str | Cite]) -> list[str | Cite]:
    """Return the parts without white space at both ends of the section."""
    kept = [part for part in parts if part != ""]
    if kept and isinstance(kept[0], str):
        kept[0] = kept[0].lstrip()
    if kept and isinstance(kept[-1], str):
        kept[-1] = kept[-1].rstrip()
    return kept
