"""The labelled block for untrusted text, such as pages and files, in a prompt."""

import html
import re

_GAP = r"[\s\u00ad\u200b-\u200f\u2060-\u2064\ufe00-\ufe0f\ufeff]*+"
_TAG = re.compile(f"[<＜﹤]({_GAP}[/／]?{_GAP}{_GAP.join('source')})", re.IGNORECASE)
"""Matches a `source` tag as a model may read it: in any case, full-width, with blank or invisible gaps."""


def quoted(label: str, text: str, title: str = "") -> str:
    """Return `text` between lines `<source id="label" title="title">` and `</source>`, which it cannot close or forge.

    In the text, the `<` of anything that reads as a `source` tag becomes `&lt;`; nothing else changes. Label and title
    are escaped and put on one line; without a title there is no such attribute. Takes time linear in `text`.
    """
    named = f' title="{_attribute(title)}"' if title.strip() else ""
    harmless = _TAG.sub(r"&lt;\1", text)
    return f'<source id="{_attribute(label)}"{named}>\n{harmless}\n</source>'


def _attribute(value: str) -> str:
    return html.escape(" ".join(value.split()))
