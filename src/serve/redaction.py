"""Removes from messages what callers of the service may not learn: its file paths and the servers that it uses."""

import re
import sys
from collections.abc import Iterable, Iterator
from operator import attrgetter
from pathlib import Path
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

from pydantic import BaseModel, SecretStr

from ..kernel.notice import Notice, mapped
from ..kernel.settings import Settings, settings_in
from ..kernel.source import Source
from ..model.providers import models_of
from ..report import Reference, Report, Side
from .collection_store import DOCUMENTS, FOLDER

Cited = TypeVar("Cited", Source, Reference, Side)

_PAGES: Final = ("urls", "sites")  # settings with addresses of pages, which a report names anyway
_FILES: Final = "local files"  # the replacement for a folder
_REST: Final = r"[^\s\"'“”‘’<>()\[\],;]*"  # the rest of a path or an address


class Redaction:
    """Removes the folders, paths and addresses of these settings from the service's messages about itself.

    A file in the folders is named by its path within them, as in every report. Texts of pages and files are unchanged:
    the caller asked for them, and quotes refer to them by offset. The folders of `settings` must be absolute.
    """

    def __init__(self, settings: Settings) -> None:
        folders = {form for folder in settings.db for form in _forms(folder)}
        elsewhere = {form for path in _paths(settings) for form in _forms(path)} - folders
        origins = set(map(_origin, _addresses(settings)))
        hosts = {origin.partition("//")[2] for origin in origins} - {""}  # a database may be reached by a socket
        collection = rf"(?<![\w.]){_any_of(_forms(settings.data_dir / FOLDER))}/[^/]+/([^/]+)/{DOCUMENTS}"
        self._names = [*folders, *elsewhere, *hosts]
        self._replacements = [
            (re.compile(pattern), replacement)
            for pattern, replacement in (
                (rf"{collection}/(?=\w)", ""),
                (rf"{collection}(?![\w-])/?", r"\1"),
                (rf"(?<![\w.]){_any_of(folders)}/(?=\w)", ""),
                (rf"(?<![\w.]){_any_of(folders)}(?![\w-])/?", _FILES),
                (rf"(?<![\w.]){_any_of(elsewhere)}(?:/{_REST}|(?![\w-]))", "a path"),
                (rf"(?<![\w.]){_any_of(origins)}(?![\w-])(?:[/?#]{_REST})?", "an address"),
                (rf"(?<![\w.-]){_any_of(hosts)}(?![\w-])", "an address"),
            )
        ]

    def text(self, message: str) -> str:
        """Return the message with all of them replaced."""
        if any(name in message for name in self._names):
            for pattern, replacement in self._replacements:
                message = pattern.sub(replacement, message)
        return message

    def value(self, value: Any) -> Any:
        """Return a JSON value, which may contain notices, with all its texts redacted."""
        match value:
            case str():
                return self.text(value)
            case Notice():
                return mapped(value, self.text)
            case list() | tuple():
                return [self.value(item) for item in value]
            case dict():
                return {name: self.value(item) for name, item in value.items()}
        return value

    def report(self, report: Report) -> Report:
        """Return a report redacted where it describes how it was made."""
        contradictions = [
            disagreement.model_copy(
                update={"first": _without_path(disagreement.first), "second": _without_path(disagreement.second)}
            )
            for disagreement in report.contradictions
        ]
        messages = {name: self.value(getattr(report, name)) for name in ("notices", "filters")}
        records = {
            name: [type(record).model_validate(self.value(record.model_dump())) for record in getattr(report, name)]
            for name in ("failures", "searches", "calls")
        }
        return report.model_copy(
            update={
                "sources": list(map(_without_path, report.sources)),
                "references": list(map(_without_path, report.references)),
                "contradictions": contradictions,
                "folders": [_FILES] if report.folders else [],
                **messages,
                **records,
            }
        )


def _without_path(cited: Cited) -> Cited:
    """Return a source, or a citation of one, without the path of its file."""
    return cited.model_copy(update={"url": ""}) if cited.url.startswith("file:") else cited


def _paths(settings: Settings) -> Iterator[Path]:
    """Yield every path in the settings except the folders, and the paths of this program and its user."""
    values = (attrgetter(name)(settings) for name in settings_in(Settings))
    yield from (value for value in values if isinstance(value, Path))
    yield from (Path.home(), Path.cwd(), Path(__file__).parents[1])
    if sys.prefix != sys.base_prefix:
        yield Path(sys.prefix)


def _forms(path: Path) -> Iterator[str]:
    """Yield the spellings of a path, none for the root."""
    for form in (path.expanduser().absolute(), path.expanduser().resolve()):
        if len(form.parts) > 1:
            yield from (form.as_uri(), str(form))


def _addresses(settings: Settings) -> Iterator[str]:
    """Yield the addresses of every server that the settings name, and of the models."""
    yield from (text for name, value in settings if name not in _PAGES for text in _texts(value) if "://" in text)
    yield from (model.base_url for model in models_of(settings))


def _texts(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case SecretStr():
            yield value.get_secret_value()
        case dict():
            for item in value.values():
                yield from _texts(item)
        case BaseModel():
            for _, item in value:
                yield from _texts(item)


def _origin(address: str) -> str:
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"


def _any_of(forms: Iterable[str]) -> str:
    """Return a pattern that matches any of the forms, the longest first; without forms it matches nothing."""
    return f"(?:{'|'.join(map(re.escape, sorted(forms, key=len, reverse=True))) or '(?!)'})"
