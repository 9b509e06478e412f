"""Every setting, read once, at the edge: arguments, environment, `.env`, a config file, defaults, in this order."""

import difflib
import json
import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal

import platformdirs
from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, SecretStr, ValidationError
from pydantic.fields import FieldInfo
from pydantic_settings import (
    BaseSettings,
    DotEnvSettingsSource,
    InitSettingsSource,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from .errors import SettingsError

PREFIX = "SPYGLASS_"


def _as_list(value: Any) -> Any:
    """Take one value for a list of one; the environment writes a list as JSON or with commas."""
    if isinstance(value, str):
        if value.lstrip().startswith("["):
            return json.loads(value)
        return [part.strip() for part in value.split(",") if part.strip()]
    return [value] if isinstance(value, Path) else value


Folders = Annotated[list[Path], NoDecode, BeforeValidator(_as_list)]
Names = Annotated[list[str], NoDecode, BeforeValidator(_as_list)]
Length = Literal["short", "normal", "long"]


class Role(BaseModel):
    """Which model plays a role, where it is, and how much it can read; what is not set comes from the top level."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    provider: str | None = None
    model: str | None = None
    base_url: str | None = None
    key: SecretStr | None = None
    context_window: int | None = Field(default=None, gt=0)


def _provider_value(name: str) -> Any:
    """A field that also has the name under which the providers' own tools know it, `OPENAI_API_KEY` say."""
    return Field(default=None, validation_alias=AliasChoices(name, f"{PREFIX}{name}".lower()))


class Settings(BaseSettings):
    """All settings of Spyglass. Make one with `Settings.load`, which reads a file and explains what is wrong.

    Seconds for every deadline, US dollars for money, characters for chunk sizes, megabytes (10^6 bytes) for caps.
    """

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_nested_delimiter="__", extra="forbid", frozen=True, validate_default=True
    )

    # Who answers
    provider: str | None = None
    model: str | None = None
    base_url: str | None = None
    key: SecretStr | None = None
    context_window: int | None = Field(default=None, gt=0)
    planner: Role = Role()
    writer: Role = Role()
    embedder: Role = Role()
    openai_api_key: SecretStr | None = _provider_value("openai_api_key")
    openai_base_url: str | None = _provider_value("openai_base_url")
    deepseek_api_key: SecretStr | None = _provider_value("deepseek_api_key")
    xai_api_key: SecretStr | None = _provider_value("xai_api_key")
    gemini_api_key: SecretStr | None = Field(
        default=None, validation_alias=AliasChoices("gemini_api_key", "spyglass_gemini_api_key", "google_api_key")
    )
    ollama_host: str | None = _provider_value("ollama_host")

    # What is asked
    agents: Names | None = None
    db: Folders = [Path("local_files")]
    language: str = "auto"
    length: Length = "normal"
    sections: Names = []
    prompts: Path | None = None
    rounds: int = Field(default=1, ge=0, le=5)
    outline: Literal["plan", "ask"] = "plan"
    summarise: bool = False
    share_file_text: bool = False

    # Bounds
    max_dispatches: int = Field(default=50, ge=1)
    agent_deadline: float = Field(default=900.0, gt=0)
    model_deadline: float = Field(default=120.0, gt=0)
    model_attempts: int = Field(default=3, ge=1, le=10)
    model_concurrency: int | None = Field(default=None, ge=1)
    max_output_tokens: int = Field(default=2048, ge=16)

    # Local files
    top_k: int = Field(default=2, ge=1, le=100)
    chunk_target: int = Field(default=1000, ge=100)
    chunk_max: int = Field(default=1500, ge=200)
    chunk_overlap: int = Field(default=100, ge=0)
    dense: bool = True
    dense_weight: float | None = Field(default=None, ge=0)
    max_megabytes: dict[str, float] = {}
    convert_deadline: float = Field(default=60.0, gt=0)
    convert_memory_megabytes: int = Field(default=1500, ge=256)

    # Where things are kept
    data_dir: Path = Path(platformdirs.user_data_dir("spyglass"))

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Arguments, then the environment; `load` puts `.env` and the config file below them."""
        return init_settings, env_settings

    @classmethod
    def load(cls, config: Path | None = None, *, env_file: Path = Path(".env"), **arguments: Any) -> "Settings":
        """Read every source once: arguments, environment, `.env`, the config file (TOML or JSON), defaults.

        An argument of None counts as not given. Raises SettingsError, which names the key, the place and the remedy.
        """
        from_file = _read_config(config) if config else {}
        given = {name: value for name, value in arguments.items() if value is not None}
        _refuse_unknown(from_file, cls, f"in {config}")
        _refuse_unknown(given, cls, "in the arguments")
        try:
            settings = _layered(from_file, env_file)(**given)
        except ValidationError as error:
            raise _explained(error, config, from_file) from error
        return settings


def _layered(from_file: dict[str, Any], env_file: Path) -> type[Settings]:
    """Return a Settings that has `.env` and the config file as its last two sources."""

    class Loaded(Settings):
        @classmethod
        def settings_customise_sources(
            cls,
            settings_cls: type[BaseSettings],
            init_settings: PydanticBaseSettingsSource,
            env_settings: PydanticBaseSettingsSource,
            dotenv_settings: PydanticBaseSettingsSource,
            file_secret_settings: PydanticBaseSettingsSource,
        ) -> tuple[PydanticBaseSettingsSource, ...]:
            dotenv = _OwnLines(settings_cls, env_file=env_file)
            return init_settings, env_settings, dotenv, InitSettingsSource(settings_cls, init_kwargs=from_file)

    return Loaded


class _OwnLines(DotEnvSettingsSource):
    """A `.env` file is shared with other programs: lines that are not ours are none of our business."""

    def __call__(self) -> dict[str, Any]:
        found = super().__call__()
        known = {alias for field in self.settings_cls.model_fields.values() for alias in _aliases(field)}
        return {name: value for name, value in found.items() if name in {*self.settings_cls.model_fields, *known}}


def _aliases(field: FieldInfo) -> list[str]:
    alias = field.validation_alias
    return [str(choice) for choice in alias.choices] if isinstance(alias, AliasChoices) else []


def _read_config(path: Path) -> dict[str, Any]:
    """Return the keys of a TOML or JSON file; raises SettingsError with line and column where it does not parse."""
    try:
        text = path.read_text(encoding="utf-8")
        content = json.loads(text) if path.suffix.lower() == ".json" else tomllib.loads(text)
    except FileNotFoundError as error:
        raise SettingsError("There is no such config file", where=str(path)) from error
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"The config file cannot be read: {error}", where=str(path)) from error
    except (json.JSONDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(f"The config file does not parse: {error}", where=str(path)) from error
    if not isinstance(content, dict):
        raise SettingsError("The config file must hold an object with settings as its keys", where=str(path))
    return content


def _refuse_unknown(values: dict[str, Any], model: type[BaseModel], where: str, prefix: str = "") -> None:
    """Raise SettingsError for the first key that no setting has, with the nearest one as the remedy."""
    for name, value in values.items():
        if name not in model.model_fields:
            near = difflib.get_close_matches(name, model.model_fields, n=1)
            remedy = f'Did you mean "{prefix}{near[0]}"?' if near else f"Known keys: {', '.join(model.model_fields)}."
            raise SettingsError(f'Unknown setting "{prefix}{name}"', where=where, remedy=remedy)
        kind = model.model_fields[name].annotation
        if isinstance(value, dict) and isinstance(kind, type) and issubclass(kind, BaseModel):
            _refuse_unknown(value, kind, where, f"{prefix}{name}.")


def _explained(error: ValidationError, config: Path | None, from_file: dict[str, Any]) -> SettingsError:
    """Turn pydantic's first complaint into one that names key, value, place and remedy; secrets stay hidden."""
    first = error.errors(include_url=False)[0]
    name = ".".join(str(part) for part in first["loc"])
    top = name.partition(".")[0]
    where = f"in {config}" if top in from_file else f"argument, environment {PREFIX}{top.upper()} or .env"
    shown = "" if "key" in name else f" = {first['input']!r}"
    return SettingsError(f'The setting "{name}"{shown} is not valid: {first["msg"]}', where=where)
