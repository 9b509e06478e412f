"""Language models: a base class, a module per SDK, a scripted model for tests, and structured answers.

Other folders also import the modules `address`, `asking`, `extract`, `metering`, `model`, `providers`, `structured` and
`tokens`.
"""

from typing import TYPE_CHECKING

from ..kernel.exports import lazy_exports

if TYPE_CHECKING:
    from .gemini import Gemini
    from .model import Model, Prompt
    from .ollama import Ollama
    from .openai import OpenAI
    from .scripted import Scripted

__all__ = ["Gemini", "Model", "Ollama", "OpenAI", "Prompt", "Scripted"]

__getattr__ = lazy_exports(
    __name__, gemini="Gemini", model="Model Prompt", ollama="Ollama", openai="OpenAI", scripted="Scripted"
)
