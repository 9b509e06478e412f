"""The settings of a run, from arguments, environment, `.env`, a config file and defaults, in order of precedence."""

from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self

import platformdirs
from pydantic import AliasChoices, BaseModel, Field, ValidationError
from pydantic_settings import BaseSettings, InitSettingsSource, PydanticBaseSettingsSource, SettingsConfigDict

from ..argument import validated
from . import tables
from .marks import PREFIX, Choice, Folders, Key, Names, Plain
from .sources import ARGUMENTS, ENVIRONMENT, Environment, OwnLines, explained, nested, read, read_config, require_known
from .trust import Layer, applicable

DEFAULT_FOLDER: Final = Path("local_files")
"""The default folder of the user's documents."""

Effort = Literal["auto", "quick", "normal", "deep"]
EngineKey = Annotated[Key, Plain(beside=("search.engine_urls",))]


def _provider_value(*names: str) -> Any:
    """Return a field that is also set by the name that the provider's own tools use, such as `OPENAI_API_KEY`."""
    return Field(default=None, validation_alias=AliasChoices(names[0], f"{PREFIX}{names[0]}".lower(), *names[1:]))


@validated
class Settings(BaseSettings):
    """All settings of Spyglass. Create them with `Settings.load`, which reads all sources and explains errors.

    As an argument, a setting of a table is named `table__name`: `Settings(search__deadline=3)`. Raises SettingsError
    for an unknown name or an invalid value.
    """

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_nested_delimiter="__",
        extra="forbid",
        frozen=True,
        validate_default=True,
        hide_input_in_errors=True,
    )

    provider: tables.Provider = None
    """The model provider: `openai`, `deepseek`, `xai`, `gemini`, `ollama`, or one from a plugin. None: no model."""
    model: Choice[str | None] = None
    """The model's name; by default the provider's default model."""
    base_url: str | None = None
    """Another URL, for any server with the provider's API."""
    key: tables.KeyThere = None
    """The API key, sent to `base_url`; better set in the environment. A server at another URL needs none."""
    context_window: Choice[int | None] = Field(default=None, gt=0)
    """Maximum tokens of prompt and answer together; by default the known limit of the model, else 8192."""
    planner: tables.Role = tables.Role()
    """A table with `provider`, `model`, `base_url`, `key`, `context_window` for the model that plans; see
    [below](#roles-addresses-and-keys)."""
    writer: tables.Role = tables.Role()
    """The same for the model that writes."""
    checker: tables.Role = tables.Role()
    """The same for the model that decides about claims that words cannot decide; by default the writer, and for `check`
    none. It inherits nothing. A model with `minicheck` in its name is asked for a yes or no, as it is trained to
    answer."""
    embedder: tables.Role = tables.Role()
    """The same for embeddings; by default three local models. It inherits nothing: text is sent to a server only if you
    name one."""
    openai_api_key: Annotated[Key, Plain(beside=("openai_base_url",))] = _provider_value("openai_api_key")
    """The key for the provider's own URL, also as `OPENAI_API_KEY`."""
    openai_base_url: str | None = _provider_value("openai_base_url")
    """That URL, also as `OPENAI_BASE_URL`."""
    deepseek_api_key: Choice[Key] = _provider_value("deepseek_api_key")
    """Also as `DEEPSEEK_API_KEY`."""
    xai_api_key: Choice[Key] = _provider_value("xai_api_key")
    """Also as `XAI_API_KEY`."""
    gemini_api_key: Choice[Key] = _provider_value("gemini_api_key", "google_api_key")
    """Also as `GEMINI_API_KEY` and `GOOGLE_API_KEY`."""
    ollama_host: str | None = _provider_value("ollama_host")
    """The address of Ollama, also as `OLLAMA_HOST`."""
    agents: Choice[Names | None] = None
    """The agents besides the planner: `local-retrieval`, `quick-searcher`, `search-agent`, `reporter`, or a plugin's;
    by default chosen by `web`, `db` and `effort`."""
    db: Folders = []
    """The folder with your documents, or a list of folders and files; by default `local_files`, without the web."""
    web: Choice[bool | None] = None
    """Whether the web is searched; by default only when neither `db` nor `sites` is set."""
    urls: Names = []
    """Pages that are always read."""
    sites: Names = []
    """Sites to crawl from these URLs, pages that suit the question first; a URL that ends with a slash limits the crawl
    to its folder. See [crawling](crawling.md)."""
    effort: Choice[Effort] = "auto"
    """`quick` uses two queries, four pages and a short report, planned by rules; `auto` chooses it for a question that
    asks who, when, where or how many, else `normal`. With `deep` the model plans each search and summarises each
    source, and passages are ranked by meaning too."""
    language: Choice[str] = "auto"
    """The report's language; `auto` is that of the question, or of the texts if the question tells none."""
    max_results: Choice[int] = Field(default=10, ge=1, le=50)
    """Maximum hits of one query."""
    search_depth: Choice[Literal["basic", "advanced"]] = "advanced"
    """`basic` or `advanced`, for Tavily."""
    tavily_api_key: EngineKey = _provider_value("tavily_api_key")
    """A key of a search engine, also as `TAVILY_API_KEY`."""
    tavily_api_key_secret_arn: str | None = None
    """A secret in AWS Secrets Manager whose JSON holds `TAVILY_API_KEY` (needs the extra `aws`)."""
    aws_region: str | None = _provider_value("aws_region")
    """The region of that secret, also as `AWS_REGION`."""
    brave_api_key: EngineKey = _provider_value("brave_api_key")
    """Also as `BRAVE_API_KEY`."""
    serpapi_api_key: EngineKey = _provider_value("serpapi_api_key")
    """Also as `SERPAPI_API_KEY`."""
    searxng_url: str | None = _provider_value("searxng_url")
    """The URL of your SearXNG, also as `SEARXNG_URL`."""
    data_dir: Path = Path(platformdirs.user_data_dir("spyglass"))
    """The folder of runs and indexes; only you may read what is created there. The local models as optimized for your
    processor, 135 to 250 MB, are in the platform's cache folder for Spyglass, and may be deleted."""
    database_url: Key = None
    """A PostgreSQL database that several machines share, `postgresql://user:password@host/name`: it stores runs and
    their cache. See [a cluster](cluster.md)."""

    models: tables.ModelsTable = tables.ModelsTable()
    research: tables.ResearchTable = tables.ResearchTable()
    report: tables.ReportTable = tables.ReportTable()
    rerank: tables.RerankTable = tables.RerankTable()
    budget: tables.BudgetTable = tables.BudgetTable()
    search: tables.SearchTable = tables.SearchTable()
    fetch: tables.FetchTable = tables.FetchTable()
    network: tables.NetworkTable = tables.NetworkTable()
    browser: tables.BrowserTable = tables.BrowserTable()
    cache: tables.CacheTable = tables.CacheTable()
    crawl: tables.CrawlTable = tables.CrawlTable()
    retrieval: tables.RetrievalTable = tables.RetrievalTable()
    documents: tables.DocumentsTable = tables.DocumentsTable()
    serve: tables.ServeTable = tables.ServeTable()
    observe: tables.ObserveTable = tables.ObserveTable()
    watch: tables.WatchTable = tables.WatchTable()
    runs: tables.RunsTable = tables.RunsTable()

    def __init__(self, **arguments: Any) -> None:
        values = nested(arguments)
        require_known(values, type(self), ARGUMENTS)
        layers = {ARGUMENTS: values, ENVIRONMENT: read(ENVIRONMENT, lambda: Environment(type(self))())}
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise explained(error, type(self), layers) from error

    @property
    def folders(self) -> list[Path]:
        """The folders to research: those of `db`, else the default folder."""
        return self.db or [DEFAULT_FOLDER]

    @property
    def bounds_money(self) -> bool:
        """Whether the cost of a run, or of a role in it, is limited."""
        bounds = [self.budget.max_cost, *(role.max_cost for role in self.budget.roles.values())]
        return any(bound is not None for bound in bounds)

    @property
    def searches_web(self) -> bool:
        """Whether the web is searched: as set by `web`, by default if neither `db` nor `sites` is set."""
        return not self.db and not self.sites if self.web is None else self.web

    @property
    def reads_given_only(self) -> bool:
        """Whether only the pages and sites named in the settings are read from the web."""
        return self.web is False or (bool(self.urls or self.sites) and not self.searches_web)

    @property
    def summarises(self) -> bool:
        """Whether a model summarises passages: as set, by default with effort `deep`."""
        return self.effort == "deep" if self.research.summarise is None else self.research.summarise

    @property
    def reranker(self) -> tables.Rerank:
        """The ranking method for passages of pages: as set, by default `lexical`, and with effort `deep` `dense`."""
        return self.rerank.method or ("dense" if self.effort == "deep" else "lexical")

    @property
    def explicit(self) -> set[str]:
        """The names of the settings that were set, as `table.name`; roles are expanded to all their settings."""
        result: set[str] = set()
        for name in self.model_fields_set:
            value = getattr(self, name)
            if isinstance(value, BaseModel):
                names = type(value).model_fields if isinstance(value, tables.Role) else value.model_fields_set
                result |= {f"{name}.{part}" for part in names}
            else:
                result.add(name)
        return result

    def updated(self, **changes: Any) -> Self:
        """Return settings with other values, which are not validated, under names as in arguments or files.

        Raises SettingsError for an unknown name.
        """
        values = nested(changes)
        require_known(values, type(self), ARGUMENTS)
        updates: dict[str, Any] = {}
        for name, value in values.items():
            current = getattr(self, name)
            is_part = isinstance(current, BaseModel) and isinstance(value, dict)
            updates[name] = current.model_copy(update=value) if is_part else value
        return self.model_copy(update=updates)

    def with_whole_paths(self) -> Self:
        """Return settings with absolute paths of folders."""
        return self.updated(db=[folder.expanduser().absolute() for folder in self.db])

    @classmethod
    def settings_customise_sources(
        cls, settings_cls: type[BaseSettings], *_sources: PydanticBaseSettingsSource, **named: Any
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Return the sources: arguments, then the environment; `load` adds `.env` and the config file below them."""
        return named["init_settings"], Environment(settings_cls)

    @classmethod
    def load(cls, config: Path | None = None, *, env_file: Path = Path(".env"), **arguments: Any) -> "Settings":
        """Read every source once: arguments, environment, `.env`, the config file (TOML or JSON), defaults.

        An argument of None counts as not given. Of `.env` only `Plain` settings are taken, and a SettingsWarning
        names the rest. Raises SettingsError, which names the key, the place and the remedy.
        """
        named = nested({name: value for name, value in arguments.items() if value is not None})
        environment = read(ENVIRONMENT, lambda: Environment(cls)())
        from_folder = read(f"in {env_file}", lambda: OwnLines(cls, env_file=env_file)())
        from_file = read(f"in {config}", lambda: read_config(config)) if config else {}
        layers = {ARGUMENTS: named, ENVIRONMENT: environment, f"in {env_file}": from_folder, f"in {config}": from_file}
        for where, layer in layers.items():
            require_known(layer, cls, where)
        layers[f"in {env_file}"] = applicable(from_folder, cls, env_file, [named, environment, from_file])
        try:
            return layered(cls, list(layers.values()))()
        except ValidationError as error:
            raise explained(error, cls, layers) from error


def layered(settings_cls: type[Settings], layers: list[Layer]) -> type[Settings]:
    """Return a settings class that reads these layers, the first with the highest precedence."""

    class Loaded(settings_cls):  # type: ignore[valid-type,misc]
        def __init__(self) -> None:
            BaseSettings.__init__(self)  # the caller explains errors: it knows where each layer comes from

        @classmethod
        def settings_customise_sources(
            cls, settings_cls: type[BaseSettings], *_sources: PydanticBaseSettingsSource, **_named: Any
        ) -> tuple[PydanticBaseSettingsSource, ...]:
            return tuple(InitSettingsSource(settings_cls, init_kwargs=layer) for layer in layers)

    return Loaded
