"""Converts files to text.

Other folders also import the modules `frames`, the messages between processes, `ocr`, `opening`, which alone opens
files, and the folder `html`.
"""

from .converter import Converter, converter_of, extractor, version
from .document import Document
from .kind import CAPS, HEAD, kind_of, refuse
from .text import decode

__all__ = [
    "CAPS",
    "HEAD",
    "Converter",
    "Document",
    "converter_of",
    "decode",
    "extractor",
    "kind_of",
    "refuse",
    "version",
]
