"""The names that are public are where the guides say, and what is wrong with an argument is told by name."""

import asyncio
import importlib
import inspect
from collections.abc import Callable
from typing import Any

import pytest

import spyglass
from spyglass import sync, tools
from spyglass.agent import Reporter
from spyglass.kernel.errors import ArgumentError

DOORS = ("spyglass", *(f"spyglass.{name}" for name in ("agent", "model", "notebook", "search", "sync", "tools")))

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


def answered(door: Callable[..., Any], *args: Any, **named: Any) -> Any:
    answer = door(*args, **named)
    return asyncio.run(answer) if inspect.iscoroutine(answer) else answer


WRONG: list[tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any], str]] = [
    (spyglass.research, (5,), {}, 'research cannot take 5 for "query". It takes str.'),
    (spyglass.research, (b"Why?",), {}, "It takes str."),
    (spyglass.research, (), {"query": None}, 'for "query"'),
    (spyglass.generate_report, (5,), {}, 'for "query"'),
    (spyglass.research, ("Why?",), {"settings": {"db": "files"}}, "It takes Settings or None."),
    (spyglass.research, ("Why?", "planner"), {}, 'for "planner". It takes Agent or None.'),
    (spyglass.research, ("Why?", None, "reporter"), {}, 'for "agents"'),
    (spyglass.research, ("Why?", None, [Reporter]), {}, 'for "agents". It takes Agent.'),
    (spyglass.research, ("Why?",), {"on_event": 5}, "It takes Callable or None."),
    (spyglass.research, ("Why?",), {"on_start": "now"}, 'for "on_start"'),
    (spyglass.research, ("Why?",), {"plan": {"tasks": []}}, "It takes Plan or None."),
    (spyglass.research, ("Why?",), {"pool": 5}, "It takes Pool or None."),
    (spyglass.research, (), {"resume": 5}, "It takes str or Path or Journal or None."),
    (spyglass.replay, (5,), {}, 'replay cannot take 5 for "name"'),
    (sync.research, (5,), {}, 'for "query"'),
    (tools.web_search, (5,), {}, 'cannot take 5 for "query"'),
    (tools.web_search, ("Why?",), {"settings": 5}, "It takes Settings or None."),
    (tools.web_research, ("Why?",), {"depth": 9}, 'for "depth"'),
    (tools.crawl_site, ("https://example.org/",), {"on_event": 5}, 'for "on_event"'),
    (spyglass.support, (5, []), {}, 'support cannot take 5 for "claim"'),
    (spyglass.support_all, (5,), {}, 'for "claims"'),
    (spyglass.Factory.get_agent, (5, None), {}, 'for "name"'),
    (spyglass.Factory.get_model, ("openai", 5), {}, 'for "model"'),
]


def test_an_argument_of_the_wrong_type_is_named_with_what_it_takes() -> None:
    for door, args, named, said in WRONG:
        with pytest.raises(ArgumentError) as refused:
            answered(door, *args, **named)
        assert said in str(refused.value), (door, args, named)
