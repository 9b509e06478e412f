"""A report as Markdown, page, PDF, Word, JSON or bibliography: `render` chooses by the suffix of a file.

What the code itself says in a report comes from `labels_in`, in the report's language. Who writes a part of a report
imports it by module: `escape`, `frame`, `html`, `labels`, `markdown`, `output`, `source_labels`.
"""

from typing import TYPE_CHECKING

from ..kernel.exports import lazy_exports

if TYPE_CHECKING:
    from .labels import Labels, labels_in
    from .output import render, suffix_of, suffixes

__all__ = ["Labels", "labels_in", "render", "suffix_of", "suffixes"]

__getattr__ = lazy_exports(__name__, labels="Labels labels_in", output="render suffix_of suffixes")
