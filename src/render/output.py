"""The files that a report can be written to, by their suffix."""

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

JSON: Final = ".json"  # the suffix of the report itself, which `verify` reads
PDF: Final = ".pdf"  # the one suffix that takes a browser


def _by(module: str, name: str) -> Renderer:
    """Return the renderer of a module, which is read in when it is first used: most reports take one or none."""
    return lambda report: getattr(import_module(module, __package__), name)(report)


RENDERERS: Final[dict[str, Renderer]] = {
    ".md": lambda report: report.markdown,
    ".html": _by(".html", "html"),
    ".docx": _by(".docx", "docx"),
    JSON: lambda report: escaped_json(report.model_dump_json(indent=2)) + "\n",
    ".bib": _by(".bibliography", "bibtex"),
    ".csl.json": _by(".bibliography", "csl"),
}
"""Who writes a report as a file of a suffix; a new one is put in here. For PDF see `render`."""


def suffixes() -> list[str]:
    """Return every suffix, in the order in which they are listed."""
    return [*RENDERERS, PDF]


def suffix_of(path: Path) -> str:
    """Return the suffix that says how to write a report, the longest that fits. Raises UsageError when none does."""
    name = path.name.lower()
    fitting = [suffix for suffix in suffixes() if name.endswith(suffix)]
    if not fitting:
        raise UsageError(
            f'"{path.name}" has no suffix that says how to write the report',
            where="--out",
            remedy=f"Known suffixes: {', '.join(suffixes())}.",
        )
    return max(fitting, key=len)


async def render(report: "Report", path: Path, settings: "Settings") -> bytes:
    """Return what to write to a file of that name; equal reports give equal bytes, but for a PDF.

    Raises UsageError for a suffix that nobody writes, BrowserError when a PDF could not be printed, and
    ValueError for a text that cannot be encoded.
    """
    suffix = suffix_of(path)
    if suffix == PDF:
        from .pdf import pdf

        return await pdf(report, settings)
    content = await asyncio.to_thread(RENDERERS[suffix], report)
    return content.encode() if isinstance(content, str) else content
