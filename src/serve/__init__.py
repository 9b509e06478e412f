"""The HTTP service: `server_of` makes the server, module `app` the application; `Tokens` authenticate callers."""

from typing import TYPE_CHECKING

from ..kernel.exports import lazy_exports

if TYPE_CHECKING:
    from .server import server_of
    from .tokens import Tokens, lasting

__all__ = ["Tokens", "lasting", "server_of"]

__getattr__ = lazy_exports(__name__, server="server_of", tokens="Tokens lasting")
