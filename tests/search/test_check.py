"""Settings with which the web cannot be used are refused before anything is spent."""

from pathlib import Path
from typing import Any

import pytest

from spyglass import research
from spyglass.kernel.errors import UsageError
from spyglass.kernel.settings import Settings
from spyglass.search.check import check_settings
from spyglass.tools.web_research import web_research
from spyglass.tools.web_search import web_search

WRONG: list[tuple[dict[str, Any], str]] = [
    ({"search.domains": ["a b/c"]}, "is not a domain"),
    ({"search.block": ["https://"]}, "is not a domain"),
    ({"search.credibility": {"a b": 5}}, "is not a domain"),
    ({"search.engines": ["nope"]}, "no search engine"),
    ({"search.engine_urls": {"nope": "http://127.0.0.1:9"}}, "engine_urls"),
    ({"network.allow_private": ["!!"]}, "allow_private"),
    ({"network.ca_file": Path("missing.pem")}, "ca_file"),
    ({"network.proxy": "socks5://127.0.0.1:1"}, "proxy"),
    ({"urls": ["file:///etc/passwd"]}, "scheme file"),
    ({"urls": ["http://user:s3cret@example.org/"]}, "credentials"),
    ({"urls": ["http://169.254.169.254/"]}, "metadata"),
]


async def test_a_setting_that_cannot_be_meant_is_a_usage_error_and_no_run_begins(tmp_path: Path) -> None:
    for wrong, said in WRONG:
        settings = Settings(web=True, data_dir=tmp_path / "data", **wrong)
        for call in (research, web_search, web_research):
            with pytest.raises(UsageError, match=said):
                pytest.fail(f"{wrong}: {await call('How do bees dance?', settings=settings)}")
    assert not (tmp_path / "data").exists()


async def test_settings_that_can_be_meant_are_fine() -> None:
    meant = Settings(
        search__domains=["*.example.org"],
        search__engines=["tavily"],
        network__allow_private=["10.0.0.0/8"],
        network__proxy="http://a:1",
    )
    before = meant.model_dump()
    await check_settings(meant)
    assert meant.model_dump() == before


async def test_a_run_without_the_web_does_not_mind(tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "bees.md").write_text("# Bees\n\nHoney bees dance to tell where flowers are.\n")
    settings = Settings(
        db=[tmp_path / "files"], data_dir=tmp_path / "data", search__engines=["nope"], retrieval__dense=False
    )
    assert (await research("How do bees dance?", settings=settings)).outcome == "complete"
