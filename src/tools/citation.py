"""The citation marks of an answer: `<source_1>` as a model writes them, converted to `<web_citation …>`."""

import html
import re
from collections.abc import Callable, Mapping

from ..kernel.one_line import one_line
from ..kernel.source import Source
from ..render import labels_in
from ..render.markdown import MarkdownWriter
from ..report import Composer, Draft

_NUMBER = r"source[ _-]?(\d{1,3})"
_PAIR = re.compile(rf"<{_NUMBER}>([^<>]*)</source[ _-]?\1>", re.IGNORECASE)
_CLOSING = re.compile(rf"</{_NUMBER}[ ]?>", re.IGNORECASE)
_MARK = re.compile(
    rf"[<\[(【]{_NUMBER}(?:[ ]?[,;&][ ]?(?:source[ _-]?)?\d{{1,3}}){{0,30}}[ ]?/?[>\])】]", re.IGNORECASE
)
NOBODY = "S0"  # an id that no source has
_FORGED = re.compile(r"<(?=/?web_citation)", re.IGNORECASE)
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def with_labels(text: str, ids: Mapping[int, str]) -> str:
    """Return a model's text with ids such as `[S1]` for `<source_4>`, in any spelling; `ids` maps ranks to ids.

    A pair of tags around a text becomes a mark after it.
    """

    def label(match: re.Match[str]) -> str:
        numbers = map(int, re.findall(r"[0-9]+", match[0]))
        return f"[{', '.join(ids.get(number, NOBODY) for number in numbers)}]"

    text = _PAIR.sub(r"\2<source_\1>", text)
    return _MARK.sub(label, _CLOSING.sub("", text))


def raw(draft: Draft, composer: Composer, ranks: Mapping[str, int]) -> str:
    """Return a draft with `<source_1>` marks, as a model would have written it; `ranks` as in `cited`."""
    return _written(draft, composer, lambda source: f"<{name_of(ranks[source.url])}>")


def cited(draft: Draft, composer: Composer, ranks: Mapping[str, int]) -> str:
    """Return a draft with a `web_citation` for each citation; `ranks` maps addresses of sources to ranks."""

    def citation(source: Source) -> str:
        url, title = (html.escape(one_line(value), quote=True) for value in (source.url, source.title))
        return f'<web_citation url="{url}" title="{title}">[{ranks[source.url]}]</web_citation>'

    return _written(draft, composer, citation)


def used(draft: Draft, composer: Composer, ranks: Mapping[str, int]) -> list[int]:
    """Return the ranks of the sources that a draft cites, in order."""
    return sorted({ranks[composer.index.by_label[cite.passage].source.url] for cite in draft.cites})


def name_of(rank: int) -> str:
    """Return the name of the source of that rank in prompts and in the model's text."""
    return f"source_{rank}"


class _AnswerWriter(MarkdownWriter):
    """Writes an answer, escaping words that look like a citation mark."""

    def say(self, markdown: str) -> None:
        super().say(_FORGED.sub("&lt;", markdown))


def _written(draft: Draft, composer: Composer, mark: Callable[[Source], str]) -> str:
    passages = composer.index.by_label
    writer = _AnswerWriter(labels_in(composer.language), lambda cite: mark(passages[cite.passage].source))
    writer.write(draft.blocks)
    return _CONTROLS.sub("", writer.text)
