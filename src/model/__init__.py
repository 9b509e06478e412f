"""Models: one small base, one file per SDK, a scripted one for tests, and one way to read a structured answer."""

from typing import TYPE_CHECKING

from ..kernel.exports import lazy_exports

if TYPE_CHECKING:
    from .gemini import Gemini as Gemini
    from .model import Model as Model
    from .model import Prompt as Prompt
    from .ollama import Ollama as Ollama
    from .openai import OpenAI as OpenAI
    from .scripted import Scripted as Scripted

__getattr__ = lazy_exports(
    __name__,
    {
        "Gemini": "gemini",
        "Model": "model",
        "Ollama": "ollama",
        "OpenAI": "openai",
        "Prompt": "model",
        "Scripted": "scripted",
    },
)
