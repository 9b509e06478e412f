"""Settings are in tables by subject; every place has its way to name one."""

from pathlib import Path
from runpy import run_path
from typing import Any

import pytest

from spyglass.kernel.errors import SettingsError
from spyglass.kernel.settings import Settings, SettingsWarning


@pytest.fixture(autouse=True)
def _own_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


def in_file(text: str) -> Settings:
    Path("c.toml").write_text(text, encoding="utf-8")
    return Settings.load(Path("c.toml"))


def test_a_setting_of_a_table_has_a_name_at_every_place(monkeypatch: pytest.MonkeyPatch) -> None:
    assert in_file("[search]\ndeadline = 3\n").search.deadline == 3
    assert in_file("search.deadline = 3\n").search.deadline == 3
    assert Settings(search__deadline=3).search.deadline == 3
    assert Settings.load(search={"deadline": 3}, search__attempts=2).explicit >= {"search.deadline", "search.attempts"}
    Path(".env").write_text("SPYGLASS_SEARCH__DEADLINE=4\n", encoding="utf-8")
    assert Settings.load().search.deadline == 4
    monkeypatch.setenv("SPYGLASS_SEARCH__DEADLINE", "3")
    monkeypatch.setenv("SPYGLASS_SEARCH", '{"attempts": 2}')
    assert (Settings.load().search.deadline, Settings.load().search.attempts) == (3, 2)


def test_one_table_may_come_from_several_places(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPYGLASS_SEARCH__DEADLINE", "3")
    Path(".env").write_text("SPYGLASS_SEARCH__DEADLINE=5\nSPYGLASS_SEARCH__ATTEMPTS=5\n", encoding="utf-8")
    search = in_file("[search]\ndeadline = 4\nattempts = 4\nmax_queries = 4\n").search
    assert (search.deadline, search.attempts, search.max_queries) == (3, 5, 4)


def test_the_lists_of_domains_have_variables_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLACKLISTED_DOMAINS", "a.example, b.example")
    monkeypatch.setenv("WHITELISTED_DOMAINS", '["c.example"]')
    search = Settings().search
    assert (search.block, search.trust) == (["a.example", "b.example"], ["c.example"])
    monkeypatch.setenv("SPYGLASS_SEARCH__BLOCK", "d.example")
    assert Settings.load().search.block == ["d.example"]


def test_a_name_without_its_table_is_refused_with_the_whole_one() -> None:
    cases = {
        "max_cost": '"budget.max_cost"',
        "search_deadline": '"search.deadline"',
        "renderer": '"browser.renderer"',
        "megabytes": '"cache.megabytes" or "serve.megabytes"',
    }
    for name, meant in cases.items():
        said = rf'Unknown setting "{name}" .*Did you mean {meant}\?'
        with pytest.raises(SettingsError, match=said):
            in_file(f'{name} = "x"\n')
        with pytest.raises(SettingsError, match=said):
            Settings(**{name: "x"})


@pytest.mark.parametrize("value", ["sk-secret", 3, ["sk-secret"]])
def test_what_is_no_table_is_refused_where_a_table_is_wanted(value: Any) -> None:
    said = r'"search" is a table of settings .*Set one of: search\.engines, .*search\.deadline'
    with pytest.raises(SettingsError, match=said) as caught:
        Settings.load(search=value)
    assert "sk-secret" not in str(caught.value)


def test_an_unknown_name_in_a_table_is_told_the_nearest_one(monkeypatch: pytest.MonkeyPatch) -> None:
    said = r'Unknown setting "search\.deadlin" .*Did you mean "search\.deadline"\?'
    with pytest.raises(SettingsError, match=said):
        Settings(search__deadlin=3)
    monkeypatch.setenv("SPYGLASS_SEARCH__DEADLIN", "3")
    with pytest.raises(SettingsError, match=said):
        Settings.load()


@pytest.mark.parametrize(("name", "meant"), [("MAX_COST", "budget.max_cost"), ("MODLE", "model")])
def test_a_variable_that_is_named_like_a_setting_and_is_none_is_told(
    monkeypatch: pytest.MonkeyPatch, name: str, meant: str
) -> None:
    said = rf'Unknown setting "{name.lower()}" .*Did you mean "{meant}"\?'
    Path(".env").write_text(f"SPYGLASS_{name}=1\nOTHER=2\n", encoding="utf-8")
    with pytest.raises(SettingsError, match=said):
        Settings.load()
    Path(".env").unlink()
    monkeypatch.setenv(f"SPYGLASS_{name}", "1")
    with pytest.warns(SettingsWarning, match=said):
        Settings.load()


def test_a_folder_says_of_a_table_what_it_may_and_no_more() -> None:
    Path(".env").write_text('SPYGLASS_NETWORK={"proxy": "http://theirs:1", "read_deadline": 3}\n', encoding="utf-8")
    with pytest.warns(SettingsWarning, match=r"network\.proxy\. .*SPYGLASS_NETWORK__PROXY"):
        network = Settings.load().network
    assert (network.proxy, network.read_deadline) == (None, 3)


def test_settings_are_updated_by_the_names_that_arguments_have() -> None:
    before = Settings(search__attempts=2)
    after = before.updated(search__deadline=3, effort="deep", **{"report.length": "long"})
    assert (after.search.deadline, after.search.attempts, after.effort, after.report.length) == (3, 2, "deep", "long")
    assert after.explicit - before.explicit == {"search.deadline", "effort", "report.length"}
    assert before.search.deadline == 10


def test_the_guide_lists_the_settings_as_they_are() -> None:
    docs = Path(__file__).parents[3] / "docs"
    guide = (docs / "settings.md").read_text(encoding="utf-8")
    assert run_path(str(docs / "list_settings.py"))["renewed"](guide) == guide, "python docs/list_settings.py"
