"""From the bytes of an HTML page, of the web or of a file, to its text.

Others also import the modules `article`, `block`, `charset`, `plain` and `reader`.
"""

from typing import TYPE_CHECKING, Final

from ...kernel.exports import lazy_exports

if TYPE_CHECKING:
    from .reader import Extract, read_html

__all__ = ["EXTRACTOR", "Extract", "read_html"]

EXTRACTOR: Final = "spyglass-html 9"
"""Its number is raised whenever the code of this folder makes another text of some page than before."""

__getattr__ = lazy_exports(__name__, reader="Extract read_html")
