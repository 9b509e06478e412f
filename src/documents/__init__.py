"""From files to text."""

from .converter import Converter, extractor, version
from .document import Document
from .kind import kind_of

__all__ = ["Converter", "Document", "extractor", "kind_of", "version"]
