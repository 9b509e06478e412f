"""Settings of somebody who searches the loopback web."""

from pathlib import Path

import pytest

from loopback import SearchServer
from spyglass.kernel.settings import Settings
from tools.sites import settings_of


@pytest.fixture
def online(tmp_path: Path, search_server: SearchServer) -> Settings:
    return settings_of(tmp_path, search_server)
