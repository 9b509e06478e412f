"""Exports the cited sources for a reference manager: as BibTeX in biblatex's dialect, and as CSL-JSON."""

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from ..kernel.one_line import one_line
from ..kernel.source import ISO_DATE
from .escape import is_web
from .labels import Labels, labels_in

if TYPE_CHECKING:
    from ..kernel.source import Source
    from ..report import Report

_LATEX: Final = str.maketrans({
    "\\": r"\textbackslash{}",
    "{": r"\textbraceleft{}",
    "}": r"\textbraceright{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{char: f"\\{char}" for char in "$&#%_"},
})  # fmt: skip
"""Escapes of LaTeX special characters. Braces are commands, since BibTeX counts braces even after a backslash."""

_NO_ADDRESS: Final = re.compile(
    r"[\s{}\\\"<>^`|\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)
_WORD: Final = re.compile(r"[a-z0-9]+")
_DULL: Final = frozenset(
    ("a", "an", "and", "das", "der", "die", "el", "how", "in", "la", "le", "les", "of", "on", "the", "what")
)


@dataclass(frozen=True, slots=True)
class BibliographyEntry:
    """A cited source with its citation key; `numbers` are its numbers in the references of the report."""

    key: str
    source: "Source"
    numbers: tuple[int, ...]
    words: Labels

    @property
    def authors(self) -> list[str]:
        """The names of its authors, split at commas only if each part is a full name."""
        author = one_line(self.source.author)
        names = [name.strip() for name in author.split(",")]
        return names if all(" " in name for name in names) else [author] if author else []

    @property
    def title(self) -> str:
        """Its title, or else its path or address."""
        return one_line(self.source.title) or one_line(self.source.path) or self.source.url

    @property
    def site(self) -> str:
        """The name of its site, or else its domain."""
        return one_line(self.source.site or self.source.domain)

    @property
    def note(self) -> str:
        """The numbers under which it is cited, and the hash of the cited text."""
        numbers = ", ".join(f"[{number}]" for number in self.numbers)
        if not self.source.snapshot:
            return numbers
        return self.words.cited_as.format(numbers=numbers, hash=self.source.snapshot)


def bibtex(report: "Report") -> str:
    """Return the cited sources as BibTeX, one entry per source, in the order of their first citation.

    A web page is `@online`, a file `@misc`. Unicode is kept; LaTeX special characters are escaped, so that no title can
    break its entry or run a command.
    """
    return "\n".join(map(_bibtex, entries(report)))


def csl(report: "Report") -> str:
    """Return the cited sources as CSL-JSON, one item per source, in the order of their first citation."""
    return json.dumps([_csl(entry) for entry in entries(report)], ensure_ascii=False, indent=2) + "\n"


def entries(report: "Report") -> list[BibliographyEntry]:
    """Return the cited sources, each once with a unique key, in the order of their first citation."""
    sources = {source.id: source for source in report.sources}
    numbers: dict[str, list[int]] = {}
    for reference in report.references:
        if reference.source_id in sources:
            numbers.setdefault(reference.source_id, []).append(reference.number)
    taken, words = Counter[str](), labels_in(report.language)
    entries = []
    for source_id, cited in numbers.items():
        source = sources[source_id]
        key = _key(source)
        taken[key] += 1
        further = f"-{taken[key]}" if taken[key] > 1 else ""  # a hyphen keeps it from the year
        entries.append(BibliographyEntry(key + further, source, tuple(cited), words))
    return entries


def _key(source: "Source") -> str:
    """Return a key of the author, else the site, the title or the path, and the year if known: `mendel1866`."""
    first = source.author.split(",")[0].split()[-1:] if source.author else []
    site = source.domain.removeprefix("www.").rsplit(".", 1)[0].rpartition(".")[2] if source.kind == "web" else ""
    for text in (*first, site, source.title, source.path):
        words = [word for word in _WORD.findall(_ascii(text)) if word not in _DULL]
        if words and not words[0].isdigit():
            break
    else:
        words = [f"source{source.id[:8]}" if source.id.isalnum() else "source"]
    return f"{words[0][:24]}{_day(source.published)[:4]}"


def _ascii(text: str) -> str:
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()


def _bibtex(entry: BibliographyEntry) -> str:
    kind = "online" if entry.source.kind == "web" else "misc"
    lines = (f"  {name} = {{{value}}}," for name, value in _fields(entry) if value)
    return "\n".join([f"@{kind}{{{entry.key},", *lines, "}", ""])


def _fields(entry: BibliographyEntry) -> Iterator[tuple[str, str]]:
    """Yield the fields of an entry; double braces keep names whole and capitals as they are."""
    source = entry.source
    yield "author", " and ".join(f"{{{_latex(name)}}}" for name in entry.authors)
    yield "title", f"{{{_latex(entry.title)}}}"
    yield "organization", f"{{{_latex(entry.site)}}}" if source.kind == "web" and entry.site else ""
    yield "date", _day(source.published)
    yield "year", _day(source.published)[:4]
    yield "url", _address(source) if source.kind == "web" else ""
    yield "urldate", _day(source.retrieved_at) if source.kind == "web" else ""
    yield "howpublished", _latex(entry.words.local_file.format(path=one_line(source.path))) if source.path else ""
    yield "note", _latex(entry.note)


def _latex(text: str) -> str:
    return text.translate(_LATEX)


def _address(source: "Source") -> str:
    """Return a web address with the characters that could end its field percent-encoded; empty for any other."""
    if not is_web(source.url):
        return ""
    return _NO_ADDRESS.sub(
        lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode("utf-8", "replace")), source.url
    )


def _day(time: str) -> str:
    """Return the ISO day, month or year at the beginning of a time, empty if there is none."""
    date = ISO_DATE.match(time)
    return date[0] if date else ""


def _csl(entry: BibliographyEntry) -> Mapping[str, Any]:
    source = entry.source
    is_page = source.kind == "web"
    item = {
        "id": entry.key,
        "type": "webpage" if is_page else "document",
        "title": entry.title,
        "author": [{"literal": name} for name in entry.authors],
        "container-title": entry.site if is_page else "",
        "issued": _parts(source.published),
        "accessed": _parts(source.retrieved_at),
        "URL": _address(source) if is_page else "",
        "archive_location": one_line(source.path),
        "note": entry.note,
    }
    return {name: value for name, value in item.items() if value}


def _parts(time: str) -> dict[str, list[list[int]]]:
    """Return the date of an ISO time in the format of CSL, empty for anything else."""
    date = ISO_DATE.match(time)
    return {"date-parts": [[int(part) for part in date.groups() if part]]} if date else {}
