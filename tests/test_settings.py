"""Settings are read once, in one order, and what is wrong with them is said with name, place and remedy."""

import json
from pathlib import Path

import pytest

from spyglass.errors import SettingsError
from spyglass.settings import Role, Settings


@pytest.fixture(autouse=True)
def _own_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_arguments_win_over_environment_over_dotenv_over_file_over_defaults(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    config = written(tmp_path / "c.toml", 'model = "file"\nlanguage = "file"\nprovider = "file"\nlength = "long"\n')
    written(tmp_path / ".env", "SPYGLASS_MODEL=dotenv\nSPYGLASS_LANGUAGE=dotenv\nSPYGLASS_PROVIDER=dotenv\n")
    monkeypatch.setenv("SPYGLASS_MODEL", "environment")
    monkeypatch.setenv("SPYGLASS_LANGUAGE", "environment")
    settings = Settings.load(config, model="argument")
    assert (settings.model, settings.language, settings.provider) == ("argument", "environment", "dotenv")
    assert (settings.length, settings.rounds) == ("long", 1)


def test_toml_and_json_have_the_same_keys(tmp_path: Path) -> None:
    toml = written(tmp_path / "c.toml", 'db = ["a", "b"]\ntop_k = 4\n[writer]\nmodel = "m"\n')
    other = written(tmp_path / "c.json", json.dumps({"db": ["a", "b"], "top_k": 4, "writer": {"model": "m"}}))
    assert Settings.load(toml).model_dump() == Settings.load(other).model_dump()


def test_one_folder_stands_for_a_list_of_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert Settings.load(written(tmp_path / "c.toml", 'db = "papers"')).db == [Path("papers")]
    monkeypatch.setenv("SPYGLASS_DB", "a,b")
    assert Settings.load().db == [Path("a"), Path("b")]


def test_a_nested_setting_has_a_name_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPYGLASS_PLANNER__MODEL", "small")
    assert Settings.load().planner.model == "small"


def test_keys_are_taken_under_the_names_that_the_providers_use(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-one")
    written(tmp_path / ".env", "GOOGLE_API_KEY=two\nSOMEBODY_ELSES=3\n")
    settings = Settings.load()
    assert settings.openai_api_key is not None
    assert settings.openai_api_key.get_secret_value() == "sk-one"
    assert settings.gemini_api_key is not None
    assert settings.gemini_api_key.get_secret_value() == "two"


def test_secrets_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    settings = Settings.load(key="sk-other")
    assert "sk-" not in repr(settings)
    assert "sk-" not in settings.model_dump_json()


def test_roles_inherit_what_they_do_not_say() -> None:
    settings = Settings(provider="openai", model="big", base_url="http://a", planner=Role(model="small"))
    assert settings.role("planner") == Role(provider="openai", model="small", base_url="http://a")
    assert settings.role("writer") == Role(provider="openai", model="big", base_url="http://a")
    assert settings.role("embedder") == Role()


def test_a_role_with_another_provider_inherits_nothing() -> None:
    settings = Settings(provider="openai", model="big", base_url="http://a", writer=Role(provider="ollama", model="m"))
    assert settings.role("writer") == Role(provider="ollama", model="m")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('modle = "x"', r'Unknown setting "modle" \(in .*c\.toml\)\. Did you mean "model"\?'),
        ('[planner]\nmodell = "x"', r'Unknown setting "planner\.modell".*Did you mean "planner\.model"\?'),
        ("top_k = 0", r'"top_k" = 0 is not valid: Input should be greater than or equal to 1 \(in .*c\.toml\)'),
        ('length = "huge"', r"\"length\" = 'huge' is not valid.*'short', 'normal' or 'long'"),
        ("rounds = [1]", '"rounds" = .* is not valid'),
        ("= 3", r"does not parse: .*line 1"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        Settings.load(written(tmp_path / "c.toml", text))


def test_what_is_wrong_in_the_environment_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPYGLASS_TOP_K", "many")
    with pytest.raises(SettingsError, match=r'"top_k" = \'many\' is not valid.*SPYGLASS_TOP_K'):
        Settings.load()


@pytest.mark.parametrize("text", ["[1]", "{", "null"])
def test_a_json_file_must_hold_an_object(tmp_path: Path, text: str) -> None:
    with pytest.raises(SettingsError, match="config file"):
        Settings.load(written(tmp_path / "c.json", text))


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="no such config file"):
        Settings.load(tmp_path / "none.toml")


def test_every_profile_that_ships_is_valid() -> None:
    profiles = sorted((Path(__file__).parent.parent / "config").iterdir())
    assert profiles
    for profile in profiles:
        Settings.load(profile)
