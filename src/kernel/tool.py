"""`@tool`: gives a function a JSON schema, by which a model, the command line and an MCP server call it."""

import asyncio
import difflib
import inspect
import re
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, NotRequired, ParamSpec, Protocol, TypeVar, cast

from pydantic import ConfigDict, TypeAdapter, ValidationError, with_config
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import ErrorDetails, from_json, to_json
from typing_extensions import TypedDict

from .argument import prepared, require, short, validated
from .errors import ArgumentError

P = ParamSpec("P")
R_co = TypeVar("R_co", covariant=True)

GIVEN: Final = object()
"""Marks a parameter that the calling code supplies, `run: Annotated[Run, GIVEN]`: it is not part of the schema."""

_SECTION: Final = re.compile(r"(Args|Arguments|Returns|Yields|Raises|Examples?|Notes?|Attributes):\s*")
_ARGUMENT: Final = re.compile(r"\*{0,2}(?P<name>\w+)(?:\s*\([^()]*\))?\s*:\s*(?P<text>.*)")


class Tool(Protocol[P, R_co]):
    """A function decorated with `@tool`: its arguments are validated before each call.

    `schema` has `name`, `description` and `input_schema`, a JSON Schema with types, defaults and the required names.
    """

    schema: dict[str, Any]
    call: Callable[..., Awaitable[Any]]
    """`await call(arguments, **supplied)`: takes the arguments as JSON values; a sync function runs in a thread."""

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co:
        """Validate the arguments and call the function. Raises ArgumentError."""


@validated
def tool(function: Callable[P, R_co]) -> Tool[P, R_co]:
    """Give a function a JSON schema made from its signature, type hints and docstring, and validate its arguments.

    A parameter's description comes from `Annotated[…, Field(description=…)]`, `Annotated[…, "text"]`, or the `Args`
    section of the docstring. Raises TypeError for a parameter without a type, and for `*args` and `**kwargs`, which a
    schema cannot describe; the tool itself raises ArgumentError for arguments that do not fit.
    """
    parameters = _Parameters.of(function)
    decorated = prepared(function, parameters.validated)

    async def call(arguments: Mapping[str, Any], /, **supplied: Any) -> Any:
        for name, value in arguments.items():
            if name not in parameters.names:  # unknown, or only the calling code may supply it
                raise parameters.unknown(str(name), value)
        positional, named = parameters.validated((), {**arguments, **supplied})
        if inspect.iscoroutinefunction(function):
            return await function(*positional, **named)
        return await asyncio.to_thread(function, *positional, **named)

    decorated.__dict__.update(schema=parameters.schema(function), call=call)
    return cast("Tool[P, R_co]", decorated)


@dataclass(frozen=True, slots=True)
class _Parameters:
    """The parameters of a function: an adapter of those in the schema, and the types of those marked GIVEN."""

    name: str
    signature: inspect.Signature
    names: tuple[str, ...]
    texts: dict[str, str]
    adapter: TypeAdapter[Any]
    supplied: dict[str, Any]

    @classmethod
    def of(cls, function: Callable[..., Any]) -> "_Parameters":
        name = function.__name__
        signature = inspect.signature(function)
        hints = inspect.get_annotations(function, eval_str=True)
        fields: dict[str, Any] = {}
        texts = _described(function)[1]
        for parameter in signature.parameters.values():
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD) or parameter.name not in hints:
                raise TypeError(f"The tool {name} needs a single value with a type as its parameter {parameter.name}")
            hint = hints[parameter.name]
            notes = getattr(hint, "__metadata__", ())  # of Annotated
            if not any(note is GIVEN for note in notes):
                fields[parameter.name] = hint if parameter.default is parameter.empty else NotRequired[hint]
                texts.update((parameter.name, note) for note in notes if isinstance(note, str))
        shape = TypedDict(name, fields)  # type: ignore[misc]
        adapter: TypeAdapter[Any] = TypeAdapter(with_config(ConfigDict(extra="forbid"))(shape))
        supplied = {parameter: hints[parameter] for parameter in signature.parameters if parameter not in fields}
        return cls(name, signature, tuple(fields), texts, adapter, supplied)

    def schema(self, function: Callable[..., Any]) -> dict[str, Any]:
        """Return the schema of the tool; a default that is not JSON is shown as text."""
        schema = self.adapter.json_schema(schema_generator=_Untitled)
        properties = schema.setdefault("properties", {})
        for name in self.names:
            if name in self.texts:
                properties[name].setdefault("description", self.texts[name])
            if (default := self.signature.parameters[name].default) is not inspect.Parameter.empty:
                properties[name]["default"] = from_json(to_json(default, fallback=str, inf_nan_mode="strings"))
        parts = {key: value for key, value in schema.items() if key not in ("title", "description")}
        return {
            "name": self.name,
            "description": _described(function)[0],
            "input_schema": {**parts, "required": schema.get("required", [])},
        }

    def validated(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return the arguments as the function takes them, converted to its types. Raises ArgumentError."""
        arguments = {**self._by_position(args, kwargs), **kwargs}
        hidden = {name: arguments.pop(name) for name in self.supplied if name in arguments}
        require(f"The tool {self.name}", **{name: (value, self.supplied[name]) for name, value in hidden.items()})
        try:
            validated = {**self.adapter.validate_python(arguments), **hidden}
        except ValidationError as error:
            raise self._explained(error.errors(include_url=False, include_context=False)[0]) from error
        in_order = OrderedDict((name, validated[name]) for name in self.signature.parameters if name in validated)
        bound = inspect.BoundArguments(self.signature, in_order)
        return bound.args, bound.kwargs

    def _by_position(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        try:
            named = self.signature.bind_partial(*args).arguments
        except TypeError as error:
            remedy = f"Parameters: {', '.join(self.signature.parameters) or 'none'}."
            raise ArgumentError(f"The tool {self.name} got {len(args)} arguments, too many", remedy=remedy) from error
        if twice := next((name for name in named if name in kwargs), ""):
            raise ArgumentError(f'The tool {self.name} got its argument "{twice}" twice', remedy="Pass it once.")
        return named

    def _explained(self, problem: ErrorDetails) -> ArgumentError:
        name = ".".join(map(str, problem["loc"]))
        if problem["type"] == "extra_forbidden" and len(problem["loc"]) == 1:
            return self.unknown(name, problem["input"])
        if problem["type"] == "missing" and len(problem["loc"]) == 1:
            parameters = self.signature.parameters
            required = (key for key in self.names if parameters[key].default is inspect.Parameter.empty)
            remedy = f"Required arguments: {', '.join(required)}."
            return ArgumentError(f'The tool {self.name} got no argument "{name}"', remedy=remedy)
        what = f'The tool {self.name} does not accept {short(problem["input"])} for "{name}"'
        return ArgumentError(what, remedy=f"{problem['msg'].removeprefix('Value error, ')}.")

    def unknown(self, name: str, value: Any) -> ArgumentError:
        """Return the error for an argument that is not in the schema."""
        near = difflib.get_close_matches(name, self.names, n=1)
        remedy = f'Did you mean "{near[0]}"?' if near else f"Parameters: {', '.join(self.names) or 'none'}."
        return ArgumentError(f'The tool {self.name} has no argument "{name}" (= {short(value)})', remedy=remedy)


class _Untitled(GenerateJsonSchema):
    """A JSON Schema without the titles that pydantic derives from names."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002
        return False


def _described(function: Callable[..., Any]) -> tuple[str, dict[str, str]]:
    """Return the description and the `Args` of a docstring in Google's style."""
    description: list[str] = []
    texts: dict[str, str] = {}
    section, name, depth = "", "", 0
    for line in inspect.cleandoc(function.__doc__ or "").splitlines():
        indent = len(line) - len(line.lstrip())
        if not indent and (header := _SECTION.fullmatch(line)):
            section, name, depth = header[1], "", 0
        elif not section or (not indent and line.strip()):
            section = ""
            description.append(line)
        elif section.startswith("Arg") and line.strip():
            depth = depth or indent
            entry = _ARGUMENT.fullmatch(line.strip()) if indent <= depth else None
            name = entry["name"] if entry else name
            texts[name] = f"{texts.get(name, '')} {entry['text'] if entry else line.strip()}".strip()
    texts.pop("", None)
    return "\n".join(description).strip(), texts
