"""Renders a report as Markdown, HTML, PDF, Word, JSON or bibliography; `render` chooses the format by file suffix.

`labels_in` returns the fixed texts of a report in its language. Other packages import these modules by name:
`escape`, `frame`, `html`, `labels`, `markdown`, `output`, `source_labels`.
"""

from typing import TYPE_CHECKING

from ..kernel.exports import lazy_exports

if TYPE_CHECKING:
    from .labels import Labels, labels_in
    from .output import render, suffix_of, suffixes

__all__ = ["Labels", "labels_in", "render", "suffix_of", "suffixes"]

__getattr__ = lazy_exports(__name__, labels="Labels labels_in", output="render suffix_of suffixes")
