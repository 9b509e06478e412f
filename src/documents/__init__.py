"""Conversion of files to text.

Other packages also import the modules `frames` (messages between processes), `ocr` and `opening` (the only module that
opens files), and the package `html`.
"""

from .converter import Converter, converter_of, extractor, version
from .document import Document
from .file_kind import CAPS, HEAD, kind_of, refuse
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
