"""The registry of providers, and the configured model of each role."""

from typing import Final, Literal, get_args
from urllib.parse import urlsplit

from pydantic import SecretStr

from ..kernel.errors import ModelKeyError, SettingsError
from ..kernel.registry import Registry
from ..kernel.settings import Role, Settings
from ..kernel.url import require_one_reading
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

    The `base_url` and `key` of the settings apply if the settings name this provider or none, their `context_window` if
    they also name this model. An empty model name takes the provider's default. Raises UnknownNameError, which lists
    the known providers, and SettingsError.
    """
    settings = settings or Settings.load()
    kind = PROVIDERS.get(provider)
    role = Role(provider=provider, model=model.strip() or kind.default_model)
    if not settings.provider or PROVIDERS.get(settings.provider) is kind:
        role = _with_defaults(role, kind, settings)
    return _configured(kind, role, settings, kind.default_model)


Played = Literal["planner", "writer", "checker", "embedder"]

INHERITING: Final = ("planner", "writer")
"""Roles that take missing values from the top level of the settings."""


def model_for(settings: Settings, role: Played) -> Model | None:
    """Return the model for a role; None if no provider is set for it.

    Missing values of planner and writer come from the top level of the settings, unless the role names another
    provider; checker and embedder inherit nothing. Raises the errors of `get_model`.
    """
    config: Role = getattr(settings, role)
    inherits = role in INHERITING
    provider = config.provider or (settings.provider if inherits else None)
    if not provider:
        if model := config.model or (settings.model if inherits else None):
            raise SettingsError(
                f'The model "{model}" has no provider',
                where=f"for the {role}",
                remedy=f"Set provider to one of: {', '.join(PROVIDERS.names())}.",
            )
        return None
    kind = PROVIDERS.get(provider)
    if role == "embedder":
        return _configured(kind, config, settings, kind.default_embedder)
    if inherits and settings.provider and PROVIDERS.get(settings.provider) is kind:
        config = _with_defaults(config, kind, settings)
    return _configured(kind, config, settings, kind.default_model)


def models_of(settings: Settings) -> list[Model]:
    """Return the models of all roles that the settings name. Raises the errors of `get_model`."""
    return [model for role in get_args(Played) if (model := model_for(settings, role)) is not None]


def require_keys(settings: Settings) -> None:
    """Raise SettingsError for the first model of the settings that needs a key and has none; see also `model_for`."""
    for role in get_args(Played):
        if role == "embedder" and not settings.retrieval.dense:
            continue
        try:
            if model := model_for(settings, role):
                model.require_key()
        except ModelKeyError as error:
            raise SettingsError(error.what, where=error.where, remedy=error.remedy) from error


def with_model(settings: Settings, provider: str, model: str) -> Settings:
    """Return the settings with this model as planner and writer, replacing theirs.

    Address, key and window are kept if the provider stays the same. Raises UnknownNameError.
    """
    kind = PROVIDERS.get(provider)
    changed = {"provider": provider, "model": model, "planner": Role(), "writer": Role()}
    if settings.provider and PROVIDERS.get(settings.provider) is not kind:
        changed |= dict.fromkeys(("base_url", "key", "context_window"))
    return settings.model_copy(update=changed)


def _with_defaults(role: Role, kind: type[Model], settings: Settings) -> Role:
    """Return a role of the settings' provider, with its missing values taken from the settings.

    A key is used only with the address, a window only with the model that it was set for.
    """
    top = _address(kind, settings.base_url, settings)
    same_place = not role.base_url or _address(kind, role.base_url, settings) == top
    same_model = not (role.model and settings.model) or role.model.strip() == settings.model.strip()
    return Role(
        provider=role.provider or settings.provider,
        model=role.model or settings.model,
        base_url=role.base_url or settings.base_url,
        key=role.key or (settings.key if same_place else None),
        context_window=role.context_window or (settings.context_window if same_model else None),
    )


def _configured(kind: type[Model], role: Role, settings: Settings, default: str) -> Model:
    name = (role.model or "").strip() or default
    if not name:
        raise SettingsError(f"The provider {kind.provider} has no default model for this role", remedy="Set its model.")
    return kind(
        name,
        ModelConfig(
            base_url=_address(kind, role.base_url, settings),
            key=role.key or _provider_key(kind, role.base_url, settings),
            context_window=role.context_window,
            deadline=settings.models.deadline,
            attempts=settings.models.attempts,
            concurrency=settings.models.concurrency,
            max_output_tokens=settings.models.max_output_tokens,
            price=settings.budget.prices.get(f"{kind.provider}/{name}"),
        ),
    )


def _address(kind: type[Model], base_url: str | None, settings: Settings) -> str:
    """Return a model's address: `base_url`, else that of the provider's environment variable, else its home."""
    from_variable: str | None = getattr(settings, kind.base_url_setting, None)
    address = (base_url or from_variable or kind.home).rstrip("/")
    try:
        require_one_reading(address)
        urlsplit(address)
    except ValueError as error:
        raise SettingsError(f"base_url is not a valid URL: {error}", where=f"for {kind.provider}") from error
    return address


def _provider_key(kind: type[Model], base_url: str | None, settings: Settings) -> SecretStr | None:
    """Return the key in the provider's variable; None unless the address is its home or the one in its variable."""
    key: SecretStr | None = getattr(settings, kind.key_setting, None)
    address = _address(kind, base_url, settings)
    at_own_address = address == _address(kind, None, settings)
    return key if at_own_address or urlsplit(address)[:2] == urlsplit(kind.home)[:2] else None
