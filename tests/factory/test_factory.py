"""Names become agents and models, whatever their case, and unknown ones list the known."""

import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest

from spyglass.agent import Agent, Planner, RAG_agent, Reporter
from spyglass.factory import Factory
from spyglass.kernel.errors import UnknownNameError
from spyglass.kernel.settings import Settings


@pytest.mark.parametrize(
    ("name", "kind"), [("planner", Planner), ("Local-Retrieval", RAG_agent), (" reporter ", Reporter)]
)
def test_built_in_agents_are_known(name: str, kind: type[Agent]) -> None:
    assert type(Factory.get_agent(name, None)) is kind


def test_every_call_makes_a_new_agent() -> None:
    assert Factory.get_agent("planner", None) is not Factory.get_agent("planner", None)


def test_an_unknown_agent_lists_the_known_ones() -> None:
    known = "local-retrieval, planner, quick-searcher, reporter, search-agent, searcher"
    with pytest.raises(UnknownNameError, match=rf'no agent "wizard".*{known}'):
        Factory.get_agent("wizard", None)


def test_an_agent_may_have_settings_of_its_own(settings: Settings) -> None:
    assert Factory.get_agent("planner", None, settings).settings is settings


def test_models_are_made_without_a_key() -> None:
    kinds = {
        "deepseek": "Deepseek",
        "google": "Gemini",
        "Gemini": "Gemini",
        "OLLAMA": "Ollama",
        "xAI": "Gork",
        "gork": "Gork",
        "grok": "Gork",
        "openai": "OpenAI",
        "gpt": "OpenAI",
    }
    models = {provider: Factory.get_model(provider, "some-model") for provider in kinds}
    assert {provider: type(model).__name__ for provider, model in models.items()} == kinds
    assert {model.name for model in models.values()} == {"some-model"}


def test_an_unknown_provider_lists_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match=r'"acme".*deepseek.*ollama.*openai'):
        Factory.get_model("acme", "m")


PLUGIN = """
from spyglass.agent import RAG_agent
class Archivist(RAG_agent):
    name = "archivist"
not_an_agent = 3
"""


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A distribution of somebody else's, with entry points that work and that do not."""
    (tmp_path / "archive_plugin.py").write_text(PLUGIN)
    info = tmp_path / "archive_plugin-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: archive-plugin\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[spyglass.agents]\narchivist = archive_plugin:Archivist\n"
        "missing = archive_plugin:Missing\nwrong = archive_plugin:not_an_agent\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    assert metadata.distribution("archive-plugin")
    yield
    sys.modules.pop("archive_plugin", None)


@pytest.mark.usefixtures("plugin")
def test_third_parties_register_agents_through_entry_points() -> None:
    assert Factory.get_agent("Archivist", None).name == "archivist"
    with pytest.raises(UnknownNameError, match="archivist, local-retrieval"):
        Factory.get_agent("nobody", None)


@pytest.mark.usefixtures("plugin")
@pytest.mark.parametrize(
    ("name", "said"), [("missing", "cannot be loaded.*archive-plugin"), ("wrong", "not a subclass of Agent")]
)
def test_an_entry_point_that_does_not_work_is_an_error_that_names_it(name: str, said: str) -> None:
    with pytest.raises(UnknownNameError, match=said):
        Factory.get_agent(name, None)
