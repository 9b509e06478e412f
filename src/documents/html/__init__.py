"""From the bytes of an HTML page, of the web or of a file, to its text."""

from typing import Final

EXTRACTOR: Final = "spyglass-html 5"
"""Its number is raised whenever the code of this folder makes another text of some page than before."""
