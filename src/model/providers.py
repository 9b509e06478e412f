"""Which provider is which class, and which model plays a role."""

from typing import Literal

from ..errors import SettingsError
from ..registry import Registry
from ..settings import Role, Settings
from .exchange import ModelConfig
from .gemini import Gemini
from .model import Model
from .ollama import Ollama
from .openai import Deepseek, Gork, OpenAI

PROVIDERS: Registry[Model] = Registry(
    "provider",
    Model,
    "spyglass.providers",
    {
        "deepseek": Deepseek,
        "gemini": Gemini,
        "google": Gemini,
        "gork": Gork,
        "gpt": OpenAI,
        "grok": Gork,
        "ollama": Ollama,
        "openai": OpenAI,
        "xai": Gork,
    },
)
"""Every provider; a distribution adds its own as an entry point of the group `spyglass.providers`."""


def get_model(provider: str, model: str, settings: Settings | None = None) -> Model:
    """Return a model of that provider; opens nothing and needs no key until the first call.

    The settings' own base_url, key and context_window count when they name this provider or none. An empty model name
    takes the provider's default. Raises UnknownNameError, which lists the known providers, and SettingsError.
    """
    settings = settings or Settings.load()
    kind = PROVIDERS.get(provider)
    if settings.provider and PROVIDERS.get(settings.provider) is not kind:
        return _configured(kind, Role(model=model), settings, kind.default_model)
    top = {name: getattr(settings, name) for name in ("base_url", "key", "context_window")}
    return _configured(kind, Role(model=model, **top), settings, kind.default_model)


def model_for(settings: Settings, role: Literal["planner", "writer", "embedder"]) -> Model | None:
    """Return the model that plays a role, None when no provider is set for it. Raises as `get_model` does."""
    found = settings.role(role)
    if not found.provider:
        if found.model:
            raise SettingsError(
                f'The model "{found.model}" has no provider',
                where=f"for the {role}",
                remedy=f"Set provider to one of: {', '.join(PROVIDERS.names())}.",
            )
        return None
    kind = PROVIDERS.get(found.provider)
    return _configured(kind, found, settings, kind.default_embedder if role == "embedder" else kind.default_model)


def _configured(kind: type[Model], role: Role, settings: Settings, default: str) -> Model:
    name = (role.model or "").strip() or default
    if not name:
        raise SettingsError(f"The provider {kind.provider} has no default model here", remedy="Set model.")
    return kind(
        name,
        ModelConfig(
            base_url=role.base_url or getattr(settings, kind.base_url_setting or "", None),
            key=role.key or getattr(settings, kind.key_setting or "", None),
            context_window=role.context_window,
            deadline=settings.model_deadline,
            attempts=settings.model_attempts,
            concurrency=settings.model_concurrency,
            max_output_tokens=settings.max_output_tokens,
        ),
    )
