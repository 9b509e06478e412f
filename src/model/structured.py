"""The one way from a model's text to a typed value: extract, repair, validate, ask once more, or take the default."""

import json
import re
from typing import Any, Final, Literal, TypeVar

from pydantic import BaseModel, ValidationError

from ..errors import EmptyAnswerError, OutputCutError, PromptTooLongError
from ..events import AnswerRead
from ..journal.journal import canonical
from ..run import Run
from .extract import extract
from .model import Model, Prompt

Shape = TypeVar("Shape", bound=BaseModel)
How = Literal["extracted", "repaired"]

EXCERPT: Final = 500
"""Characters of an unusable answer that the model is shown again."""

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


async def structured(model: Model, run: Run, prompt: Prompt, shape: type[Shape], *, role: str, default: Shape) -> Shape:
    """Ask for a value of `shape` and return it; after two answers that cannot be read as one, return `default`.

    The shape's JSON Schema is added to the prompt and given to the server. An answer that was cut, is empty or is
    prose counts as one that cannot be read. A shape that wants to take more than its schema says (a bare list for
    its one list, say) does so in a validator of its own. Each step is an AnswerRead event. Raises the ModelErrors
    that are not about the answer's form: no connection, a refusal, a prompt that does not fit.
    """
    schema = json.dumps(shape.model_json_schema(), ensure_ascii=False)
    asked = Prompt(prompt.system, prompt.user + _FORM.format(schema=schema))
    text, problem = await _answer(model, run, asked, shape, role)
    value, problem = _read(text, problem, shape, run, role)
    if value is not None:
        return value
    run.emit(AnswerRead(role, "asked_again", problem))
    again = Prompt(asked.system, asked.user + _AGAIN.format(problem=problem, excerpt=text[:EXCERPT]))
    try:
        text, problem = await _answer(model, run, again, shape, role)
        value, problem = _read(text, problem, shape, run, role)
    except PromptTooLongError as error:
        problem = error.what
    if value is not None:
        return value
    run.emit(AnswerRead(role, "defaulted", problem))
    return default


async def _answer(model: Model, run: Run, prompt: Prompt, shape: type[BaseModel], role: str) -> tuple[str, str]:
    """Return the model's text, and what is wrong with it so far."""
    try:
        return await model.complete(run, prompt, role=role, schema=shape), ""
    except OutputCutError as error:
        return str(error.details["text"]), "it was cut off at the output limit; be shorter"
    except EmptyAnswerError as error:
        return "", error.what


def _read(text: str, problem: str, shape: type[Shape], run: Run, role: str) -> tuple[Shape | None, str]:
    """Return the value in the text, told as an event, or None and the problem with it."""
    if not text:
        return None, problem
    best: tuple[int, How, Shape] | None = None
    found: How
    for found, candidate in (("extracted", extract(text)), ("repaired", _repaired(text))):
        value, complaint = _validated(candidate, shape)
        problem = problem or complaint
        # What extraction found may be a part of a broken whole, which repair then has more of.
        if value is not None and (best is None or len(canonical(candidate)) > best[0]):
            best = len(canonical(candidate)), found, value
    if best is None:
        return None, problem
    run.emit(AnswerRead(role, best[1]))
    return best[2], ""


def _repaired(text: str) -> Any:
    """Return what can be made of the text from its first bracket on, or None."""
    import json_repair

    bracket = re.search(r"[\[{]", text)
    if bracket is None:
        return None
    return json_repair.repair_json(text[bracket.start() :], return_objects=True) or None


def _validated(candidate: Any, shape: type[Shape]) -> tuple[Shape | None, str]:
    """Return the candidate as a value of the shape, or None and why it is not one."""
    if candidate is None:
        return None, "it holds no JSON"
    try:
        value = shape.model_validate(candidate)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        place = ".".join(map(str, first["loc"])) or "the whole"
        return None, f"{place}: {first['msg']}"
    if not value.model_fields_set:
        return None, f"it has none of the fields {', '.join(shape.model_fields)}"
    return value, ""
