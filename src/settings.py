"""Every setting, read once, at the edge: arguments, environment, `.env`, a config file, defaults, in this order."""

import difflib
import json
import re
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import dotenv
import platformdirs
from pydantic import (
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    ValidationInfo,
    field_validator,
)
from pydantic.fields import FieldInfo
from pydantic_settings import (
    BaseSettings,
    DotEnvSettingsSource,
    EnvSettingsSource,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)
from pydantic_settings import SettingsError as SourceError

from .errors import SettingsError
from .trust import PREFIX, Choice, Plain, field_of, taken

ENVIRONMENT = "in the environment"


DEFAULT_FOLDER = Path("local_files")
"""Where the user's own documents are when nobody says so."""

LONGEST_SHOWN = 80
"""Characters of a wrong value that an error shows."""


def _as_list(value: Any) -> Any:
    """Take one value for a list of one."""
    return [value] if isinstance(value, str | Path) else value


Folders = Annotated[list[Path], BeforeValidator(_as_list)]
Names = Annotated[list[str], BeforeValidator(_as_list)]
Length = Literal["short", "normal", "long"]
Effort = Literal["auto", "quick", "normal", "deep"]
Policy = Literal["strict", "mark", "off"]
Rerank = Literal["lexical", "dense", "model", "api"]
SafeSearch = Literal["on", "moderate", "off"]
TimeRange = Literal["day", "week", "month", "year", "none"]


def _as_seconds(value: Any) -> Any:
    """Take `90s`, `5m`, `1.5h` and `7d` for seconds."""
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([smhd])\s*", value) if isinstance(value, str) else None
    return value if found is None else float(found[1]) * {"s": 1, "m": 60, "h": 3600, "d": 86_400}[found[2]]


Seconds = Annotated[float, BeforeValidator(_as_seconds)]
Spender = Literal["planner", "summary", "reranker", "writer", "checker", "embedder"]


Key = SecretStr | None
Provider = Annotated[str | None, Plain(beside=("base_url", "openai_base_url", "ollama_host"), unless=("key",))]
KeyThere = Annotated[Key, Plain(beside=("base_url",))]
EngineKey = Annotated[Key, Plain(beside=("engine_urls",))]


class Bounds(BaseModel):
    """What one role may spend in a run: US dollars, tokens of prompts and answers together, calls."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    max_cost: float | None = Field(default=None, ge=0)
    max_tokens: int | None = Field(default=None, ge=0)
    max_calls: int | None = Field(default=None, ge=0)


class Role(BaseModel):
    """Which model plays a role, where it is, and how much it can read; what is not set comes from the top level."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    provider: Provider = None
    model: Choice[str | None] = None
    base_url: str | None = None
    key: KeyThere = None
    context_window: Choice[int | None] = Field(default=None, gt=0)


def _provider_value(name: str) -> Any:
    """A field that also has the name under which the providers' own tools know it, `OPENAI_API_KEY` say."""
    return Field(default=None, validation_alias=AliasChoices(name, f"{PREFIX}{name}".lower()))


class Settings(BaseSettings):
    """All settings of Spyglass. Make one with `Settings.load`, which reads a file and explains what is wrong.

    Seconds for every deadline, US dollars for money, characters for chunk sizes, megabytes (10^6 bytes) for caps.
    """

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_nested_delimiter="__",
        extra="forbid",
        frozen=True,
        validate_default=True,
        hide_input_in_errors=True,
    )

    # Who answers
    provider: Provider = None
    model: Choice[str | None] = None
    base_url: str | None = None
    key: KeyThere = None
    context_window: Choice[int | None] = Field(default=None, gt=0)
    planner: Role = Role()
    writer: Role = Role()
    embedder: Role = Role()
    openai_api_key: Annotated[Key, Plain(beside=("openai_base_url",))] = _provider_value("openai_api_key")
    openai_base_url: str | None = _provider_value("openai_base_url")
    deepseek_api_key: Choice[Key] = _provider_value("deepseek_api_key")
    xai_api_key: Choice[Key] = _provider_value("xai_api_key")
    gemini_api_key: Choice[Key] = Field(
        default=None, validation_alias=AliasChoices("gemini_api_key", "spyglass_gemini_api_key", "google_api_key")
    )
    ollama_host: str | None = _provider_value("ollama_host")

    # What is asked
    agents: Choice[Names | None] = None
    db: Folders = []
    web: Choice[bool | None] = None
    urls: Names = []
    sites: Names = []
    effort: Choice[Effort] = "auto"
    language: Choice[str] = "auto"
    length: Choice[Length] = "normal"
    sections: Choice[Names] = []
    prompts: Path | None = None
    rounds: Choice[int] = Field(default=1, ge=0, le=5)
    outline: Choice[Literal["plan", "ask"]] = "plan"
    policy: Choice[Policy] = "strict"
    sign: bool = False
    summarise: Choice[bool | None] = None
    rerank: Choice[Rerank | None] = None
    rerank_url: str | None = None
    rerank_model: Choice[str | None] = None
    rerank_api_key: Annotated[Key, Plain(beside=("rerank_url",))] = None
    share_file_text: bool = False

    # Bounds
    max_dispatches: Choice[int] = Field(default=50, ge=1)
    agent_deadline: Choice[float] = Field(default=900.0, gt=0)
    model_deadline: Choice[float] = Field(default=120.0, gt=0)
    model_attempts: Choice[int] = Field(default=3, ge=1, le=10)
    model_concurrency: Choice[int | None] = Field(default=None, ge=1)
    max_output_tokens: Choice[int] = Field(default=2048, ge=16)

    # What a run may spend
    max_cost: Annotated[float | None, Plain(unless=("max_cost",))] = Field(default=None, ge=0)
    max_tokens: Annotated[int | None, Plain(unless=("max_tokens",))] = Field(default=None, ge=0)
    max_calls: Annotated[int | None, Plain(unless=("max_calls",))] = Field(default=None, ge=0)
    max_searches: Annotated[int | None, Plain(unless=("max_searches",))] = Field(default=None, ge=0)
    max_fetches: Annotated[int | None, Plain(unless=("max_fetches",))] = Field(default=None, ge=0)
    max_time: Annotated[Seconds | None, Plain(unless=("max_time",))] = Field(default=None, gt=0)
    role_limits: dict[Spender, Bounds] = {}
    writing_share: float = Field(default=0.3, ge=0, lt=1)
    prices: dict[str, tuple[Annotated[float, Field(ge=0)], Annotated[float, Field(ge=0)]]] = {}
    call_prices: dict[str, Annotated[float, Field(ge=0)]] = {}

    # Searching the web
    engines: Choice[Names | None] = None
    tavily_api_key: EngineKey = _provider_value("tavily_api_key")
    tavily_api_key_secret_arn: str | None = None
    aws_region: str | None = _provider_value("aws_region")
    brave_api_key: EngineKey = _provider_value("brave_api_key")
    serpapi_api_key: EngineKey = _provider_value("serpapi_api_key")
    searxng_url: str | None = _provider_value("searxng_url")
    engine_urls: dict[str, str] = {}
    max_results: Choice[int] = Field(default=10, ge=1, le=50)
    search_depth: Choice[Literal["basic", "advanced"]] = "advanced"
    min_score: Choice[float] = Field(default=0.3, ge=0, le=1)
    max_queries: Choice[int] = Field(default=3, ge=1, le=10)
    tavily_per_minute: Choice[int] = Field(default=100, ge=1)
    search_deadline: Choice[float] = Field(default=10.0, gt=0)
    search_attempts: Choice[int] = Field(default=3, ge=1, le=10)
    time_range: Choice[TimeRange] = "none"
    region: Choice[str] = ""
    safesearch: Choice[SafeSearch] = "moderate"
    domains: Choice[Names] = []
    block: Choice[Names] = Field(
        default=[], validation_alias=AliasChoices("block", "spyglass_block", "blacklisted_domains")
    )
    trust: Choice[Names] = Field(
        default=[], validation_alias=AliasChoices("trust", "spyglass_trust", "whitelisted_domains")
    )
    credibility: Choice[dict[str, Annotated[int, Field(ge=0, le=100)]]] = {}

    # Reading pages
    max_pages: Choice[int] = Field(default=10, ge=1, le=100)
    search_pages: Choice[int] = Field(default=8, ge=0, le=100)
    check_pages: Choice[int] = Field(default=200, ge=1, le=1_000)
    connect_deadline: Choice[float] = Field(default=5.0, gt=0)
    read_deadline: Choice[float] = Field(default=10.0, gt=0)
    page_deadline: Choice[float] = Field(default=20.0, gt=0)
    fetch_attempts: Choice[int] = Field(default=3, ge=1, le=10)
    max_page_megabytes: float = Field(default=10.0, gt=0)
    max_redirects: int = Field(default=5, ge=0, le=20)
    host_concurrency: int = Field(default=6, ge=1)
    host_pause: float = Field(default=0.0, ge=0)
    robots: bool = False
    cache_megabytes: float = Field(default=200.0, ge=1)
    page_cache_hours: float = Field(default=1.0, ge=0)
    allow_private: Names = []
    proxy: SecretStr | None = None
    ca_file: Path | None = None
    user_agent: str = "Mozilla/5.0 (compatible; Spyglass/0.1; research assistant)"
    browser: Literal["auto", "never", "always"] = "auto"
    renderer: Literal["playwright", "crawl4ai"] | None = None
    chromium: Path | None = None

    # Crawling sites
    site_depth: int = Field(default=3, ge=0, le=50)
    site_pages: int = Field(default=50, ge=1, le=10_000)
    site_time: Seconds = Field(default=300.0, gt=0)
    site_pause: float = Field(default=0.2, ge=0)

    # Local files
    top_k: Choice[int] = Field(default=30, ge=1, le=100)
    chunk_target: Choice[int] = Field(default=1000, ge=100)
    chunk_max: Choice[int] = Field(default=1500, ge=200)
    chunk_overlap: Choice[int] = Field(default=100, ge=0)
    dense: Choice[bool] = True
    dense_weight: Choice[float | None] = Field(default=None, ge=0)
    max_megabytes: dict[str, float] = {}
    convert_deadline: float = Field(default=60.0, gt=0)
    convert_memory_megabytes: int = Field(default=1500, ge=256)

    # Serving
    serve_hosts: Names = []
    serve_token: SecretStr | None = Field(default=None, min_length=16)
    serve_runs: int = Field(default=4, ge=1)
    serve_share: int = Field(default=2, ge=1)
    serve_megabytes: float = Field(default=5_000.0, gt=0)
    serve_connections: int = Field(default=256, ge=2)
    serve_deadline: float = Field(default=10.0, gt=0)
    sse_limit: int = Field(default=32_768, ge=1_024)

    # Who watches
    log: Path | None = None
    otel: bool = False
    otel_content: bool = False

    # Where things are kept, how safely, and how long
    data_dir: Path = Path(platformdirs.user_data_dir("spyglass"))
    durability: Literal["process", "power"] = "process"
    keep_runs_days: float = Field(default=90.0, ge=0)

    @property
    def folders(self) -> list[Path]:
        """The folders to research: those that were given, else the default one."""
        return self.db or [DEFAULT_FOLDER]

    @property
    def bounds_money(self) -> bool:
        """Whether a run, or a role in it, may spend no more than some sum."""
        bounds = [self.max_cost, *(one.max_cost for one in self.role_limits.values())]
        return any(bound is not None for bound in bounds)

    @property
    def searches_web(self) -> bool:
        """Whether the web is searched: as was said, else when neither a folder nor a site was given."""
        return not self.db and not self.sites if self.web is None else self.web

    @property
    def reads_given_only(self) -> bool:
        """Whether of the web only the pages and sites that were given are read."""
        return self.web is False or (bool(self.urls or self.sites) and not self.searches_web)

    @property
    def summarises(self) -> bool:
        """Whether a model summarises what was found: as was said, else with effort `deep`."""
        return self.effort == "deep" if self.summarise is None else self.summarise

    @property
    def reranker(self) -> Rerank:
        """How the passages of pages are ranked: as was said, else by words, with effort `deep` by meaning too."""
        return self.rerank or ("dense" if self.effort == "deep" else "lexical")

    @field_validator("chunk_max")
    @classmethod
    def _holds_a_target(cls, most: int, others: ValidationInfo) -> int:
        if (target := others.data.get("chunk_target", 0)) > most:
            raise ValueError(f"chunk_target is {target}, and may not be above it")
        return most

    @field_validator("chunk_overlap")
    @classmethod
    def _leaves_something_new(cls, overlap: int, others: ValidationInfo) -> int:
        if overlap >= (target := others.data.get("chunk_target", overlap + 1)):
            raise ValueError(f"chunk_target is {target}, and must be above it")
        return overlap

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
        return init_settings, _Environment(settings_cls)

    @classmethod
    def load(cls, config: Path | None = None, *, env_file: Path = Path(".env"), **arguments: Any) -> "Settings":
        """Read every source once: arguments, environment, `.env`, the config file (TOML or JSON), defaults.

        An argument of None counts as not given. Of `.env` only what is `Plain` is taken, and a SettingsWarning
        names the rest. Raises SettingsError, which names the key, the place and the remedy.
        """
        given = {name: value for name, value in arguments.items() if value is not None}
        _refuse_unknown(given, cls, "in the arguments")
        environment = _read(ENVIRONMENT, lambda: _Environment(cls)())
        from_folder = _read(f"in {env_file}", lambda: _OwnLines(cls, env_file=env_file)())
        from_file = _read(f"in {config}", lambda: read_config(config)) if config else {}
        _refuse_unknown(from_file, cls, f"in {config}")
        layers = {
            "in the arguments": given,
            ENVIRONMENT: environment,
            f"in {env_file}": taken(from_folder, cls, env_file, [given, environment, from_file]),
            f"in {config}": from_file,
        }
        try:
            return layered(cls, list(layers.values()))()
        except ValidationError as error:
            raise _explained(error, cls, layers) from error


def _read(where: str, source: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Return what a source holds; raises SettingsError when it cannot be read or parsed."""
    try:
        return source()
    except SourceError as error:
        raise SettingsError(
            f"A value does not parse: {error}", where=where, remedy="Lists and tables are JSON."
        ) from error
    except UnicodeDecodeError as error:
        raise SettingsError("The file is not UTF-8", where=where, remedy="Save it as UTF-8.") from error
    except RecursionError as error:
        raise SettingsError("A value is nested too deeply", where=where) from error
    except OSError as error:
        raise SettingsError(f"The file cannot be read: {error.strerror}", where=where) from error


def layered(settings_cls: type[Settings], layers: list[dict[str, Any]]) -> type[Settings]:
    """Return settings that come from these layers, the first one first."""

    class Loaded(settings_cls):  # type: ignore[valid-type,misc]
        @classmethod
        def settings_customise_sources(
            cls, settings_cls: type[BaseSettings], *_sources: PydanticBaseSettingsSource, **_named: Any
        ) -> tuple[PydanticBaseSettingsSource, ...]:
            return tuple(InitSettingsSource(settings_cls, init_kwargs=layer) for layer in layers)

    return Loaded


class _Environment(EnvSettingsSource):
    """The environment, where a list is written with commas, and like a table as JSON."""

    def decode_complex_value(self, field_name: str, field: FieldInfo, value: Any) -> Any:
        """Return the parts of a list, or what the JSON says."""
        if not value.lstrip().startswith(("[", "{")):
            return [part.strip() for part in value.split(",") if part.strip()]
        return super().decode_complex_value(field_name, field, value)


class _OwnLines(_Environment, DotEnvSettingsSource):
    """A `.env` file is shared with other programs: lines that are not ours are none of our business.

    It may be a stranger's: what is like `${NAME}` in it stays so, and brings no secret of the environment elsewhere.
    """

    def __call__(self) -> dict[str, Any]:
        return {name: value for name, value in super().__call__().items() if field_of(self.settings_cls, name)}

    def _read_env_file(self, file_path: Path) -> Mapping[str, str | None]:
        found = dotenv.dotenv_values(file_path, encoding="utf-8", interpolate=False)
        return {name.lower(): value for name, value in found.items()}


def read_config(path: Path) -> dict[str, Any]:
    """Return the keys of a TOML or JSON file; raises SettingsError with line and column where it does not parse."""
    try:
        text = path.read_text(encoding="utf-8")
        content = json.loads(text) if path.suffix.lower() == ".json" else tomllib.loads(text)
    except FileNotFoundError as error:
        raise SettingsError("There is no such config file", where=str(path)) from error
    except UnicodeDecodeError:
        raise
    except ValueError as error:  # besides their own errors, both parsers raise it for a number of too many digits
        raise SettingsError(f"The config file does not parse: {error}", where=str(path)) from error
    if not isinstance(content, dict):
        raise SettingsError("The config file must hold an object with settings as its keys", where=str(path))
    return content


def _refuse_unknown(values: dict[str, Any], model: type[BaseModel], where: str, prefix: str = "") -> None:
    """Raise SettingsError for the first key that no setting has."""
    for name, value in values.items():
        if name not in model.model_fields:
            raise _unknown(name, model, where, prefix)
        kind = model.model_fields[name].annotation
        if isinstance(value, dict) and isinstance(kind, type) and issubclass(kind, BaseModel):
            _refuse_unknown(value, kind, where, f"{prefix}{name}.")


def _unknown(name: str, model: type[BaseModel], where: str, prefix: str = "") -> SettingsError:
    """Return the error about a key that no setting has, with the nearest one as the remedy."""
    near = difflib.get_close_matches(name, model.model_fields, n=1)
    remedy = f'Did you mean "{prefix}{near[0]}"?' if near else f"Known keys: {', '.join(model.model_fields)}."
    return SettingsError(f'Unknown setting "{prefix}{name}"', where=where, remedy=remedy)


def _explained(error: ValidationError, model: type[Settings], layers: dict[str, dict[str, Any]]) -> SettingsError:
    """Turn pydantic's first complaint into one that names key, value, place and remedy; secrets stay hidden."""
    first = error.errors(include_url=False, include_context=False)[0]
    loc = first["loc"]
    where = next((place for place, layer in layers.items() if _holds(layer, loc)), "by default")
    if where == ENVIRONMENT:
        where = f"{where}: {PREFIX}{'__'.join(str(part) for part in loc if isinstance(part, str)).upper()}"
    if first["type"] == "extra_forbidden":
        return _unknown(str(loc[-1]), Role, where, f"{loc[0]}.")
    name = ".".join(str(part) for part in loc)
    kind = model.model_fields[str(loc[0])].annotation
    secret = "key" in name or SecretStr in get_args(kind) or (kind is Role and loc[-1] != "context_window")
    shown = "" if secret else f" = {_short(first['input'])}"
    said = first["msg"].removeprefix("Value error, ")
    return SettingsError(f'The setting "{name}"{shown} is not valid: {said}', where=where)


def _holds(layer: dict[str, Any], loc: tuple[int | str, ...]) -> bool:
    """Say whether a layer has a value there, or one above it that hides those of the layers below."""
    value: Any = layer
    for part in loc:
        if not isinstance(value, dict):
            return True
        if part not in value:
            return False
        value = value[part]
    return True


def _short(value: Any) -> str:
    """Return a value as an error shows it."""
    shown = repr(value) if isinstance(value, str | int | float | Path) else f"a {type(value).__name__}"
    return shown if len(shown) <= LONGEST_SHOWN else f"{shown[:LONGEST_SHOWN]}…"
