"""The tables of settings, one for each subject; the guide lists these docstrings (`docs/list_settings.py`).

Units: seconds for deadlines, US dollars for money, characters for chunk sizes, megabytes (10^6 bytes) for limits.
"""

from pathlib import Path
from typing import Annotated, Literal, get_args

from pydantic import BaseModel, Field, SecretStr, ValidationInfo, field_validator
from pydantic.fields import FieldInfo

from .marks import Choice, Key, Names, Plain, Seconds, Table

Length = Literal["short", "normal", "long"]
Policy = Literal["strict", "mark", "off"]
Rerank = Literal["lexical", "dense", "model", "api"]
SafeSearch = Literal["on", "moderate", "off"]
TimeRange = Literal["day", "week", "month", "year", "none"]
Spender = Literal["planner", "summary", "reranker", "writer", "checker", "embedder"]

Provider = Annotated[str | None, Plain(beside=("base_url", "openai_base_url", "ollama_host"), unless=("key",))]
KeyThere = Annotated[Key, Plain(beside=("base_url",))]


class Role(BaseModel, extra="forbid", frozen=True, hide_input_in_errors=True):
    """The model for a role: its provider, URL, key and context window; the top level sets what is not set here."""

    provider: Provider = None
    model: Choice[str | None] = None
    base_url: str | None = None
    key: KeyThere = None
    context_window: Choice[int | None] = Field(default=None, gt=0)


class Bounds(BaseModel, extra="forbid", frozen=True):
    """The limits of one role in a run: US dollars, tokens of prompts and answers together, calls."""

    max_cost: float | None = Field(default=None, ge=0)
    max_tokens: int | None = Field(default=None, ge=0)
    max_calls: int | None = Field(default=None, ge=0)


class ModelsTable(Table):
    """How models are called, whichever they are."""

    deadline: Choice[float] = Field(default=120.0, gt=0)
    """Seconds for one attempt at a model call."""
    attempts: Choice[int] = Field(default=3, ge=1, le=10)
    """Attempts at a model call that fails with a retryable error; fewer where rules can do the same."""
    concurrency: Choice[int | None] = Field(default=None, ge=1)
    """Concurrent calls to one server; by default 8, and 1 for Ollama."""
    max_output_tokens: Choice[int] = Field(default=2048, ge=16)
    """Maximum tokens of one answer."""
    prompts: Path | None = None
    """A folder with templates that replace the built-in ones of the same file names."""


class ResearchTable(Table):
    """How research is done."""

    ask: Choice[bool] = False
    """Stop after planning, and continue when you have approved the plan; a forecast shows what the run would take."""
    rounds: Choice[int] = Field(default=1, ge=0, le=5)
    """How often the planner may add queries where fewer than two sources were found."""
    max_pages: Choice[int] = Field(default=10, ge=1, le=100)
    """Approximate number of pages that a report is made from."""
    grace: Choice[float] = Field(default=0.8, ge=0, le=60)
    """Seconds to wait for further pages once enough have arrived; half as long again without progress for the last
    ones, if fewer have. Slow pages are named as not read. Also seconds to wait for the searches of a task once one of
    them is answered, before pages are chosen."""
    summarise: Choice[bool | None] = None
    """Whether the model summarises passages instead of passing them on unchanged; by default with effort `deep`."""
    share_file_text: bool = False
    """Whether the planner sees the text of your files when it adds queries: parts of it may then be sent to a search
    engine."""
    max_dispatches: Choice[int] = Field(default=50, ge=1)
    """Maximum messages that a run may dispatch."""
    agent_deadline: Choice[float] = Field(default=900.0, gt=0)
    """Seconds for one task of one agent; the writing of the report is one."""


class ReportTable(Table):
    """The form of a report, and what happens to unsupported sentences."""

    length: Choice[Length] = "normal"
    """`short`, `normal` or `long`."""
    sections: Choice[Names] = []
    """The report's headings, instead of an outline."""
    outline: Choice[Literal["plan", "ask"]] = "plan"
    """`ask` makes the outline in a separate model call that sees the sources."""
    policy: Choice[Policy] = "strict"
    """What happens to a sentence that no source supports: `strict` has it rewritten once from its evidence, else
    removes and lists it; `mark` marks it; `off` checks nothing."""
    sign: bool = False
    """Whether a report in a `.json` file is signed with your Ed25519 key, which is created in `data_dir` at first use;
    needs the extra `sign`."""
    check_pages: Choice[int] = Field(default=200, ge=1, le=1_000)
    """Maximum pages and files cited by a report written elsewhere that `spyglass check` looks up."""


class RerankTable(Table):
    """How the passages of pages are ranked."""

    method: Choice[Rerank | None] = None
    """By words (`lexical`), the best of them also by meaning (`dense`, 2 to 4 CPU seconds), by the planner's model
    (`model`), or by a service (`api`). By default `lexical`; `dense` with effort `deep` and in `web_search`."""
    url: str | None = None
    """The reranking service: the full URL of its `/rerank`, with the API of Cohere, Jina and vLLM."""
    model: Choice[str | None] = None
    """The model that the service uses."""
    key: Annotated[Key, Plain(beside=("rerank.url",))] = None
    """The API key of the service."""


class BudgetTable(Table):
    """What a run may spend; see [limits](#limits)."""

    max_cost: Annotated[float | None, Plain(unless=("budget.max_cost",))] = Field(default=None, ge=0)
    """Maximum cost of the models, searches and reranking of a run, in US dollars."""
    max_tokens: Annotated[int | None, Plain(unless=("budget.max_tokens",))] = Field(default=None, ge=0)
    """Maximum tokens of prompts and answers."""
    max_calls: Annotated[int | None, Plain(unless=("budget.max_calls",))] = Field(default=None, ge=0)
    """Maximum calls of models."""
    max_searches: Annotated[int | None, Plain(unless=("budget.max_searches",))] = Field(default=None, ge=0)
    """Maximum requests to search engines, cached ones included."""
    max_fetches: Annotated[int | None, Plain(unless=("budget.max_fetches",))] = Field(default=None, ge=0)
    """Maximum requests for pages, cached ones included."""
    max_time: Annotated[Seconds | None, Plain(unless=("budget.max_time",))] = Field(default=None, gt=0)
    """Maximum seconds of a run, or `90s`, `5m`, `1h`."""
    roles: dict[Spender, Bounds] = {}
    """A table: a role (`planner`, `summary`, `reranker`, `writer`, `checker`, `embedder`) and its own `max_cost`,
    `max_tokens`, `max_calls`."""
    writing_share: float = Field(default=0.3, ge=0, lt=1)
    """The fraction of money, tokens, calls and time that is reserved for writing the report."""
    prices: dict[str, tuple[Annotated[float, Field(ge=0)], Annotated[float, Field(ge=0)]]] = {}
    """A table that extends and overrides the built-in one: `"provider/model"` and US dollars for a million tokens of
    its prompts and of its answers, `[0.5, 1.5]`."""
    call_prices: dict[str, Annotated[float, Field(ge=0)]] = {}
    """A table: a search engine, or `rerank` for the service at `rerank.url`, and the US dollars that one request costs,
    such as `{brave = 0.005, rerank = 0.002}`. An engine that is not named costs nothing, as in a free tier; the service
    must be named if the cost is limited."""


class SearchTable(Table):
    """How the web is searched, and which results are used."""

    engines: Choice[Names | None] = None
    """The search engines, in the order in which they are tried: those [below](#search-engines), or a plugin's."""
    engine_urls: dict[str, str] = {}
    """A table: an engine and another base URL for it."""
    mcp: dict[str, str] = {}
    """A table: a name and the URL (streamable HTTP) of an MCP server whose search tool is an engine of that name, or
    the command that starts one, `{papers = "https://example.org/mcp", notes = "notes-mcp --stdio"}`; needs the extra
    `mcp`. A password in the URL is sent as bearer token."""
    min_score: Choice[float] = Field(default=0.3, ge=0, le=1)
    """Hits below this score (0 to 1) are dropped."""
    max_queries: Choice[int] = Field(default=3, ge=1, le=10)
    """Maximum queries of one task."""
    max_pages: Choice[int] = Field(default=8, ge=0, le=100)
    """Maximum pages that `web_search` reads; with 0 it answers from the engines' snippets."""
    tavily_per_minute: Choice[int] = Field(default=100, ge=1)
    """Requests a minute: 100 with a development key, 1000 with a production key."""
    deadline: Choice[float] = Field(default=10.0, gt=0)
    """Seconds for one attempt at a search."""
    attempts: Choice[int] = Field(default=3, ge=1, le=10)
    """Attempts at each engine."""
    time_range: Choice[TimeRange] = "none"
    """`day`, `week`, `month`, `year` or `none`."""
    region: Choice[str] = ""
    """The region and language of the search, such as `de-de`."""
    safesearch: Choice[SafeSearch] = "moderate"
    """How strictly engines filter content for adults: `on` the most, `off` not at all. Tavily, arXiv, OpenAlex and
    PubMed have no such filter; with `on`, an engine that needs no key and cannot filter is not used."""
    domains: Choice[Names] = []
    """Only pages of these domains and their subdomains."""
    block: Choice[Names] = []
    """No pages of these domains; also as `BLACKLISTED_DOMAINS`."""
    trust: Choice[Names] = []
    """Pages of these domains are ranked higher; also as `WHITELISTED_DOMAINS`."""
    credibility: Choice[dict[str, Annotated[int, Field(ge=0, le=100)]]] = {}
    """A table: a domain and its credibility, 0 to 100, which overrides the built-in lists."""


class FetchTable(Table):
    """How pages are read."""

    page_deadline: Choice[float] = Field(default=20.0, gt=0)
    """Seconds for a page in total."""
    attempts: Choice[int] = Field(default=3, ge=1, le=10)
    """Maximum attempts at a page that fails with a temporary error."""
    max_megabytes: float = Field(default=10.0, gt=0)
    """Maximum size of a page, decompressed."""
    max_redirects: int = Field(default=5, ge=0, le=20)
    """Maximum redirects that are followed."""
    host_concurrency: int = Field(default=6, ge=1)
    """Concurrent requests to one host, not counting as many again that hang while later ones are answered."""
    host_pause: float = Field(default=0.0, ge=0)
    """Seconds between two pages of one host."""
    robots: bool = False
    """Whether robots.txt is honoured."""


class NetworkTable(Table):
    """Network connections: deadlines, proxy, certificates, and the user agent."""

    connect_deadline: Choice[float] = Field(default=5.0, gt=0)
    """Seconds to connect."""
    read_deadline: Choice[float] = Field(default=10.0, gt=0)
    """Seconds between two pieces of a response."""
    allow_private: Names = []
    """Private addresses that pages may be read from: names, addresses, networks, with or without `:port`."""
    proxy: SecretStr | None = None
    """An HTTP proxy for searches and pages."""
    ca_file: Path | None = None
    """Certificates to trust for searches and pages; by default the system's."""
    user_agent: str = "Mozilla/5.0 (compatible; Spyglass/0.1; research assistant)"
    """The `User-Agent` that is sent to web servers."""


class BrowserTable(Table):
    """The browser for pages that need JavaScript; see [rendering](rendering.md)."""

    mode: Literal["auto", "never", "always"] = "auto"
    """Whether pages that need JavaScript are rendered (needs the extra `browser`); `always` renders every page, `never`
    none."""
    renderer: Literal["playwright", "crawl4ai"] | None = None
    """The library that controls the browser: `playwright`, or `crawl4ai` if that is installed; by default the agent's
    choice."""
    chromium: Path | None = None
    """The browser to use; by default the one on the path."""


class CacheTable(Table):
    """The cache that runs share."""

    megabytes: float = Field(default=200.0, ge=1)
    """Maximum size; the least recently used entries are deleted first. Searches and conversions are kept for 30 days,
    pages for a day at least. `spyglass cache` shows the cache."""
    page_hours: float = Field(default=1.0, ge=0)
    """Hours for which a page that was read is not requested again; with 0 neither pages nor conversions are kept."""


class CrawlTable(Table):
    """How far a site is crawled; see [crawling](crawling.md)."""

    depth: int = Field(default=3, ge=0, le=50)
    """Maximum number of links from the first page."""
    pages: int = Field(default=50, ge=1, le=10_000)
    """Maximum pages of a site."""
    time: Seconds = Field(default=300.0, gt=0)
    """Maximum seconds for a site, or `90s`, `5m`, `1h`."""
    pause: float = Field(default=0.2, ge=0)
    """Seconds between two requests to a site, or `fetch.host_pause`, or what its robots.txt asks for, whichever is
    longest."""


class RetrievalTable(Table):
    """How files are split into passages, and how passages are retrieved."""

    top_k: Choice[int] = Field(default=30, ge=1, le=100)
    """Candidate passages that a report retrieves from files for each task."""
    chunk_target: Choice[int] = Field(default=1000, ge=100)
    """Target length of a passage in characters; above the overlap, and not above the maximum."""
    chunk_max: Choice[int] = Field(default=1500, ge=200)
    """Maximum characters of a passage."""
    chunk_overlap: Choice[int] = Field(default=100, ge=0)
    """Characters that two consecutive passages share."""
    dense: Choice[bool] = True
    """Whether embeddings are computed and used."""
    dense_weight: Choice[float | None] = Field(default=None, ge=0)
    """Weight of dense retrieval relative to lexical retrieval, which has 1; by default 1 for English, else 0."""

    @field_validator("chunk_max")
    @classmethod
    def _holds_a_target(cls, most: int, others: ValidationInfo) -> int:
        if (target := others.data.get("chunk_target", 0)) > most:
            raise ValueError(f"it must not be less than chunk_target, which is {target}")
        return most

    @field_validator("chunk_overlap")
    @classmethod
    def _leaves_something_new(cls, overlap: int, others: ValidationInfo) -> int:
        if overlap >= (target := others.data.get("chunk_target", overlap + 1)):
            raise ValueError(f"it must be less than chunk_target, which is {target}")
        return overlap


class DocumentsTable(Table):
    """How files are converted to text."""

    max_megabytes: dict[str, float] = {}
    """A table: a file type and the maximum size of a file that is read, such as `{pdf = 50}`."""
    deadline: float = Field(default=60.0, gt=0)
    """Seconds of processor time for the conversion of one file, including OCR; the wall-clock limit is ten times
    that."""
    memory_megabytes: int = Field(default=1500, ge=256)
    """Maximum memory of the conversion worker."""


class ServeTable(Table):
    """Access to the [service](serving.md), and its limits."""

    hosts: Names = []
    """Further host names in requests to the service, besides those of the loopback."""
    token: SecretStr | None = Field(default=None, min_length=16)
    """The token that callers of the service send, at least 16 characters; better set in the environment. On an address
    other than the loopback a token is required: this, or one made by `spyglass token new`."""
    runs: int = Field(default=4, ge=1)
    """Maximum concurrent searches and reports."""
    spare: bool = True
    """Whether an idle process is kept ready, some 150 MB, so that the next report begins a second or two sooner."""
    share: int = Field(default=2, ge=1)
    """Maximum concurrent searches and reports of one client, an address or an IPv6 network of 64 bits."""
    megabytes: float = Field(default=5_000.0, gt=0)
    """Maximum size of `data_dir` at which the service accepts a run."""
    connections: int = Field(default=256, ge=2)
    """Maximum open connections; beyond that the oldest idle one is closed."""
    deadline: float = Field(default=10.0, gt=0)
    """Seconds that a client has to send a whole request, and to receive what is sent to it."""
    upload_megabytes: float = Field(default=50.0, gt=0)
    """Maximum size of a document that is uploaded to a collection."""
    per_second: float = Field(default=50.0, gt=0)
    """Maximum calls per second of one client, on average over ten seconds."""
    sse_limit: int = Field(default=32_768, ge=1_024)
    """Bytes of an event from which it is sent in parts."""


class ObserveTable(Table):
    """Logs and traces; see [observing](observing.md)."""

    log: Path | None = None
    """A file to which the command writes events, one line of JSON each; `-` is standard error."""
    otel: bool = False
    """Whether a run creates OpenTelemetry spans (needs the extra `otel`)."""
    otel_content: bool = False
    """Whether spans also hold prompts, answers, tasks and queries."""


class WatchTable(Table):
    """Notifications of the changes that a [watch](watching.md) has found."""

    webhook: SecretStr | None = None
    """A URL to which changes are sent as JSON; its path is often a key, so it is treated as a secret."""
    atom: Path | None = None
    """A file to which changes are written as an Atom feed."""
    email_to: Names = []
    """The recipients of e-mails."""
    email_from: str = ""
    """The sender; by default the first recipient."""
    smtp: str = "localhost:25"
    """The mail server: a host and perhaps a port. With a password it must offer STARTTLS."""
    smtp_user: str = ""
    """The user name for the mail server."""
    smtp_password: SecretStr | None = None
    """Its password; better set in the environment."""


class RunsTable(Table):
    """How durably and how long runs are stored."""

    durability: Literal["process", "power"] = "process"
    """What a finished call survives: a crash of the program (`process`), or a power failure too (`power`, some 3 ms a
    call)."""
    keep_days: float = Field(default=90.0, ge=0)
    """Days after which a run is deleted, checked when a report is begun; 0 keeps all."""
    database_wait: float = Field(default=30.0, gt=0)
    """Seconds for which a run waits for an unreachable database (`database_url`) before it ends with what it has."""
    ray: str | None = None
    """The address of a Ray cluster whose workers make reports, `auto` for the one of this machine. It needs
    `database_url`; see [a cluster](cluster.md)."""


def table_of(field: FieldInfo) -> type[BaseModel] | None:
    """Return the model of a setting that is a table of settings."""
    kind = field.annotation
    return kind if isinstance(kind, type) and issubclass(kind, BaseModel) else None


def settings_in(model: type[BaseModel], prefix: str = "") -> dict[str, FieldInfo]:
    """Return every setting by its name, those of tables with a dot: `search.deadline`."""
    found: dict[str, FieldInfo] = {}
    for name, field in model.model_fields.items():
        table = table_of(field)
        found |= settings_in(table, f"{prefix}{name}.") if table else {f"{prefix}{name}": field}
    return found


def is_secret(field: FieldInfo) -> bool:
    """Return whether the value of a setting is a secret: never shown, and never stored with a run."""
    return SecretStr in (field.annotation, *get_args(field.annotation))
