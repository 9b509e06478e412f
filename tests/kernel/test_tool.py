"""A decorated function has a JSON schema, is called as before, and takes only arguments that fit."""

import asyncio
import inspect
import json
import threading
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from spyglass.kernel.errors import ArgumentError, UsageError
from spyglass.kernel.tool import GIVEN, tool


class Place(BaseModel):
    """Where it is."""

    latitude: float
    longitude: float = 0.0


@tool
def weather(
    where: Place | str,
    days: Annotated[int, Field(ge=1, le=7)] = 3,
    units: Literal["metric", "imperial"] = "metric",
    *,
    tags: list[str] | None = None,
    note: Annotated[str, "Words for the log."] = "",
) -> str:
    """Tell the weather.

    It is a forecast: nobody knows.

    Args:
        where: A place, by its name
            or its coordinates: either will do.
        days (int): How many days.
        tags: What it is filed under.

    Returns:
        The forecast: in words.

    Raises:
        ValueError: never.
    """
    return f"{where} {days} {units} {tags} {note}"


@tool
async def double(number: int, run: Annotated[object, GIVEN] = None) -> int:
    """Double a number."""
    await asyncio.sleep(0)
    return number * 2


def test_the_schema_says_name_description_types_defaults_and_what_is_required() -> None:
    assert weather.schema["name"] == "weather"
    assert weather.schema["description"] == "Tell the weather.\n\nIt is a forecast: nobody knows."
    takes = weather.schema["input_schema"]
    assert (takes["type"], takes["required"], takes["additionalProperties"]) == ("object", ["where"], False)
    assert takes["properties"] == {
        "where": {
            "anyOf": [{"$ref": "#/$defs/Place"}, {"type": "string"}],
            "description": "A place, by its name or its coordinates: either will do.",
        },
        "days": {"type": "integer", "minimum": 1, "maximum": 7, "default": 3, "description": "How many days."},
        "units": {"type": "string", "enum": ["metric", "imperial"], "default": "metric"},
        "tags": {
            "anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}],
            "default": None,
            "description": "What it is filed under.",
        },
        "note": {"type": "string", "default": "", "description": "Words for the log."},
    }
    assert takes["$defs"]["Place"]["required"] == ["latitude"]


def test_a_schema_is_json() -> None:
    assert json.loads(json.dumps(weather.schema)) == weather.schema


def test_a_tool_is_still_the_function() -> None:
    assert weather("Jena", 2, tags=["a"]) == "Jena 2 metric ['a'] "
    assert type(weather).__name__ == "function"
    assert inspect.iscoroutinefunction(double)
    assert inspect.signature(weather).parameters["days"].default == 3


async def test_an_asynchronous_tool_is_awaited_as_before() -> None:
    assert await double(4) == 8
    assert await double(number=4) == 8


async def test_a_tool_takes_arguments_as_json_has_them() -> None:
    assert await weather.call({"where": {"latitude": 1}, "days": "5"}) == "latitude=1.0 longitude=0.0 5 metric None "
    assert await double.call({"number": 4.0}) == 8


async def test_a_synchronous_tool_does_not_hold_the_loop() -> None:
    @tool
    def whose() -> str:
        """Say which thread runs it."""
        return threading.current_thread().name

    assert await whose.call({}) != threading.current_thread().name
    assert whose() == threading.current_thread().name


async def test_what_the_caller_gives_is_not_part_of_the_schema() -> None:
    seen: list[object] = []

    @tool
    async def note(text: str, run: Annotated[list[object], GIVEN]) -> str:
        """Note it."""
        run.append(text)
        return text

    assert list(note.schema["input_schema"]["properties"]) == ["text"]
    assert await note.call({"text": "a"}, run=seen) == "a"
    assert await note("b", run=seen) == "b"
    assert seen == ["a", "b"], "what is given is the very object"
    with pytest.raises(ArgumentError, match='The tool note has no argument "run"'):
        await note.call({"text": "a", "run": []})


async def test_arguments_that_do_not_fit_are_refused_by_name() -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({}, 'The tool weather got no argument "where". Required arguments: where.'),
        ({"where": 3}, 'The tool weather does not accept 3 for "where'),
        ({"where": "a", "day": 2}, 'The tool weather has no argument "day" (= 2). Did you mean "days"?'),
        ({"where": "a", "zzz": 2}, 'has no argument "zzz" (= 2). Parameters: where, days, units, tags, note.'),
        (
            {"where": "a", "days": "many"},
            "The tool weather does not accept 'many' for \"days\". Input should be a valid integer",
        ),
        ({"where": "a", "days": 8}, 'does not accept 8 for "days". Input should be less than or equal to 7.'),
        ({"where": "a", "days": None}, 'does not accept None for "days". Input should be a valid integer.'),
        (
            {"where": "a", "units": "kelvin"},
            "does not accept 'kelvin' for \"units\". Input should be 'metric' or 'imperial'.",
        ),
        ({"where": "a", "tags": "x"}, "does not accept 'x' for \"tags\". Input should be a valid list."),
        ({"where": "a", "tags": ["x", 1]}, 'does not accept 1 for "tags.1". Input should be a valid string.'),
    ]
    for arguments, complaint in cases:
        for calling in (weather.call(arguments), asyncio.to_thread(weather, **arguments)):
            with pytest.raises(ArgumentError) as refused:
                await calling
            assert complaint in str(refused.value)
            assert isinstance(refused.value, UsageError)
    assert await weather.call({"where": "a", "note": 7 * "long text " * 99})


def test_positional_arguments_are_refused_by_name_as_well() -> None:
    with pytest.raises(ArgumentError, match='The tool weather got its argument "where" twice'):
        weather("a", where="b")  # type: ignore[misc]
    with pytest.raises(ArgumentError, match=r"The tool weather got 4 arguments, too many\. Parameters: where, days"):
        weather("a", 1, "metric", ["b"])  # type: ignore[call-arg]
    with pytest.raises(ArgumentError, match='The tool weather got no argument "where"'):
        weather()  # type: ignore[call-arg]


def test_a_wrong_value_is_shown_short() -> None:
    with pytest.raises(ArgumentError) as refused:
        weather("a", units="x" * 100_000)  # type: ignore[arg-type]
    assert len(str(refused.value)) < 300


def test_an_error_of_the_tool_itself_is_its_own() -> None:
    @tool
    def breaks(number: int) -> int:
        """Break."""
        raise ValueError(number)

    with pytest.raises(ValueError, match="3"):
        breaks(3)


def test_names_that_pydantic_keeps_for_itself_may_be_arguments() -> None:
    @tool
    def strange(
        schema: int, _hidden: int, model_config: int, class_: int, /, json: int = 1, copy: int = 2
    ) -> list[int]:
        """Take strange names."""
        return [schema, _hidden, model_config, class_, json, copy]

    assert list(strange.schema["input_schema"]["properties"]) == [
        "schema",
        "_hidden",
        "model_config",
        "class_",
        "json",
        "copy",
    ]
    assert strange(1, 2, 3, 4, copy=6) == [1, 2, 3, 4, 1, 6]


def test_a_tool_without_arguments_or_words_has_a_schema() -> None:
    @tool
    def nothing() -> None:
        pass

    empty = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
    assert nothing.schema == {"name": "nothing", "description": "", "input_schema": empty}


def test_a_default_that_json_lacks_is_shown_as_text() -> None:
    @tool
    def endless(until: float = float("inf"), where: Place = Place(latitude=1)) -> None:  # noqa: B008
        """Wait."""

    properties = endless.schema["input_schema"]["properties"]
    assert properties["where"]["default"] == {"latitude": 1.0, "longitude": 0.0}
    assert properties["until"]["default"] == "Infinity"
    assert json.dumps(endless.schema, allow_nan=False)


def test_a_parameter_that_no_schema_can_tell_is_refused_where_it_is_written() -> None:
    def untyped(number, other: int) -> None:  # type: ignore[no-untyped-def]
        """Do nothing."""

    def many(*numbers: int) -> None:
        """Do nothing."""

    def options(**named: int) -> None:
        """Do nothing."""

    for function, name in ((untyped, "number"), (many, "numbers"), (options, "named")):
        with pytest.raises(TypeError, match=f"needs a single value with a type as its parameter {name}"):
            tool(function)


@given(st.dictionaries(st.text(), st.one_of(st.none(), st.integers(), st.text(), st.lists(st.integers()))))
def test_any_arguments_are_taken_or_refused_with_a_remedy(arguments: dict[str, Any]) -> None:
    @tool
    def takes(number: int, text: str = "") -> int:
        """Take a number."""
        return number

    refused = None
    try:
        assert isinstance(takes(**arguments), int)
    except ArgumentError as error:
        refused = error
    assert refused is None or (refused.remedy and "The tool takes " in refused.what)


@given(st.text())
def test_any_docstring_describes(words: str) -> None:
    def function(number: int) -> int:
        return number

    for text in (words, f"Do it.\n\nArgs:\n    number: {words}\n", f"Args:\n{words}"):
        function.__doc__ = text
        made = tool(function).schema
        assert isinstance(made["description"], str)
        assert set(made["input_schema"]["properties"]) == {"number"}
