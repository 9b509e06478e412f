"""A report as JSON, read from a file that anybody may have written."""

import os
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError
from pydantic_core import from_json

from ..documents.opening import opened
from ..kernel.bounded_json import require_values
from ..kernel.errors import ReportFileError, UnreadableError
from ..report import Report
from ..report.report import FORMAT
from .signature import Signature

LARGEST = 250_000_000
"""Bytes of a report; it carries the text of each cited source, and a page may have 10 MB."""

_SHOWN = 60
"""Characters of a wrong value that an error shows."""


@dataclass(frozen=True, slots=True)
class ReportFile:
    """A report, the checksum that its file says it has, "" when it says none, and who signed it, if anybody did."""

    report: Report
    checksum: str
    signature: Signature | None = None


def read_report(path: Path) -> ReportFile:
    """Return the report that a JSON file holds; nothing is taken for another type than it has.

    Raises ReportFileError, which says why it is none.
    """
    data = _bytes(path)
    remedy = "Name a file that `spyglass report --out NAME.json` wrote."
    try:
        require_values([data.decode(errors="replace")])
    except ValueError as error:
        raise ReportFileError(str(error), where=str(path), remedy=remedy) from error
    try:
        content = from_json(data, allow_inf_nan=False)
    except ValueError as error:
        raise ReportFileError(f"It is not JSON: {error}", where=str(path), remedy=remedy) from error
    if not isinstance(content, dict) or "format" not in content:
        raise ReportFileError("It is JSON, but no report: it has no format", where=str(path), remedy=remedy)
    found = content["format"]
    if type(found) is not int or found != FORMAT:
        raise ReportFileError(
            f"It has format {_short(found)}; this version reads format {FORMAT}",
            where=str(path),
            remedy="Use the version of Spyglass that wrote it.",
        )
    checksum = str(content.get("checksum", ""))
    by = content.get("signature")
    del content
    try:
        signature = None if by is None else Signature.model_validate(by, strict=True)
        return ReportFile(Report.model_validate_json(data, strict=True), checksum, signature)
    except ValidationError as error:
        raise ReportFileError(f"It is not a report: {_first(error)}", where=str(path), remedy=remedy) from error


def _bytes(path: Path) -> bytes:
    """Return what a regular file holds."""
    try:
        with opened(path) as file:
            size = os.fstat(file.fileno()).st_size
            content = file.read(LARGEST) if size <= LARGEST else b""
    except UnreadableError as error:
        raise error.turned(ReportFileError, where=str(path)) from error
    except (OSError, ValueError) as error:  # a path with a null character is a ValueError
        why = getattr(error, "strerror", None) or error
        raise ReportFileError(f"It cannot be read: {why}", where=str(path)) from error
    if size > LARGEST:
        told = f"It has {size / 1_000_000:,.0f} MB; a report has at most {LARGEST // 1_000_000:,} MB"
        raise ReportFileError(told, where=str(path))
    return content


def _first(error: ValidationError) -> str:
    found = error.errors(include_url=False, include_context=False)
    place = ".".join(map(str, found[0]["loc"]))
    value = "" if found[0]["type"] == "missing" else f" (it is {_short(found[0]['input'])})"
    more = f", and {len(found) - 1} more" if len(found) > 1 else ""
    return f"{place}: {found[0]['msg']}{value}{more}"


def _short(value: object) -> str:
    shown = repr(value) if isinstance(value, str | int | float | None) else f"a {type(value).__name__}"
    return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"
