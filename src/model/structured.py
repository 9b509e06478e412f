"""Structured answers: a model's text as a typed value, by extraction, repair, validation, a retry, or a default."""

import asyncio
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Generic, Literal, TypeVar

from pydantic import BaseModel, ValidationError

from ..kernel.errors import EmptyAnswerError, OutputCutError, PromptTooLongError
from ..kernel.events import AnswerRead
from ..kernel.one_line import sanitized_json
from ..kernel.run import Run
from .extract import extract
from .model import Model, Prompt

Shape = TypeVar("Shape", bound=BaseModel)
How = Literal["extracted", "repaired"]

EXCERPT: Final = 500  # characters of an unusable answer that the model is shown again
LONGEST_REPAIR: Final = 100_000
"""Characters of an answer that are repaired: the time grows faster than the text (0.2 s at 32,000 quotes)."""

_FORM = """

Answer with JSON only, without any other text. It must fit this JSON Schema:
{schema}"""

_AGAIN = """

Your last answer could not be used: {problem}
It began with:
<last_answer>
{excerpt}
</last_answer>
Answer again, with nothing but the JSON."""


@dataclass(frozen=True, slots=True)
class Parsed(Generic[Shape]):
    """The value read from an answer and how it was read, or None and the problem."""

    value: Shape | None = None
    how: How = "extracted"
    problem: str = ""


async def structured(
    model: Model,
    run: Run,
    prompt: Prompt,
    shape: type[Shape],
    *,
    role: str,
    default: Shape,
    attempts: int | None = None,
    tools: Sequence[dict[str, Any]] = (),
) -> Shape:
    """Ask for a value of `shape` and return it; after two unreadable answers, return `default`.

    With `tools` the value is the list of the model's tool calls; if the model answers otherwise, or the server has no
    tools, the same value is requested as JSON. That prompt includes the shape's JSON Schema, which is also sent to the
    server. An answer that is cut, empty or prose counts as unreadable. A call is made at most `attempts` times, and
    never more often than the model's config allows. Each step emits an AnswerRead event. Raises the ModelErrors that
    are not about the answer's form: no connection, a refusal, a prompt that does not fit.
    """
    schema = json.dumps(shape.model_json_schema(), ensure_ascii=False)
    request = Prompt(prompt.system, prompt.user + _FORM.format(schema=schema))

    async def ask(prompt: Prompt, tools: Sequence[dict[str, Any]] = ()) -> tuple[str, Parsed[Shape]]:
        """Return the model's text and the value read from it."""
        cut, wanted = "", None if tools else shape
        try:
            text = await model.complete(run, prompt, role=role, schema=wanted, tools=tools, attempts=attempts)
        except OutputCutError as error:
            text, cut = str(error.details["text"]), "it was cut off at the output limit, so be shorter; "
        except EmptyAnswerError as error:
            return "", Parsed(problem=error.what)
        reading = await asyncio.to_thread(read, text, shape)
        return text, replace(reading, problem=cut + reading.problem)

    text, reading = await ask(prompt, tools) if tools else await ask(request)
    if reading.value is None:
        run.emit(AnswerRead(role, "asked_again", reading.problem))
        retry = Prompt(request.system, request.user + _AGAIN.format(problem=reading.problem, excerpt=text[:EXCERPT]))
        try:
            _, reading = await ask(retry)
        except PromptTooLongError as error:
            reading = Parsed(problem=error.what)
    if reading.value is None:
        run.emit(AnswerRead(role, "defaulted", reading.problem))
        return default
    run.emit(AnswerRead(role, reading.how))
    return reading.value


def read(text: str, shape: type[Shape]) -> Parsed[Shape]:
    """Return the value of `shape` in the text: the larger of the extracted and the repaired one.

    A value extracted from invalid JSON may be only a part of it.
    """
    readings = [_validated("extracted", extract(text), shape), _validated("repaired", _repaired(text), shape)]
    return max(readings, key=lambda reading: -1 if reading.value is None else len(repr(reading.value)))


def _repaired(text: str) -> Any:
    """Return the JSON value repaired from the text from its first bracket on, or None."""
    import json_repair

    bracket = re.search(r"[\[{]", text)
    if bracket is None:
        return None
    fragment = text[bracket.start() : bracket.start() + LONGEST_REPAIR]
    try:
        return json_repair.repair_json(fragment, return_objects=True) or None
    except (ValueError, RecursionError):  # nested too deep
        return None


def _validated(how: How, candidate: Any, shape: type[Shape]) -> Parsed[Shape]:
    if candidate is None:
        return Parsed(problem="it holds no JSON")
    try:
        value = shape.model_validate(sanitized_json(candidate))
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        location = ".".join(map(str, first["loc"])) or "the whole"
        return Parsed(problem=f"{location}: {first['msg']}")
    if not value.model_fields_set:
        return Parsed(problem=f"it has none of the fields {', '.join(shape.model_fields)}")
    return Parsed(value, how)
