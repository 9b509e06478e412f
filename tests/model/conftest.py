"""Models that talk to the loopback server."""

import gc

import google.genai
import ollama
import openai
import pytest

from loopback import model_at as model_at
from loopback import provider as provider


@pytest.fixture(scope="session", autouse=True)
def _sdks_out_of_the_collectors_way() -> None:
    """Three SDKs are a million objects: a collection of them in the midst of a test takes long enough to fail it."""
    assert all((google.genai, ollama, openai))
    gc.collect()
    gc.freeze()
