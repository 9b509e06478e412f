"""The `.env` of a folder that somebody else made says how an answer looks, and gives keys; nothing else."""

import json
from operator import attrgetter
from pathlib import Path

import pytest

from spyglass.kernel.settings import Settings, SettingsWarning, settings_in
from spyglass.kernel.settings.marks import variable

THEIRS = "http://127.0.0.1:1/v1"

NEVER = {
    "base_url": THEIRS,
    "planner__base_url": THEIRS,
    "writer__base_url": THEIRS,
    "checker__base_url": THEIRS,
    "embedder__base_url": THEIRS,
    "openai_base_url": THEIRS,
    "ollama_host": THEIRS,
    "db": "/",
    "urls": THEIRS,
    "sites": THEIRS,
    "crawl__depth": "50",
    "crawl__pages": "9999",
    "crawl__time": "9999",
    "crawl__pause": "0",
    "models__prompts": "theirs",
    "report__sign": "true",
    "serve__token": "theirs, and long enough",
    "serve__share": "9",
    "serve__spare": "false",
    "serve__megabytes": "9",
    "serve__connections": "9",
    "serve__deadline": "9",
    "search__mcp": '{"theirs": "http://127.0.0.1:1/mcp"}',
    "serve__upload_megabytes": "9",
    "serve__per_second": "9",
    "rerank__url": THEIRS,
    "research__share_file_text": "true",
    "budget__roles": '{"writer": {"max_cost": 9}}',
    "budget__writing_share": "0.9",
    "budget__prices": '{"openai/m": [0, 0]}',
    "budget__call_prices": '{"brave": 0}',
    "database_url": "postgresql://theirs:secret@theirs/runs",
    "tavily_api_key_secret_arn": "arn:aws:secretsmanager:eu-west-1:1:secret:theirs",
    "aws_region": "theirs",
    "searxng_url": THEIRS,
    "search__engine_urls": json.dumps({"tavily": THEIRS}),
    "fetch__max_megabytes": "9999",
    "fetch__max_redirects": "20",
    "fetch__host_concurrency": "999",
    "fetch__host_pause": "0.1",
    "fetch__robots": "true",
    "cache__megabytes": "1",
    "cache__page_hours": "99",
    "network__allow_private": "10.0.0.0/8",
    "network__proxy": "http://127.0.0.1:1",
    "network__ca_file": "theirs.pem",
    "network__user_agent": "theirs",
    "browser__mode": "never",
    "browser__renderer": "playwright",
    "browser__chromium": "./theirs",
    "documents__max_megabytes": '{"pdf": 9999}',
    "documents__deadline": "9999",
    "documents__memory_megabytes": "99999",
    "serve__hosts": "theirs.example",
    "serve__runs": "99",
    "serve__sse_limit": "2048",
    "observe__log": "theirs.log",
    "observe__otel": "true",
    "observe__otel_content": "true",
    "watch__webhook": THEIRS,
    "watch__atom": "theirs.xml",
    "watch__email_to": "theirs@example.org",
    "watch__email_from": "theirs@example.org",
    "watch__smtp": "theirs.example:25",
    "watch__smtp_user": "theirs",
    "watch__smtp_password": "theirs",
    "data_dir": "theirs",
    "runs__durability": "power",
    "runs__keep_days": "0.001",
    "runs__database_wait": "600",
    "runs__ray": "theirs:6379",
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
    values = {"effort": "deep", "report.length": "long", "report.policy": "off", "report.outline": "ask"}
    values |= {"rerank.method": "model", "search_depth": "basic", "search.time_range": "day", "web": "true"}
    values |= {"search.credibility": '{"a.example": 1}', "search.min_score": "0.5", "search.safesearch": "on"}
    values |= {"retrieval.chunk_target": "900", "retrieval.chunk_max": "901", "retrieval.chunk_overlap": "99"}
    values |= {"retrieval.dense": "false", "research.summarise": "true", "research.ask": "true"}
    values |= {"models.max_output_tokens": "99"}
    values |= {"budget.max_time": "5m"}
    never = {name.replace("__", ".") for name in NEVER}
    free = [name for name in settings_in(Settings) if name not in never]
    say(*(f"{variable(name)}={values.get(name, '4')}" for name in free))
    # a role counts as said as a whole
    roles = {f"{role}.base_url" for role in ("planner", "writer", "checker", "embedder")}
    assert Settings.load().explicit - {"data_dir"} == {*free, *roles}


def test_what_the_user_says_in_the_environment_a_named_file_or_an_argument_counts(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    config = tmp_path / "mine.toml"
    config.write_text('browser.chromium = "mine"\n', encoding="utf-8")
    monkeypatch.setenv("SPYGLASS_NETWORK__PROXY", "http://mine:1")
    say("SPYGLASS_BROWSER__CHROMIUM=theirs", "SPYGLASS_NETWORK__PROXY=http://theirs:1", "SPYGLASS_OBSERVE__LOG=theirs")
    with pytest.warns(SettingsWarning):
        settings = Settings.load(config, observe__log=Path("mine"))
    assert (settings.browser.chromium, settings.observe.log) == (Path("mine"), Path("mine"))
    assert settings.network.proxy is not None
    assert settings.network.proxy.get_secret_value() == "http://mine:1"


def test_a_key_of_the_folder_is_not_sent_home_when_it_was_meant_for_an_address_that_does_not_count(
    monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    cases = [
        ("SPYGLASS_PROVIDER=openai", f"OPENAI_BASE_URL={THEIRS}", "provider"),
        ("OPENAI_API_KEY=k", f"OPENAI_BASE_URL={THEIRS}", "openai_api_key"),
        ("SPYGLASS_KEY=k", f"SPYGLASS_BASE_URL={THEIRS}", "key"),
        ("SPYGLASS_RERANK__KEY=k", f"SPYGLASS_RERANK__URL={THEIRS}", "rerank.key"),
        ("TAVILY_API_KEY=k", f'SPYGLASS_SEARCH__ENGINE_URLS={{"tavily": "{THEIRS}"}}', "tavily_api_key"),
    ]
    for value, address, name in cases:
        with subtests.test(name=name):
            say(value, address)
            with pytest.warns(SettingsWarning, match=rf"\b{name}\b"):
                assert attrgetter(name)(Settings.load()) is None
            with monkeypatch.context() as mine:
                mine.setenv(*address.split("=", 1))
                with pytest.warns(SettingsWarning):
                    assert attrgetter(name)(Settings.load()) is not None


def test_a_folder_does_not_say_who_gets_the_users_key(monkeypatch: pytest.MonkeyPatch) -> None:
    for key in ("SPYGLASS_KEY", "SPYGLASS_PLANNER__KEY"):
        say("SPYGLASS_PROVIDER=deepseek", "SPYGLASS_PLANNER__PROVIDER=deepseek", "SPYGLASS_MODEL=m")
        with monkeypatch.context() as mine:
            mine.setenv(key, "sk-mine")
            with pytest.warns(SettingsWarning, match=r"provider, planner\.provider"):
                settings = Settings.load()
            assert (settings.provider, settings.planner.provider, settings.model) == (None, None, "m")


def test_a_folder_does_not_lift_the_users_limits(tmp_path: Path) -> None:
    say("SPYGLASS_BUDGET__MAX_COST=1000", "SPYGLASS_BUDGET__MAX_TIME=5m")
    config = tmp_path / "mine.toml"
    config.write_text("budget.max_cost = 1\n", encoding="utf-8")
    with pytest.warns(SettingsWarning, match="max_cost"):
        settings = Settings.load(config)
    assert (settings.budget.max_cost, settings.budget.max_time) == (1.0, 300.0)


def test_a_folder_does_not_read_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "very-secret")
    say("SPYGLASS_SEARCH__DOMAINS=${AWS_SECRET_ACCESS_KEY}.theirs.example", "GEMINI_API_KEY=${AWS_SECRET_ACCESS_KEY}")
    settings = Settings.load()
    assert settings.search.domains == ["${AWS_SECRET_ACCESS_KEY}.theirs.example"]
    assert settings.gemini_api_key is not None
    assert settings.gemini_api_key.get_secret_value() == "${AWS_SECRET_ACCESS_KEY}"
