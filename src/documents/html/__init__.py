"""Conversion of the bytes of an HTML page, from the web or from a file, to text.

Other packages also import the modules `article`, `block`, `charset`, `plain` and `reader`.
"""

from typing import TYPE_CHECKING, Final

from ...kernel.exports import lazy_exports

if TYPE_CHECKING:
    from .reader import Extract, read_html

__all__ = ["EXTRACTOR", "Extract", "read_html"]

EXTRACTOR: Final = "spyglass-html 10"
"""Increment its number with every change in this folder that changes the text of any page."""

__getattr__ = lazy_exports(__name__, reader="Extract read_html")
