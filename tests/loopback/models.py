"""Models that talk to the loopback server."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from spyglass.kernel.settings import Settings
from spyglass.model.model import Model
from spyglass.model.providers import model_for

from .server import ModelServer

KEY = "sk-very-secret-0123456789"

ModelAt = Callable[..., Model]


@pytest.fixture(params=["openai", "google", "ollama"])
def provider(request: pytest.FixtureRequest) -> str:
    """Each wire format in turn."""
    return str(request.param)


@pytest.fixture
def model_at(model_server: ModelServer, tmp_path: Path) -> ModelAt:
    """Make a model of a provider that asks the loopback server, once a call unless told otherwise."""

    def make(provider: str, **settings: Any) -> Model:
        given: dict[str, Any] = {"model": "m", "key": KEY, "models.attempts": 1, "models.deadline": 20.0, **settings}
        given |= {"provider": provider, "base_url": model_server.base_url(provider), "data_dir": tmp_path / "data"}
        model = model_for(Settings(**given), "writer")
        assert model is not None
        return model

    return make
