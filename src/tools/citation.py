"""The marks by which an answer names its sources: `<source_1>` as a model writes them, then `<web_citation …>`."""

import html
import re
from collections.abc import Mapping

from ..line import one_line
from ..report.catalogue import Catalogue, Entry
from ..report.draft import Cite, Draft

_NUMBER = r"source[ _-]?(\d{1,3})"
_PAIR = re.compile(rf"<{_NUMBER}>([^<>]*)</source[ _-]?\1>", re.IGNORECASE)
_CLOSING = re.compile(rf"</{_NUMBER}[ ]?>", re.IGNORECASE)
_MARK = re.compile(
    rf"[<\[(【]{_NUMBER}(?:[ ]?[,;&][ ]?(?:source[ _-]?)?\d{{1,3}}){{0,30}}[ ]?/?[>\])】]", re.IGNORECASE
)
_FORGED = re.compile(r"<(?=/?web_citation)", re.IGNORECASE)
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def with_labels(text: str) -> str:
    """Return a model's text with `[S1]` for `<source_1>`, in the spellings that models use of it.

    A pair of tags around a text becomes a mark behind it.
    """
    text = _PAIR.sub(r"\2[S\1]", text)
    text = _CLOSING.sub("", text)
    return _MARK.sub(lambda match: f"[{', '.join(f'S{number}' for number in re.findall(r'[0-9]+', match[0]))}]", text)


def raw(draft: Draft, catalogue: Catalogue) -> str:
    """Return a draft with `<source_1>` marks, as a model would have written it."""
    numbers = {entry.source.url: entry.id.removeprefix("S") for entry in catalogue.entries}
    return "".join(
        part if isinstance(part, str) else f"<source_{numbers[part.passage.source.url]}>" for part in draft.pieces
    )


def cited(draft: Draft, ranks: Mapping[str, int]) -> str:
    """Return a draft with a `web_citation` for each citation; `ranks` are those of the sources by address."""
    return "".join(
        _FORGED.sub("&lt;", _CONTROLS.sub("", part)) if isinstance(part, str) else _citation(part, ranks)
        for part in draft.pieces
    )


def used(draft: Draft, ranks: Mapping[str, int]) -> list[int]:
    """Return the ranks of the sources that a draft cites, in their order."""
    return sorted({ranks[cite.passage.source.url] for cite in draft.cites})


def number_of(entry: Entry) -> str:
    """Return the name by which the model knows a source, `source_1` say."""
    return f"source_{entry.id.removeprefix('S')}"


def _citation(cite: Cite, ranks: Mapping[str, int]) -> str:
    source = cite.passage.source
    url, title = (html.escape(one_line(value), quote=True) for value in (source.url, source.title))
    return f'<web_citation url="{url}" title="{title}">[{ranks[source.url]}]</web_citation>'
