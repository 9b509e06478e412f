"""A provider's name and the settings make a model, and nothing is opened for it."""

import sys
from pathlib import Path
from typing import Literal

import pytest

from spyglass.kernel.errors import SettingsError, UnknownNameError
from spyglass.kernel.settings import Role, Settings
from spyglass.model.gemini import Gemini
from spyglass.model.ollama import Ollama
from spyglass.model.openai import Deepseek, Gork, OpenAI
from spyglass.model.providers import PROVIDERS, get_model, model_for, with_model


def test_each_provider_has_its_names_in_any_case(settings: Settings, subtests: pytest.Subtests) -> None:
    cases = [
        ("deepseek", Deepseek),
        ("google", Gemini),
        ("Gemini", Gemini),
        ("ollama", Ollama),
        ("xAI", Gork),
        ("gork", Gork),
        ("grok", Gork),
        ("OpenAI", OpenAI),
        ("gpt", OpenAI),
    ]
    for name, kind in cases:
        with subtests.test(name=name):
            for spelling in (name, name.upper(), name.lower(), f" {name} "):
                model = get_model(spelling, "some-model", settings)
                assert type(model) is kind
                assert model.name == "some-model"


def test_an_unknown_provider_is_an_error_that_lists_the_known_ones(settings: Settings) -> None:
    with pytest.raises(UnknownNameError, match=r'no provider "openia".*deepseek, gemini, google.*openai, xai'):
        get_model("openia", "m", settings)


def test_a_model_of_its_own_needs_no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
    model = get_model("openai", "gpt-4o")
    assert model.secret == "sk-1"
    assert model.base_url == "https://api.openai.com/v1"


def test_no_name_takes_the_providers_default(settings: Settings) -> None:
    for name in PROVIDERS.names():
        assert get_model(name, "", settings).name == PROVIDERS.get(name).default_model != ""


def test_the_settings_reach_the_model() -> None:
    given = Settings(
        provider="openai",
        model="m",
        base_url="http://127.0.0.1:1/v1/",
        key="k",
        context_window=4096,
        models__deadline=7,
        models__attempts=2,
        models__concurrency=3,
        models__max_output_tokens=99,
    )
    model = model_for(given, "writer")
    assert model is not None
    assert (model.base_url, model.secret, model.context_window) == ("http://127.0.0.1:1/v1", "k", 4096)
    config = model.config
    assert (config.deadline, config.attempts, config.concurrency, config.max_output_tokens) == (7, 2, 3, 99)


def test_a_provider_takes_its_own_key_and_address() -> None:
    given = Settings(
        openai_api_key="k1",
        deepseek_api_key="k2",
        xai_api_key="k3",
        gemini_api_key="k4",
        openai_base_url="http://a/v1",
        ollama_host="http://b",
    )
    keys = {name: get_model(name, "m", given).secret for name in ("openai", "deepseek", "xai", "gemini", "ollama")}
    assert keys == {"openai": "k1", "deepseek": "k2", "xai": "k3", "gemini": "k4", "ollama": ""}
    assert get_model("openai", "m", given).base_url == "http://a/v1"
    assert get_model("ollama", "m", given).base_url == "http://b"
    assert get_model("deepseek", "m", given).base_url == Deepseek.home


def test_the_address_of_one_provider_is_not_used_for_another() -> None:
    given = Settings(provider="openai", base_url="http://a/v1", key="k", context_window=999)
    assert get_model("gpt", "m", given).base_url == "http://a/v1"
    other = get_model("ollama", "m", given)
    assert (other.base_url, other.secret, other.context_window) == (Ollama.home, "", 8192)


def test_each_role_may_have_its_own_model() -> None:
    given = Settings(
        provider="openai",
        model="big",
        key="k",
        planner={"model": "small"},
        writer={"provider": "ollama", "model": "qwen3", "context_window": 32_768},
        embedder={"provider": "gemini"},
    )
    planner, writer, embedder = (model_for(given, role) for role in ("planner", "writer", "embedder"))
    assert isinstance(planner, OpenAI)
    assert (planner.name, planner.secret) == ("small", "k")
    assert isinstance(writer, Ollama)
    assert (writer.name, writer.secret, writer.context_window) == ("qwen3", "", 32_768)
    assert isinstance(embedder, Gemini)
    assert embedder.name == "gemini-embedding-001"


# What a role takes from the top level


def of_role(settings: Settings, role: Literal["planner", "writer"] = "writer") -> tuple[str, str, str, int | None]:
    """Return name, address, key and window of the model that plays a role."""
    model = model_for(settings, role)
    assert model is not None
    return model.name, model.base_url, model.secret, model.config.context_window


@pytest.mark.parametrize("spelling", ["openai", "OpenAI", "gpt", " GPT ", None])
def test_a_role_of_the_same_provider_takes_what_it_does_not_say(spelling: str | None) -> None:
    given = Settings(
        provider="openai",
        model="big",
        base_url="http://a",
        key="k",
        context_window=9000,
        writer=Role(provider=spelling),
    )
    assert of_role(given) == ("big", "http://a", "k", 9000)


def test_a_role_of_another_provider_takes_nothing() -> None:
    given = Settings(
        provider="openai", model="big", base_url="http://a", key="k", context_window=9, writer=Role(provider="ollama")
    )
    assert of_role(given) == ("llama3.2", Ollama.home, "", None)


def test_a_window_goes_with_its_model() -> None:
    given = Settings(provider="openai", model="big", context_window=9000, planner=Role(model="small"))
    assert of_role(given, "planner")[3] is None
    assert of_role(given, "writer")[3] == 9000
    assert get_model("openai", "small", given).config.context_window is None
    assert get_model("gpt", "big", given).config.context_window == 9000


def test_a_key_goes_to_the_address_that_it_was_given_for() -> None:
    elsewhere = Role(base_url="http://other/v1")
    assert of_role(Settings(provider="openai", key="k", writer=elsewhere))[2] == ""
    assert of_role(Settings(provider="openai", base_url="http://a", key="k", writer=elsewhere))[2] == ""
    assert of_role(Settings(provider="openai", base_url="http://other/v1/", key="k", writer=elsewhere))[2] == "k"
    assert of_role(Settings(provider="openai", key="k", writer=Role(base_url="http://other/v1", key="own")))[2] == "own"


def test_a_key_of_the_providers_variable_goes_home_or_where_its_variable_says(subtests: pytest.Subtests) -> None:
    cases = [
        (None, None, "sk-own"),
        ("https://api.openai.com/v1/", None, "sk-own"),
        ("https://api.openai.com/v2", None, "sk-own"),
        ("http://api.openai.com/v1", None, ""),
        ("https://api.openai.com.example/v1", None, ""),
        ("https://api.openai.com@example.com/v1", None, ""),
        ("http://127.0.0.1:1/v1", None, ""),
        (None, "http://127.0.0.1:1/v1", "sk-own"),
        ("http://127.0.0.1:1/v1/", "http://127.0.0.1:1/v1", "sk-own"),
        ("http://127.0.0.1:2/v1", "http://127.0.0.1:1/v1", ""),
    ]
    for base_url, own_variable, key in cases:
        with subtests.test(key=key):
            given = Settings(
                provider="openai", base_url=base_url, openai_base_url=own_variable, openai_api_key="sk-own"
            )
            assert of_role(given)[2] == key
            assert get_model("gpt", "m", given).secret == key
            embedder = model_for(
                given.model_copy(update={"embedder": Role(provider="openai", base_url=base_url)}), "embedder"
            )
            assert embedder is not None
            assert embedder.secret == key


def test_a_model_that_is_chosen_instead_plays_every_role() -> None:
    given = Settings(
        provider="openai",
        base_url="http://a",
        key="k",
        context_window=9000,
        planner=Role(provider="ollama", model="qwen3"),
        writer=Role(model="big"),
    )
    for role in ("planner", "writer"):
        assert of_role(with_model(given, "gpt", "new"), role) == ("new", "http://a", "k", 9000)
        assert of_role(with_model(given, "gemini", "new"), role) == ("new", Gemini.home, "", None)


def test_without_a_provider_there_is_no_model(settings: Settings) -> None:
    assert [model_for(settings, role) for role in ("planner", "writer", "embedder")] == [None, None, None]


def test_an_embedder_is_only_the_one_that_is_named() -> None:
    assert model_for(Settings(provider="openai", model="m"), "embedder") is None


def test_a_model_without_a_provider_is_an_error_that_says_so() -> None:
    with pytest.raises(SettingsError, match=r'The model "gpt-4o" has no provider \(for the writer\).*Set provider'):
        model_for(Settings(model="gpt-4o"), "writer")


def test_a_provider_without_embeddings_has_no_default_embedder() -> None:
    with pytest.raises(SettingsError, match="deepseek has no default model for this role"):
        model_for(Settings(embedder={"provider": "deepseek"}), "embedder")


def test_a_key_is_not_shown() -> None:
    model = get_model("openai", "m", Settings(openai_api_key="sk-secret"))
    assert "sk-secret" not in f"{model.config!r} {model.place} {model!r} {vars(model)}"


def test_making_a_model_imports_no_sdk(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in [name for name in sys.modules if name.split(".")[0] in ("openai", "ollama", "google")]:
        monkeypatch.delitem(sys.modules, module)
    for name in PROVIDERS.names():
        assert get_model(name, "m", settings).context_window > 0
    assert not {"openai", "ollama", "google.genai"} & set(sys.modules)


# Providers of other distributions


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A distribution that brings one provider, one that does not load and one that is none."""
    folder = tmp_path / "site"
    info = folder / "acme_models-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-models\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[spyglass.providers]\nAcme = acme_models:Acme\nbroken = acme_models:missing\nnone = acme_models:SCRIPT\n"
    )
    (folder / "acme_models.py").write_text(
        "from spyglass.model.scripted import Scripted\n"
        "SCRIPT = ['a line']\n"
        "class Acme(Scripted):\n"
        "    provider = 'acme'\n"
        "    def __init__(self, name, config):\n"
        "        super().__init__(SCRIPT, config)\n"
        "        self.name = name\n"
    )
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, "acme_models", raising=False)


@pytest.mark.usefixtures("plugin")
def test_another_distribution_may_bring_a_provider(settings: Settings) -> None:
    model = get_model("acme", "roadrunner", settings)
    assert (model.provider, model.name) == ("acme", "roadrunner")
    assert "acme" in PROVIDERS.names()


@pytest.mark.usefixtures("plugin")
@pytest.mark.parametrize(("name", "what"), [("broken", "cannot be loaded"), ("none", "is not a subclass of Model")])
def test_one_that_does_not_load_names_its_distribution(name: str, what: str, settings: Settings) -> None:
    with pytest.raises(UnknownNameError, match=f'"{name}" {what}.*of acme-models'):
        get_model(name, "m", settings)
    assert get_model("openai", "m", settings).name == "m"
