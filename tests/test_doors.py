"""The names that are public are where the guides say, and what is wrong with an argument is told by name."""

import ast
import asyncio
import importlib
import importlib.util
import inspect
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, PydanticUserError, TypeAdapter, ValidationError

import spyglass
from spyglass import sync, tools
from spyglass.agent import Agent, Reporter
from spyglass.kernel.errors import ArgumentError, SettingsError
from spyglass.kernel.journal import Journal
from spyglass.kernel.plan import Plan
from spyglass.kernel.run import EventSink

FOLDERS = ("agent", "cluster", "model", "notebook", "search", "sync", "tools")
DOORS = ("spyglass", *(f"spyglass.{name}" for name in FOLDERS))

NAMED = {
    "spyglass": "generate_report research replay web_search web_research crawl_site support Settings Report Source",
    "spyglass.tools": "tool tavily_search web_search web_research crawl_site find_in_files",
    "spyglass.search": "SearchPipeline SearchEngine",
    "spyglass.agent": "Agent Crawl DuckSearch Planner Reporter",
    "spyglass.model": "Model OpenAI Gemini Ollama",
    "spyglass.sync": "research generate_report replay web_search web_research crawl_site",
}


@pytest.mark.parametrize("door", DOORS)
def test_every_name_of_a_door_is_there_and_says_what_it_is(door: str) -> None:
    module = importlib.import_module(door)
    assert module.__all__ == sorted(module.__all__)
    assert {*NAMED.get(door, "").split()} <= {*module.__all__}
    for name in module.__all__:
        assert name == "__version__" or inspect.getdoc(getattr(module, name)), name


SRC = Path(__file__).parents[1] / "src"
PACKAGES = {".".join(("spyglass", *found.parent.relative_to(SRC).parts)) for found in SRC.rglob("__init__.py")}
KERNEL = "spyglass.kernel"
"""Has no door, as its docstring says: all other folders import its modules by name."""


def imports() -> Iterator[tuple[str, str, str]]:
    """Yield the package of each module that is no door, what it imports from, and the name that it takes there."""
    for path in SRC.rglob("[!_]*.py"):
        here = ["spyglass", *path.relative_to(SRC).parent.parts]
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.level:
                source = ".".join([*here[: len(here) - node.level + 1], *filter(None, [node.module])])
                yield from ((".".join(here), source, one.name) for one in node.names)


def test_a_package_is_used_by_its_door_and_by_the_modules_that_its_docstring_names() -> None:
    doors = {name: importlib.import_module(name) for name in PACKAGES}
    assert {name for name, door in doors.items() if not hasattr(door, "__all__")} == {KERNEL}
    past = []
    for user, source, name in imports():
        package, _, module = (source, "", name) if source in PACKAGES else source.rpartition(".")
        if f"{user}.".startswith(f"{package}."):
            continue
        exported = name in getattr(doors[package], "__all__", ())
        named = package.startswith(KERNEL) or f"`{module}`" in (doors[package].__doc__ or "")
        if not (source == package if exported else named):
            past.append(f"{user}: from {source} import {name}")
    assert not past


def test_a_name_that_a_door_exports_is_not_the_module_of_that_name() -> None:
    for package in PACKAGES - {KERNEL}:
        door = importlib.import_module(package)
        for name in door.__all__:
            if importlib.util.find_spec(f"{package}.{name}"):
                importlib.import_module(f"{package}.{name}")
                assert not inspect.ismodule(getattr(door, name)), f"{package}.{name}"


def answered(door: Callable[..., Any], *args: Any, **named: Any) -> Any:
    answer = door(*args, **named)
    return asyncio.run(answer) if inspect.iscoroutine(answer) else answer


WRONG: list[tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any], str]] = [
    (spyglass.research, (5,), {}, 'research does not accept 5 for "query". Expected: str.'),
    (spyglass.research, (b"Why?",), {}, "Expected: str."),
    (spyglass.research, (), {"query": None}, 'for "query"'),
    (spyglass.generate_report, (5,), {}, 'for "query"'),
    (spyglass.research, ("Why?",), {"settings": {"db": "files"}}, "Expected: Settings or None."),
    (spyglass.research, ("Why?", "planner"), {}, 'for "planner". Expected: Agent or None.'),
    (spyglass.research, ("Why?", None, "reporter"), {}, 'for "agents"'),
    (spyglass.research, ("Why?", None, [Reporter]), {}, 'for "agents". Expected: Sequence of Agent or None.'),
    (spyglass.research, ("Why?",), {"on_event": 5}, "Expected: Callable or None."),
    (spyglass.research, ("Why?",), {"on_start": "now"}, 'for "on_start"'),
    (spyglass.research, ("Why?",), {"plan": {"tasks": []}}, "Expected: Plan or None."),
    (spyglass.research, ("Why?",), {"pool": 5}, "Expected: Pool or None."),
    (spyglass.research, (), {"resume": 5}, "Expected: str or Path or Journal or None."),
    (spyglass.replay, (5,), {}, 'replay does not accept 5 for "name"'),
    (sync.research, (5,), {}, 'for "query"'),
    (tools.web_search, (5,), {}, 'does not accept 5 for "query"'),
    (tools.web_search, ("Why?",), {"settings": 5}, "Expected: Settings or None."),
    (tools.web_research, ("Why?",), {"depth": 9}, 'for "depth"'),
    (tools.crawl_site, ("https://example.org/",), {"on_event": 5}, 'for "on_event"'),
    (spyglass.Settings, (5,), {}, "Pass each value by keyword."),
    (spyglass.Run, (5,), {}, "missing a required argument: 'settings'"),
    (spyglass.support, ("a", "text"), {}, """'text' for "passages". Expected: Sequence of str or Passage."""),
    (spyglass.support_all, ([("a", "b")],), {}, 'for "claims"'),
    (spyglass.support, (5, []), {}, 'support does not accept 5 for "claim"'),
    (spyglass.support_all, (5,), {}, 'for "claims"'),
    (spyglass.Factory.get_agent, (5, None), {}, 'for "name"'),
    (spyglass.Factory.get_model, ("openai", 5), {}, 'for "model"'),
]


def test_an_argument_of_the_wrong_type_is_named_with_what_it_takes() -> None:
    for door, args, named, said in WRONG:
        with pytest.raises(ArgumentError) as refused:
            answered(door, *args, **named)
        assert said in str(refused.value), (door, args, named)


VALUES: tuple[object, ...] = (None, 5, [], "x", object())
FITTING: dict[str, Any] = {
    "claim": "It is so.",
    "claims": [],
    "date": "2026-01-01",
    "keywords": [],
    "language": "en",
    "outcome": "complete",
    "passages": [],
    "questions": [],
    "rank": 1,
    "script": [],
    "top": 1,
}
"""What is given for the other arguments that a door must have; a text, where none is here."""

NAMES: dict[str, Any] = {
    **{kind.__name__: kind for kind in (Agent, Journal, Path, Plan, spyglass.Pool, spyglass.Run, spyglass.Settings)},
    "Callable": Callable,
    "EventSink": EventSink,
    "Sequence": Sequence,
}
"""What doors that import nothing before they are used name in their types."""


def does_not_take(hint: Any, value: object) -> bool:
    """Whether pydantic, which has no part in how most doors check, does not take a value for a type."""
    try:
        adapter: TypeAdapter[Any] = TypeAdapter(hint, config=ConfigDict(arbitrary_types_allowed=True))
    except PydanticUserError:  # a model of pydantic's has a configuration of its own
        adapter = TypeAdapter(hint)
    try:
        adapter.validate_python(value)
    except ValidationError:
        return True
    return False


def doors() -> dict[str, Callable[..., Any]]:
    """Everything that is public and can be called, by its name."""
    modules = [importlib.import_module(door) for door in DOORS]
    every = {f"{module.__name__}.{name}": getattr(module, name) for module in modules for name in module.__all__}
    return {name: door for name, door in every.items() if callable(door) and not inspect.isabstract(door)}


@pytest.mark.parametrize("name", doors())
def test_every_argument_of_every_door_is_told_by_name_when_it_is_of_a_wrong_type(name: str, tmp_path: Path) -> None:
    door = doors()[name]
    settings = spyglass.Settings(data_dir=tmp_path)
    fitting = FITTING | {"settings": settings, "run": spyglass.Run("Why?", settings), "model": None}
    if isinstance(door, type) and issubclass(door, BaseModel):
        fitting["run"] = "the id of a run"
    parameters = inspect.signature(door).parameters.values()
    required = {one.name: fitting.get(one.name, "x") for one in parameters if one.default is one.empty}
    for one in parameters:
        hint = eval(one.annotation, NAMES) if isinstance(one.annotation, str) else one.annotation
        wrong = [value for value in VALUES if does_not_take(hint, value)]
        assert wrong or one.annotation in (Any, object)
        for value in wrong:
            with pytest.raises((ArgumentError, SettingsError)) as refused:
                answered(door, **{**required, one.name: value})
            assert f'"{one.name}' in str(refused.value)
            assert refused.value.remedy or refused.value.where
