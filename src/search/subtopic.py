"""A part of a research question, for which one searches."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ..kernel.errors import QuestionError
from ..kernel.source import digest


class Subtopic(BaseModel):
    """A part of a research question; without an `id`, one is derived from title and description."""

    model_config = ConfigDict(frozen=True, from_attributes=True, coerce_numbers_to_str=True)

    title: str = Field(pattern=r"\w")
    description: str = ""
    id: str = Field(
        default_factory=lambda fields: digest(fields.get("title", ""), fields.get("description", ""), size=12)
    )

    @classmethod
    def of(cls, given: str | Mapping[str, Any] | object) -> "Subtopic":
        """Return what was given, a title or an object or dict with one. Raises QuestionError when it has none."""
        try:
            return cls.model_validate({"title": given} if isinstance(given, str) else given)
        except ValidationError as error:
            first = error.errors(include_url=False, include_context=False)[0]
            what = f"A subtopic is not valid: {'.'.join(map(str, first['loc'])) or 'the whole'}: {first['msg']}"
            raise QuestionError(
                what, remedy="Give a title with words in it, or an object with title and description."
            ) from error
