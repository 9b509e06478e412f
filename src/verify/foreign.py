"""A report that somebody else wrote, as sentences and what each of them cites."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ..evidence.claim import is_claim
from ..evidence.statement import cells, is_table_head, shown, visible
from ..kernel.one_line import one_line
from ..kernel.sentence import sentence_spans
from ..kernel.term import terms
from ..render.escape import harmless
from .named import ListedReference, Named, read_references, taken

MOST_SENTENCES = 5_000
"""Sentences that are read; what a report has beyond them is not checked, and that is told."""

LONGEST_SENTENCE = 2_000
"""Characters of a sentence that is taken for a claim; a longer one is data."""

_UNSEEN = re.compile(
    r"\A---[ \t]*\n.*?\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)"
    r"|^[ ]{0,3}(?P<fence>`{3,}+|~{3,}+)[^\n]*\n.*?(?:^[ ]{0,3}(?P=fence)[`~]*[ \t]*$|\Z)"
    r"|<!--.*?(?:-->|\Z)|!\[[^\[\]\n]{0,2000}\](?:\([^()\n]{0,4000}\))?",
    re.DOTALL | re.MULTILINE,
)
"""Front matter, fenced code, comments and pictures: nothing in them is prose."""

_UNDERLINED = re.compile(
    r"^(?![ ]{0,3}(?:[-*+>|#]|\d+[.)]))[ ]{0,3}(\S[^\n]{0,200})\n[ ]{0,3}(=+|-+)[ \t]*$", re.MULTILINE
)
_HEADING = re.compile(r"^[ ]{0,3}(?P<marks>#{1,6})[ \t]+(?P<title>[^\n]*?)[ \t#]*$", re.MULTILINE)
_BETWEEN = re.compile(r"[^-*+>#|:\s\d.)_]")
"""What stands between sentences besides bullets, marks and rulers."""

_BEHIND_STOP = re.compile(r"(?P<stop>[.!?…]['\"”’)]?)(?P<notes>(?:\[\^[^\[\]\s]{1,40}\])+)(?=\s)")
"""Footnotes behind a full stop, which would else hide that a sentence ends there."""

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


@dataclass(frozen=True, slots=True)
class ForeignSentence:
    """A sentence as Markdown without its citations, and what it cites. `head` names the columns of a table row."""

    text: str
    named: tuple[Named, ...] = ()
    asserts: bool = False
    head: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ForeignSection:
    """A section: sentences, and the Markdown between them."""

    title: str
    parts: tuple[str | ForeignSentence, ...]


@dataclass(frozen=True, slots=True)
class Foreign:
    """A report; `cut` says that it goes on after the last sentence that was read."""

    title: str
    sections: tuple[ForeignSection, ...]
    cut: bool = False

    @property
    def sentences(self) -> list[ForeignSentence]:
        """The sentences, in order."""
        return [part for section in self.sections for part in section.parts if isinstance(part, ForeignSentence)]

    @property
    def named(self) -> list[Named]:
        """What it cites, each once, in the order of the text."""
        return list(dict.fromkeys(named for sentence in self.sentences for named in sentence.named))


def read_foreign(text: str, name: str) -> Foreign:
    """Return the report in a plain or Markdown text; `name` is what it is called where it has no title.

    Its list of references, code, pictures and comments are not part of its sections. Nothing of the text is obeyed,
    and what is returned is harmless Markdown. Linear in the text.
    """
    text = _CONTROLS.sub("", text)
    text = _BEHIND_STOP.sub(r"\g<notes>\g<stop>", text)
    text = _UNSEEN.sub("\n", text)
    text = _UNDERLINED.sub(lambda match: f"{'#' if match[2][0] == '=' else '##'} {match[1]}", text)
    body, references = read_references(text)
    title, sections = _sections(body, name)
    read: list[ForeignSection] = []
    left = MOST_SENTENCES
    for heading, words in sections:
        parts = tuple(_parts(words.strip(), references, left))
        left -= sum(isinstance(part, ForeignSentence) for part in parts)
        if any(isinstance(part, ForeignSentence) for part in parts):
            read.append(ForeignSection(heading, parts))
    return Foreign(title, tuple(read), cut=left <= 0)


def _sections(body: str, name: str) -> tuple[str, list[tuple[str, str]]]:
    """Return the report's title, and its sections: each begins at a heading of the first two levels."""
    marks = [match for match in _HEADING.finditer(body) if len(match["marks"]) <= 2]
    title = name
    if marks and len(marks[0]["marks"]) == 1 and not body[: marks[0].start()].strip():
        title = visible(marks[0]["title"]) or name
    sections = [(title, body[: marks[0].start()] if marks else body)]
    for number, match in enumerate(marks):
        end = marks[number + 1].start() if number + 1 < len(marks) else len(body)
        sections.append((visible(match["title"]) or title, body[match.end() : end]))
    return title, sections


def _parts(text: str, references: Mapping[str, ListedReference], most: int) -> Iterator[str | ForeignSentence]:
    """Yield the sentences of a section, and what stands between them; a citation that stands alone goes before."""
    held: list[str | ForeignSentence] = []
    position, count = 0, 0
    head: tuple[str, ...] = ()
    for start, end in sentence_spans(text):
        if count >= most:
            break
        is_row = text[start] == "|"
        is_head = is_row and is_table_head(text, end)
        head = cells(text[start:end]) if is_head else head if is_row else ()
        words, named = taken(text[start:end], references)
        between = _BETWEEN.sub("", text[position:start])
        position = end
        line = text[text.rfind("\n", 0, start) + 1 : start]
        last = next((n for n in reversed(range(len(held))) if isinstance(held[n], ForeignSentence)), None)
        if named and not terms(visible(words)) and last is not None:
            before = held[last]
            assert isinstance(before, ForeignSentence)
            held[last] = replace(before, named=tuple(dict.fromkeys((*before.named, *named))))
            continue
        markdown = harmless(words)
        asserts = not is_head and not line.lstrip().startswith("#") and _asserts(markdown, head)
        held += [between] if between else []
        held.append(ForeignSentence(markdown, named, asserts, () if is_head else head))
        count += 1
    yield from held


def _asserts(markdown: str, head: Sequence[str]) -> bool:
    return len(markdown) <= LONGEST_SENTENCE and is_claim(one_line(shown(markdown.strip(), head)))
