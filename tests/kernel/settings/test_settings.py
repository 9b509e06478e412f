"""Settings are read once, in one order, and what is wrong with them is said with name, place and remedy."""

import json
import traceback
from pathlib import Path

import pytest

from spyglass.kernel.errors import SettingsError
from spyglass.kernel.settings import Settings


@pytest.fixture(autouse=True)
def _own_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_arguments_win_over_environment_over_dotenv_over_file_over_defaults(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    config = written(
        tmp_path / "c.toml", 'model = "file"\nlanguage = "file"\nprovider = "file"\n[report]\nlength = "long"\n'
    )
    written(tmp_path / ".env", "SPYGLASS_MODEL=dotenv\nSPYGLASS_LANGUAGE=dotenv\nSPYGLASS_PROVIDER=dotenv\n")
    monkeypatch.setenv("SPYGLASS_MODEL", "environment")
    monkeypatch.setenv("SPYGLASS_LANGUAGE", "environment")
    settings = Settings.load(config, model="argument")
    assert (settings.model, settings.language, settings.provider) == ("argument", "environment", "dotenv")
    assert (settings.report.length, settings.research.rounds) == ("long", 1)


def test_toml_and_json_have_the_same_keys(tmp_path: Path) -> None:
    toml = written(tmp_path / "c.toml", 'db = ["a", "b"]\n[retrieval]\ntop_k = 4\n[writer]\nmodel = "m"\n')
    other = written(
        tmp_path / "c.json", json.dumps({"db": ["a", "b"], "retrieval": {"top_k": 4}, "writer": {"model": "m"}})
    )
    assert Settings.load(toml).model_dump() == Settings.load(other).model_dump()


def test_one_folder_stands_for_a_list_of_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert Settings.load(written(tmp_path / "c.toml", 'db = "papers"')).db == [Path("papers")]


@pytest.mark.parametrize("text", ["a, b", '["a", "b"]'])
def test_the_environment_writes_a_list_with_commas_or_as_json(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str
) -> None:
    monkeypatch.setenv("SPYGLASS_AGENTS", text)
    monkeypatch.setenv("SPYGLASS_REPORT__SECTIONS", text)
    monkeypatch.setenv("SPYGLASS_DB", text)
    written(tmp_path / ".env", f"SPYGLASS_SEARCH__DOMAINS='{text}'\n")
    loaded = Settings.load()
    assert (loaded.agents, loaded.report.sections, loaded.db) == (["a", "b"], ["a", "b"], [Path("a"), Path("b")])
    assert loaded.search.domains == ["a", "b"]
    assert Settings().report.sections == ["a", "b"]


def test_a_comma_in_a_file_or_an_argument_belongs_to_the_name(tmp_path: Path) -> None:
    assert Settings.load(written(tmp_path / "c.toml", 'db = "Smith, John"')).db == [Path("Smith, John")]
    assert Settings.load(db="Smith, John").db == [Path("Smith, John")]


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


def test_one_key_of_two_names_is_taken_from_the_first_place_that_has_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    written(tmp_path / ".env", "GEMINI_API_KEY=dotenv\n")
    monkeypatch.setenv("GOOGLE_API_KEY", "environment")
    key = Settings.load().gemini_api_key
    assert key is not None
    assert key.get_secret_value() == "environment"


def test_secrets_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    settings = Settings.load(key="sk-other")
    assert "sk-" not in repr(settings)
    assert "sk-" not in settings.model_dump_json()


def test_what_is_wrong_with_a_file_is_said(tmp_path: Path) -> None:
    cases = [
        ('modle = "x"', r'Unknown setting "modle" \(in .*c\.toml\)\. Did you mean "model"\?'),
        ('[planner]\nmodell = "x"', r'Unknown setting "planner\.modell".*Did you mean "planner\.model"\?'),
        (
            "retrieval.top_k = 0",
            r'"retrieval\.top_k" = 0 is not valid: Input should be greater than or equal to 1 \(in .*c\.toml\)',
        ),
        ('report.length = "huge"', r"\"report\.length\" = 'huge' is not valid.*'short', 'normal' or 'long'"),
        ("research.rounds = [1]", '"research.rounds" = a list is not valid'),
        ("= 3", r"cannot be parsed: .*line 1"),
        (f"retrieval.top_k = {'9' * 5000}", "cannot be parsed: .*digits"),
        (f"db = {'[' * 5000}{']' * 5000}", r"nested too deeply \(in .*c\.toml\)"),
        (
            "retrieval.chunk_max = 900",
            r'"retrieval\.chunk_max" = 900 is not valid: it must not be less than chunk_target, which is 1000',
        ),
        (
            "retrieval.chunk_target = 2000",
            r'"retrieval\.chunk_max" = 1500 .*chunk_target, which is 2000.*\(by default\)',
        ),
        (
            "retrieval.chunk_overlap = 1000",
            r'"retrieval\.chunk_overlap" = 1000 is not valid: it must be less than chunk_target, which is 1000',
        ),
    ]
    for text, said in cases:
        with pytest.raises(SettingsError, match=said):
            Settings.load(written(tmp_path / "c.toml", text))


def test_what_is_wrong_in_the_environment_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPYGLASS_RETRIEVAL__TOP_K", "many")
    with pytest.raises(SettingsError, match=r'"retrieval\.top_k" = \'many\' is not valid.*SPYGLASS_RETRIEVAL__TOP_K'):
        Settings.load()


def test_what_does_not_fit_in_the_environment_is_said_without_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    cases = [
        ("SPYGLASS_PLANNER", "{", r'"planner".*\(in the environment\)\. Write lists and tables as JSON'),
        ("SPYGLASS_PLANNER", "sk-secret", r'"planner" is not valid.*SPYGLASS_PLANNER'),
        ("SPYGLASS_PLANNER", '{"key": ["sk-secret"]}', r'"planner\.key" is not valid.*SPYGLASS_PLANNER__KEY'),
        ("SPYGLASS_SERVE__TOKEN", "sk-secret", r'"serve\.token" is not valid.*SPYGLASS_SERVE__TOKEN'),
        ("SPYGLASS_PLANNER__KYE", "sk-secret", r'Unknown setting "planner\.kye" .*Did you mean "planner\.key"'),
        ("SPYGLASS_PLANNER__CONTEXT_WINDOW", "big", r"= 'big' is not valid.*SPYGLASS_PLANNER__CONTEXT_WINDOW"),
        ("SPYGLASS_DB", "[sk-secret", r'"db".*\(in the environment\)'),
        ("SPYGLASS_DB", "[" * 100_000, "nested too deeply"),
        ("SPYGLASS_DOCUMENTS__MAX_MEGABYTES", '{"pdf": "many"}', r"\"documents\.max_megabytes\.pdf\" = 'many'"),
    ]
    for name, value, said in cases:
        with monkeypatch.context() as patch:
            patch.setenv(name, value)
            with pytest.raises(SettingsError, match=said) as caught:
                Settings.load()
        assert "sk-secret" not in "".join(traceback.format_exception(caught.value)), name


def test_the_place_named_is_where_the_value_comes_from(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    config = written(tmp_path / "c.toml", "[research]\nrounds = 9\n[planner]\ncontext_window = 1\n")
    with pytest.raises(SettingsError, match=r'"research\.rounds" = 9 .*\(in .*c\.toml\)'):
        Settings.load(config)
    written(tmp_path / ".env", "SPYGLASS_RESEARCH__ROUNDS=8\n")
    with pytest.raises(SettingsError, match=r"\"research\.rounds\" = '8' .*\(in \.env\)"):
        Settings.load(config)
    with pytest.raises(SettingsError, match=r'"research\.rounds" = 7 .*\(in the arguments\)'):
        Settings.load(config, research__rounds=7)
    monkeypatch.setenv("SPYGLASS_PLANNER__MODEL", "m")
    written(tmp_path / ".env", "SPYGLASS_PLANNER__CONTEXT_WINDOW=0\n")
    with pytest.raises(SettingsError, match=r'"planner\.context_window" .*\(in \.env\)'):
        Settings.load(config, research__rounds=1)


@pytest.mark.parametrize("name", [".env", "c.toml"])
def test_a_file_that_is_not_utf_8_is_said(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"SPYGLASS_MODEL = 'm\xff'\n")
    with pytest.raises(SettingsError, match=rf"not UTF-8 \(in .*{name}\)"):
        Settings.load(tmp_path / "c.toml" if name == "c.toml" else None)


@pytest.mark.parametrize("text", ["[1]", "{", "null"])
def test_a_json_file_must_hold_an_object(tmp_path: Path, text: str) -> None:
    with pytest.raises(SettingsError, match="config file"):
        Settings.load(written(tmp_path / "c.json", text))


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="config file does not exist"):
        Settings.load(tmp_path / "none.toml")


def test_every_profile_that_ships_is_valid() -> None:
    profiles = sorted((Path(__file__).parents[3] / "config").iterdir())
    assert profiles
    for profile in profiles:
        Settings.load(profile)
