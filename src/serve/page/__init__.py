"""The web page of the service: its files and its content security policy."""

from importlib.resources import files
from typing import Final

from fastapi.responses import Response

__all__ = ["page_file"]

KINDS: Final = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; frame-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""The page's content security policy: it loads everything from this service, and injected code does not run."""

FILES: Final = {
    one.name: one.read_bytes() for one in files(__package__).iterdir() if one.name.rpartition(".")[2] in KINDS
}
"""The files by name; they contain no user data, so they need no token."""


def page_file(name: str) -> Response | None:
    """Return a file of the page, None if there is none of that name."""
    if name not in FILES:
        return None
    kind = KINDS[name.rpartition(".")[2]]
    return Response(FILES[name], media_type=kind, headers={"Content-Security-Policy": POLICY})
