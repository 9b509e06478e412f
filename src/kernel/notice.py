"""Messages of a run to its user: codes with values, worded by one file for each language."""

import json
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Final

LANGUAGES: Final = ("en", "de", "fr", "es", "it", "pt", "nl", "zh", "ja")
"""The languages that have words, English first: it stands in for all others."""

UNREAD: Final = "file_of_that_name_unread"
OTHER_LANGUAGE: Final = "files_in_other_language"
ON_TOP: Final = frozenset({UNREAD, OTHER_LANGUAGE})
"""The notices that a report says on top: they are why there may be no answer."""

DEEPEST: Final = 16  # a value may be a notice itself, so many times; what lies deeper is left out
_PLACE: Final = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, init=False)
class Notice:
    """A message: its code in the files of words, and the values of their placeholders.

    A value is data, never a template; one that is a notice is worded as well. `str` gives the English words.
    """

    code: str
    values: "dict[str, str | int | float | Notice]"

    def __init__(self, code: str, /, **values: "str | int | float | Notice") -> None:
        object.__setattr__(self, "code", code)
        object.__setattr__(self, "values", values)
        self.__post_init__()

    def __post_init__(self) -> None:
        """Put the values in order, so that equal notices are equal as JSON too; pydantic calls this, and no more."""
        object.__setattr__(self, "values", dict(sorted(self.values.items())))

    def __hash__(self) -> int:
        return hash((self.code, frozenset(self.values.items())))

    def __str__(self) -> str:
        return said(self)

    def to_record(self) -> dict[str, Any]:
        """Return a JSON-able record."""
        return {"code": self.code, "values": recorded(self.values)}


Told = str | Notice
"""A notice, or words from elsewhere (an error, a source, a user), which are quoted as they are."""


def said(told: Told, language: str = "en") -> str:
    """Return the words in a language, in English for one without a file; never raises.

    An unknown code is shown with its values, a placeholder without a value stays as it is.
    """
    return _said(told, language if language in LANGUAGES else LANGUAGES[0], DEEPEST)


def joined(told: Sequence[Told]) -> Told:
    """Return several as one, each half by itself: what is nested too deeply would be left out."""
    if len(told) < 2:
        return told[0] if told else ""
    middle = len(told) // 2
    return Notice("one_and_other", one=joined(told[:middle]), other=joined(told[middle:]))


def mapped(told: Told, change: Callable[[str], str]) -> Told:
    """Return a notice with each of its texts changed, or the changed words."""
    if isinstance(told, str):
        return change(told)
    values = {name: one if isinstance(one, int | float) else mapped(one, change) for name, one in told.values.items()}
    return Notice(told.code, **values)


def recorded(told: Any) -> Any:
    """Return a notice as a JSON-able record, also in lists and as values of dicts; anything else as it is."""
    match told:
        case Notice():
            return told.to_record()
        case dict():
            return {name: recorded(one) for name, one in told.items()}
        case list():
            return [recorded(one) for one in told]
    return told


def from_record(record: Any) -> Told:
    """Return what `recorded` described."""
    if isinstance(record, str):
        return record
    values = {name: from_record(one) if isinstance(one, dict) else one for name, one in record["values"].items()}
    return Notice(record["code"], **values)


def kept(told: Told) -> str:
    """Return one text for a column of a table: words as they are, a notice as its record in JSON."""
    return json.dumps(told.to_record(), ensure_ascii=False) if isinstance(told, Notice) else told


def from_kept(text: str) -> Told:
    """Return what `kept` made a text of."""
    return from_record(json.loads(text)) if text.startswith('{"code": ') else text


def from_records(records: Mapping[str, Any]) -> dict[str, Told]:
    """Return what `recorded` described, of each name."""
    return {name: from_record(record) for name, record in records.items()}


@cache
def words_of(language: str) -> dict[str, Any]:
    """Return the words of one of LANGUAGES as its file has them; those of notices stand under `notices`, by code."""
    return tomllib.loads(resources.files(__package__).joinpath("words", f"{language}.toml").read_text(encoding="utf-8"))


def _said(told: object, language: str, depth: int) -> str:
    if not isinstance(told, Notice):
        return f"{told:g}" if isinstance(told, float) else str(told)
    if not depth:
        return ""
    values = {name: _said(value, language, depth - 1) for name, value in told.values.items()}
    template = words_of(language)["notices"].get(told.code)
    if template is None:
        return ": ".join([told.code, *values.values()])
    return _PLACE.sub(lambda place: values.get(place[1], place[0]), template)
