"""From files to text."""

from .converter import Converter, version
from .document import Document
from .kind import kind_of

__all__ = ["Converter", "Document", "kind_of", "version"]
