"""The file formats of a report, by their suffix."""

import asyncio
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ..kernel.errors import UsageError
from ..kernel.one_line import escaped_json

if TYPE_CHECKING:
    from ..kernel.settings import Settings
    from ..report import Report

Renderer = Callable[["Report"], str | bytes]

JSON: Final = ".json"  # the suffix of the report object itself, which `verify` reads
PDF: Final = ".pdf"  # the only suffix that needs a browser


def _by(module: str, name: str) -> Renderer:
    """Return a renderer that imports its module on first use, since most runs need one format or none."""
    return lambda report: getattr(import_module(module, __package__), name)(report)


RENDERERS: Final[dict[str, Renderer]] = {
    ".md": lambda report: report.markdown,
    ".html": _by(".html", "html"),
    ".docx": _by(".docx", "docx"),
    JSON: lambda report: escaped_json(report.model_dump_json(indent=2)) + "\n",
    ".bib": _by(".bibliography", "bibtex"),
    ".csl.json": _by(".bibliography", "csl"),
}
"""The renderer of each suffix; add new formats here. PDF is handled by `render`."""


def suffixes() -> list[str]:
    """Return every suffix, in the order in which they are listed."""
    return [*RENDERERS, PDF]


def suffix_of(path: Path) -> str:
    """Return the longest known suffix that a file name ends with. Raises UsageError if there is none."""
    name = path.name.lower()
    fitting = [suffix for suffix in suffixes() if name.endswith(suffix)]
    if not fitting:
        raise UsageError(
            f'"{path.name}" has no suffix of a supported format',
            where="--out",
            remedy=f"Supported suffixes: {', '.join(suffixes())}.",
        )
    return max(fitting, key=len)


async def render(report: "Report", path: Path, settings: "Settings") -> bytes:
    """Return the file content for a path, in the format of its suffix; equal reports give equal bytes, except as PDF.

    Raises UsageError for an unknown suffix, BrowserError if a PDF could not be printed, and ValueError for a text that
    cannot be encoded.
    """
    suffix = suffix_of(path)
    if suffix == PDF:
        from .pdf import pdf

        return await pdf(report, settings)
    content = await asyncio.to_thread(RENDERERS[suffix], report)
    return content.encode() if isinstance(content, str) else content
