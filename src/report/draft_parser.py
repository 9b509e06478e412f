"""A section as a model wrote it, read into a draft: its markers become citations, the rest of it harmless text."""

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Literal

from ..evidence.claim import FEWEST_TERMS, asserts, beyond
from ..evidence.relevance import Relevance, roots
from ..evidence.statement import cells, is_heading, is_table_head, with_shown_columns
from ..kernel.one_line import one_line
from ..kernel.sentence import sentence_spans
from ..kernel.term import terms
from ..render.escape import harmless, without_underlines
from ..render.fence import fence
from ..render.labels import REFERENCE_HEADINGS
from .draft import Cite, Draft, Sentence
from .markers import LabelMarker, find_links, find_markers, strip_markers
from .source_index import CitedPassage

_WRAPPED = re.compile(r"\s*```(?:markdown|md)?[ \t]*\n(.*)\n[ \t]*```\s*", re.DOTALL)
_FENCED = re.compile(
    r"^(?P<indent>[ ]{0,3})(?P<fence>`{3,}|~{3,})[ \t]*(?P<name>[\w+.#-]*)[^\n]*\n"
    r"(?P<code>.*?)(?P<end>^[ ]{0,3}(?P=fence)[`~]*[ \t]*$|\Z)",
    re.MULTILINE | re.DOTALL,
)
_FALSE_FENCE = re.compile(r"^[ ]{0,3}(?:`{3,}|~{3,})[ \t]*(?=[^\s`]+[ \t]+\S)", re.MULTILINE)
_HEADING = re.compile(r"^[ ]{0,3}(?P<marks>#{1,6})(?=[ \t])", re.MULTILINE)
_TITLE = re.compile(r"[ \t]{0,3}(?:#{1,6}[ \t]+|\*\*|__)?(?P<title>[^\n]*)(?:\n|\Z)")
_LIST_ITEM = re.compile(r"[ \t]*(?:[-*+•]|\d{1,3}[.)]|[\[(【^]|https?:|www\.|(?:[Ss]ource|S)\s?\d)")
_NOTE = re.compile(r"^(?P<before>[ >]{0,9})\[\^[^\]\s]{1,32}\]:[ \t]*", re.MULTILINE)
_BEFORE_CITE = " \t"
_WORDS = re.compile(r"[^\W\d_]\W+[^\W\d_]|[^\W_]{4}")
"""More than the `and` between two markers, or the number that one of an unknown form leaves behind."""


def read(title: str, text: str, passages: Sequence[CitedPassage], asked: Sequence[str] = ()) -> Draft:
    """Return the draft of a section from a model's text; see Reader."""
    return DraftParser(passages, asked).draft(title, text)


class DraftParser:
    """Reads what a model wrote from these passages. Making one takes longer than reading; it blocks.

    What repeats the words of the questions that were `asked` asserts nothing by that, unless it is a sentence.
    """

    def __init__(self, passages: Sequence[CitedPassage], asked: Sequence[str] = ()) -> None:
        self._passages = passages
        self._known = roots("\n".join(asked))
        self._by_label = {passage.label: passage for passage in passages}
        self._labels = {*self._by_label, *(label.partition(".")[0] for label in self._by_label)}
        self._relevance = Relevance(passage.roots for passage in passages)

    def draft(self, title: str, text: str) -> Draft:
        """Return the draft of a section from a model's text; a citation is a whole passage as yet.

        A marker of a source means its passage that is most like the sentence. Markers that name neither are dropped
        and counted. Addresses are removed and the texts of links kept; the section's own heading and a list of
        references go; headings stay below the section's.
        """
        text, dropped = self.without_orphans(_without_links(_fences_closed("\n".join(text.splitlines()))))
        parts: list[str | Sentence] = []
        for block, is_code in _blocks(_body(text, title)):
            parts += [Sentence((f"{block}\n",), asserts=True, code=True)] if is_code else self.sentences(block)
        return Draft(title, tuple(_trimmed(parts)), dropped)

    def without_orphans(self, text: str) -> tuple[str, int]:
        """Return the text without the markers that name nothing, and the number of labels dropped."""
        kept, position, dropped = [], 0, 0
        for marker in find_markers(text, self._labels):
            dropped += len(marker.unknown)
            if not marker.labels:
                kept.append(text[position : marker.start].rstrip(_BEFORE_CITE))
                position = marker.end
        return "".join([*kept, text[position:]]), dropped

    def sentences(self, block: str) -> Iterator[str | Sentence]:
        """Yield the sentences of a block of prose, and the harmless text between them; a lone marker is nothing."""
        block = with_shown_columns(without_underlines(_NOTE.sub(r"\g<before>", block)))
        markers = find_markers(block, self._labels)
        position = 0
        for start, end, row, head in _spans(block, markers, self._labels):
            if between := harmless(block[position:start]):
                yield between
            parts = tuple(self._parts(block, start, end, _from(markers, start, end)))
            sentence = Sentence(parts, head=head, heads=is_heading(block, start))
            position = end
            if sentence.text.strip(" .:"):
                yield replace(sentence, asserts=self._asserts(sentence, row))
        if between := harmless(block[position:]):
            yield between

    def _asserts(self, sentence: Sentence, row: "Row") -> bool:
        """Say whether a sentence, as a reader sees it, asserts something; the head of a table does so in its rows.

        What is cited is no label, whatever its form, and a heading no sentence that does not end like one.
        """
        text = sentence.text
        if row:
            return row == "row" and (len(terms(text)) >= FEWEST_TERMS or bool(beyond(text, self._known)))
        if sentence.heads and not text.endswith((".", "。")):
            return bool(beyond(text, self._known))
        return asserts(f"{text}." if sentence.cites and text[-1:].isalnum() else text, self._known)

    def _parts(self, block: str, start: int, end: int, markers: Sequence[LabelMarker]) -> list[str | Cite]:
        """Return a sentence as harmless text and citations."""
        words = roots(strip_markers(block[start:end], self._labels))
        parts: list[str | Cite] = []
        for marker in markers:
            before = harmless(block[start : marker.start])
            if before.strip() or not parts:
                parts.append(_spaced(before))
            parts += dict.fromkeys(_whole(self._passage(label, words)) for label in marker.labels)
            start = marker.end
        parts.append(harmless(block[start:end]))
        return [part for part in _unspanned(parts) if part != ""]

    def _passage(self, label: str, claim: frozenset[str]) -> CitedPassage:
        """Return the passage of a label; of a source's label, its passage that has most of the claim."""
        if label in self._by_label:
            return self._by_label[label]
        own = [passage for passage in self._passages if passage.label.startswith(f"{label}.")]
        return max(own, key=lambda passage: self._relevance.coverage(claim, passage.roots))


def _whole(passage: CitedPassage) -> Cite:
    text = passage.passage.text
    start = passage.passage.start + len(text) - len(text.lstrip())
    return Cite(passage, start, start + len(text.strip()))


def _fences_closed(text: str) -> str:
    """Return the text without the fences that open no block of code: with words behind them, or never closed."""
    text = _FALSE_FENCE.sub("", text)
    for match in _FENCED.finditer(text):
        if not match["end"]:
            return text[: match.start()] + match["code"]
    return text


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
    is_listed = (not line.strip() or _LIST_ITEM.match(line) for line in reversed(lines))
    opens = len(lines) - 1 - sum(1 for _ in takewhile(bool, is_listed))
    for number, line in enumerate(lines):
        if number >= opens and line.strip(" \t#*_:").casefold() in REFERENCE_HEADINGS:
            return "\n".join(lines[:number]).rstrip()
    return text


def _blocks(text: str) -> Iterator[tuple[str, bool]]:
    """Yield prose and fenced code in turn; the fences are made anew, and prose stands apart from them.

    What follows a fence that nothing closes is prose: models quote the beginning of an example, and go on.
    """
    position = 0
    for match in _FENCED.finditer(text):
        yield _apart(text[position : match.start()], position), False
        position = match.end()
        if not match["end"]:
            yield match["code"], False
        elif match["code"].strip():
            yield fence(match["code"], match["name"]), True
    yield _apart(text[position:], position), False


def _apart(prose: str, position: int) -> str:
    """Return prose with an empty line before it where it does not begin the text."""
    return "\n\n" + prose.lstrip("\n") if position else prose


Row = Literal["", "head", "row"]


def _spans(
    block: str, markers: Sequence[LabelMarker], known: Collection[str]
) -> list[tuple[int, int, Row, tuple[str, ...]]]:
    """Return the sentences of a block: where each is, whether it is the row of a table, and the table's columns.

    A marker that stands alone belongs to the sentence before it; code within a line is not cut.
    """
    merged: list[tuple[int, int]] = []
    for start, end in sentence_spans(block):
        before = block[merged[-1][0] : merged[-1][1]] if merged else ""
        alone = bool(_from(markers, start, end)) and not _WORDS.search(strip_markers(block[start:end], known))
        if before and (alone or (before.count("`") % 2 and "\n\n" not in block[merged[-1][1] : start])):
            merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    spans: list[tuple[int, int, Row, tuple[str, ...]]] = []
    head: tuple[str, ...] = ()
    for start, end in merged:
        is_row = block[start] == "|"
        is_head = is_row and is_table_head(block, end)
        head = cells(block[start:end]) if is_head else head if is_row else ()
        row: Row = "head" if is_head else "row" if is_row else ""
        spans.append((start, end, row, () if is_head else head))
    return spans


def _from(markers: Sequence[LabelMarker], start: int, end: int) -> Sequence[LabelMarker]:
    """Return those of some markers, which are in order, that begin between two places."""
    first = bisect_left(markers, start, key=lambda marker: marker.start)
    return markers[first : bisect_left(markers, end, first, key=lambda marker: marker.start)]


def _unspanned(parts: Sequence[str | Cite]) -> list[str | Cite]:
    """Return the parts of a sentence without the marks of an emphasis that goes on beyond it."""
    if sum(part.count("**") for part in parts if isinstance(part, str)) % 2 == 0:
        return list(parts)
    return [part.replace("**", "") if isinstance(part, str) else part for part in parts]


def _spaced(before: str) -> str:
    """Return the text before a citation with one space at its end, unless a line begins there."""
    bare = before.rstrip(_BEFORE_CITE)
    return bare if not bare or bare.endswith("\n") else f"{bare} "


def _trimmed(parts: Sequence[str | Sentence]) -> list[str | Sentence]:
    """Return the parts without white space at both ends of the section."""
    kept = list(parts)
    if kept and isinstance(kept[0], str):
        kept[0] = kept[0].lstrip()
    if kept and isinstance(kept[-1], str):
        kept[-1] = kept[-1].rstrip()
    return [part for part in kept if part != ""]
