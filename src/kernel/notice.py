"""Notices: messages to the user as codes with values, worded by a file of templates for each language."""

import json
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Final

LANGUAGES: Final = ("en", "de", "fr", "es", "it", "pt", "nl", "zh", "ja")
"""The languages with a file of templates; the first, English, stands in for all others."""

UNREAD: Final = "file_of_that_name_unread"
OTHER_LANGUAGE: Final = "files_in_other_language"
ON_TOP: Final = frozenset({UNREAD, OTHER_LANGUAGE})
"""The notices that a report shows at the top, because they may explain a missing answer."""

DEEPEST: Final = 16  # levels of notices nested as values; deeper ones are left out
_PLACE: Final = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, init=False)
class Notice:
    """A message to the user: its code in the files of templates, and the values of the placeholders.

    A value is data, never a template; a value that is a notice is worded too. `str` returns the English text.
    """

    code: str
    values: "dict[str, str | int | float | Notice]"

    def __init__(self, code: str, /, **values: "str | int | float | Notice") -> None:
        object.__setattr__(self, "code", code)
        object.__setattr__(self, "values", values)
        self.__post_init__()

    def __post_init__(self) -> None:
        """Sort the values, so that equal notices are equal as JSON too; pydantic calls only this."""
        object.__setattr__(self, "values", dict(sorted(self.values.items())))

    def __hash__(self) -> int:
        return hash((self.code, frozenset(self.values.items())))

    def __str__(self) -> str:
        return text_of(self)

    def to_record(self) -> dict[str, Any]:
        """Return a JSON-able record."""
        return {"code": self.code, "values": recorded(self.values)}


NoticeOrText = str | Notice
"""A notice, or text from elsewhere (an error, a source, a user), which is quoted unchanged."""


def text_of(message: NoticeOrText, language: str = "en") -> str:
    """Return the text of a message in a language, in English for a language without a file; never raises.

    An unknown code is shown with its values; a placeholder without a value is kept.
    """
    return _worded(message, language if language in LANGUAGES else LANGUAGES[0], DEEPEST)


def joined(messages: Sequence[NoticeOrText]) -> NoticeOrText:
    """Join several messages into one, as a balanced tree: notices that are nested too deeply are left out."""
    if len(messages) < 2:
        return messages[0] if messages else ""
    middle = len(messages) // 2
    return Notice("one_and_other", one=joined(messages[:middle]), other=joined(messages[middle:]))


def mapped(message: NoticeOrText, change: Callable[[str], str]) -> NoticeOrText:
    """Return a message with `change` applied to each of its texts."""
    if isinstance(message, str):
        return change(message)
    values = {
        name: value if isinstance(value, int | float) else mapped(value, change)
        for name, value in message.values.items()
    }
    return Notice(message.code, **values)


def recorded(value: Any) -> Any:
    """Return a notice as a JSON-able record, also within lists and dicts; anything else unchanged."""
    match value:
        case Notice():
            return value.to_record()
        case dict():
            return {name: recorded(item) for name, item in value.items()}
        case list():
            return [recorded(item) for item in value]
    return value


def from_record(record: Any) -> NoticeOrText:
    """Return the message in a record of `recorded`."""
    if isinstance(record, str):
        return record
    values = {name: from_record(item) if isinstance(item, dict) else item for name, item in record["values"].items()}
    return Notice(record["code"], **values)


def to_column(message: NoticeOrText) -> str:
    """Return a message as text for a database column: a text unchanged, a notice as JSON of its record."""
    return json.dumps(message.to_record(), ensure_ascii=False) if isinstance(message, Notice) else message


def from_column(text: str) -> NoticeOrText:
    """Return the message in a text of `to_column`."""
    return from_record(json.loads(text)) if text.startswith('{"code": ') else text


def from_records(records: Mapping[str, Any]) -> dict[str, NoticeOrText]:
    """Return the messages in records of `recorded`, by name."""
    return {name: from_record(record) for name, record in records.items()}


@cache
def words_of(language: str) -> dict[str, Any]:
    """Return the file of templates of one of LANGUAGES; those of notices are under `notices`, by code."""
    return tomllib.loads(resources.files(__package__).joinpath("words", f"{language}.toml").read_text(encoding="utf-8"))


def _worded(message: object, language: str, depth: int) -> str:
    if not isinstance(message, Notice):
        return f"{message:g}" if isinstance(message, float) else str(message)
    if not depth:
        return ""
    values = {name: _worded(value, language, depth - 1) for name, value in message.values.items()}
    template = words_of(language)["notices"].get(message.code)
    if template is None:
        return ": ".join([message.code, *values.values()])
    return _PLACE.sub(lambda place: values.get(place[1], place[0]), template)
