"""Where journals are kept: every test of theirs is made of each kind."""

from collections.abc import Callable
from pathlib import Path

import pytest

from spyglass.kernel.journal import Journal

Open = Callable[[Path], Journal]
"""Opens the journal of a run in a folder of its own; two that are opened at one path are of one run."""


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.cluster)])
def kept(request: pytest.FixtureRequest) -> Open:
    """Open journals in files, or in files and PostgreSQL."""
    if request.param == "sqlite":
        return Journal
    from spyglass.kernel.journal.shared import SharedJournal

    database = request.getfixturevalue("database")
    return lambda path: SharedJournal(path, database)
