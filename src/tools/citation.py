"""The marks by which an answer names its sources: `<source_1>` as a model writes them, then `<web_citation …>`."""

import html
import re
from collections.abc import Mapping

from ..kernel.one_line import one_line
from ..report.draft import Cite, Draft

_NUMBER = r"source[ _-]?(\d{1,3})"
_PAIR = re.compile(rf"<{_NUMBER}>([^<>]*)</source[ _-]?\1>", re.IGNORECASE)
_CLOSING = re.compile(rf"</{_NUMBER}[ ]?>", re.IGNORECASE)
_MARK = re.compile(
    rf"[<\[(【]{_NUMBER}(?:[ ]?[,;&][ ]?(?:source[ _-]?)?\d{{1,3}}){{0,30}}[ ]?/?[>\])】]", re.IGNORECASE
)
NOBODY = "S0"
"""The id of no source."""

_FORGED = re.compile(r"<(?=/?web_citation)", re.IGNORECASE)
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def with_labels(text: str, ids: Mapping[int, str]) -> str:
    """Return a model's text with `[S1]` for `<source_4>`, in the spellings that models use; `ids` has those of ranks.

    A pair of tags around a text becomes a mark behind it.
    """

    def label(match: re.Match[str]) -> str:
        numbers = map(int, re.findall(r"[0-9]+", match[0]))
        return f"[{', '.join(ids.get(number, NOBODY) for number in numbers)}]"

    text = _PAIR.sub(r"\2<source_\1>", text)
    return _MARK.sub(label, _CLOSING.sub("", text))


def raw(draft: Draft, ranks: Mapping[str, int]) -> str:
    """Return a draft with `<source_1>` marks, as a model would have written it; `ranks` as in `cited`."""
    return "".join(
        part if isinstance(part, str) else f"<{name_of(ranks[part.passage.source.url])}>" for part in draft.pieces
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


def name_of(rank: int) -> str:
    """Return the name by which the model knows the source of that rank."""
    return f"source_{rank}"


def _citation(cite: Cite, ranks: Mapping[str, int]) -> str:
    source = cite.passage.source
    url, title = (html.escape(one_line(value), quote=True) for value in (source.url, source.title))
    return f'<web_citation url="{url}" title="{title}">[{ranks[source.url]}]</web_citation>'
