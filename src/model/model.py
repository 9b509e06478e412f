"""The base of all models."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

from pydantic import BaseModel

from ..run import Run


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a model is asked: standing instructions, and the request itself."""

    system: str
    user: str


class Model(ABC):
    """A model of a provider. Opens nothing until the first call, and keeps nothing of a run."""

    provider: str
    name: str
    context_window: int

    async def complete(
        self,
        run: Run,
        prompt: Prompt,
        *,
        role: str,
        schema: type[BaseModel] | None = None,
        max_tokens: int | None = None,
        stream: bool = False,
    ) -> str:
        """Return the model's text, thinking stripped; every call is an effect of the run. Raises ModelError."""
        raise NotImplementedError

    async def embed(self, run: Run, texts: list[str]) -> list[list[float]]:
        """Return one vector a text. Raises EmbedderError where the provider has no embeddings."""
        raise NotImplementedError
