"""The index of a folder is kept on this machine, or in a database: what is said of it holds for both."""

from collections.abc import Iterator

import pytest
from pydantic import SecretStr

from rag.shelf import configured
from spyglass.kernel.settings import Settings


@pytest.fixture(params=["local", pytest.param("shared", marks=pytest.mark.cluster)])
def anywhere(request: pytest.FixtureRequest, settings: Settings) -> Iterator[Settings]:
    """Settings with the index on this machine, then with it in a database."""
    if request.param == "local":
        yield settings
    else:
        from spyglass.kernel.database.database import database_at

        url = request.getfixturevalue("database_url")
        yield settings.updated(database_url=SecretStr(url))
        database_at(url).close()


@pytest.fixture
def words_only(anywhere: Settings) -> Settings:
    """The same, and only words are searched."""
    return configured(anywhere)
