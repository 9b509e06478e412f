"""From files to text."""

from .converter import Converter, converter_of, extractor, version
from .document import Document
from .kind import kind_of

__all__ = ["Converter", "Document", "converter_of", "extractor", "kind_of", "version"]
