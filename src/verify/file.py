"""Reads a report from an untrusted JSON file."""

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
"""Most bytes of a report, which contains the text of each cited source; a page may have 10 MB."""

_SHOWN = 60
"""Most characters of a wrong value in an error message."""


@dataclass(frozen=True, slots=True)
class ReportFile:
    """A report, the checksum in its file ("" without one), and its signature, if any."""

    report: Report
    checksum: str
    signature: Signature | None = None


def read_report(path: Path) -> ReportFile:
    """Return the report in a JSON file; values of a wrong type are not converted.

    Raises ReportFileError, whose message says what is wrong with the file.
    """
    data = _bytes(path)
    remedy = "Choose a file written by `spyglass report --out NAME.json`."
    try:
        require_values([data.decode(errors="replace")])
    except ValueError as error:
        raise ReportFileError(str(error), where=str(path), remedy=remedy) from error
    try:
        content = from_json(data, allow_inf_nan=False)
    except ValueError as error:
        raise ReportFileError(f"It is not JSON: {error}", where=str(path), remedy=remedy) from error
    if not isinstance(content, dict) or "format" not in content:
        raise ReportFileError("It is JSON, but not a report: it has no format", where=str(path), remedy=remedy)
    version = content["format"]
    if type(version) is not int or version != FORMAT:
        raise ReportFileError(
            f"It has format {_short(version)}; this version reads format {FORMAT}",
            where=str(path),
            remedy="Use the version of Spyglass that wrote it.",
        )
    checksum = str(content.get("checksum", ""))
    signed = content.get("signature")
    del content
    try:
        signature = None if signed is None else Signature.model_validate(signed, strict=True)
        return ReportFile(Report.model_validate_json(data, strict=True), checksum, signature)
    except ValidationError as error:
        raise ReportFileError(f"It is not a report: {_first(error)}", where=str(path), remedy=remedy) from error


def _bytes(path: Path) -> bytes:
    """Return the content of a regular file."""
    try:
        with opened(path) as file:
            size = os.fstat(file.fileno()).st_size
            content = file.read(LARGEST) if size <= LARGEST else b""
    except UnreadableError as error:
        raise error.as_kind(ReportFileError, where=str(path)) from error
    except (OSError, ValueError) as error:  # a path with a null character is a ValueError
        why = getattr(error, "strerror", None) or error
        raise ReportFileError(f"It cannot be read: {why}", where=str(path)) from error
    if size > LARGEST:
        message = f"It has {size / 1_000_000:,.0f} MB; a report has at most {LARGEST // 1_000_000:,} MB"
        raise ReportFileError(message, where=str(path))
    return content


def _first(error: ValidationError) -> str:
    errors = error.errors(include_url=False, include_context=False)
    path = ".".join(map(str, errors[0]["loc"]))
    value = "" if errors[0]["type"] == "missing" else f" (it is {_short(errors[0]['input'])})"
    more = f", and {len(errors) - 1} more" if len(errors) > 1 else ""
    return f"{path}: {errors[0]['msg']}{value}{more}"


def _short(value: object) -> str:
    shown = repr(value) if isinstance(value, str | int | float | None) else f"a {type(value).__name__}"
    return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"
