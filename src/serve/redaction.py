"""What callers of the service are not told: where its files lie, and which servers it asks."""

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

Of = TypeVar("Of", Source, Reference, Side)

_ASKED: Final = ("urls", "sites")  # settings whose addresses are pages, which a report names
_FILES: Final = "local files"  # what stands for a folder
_REST: Final = r"[^\s\"'“”‘’<>()\[\],;]*"  # what belongs to a path or an address that goes on


class Redaction:
    """Takes the folders, paths and addresses of these settings out of what the service says of itself.

    A file of the folders goes by its path within them, as in every report. What a page or a file says is left as it
    is: it was asked for, and each of its signs is counted. The folders of `settings` have to be absolute.
    """

    def __init__(self, settings: Settings) -> None:
        folders = {form for folder in settings.db for form in _forms(folder)}
        elsewhere = {form for path in _paths(settings) for form in _forms(path)} - folders
        origins = set(map(_origin, _addresses(settings)))
        hosts = {origin.partition("//")[2] for origin in origins} - {""}  # a database may be at a socket
        collection = rf"(?<![\w.]){_any_of(_forms(settings.data_dir / FOLDER))}/[^/]+/([^/]+)/{DOCUMENTS}"
        self._names = [*folders, *elsewhere, *hosts]
        self._veiled = [
            (re.compile(pattern), instead)
            for pattern, instead in (
                (rf"{collection}/(?=\w)", ""),
                (rf"{collection}(?![\w-])/?", r"\1"),
                (rf"(?<![\w.]){_any_of(folders)}/(?=\w)", ""),
                (rf"(?<![\w.]){_any_of(folders)}(?![\w-])/?", _FILES),
                (rf"(?<![\w.]){_any_of(elsewhere)}(?:/{_REST}|(?![\w-]))", "a path"),
                (rf"(?<![\w.]){_any_of(origins)}(?![\w-])(?:[/?#]{_REST})?", "an address"),
                (rf"(?<![\w.-]){_any_of(hosts)}(?![\w-])", "an address"),
            )
        ]

    def text(self, said: str) -> str:
        """Return what is said without them."""
        if any(name in said for name in self._names):
            for pattern, instead in self._veiled:
                said = pattern.sub(instead, said)
        return said

    def value(self, value: Any) -> Any:
        """Return a JSON value, with notices as they are or as JSON, without them in any of its texts."""
        match value:
            case str():
                return self.text(value)
            case Notice():
                return mapped(value, self.text)
            case list() | tuple():
                return [self.value(one) for one in value]
            case dict():
                return {name: self.value(one) for name, one in value.items()}
        return value

    def report(self, report: Report) -> Report:
        """Return a report without them where it speaks of how it was made."""
        sides = [
            disagreement.model_copy(
                update={"first": _placeless(disagreement.first), "second": _placeless(disagreement.second)}
            )
            for disagreement in report.contradictions
        ]
        told = {name: self.value(getattr(report, name)) for name in ("notices", "filters")}
        spoken = {
            name: [type(one).model_validate(self.value(one.model_dump())) for one in getattr(report, name)]
            for name in ("failures", "searches", "calls")
        }
        return report.model_copy(
            update={
                "sources": list(map(_placeless, report.sources)),
                "references": list(map(_placeless, report.references)),
                "contradictions": sides,
                "folders": [_FILES] if report.folders else [],
                **told,
                **spoken,
            }
        )


def _placeless(cited: Of) -> Of:
    """Return a source, or what cites one, without the place of its file."""
    return cited.model_copy(update={"url": ""}) if cited.url.startswith("file:") else cited


def _paths(settings: Settings) -> Iterator[Path]:
    """Yield every path that the settings name but the folders, and those of this program and its user."""
    values = (attrgetter(name)(settings) for name in settings_in(Settings))
    yield from (value for value in values if isinstance(value, Path))
    yield from (Path.home(), Path.cwd(), Path(__file__).parents[1])
    if sys.prefix != sys.base_prefix:
        yield Path(sys.prefix)


def _forms(path: Path) -> Iterator[str]:
    """Yield the ways in which a path is spelt, none for the root."""
    for one in (path.expanduser().absolute(), path.expanduser().resolve()):
        if len(one.parts) > 1:
            yield from (one.as_uri(), str(one))


def _addresses(settings: Settings) -> Iterator[str]:
    """Yield the addresses of every server that the settings name, and of the models."""
    yield from (text for name, value in settings if name not in _ASKED for text in _texts(value) if "://" in text)
    yield from (model.base_url for model in models_of(settings))


def _texts(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case SecretStr():
            yield value.get_secret_value()
        case dict():
            for one in value.values():
                yield from _texts(one)
        case BaseModel():
            for _, one in value:
                yield from _texts(one)


def _origin(address: str) -> str:
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"


def _any_of(forms: Iterable[str]) -> str:
    """Return the pattern of any of these, the longest one first; of none of them, one that matches nothing."""
    return f"(?:{'|'.join(map(re.escape, sorted(forms, key=len, reverse=True))) or '(?!)'})"
