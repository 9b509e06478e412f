"""The `.env` of a folder that somebody else made says how an answer looks, and gives keys; nothing else."""

import json
from pathlib import Path

import pytest

from spyglass.settings import Settings
from spyglass.trust import SettingsWarning

THEIRS = "http://127.0.0.1:1/v1"

NEVER = {
    "base_url": THEIRS,
    "planner__base_url": THEIRS,
    "writer__base_url": THEIRS,
    "embedder__base_url": THEIRS,
    "openai_base_url": THEIRS,
    "ollama_host": THEIRS,
    "db": "/",
    "urls": THEIRS,
    "sites": THEIRS,
    "site_depth": "50",
    "site_pages": "9999",
    "site_time": "9999",
    "site_pause": "0",
    "prompts": "theirs",
    "sign": "true",
    "serve_token": "theirs, and long enough",
    "serve_share": "9",
    "serve_megabytes": "9",
    "serve_connections": "9",
    "serve_deadline": "9",
    "rerank_url": THEIRS,
    "share_file_text": "true",
    "role_limits": '{"writer": {"max_cost": 9}}',
    "writing_share": "0.9",
    "prices": '{"openai/m": [0, 0]}',
    "call_prices": '{"brave": 0}',
    "tavily_api_key_secret_arn": "arn:aws:secretsmanager:eu-west-1:1:secret:theirs",
    "aws_region": "theirs",
    "searxng_url": THEIRS,
    "engine_urls": json.dumps({"tavily": THEIRS}),
    "max_page_megabytes": "9999",
    "max_redirects": "20",
    "host_concurrency": "999",
    "host_pause": "0.1",
    "robots": "true",
    "cache_megabytes": "1",
    "page_cache_hours": "99",
    "allow_private": "10.0.0.0/8",
    "proxy": "http://127.0.0.1:1",
    "ca_file": "theirs.pem",
    "user_agent": "theirs",
    "browser": "never",
    "renderer": "playwright",
    "chromium": "./theirs",
    "max_megabytes": '{"pdf": 9999}',
    "convert_deadline": "9999",
    "convert_memory_megabytes": "99999",
    "serve_hosts": "theirs.example",
    "serve_runs": "99",
    "sse_limit": "2048",
    "log": "theirs.log",
    "otel": "true",
    "otel_content": "true",
    "data_dir": "theirs",
    "durability": "power",
    "keep_runs_days": "0.001",
}
"""What says where something is read, kept, run or sent, or guards the machine, with a value other than the default."""


@pytest.fixture(autouse=True)
def _own_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


def say(*lines: str) -> None:
    Path(".env").write_text("\n".join(lines), encoding="utf-8")


def test_of_a_folders_env_nothing_is_taken_that_says_where_and_what_runs_and_all_of_it_is_named() -> None:
    untouched = Settings.load()
    say(*(f"SPYGLASS_{name.upper()}={value}" for name, value in NEVER.items()))
    with pytest.warns(SettingsWarning) as told:
        assert Settings.load().model_dump() == untouched.model_dump()
    said = str(told[0].message)
    unnamed = [name for name in NEVER if name.replace("__", ".") not in said or f"SPYGLASS_{name.upper()}" not in said]
    assert not unnamed
    assert "theirs" not in said


def test_every_setting_is_either_refused_or_marked_as_one_that_a_folder_may_say() -> None:
    values = {"effort": "deep", "length": "long", "policy": "off", "outline": "ask", "rerank": "model"}
    values |= {"search_depth": "basic", "time_range": "day", "credibility": '{"a.example": 1}', "max_time": "5m"}
    values |= {"chunk_target": "900", "chunk_max": "901", "chunk_overlap": "99", "dense": "false", "web": "true"}
    values |= {"min_score": "0.5", "summarise": "true", "max_output_tokens": "99", "safesearch": "on"}
    tables = {"planner", "writer", "embedder"}
    free = [name for name in Settings.model_fields if name not in {*NEVER, *tables}]
    say(
        *(f"SPYGLASS_{name.upper()}={values.get(name, '4')}" for name in free),
        *(f"SPYGLASS_{one}__MODEL=m" for one in tables),
    )
    assert Settings.load().model_fields_set - {"data_dir"} == {*free, *tables}


def test_what_the_user_says_in_the_environment_a_named_file_or_an_argument_counts(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    config = tmp_path / "mine.toml"
    config.write_text('chromium = "mine"\n', encoding="utf-8")
    monkeypatch.setenv("SPYGLASS_PROXY", "http://mine:1")
    say("SPYGLASS_CHROMIUM=theirs", "SPYGLASS_PROXY=http://theirs:1", "SPYGLASS_LOG=theirs")
    with pytest.warns(SettingsWarning):
        settings = Settings.load(config, log=Path("mine"))
    assert (settings.chromium, settings.log) == (Path("mine"), Path("mine"))
    assert settings.proxy is not None
    assert settings.proxy.get_secret_value() == "http://mine:1"


def test_a_key_of_the_folder_is_not_sent_home_when_it_was_meant_for_an_address_that_does_not_count(
    monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    cases = [
        ("SPYGLASS_PROVIDER=openai", f"OPENAI_BASE_URL={THEIRS}", "provider"),
        ("OPENAI_API_KEY=k", f"OPENAI_BASE_URL={THEIRS}", "openai_api_key"),
        ("SPYGLASS_KEY=k", f"SPYGLASS_BASE_URL={THEIRS}", "key"),
        ("SPYGLASS_RERANK_API_KEY=k", f"SPYGLASS_RERANK_URL={THEIRS}", "rerank_api_key"),
        ("TAVILY_API_KEY=k", f'SPYGLASS_ENGINE_URLS={{"tavily": "{THEIRS}"}}', "tavily_api_key"),
    ]
    for value, address, name in cases:
        with subtests.test(name=name):
            say(value, address)
            with pytest.warns(SettingsWarning, match=rf"\b{name}\b"):
                assert getattr(Settings.load(), name) is None
            with monkeypatch.context() as mine:
                mine.setenv(*address.split("=", 1))
                with pytest.warns(SettingsWarning):
                    assert getattr(Settings.load(), name) is not None


def test_a_folder_does_not_say_who_gets_the_users_key(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("SPYGLASS_KEY", "SPYGLASS_PLANNER__KEY"):
        say("SPYGLASS_PROVIDER=deepseek", "SPYGLASS_PLANNER__PROVIDER=deepseek", "SPYGLASS_MODEL=m")
        with monkeypatch.context() as mine:
            mine.setenv(variable, "sk-mine")
            with pytest.warns(SettingsWarning, match=r"provider, planner\.provider"):
                settings = Settings.load()
            assert (settings.provider, settings.planner.provider, settings.model) == (None, None, "m")


def test_a_folder_does_not_lift_the_users_limits(tmp_path: Path) -> None:
    say("SPYGLASS_MAX_COST=1000", "SPYGLASS_MAX_TIME=5m")
    config = tmp_path / "mine.toml"
    config.write_text("max_cost = 1\n", encoding="utf-8")
    with pytest.warns(SettingsWarning, match="max_cost"):
        settings = Settings.load(config)
    assert (settings.max_cost, settings.max_time) == (1.0, 300.0)


def test_a_folder_does_not_read_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "very-secret")
    say("SPYGLASS_DOMAINS=${AWS_SECRET_ACCESS_KEY}.theirs.example", "GEMINI_API_KEY=${AWS_SECRET_ACCESS_KEY}")
    settings = Settings.load()
    assert settings.domains == ["${AWS_SECRET_ACCESS_KEY}.theirs.example"]
    assert settings.gemini_api_key is not None
    assert settings.gemini_api_key.get_secret_value() == "${AWS_SECRET_ACCESS_KEY}"
