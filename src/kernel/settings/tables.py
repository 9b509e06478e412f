"""The tables of settings, one for each subject; the guide's list of settings is made of what is written here.

Seconds for every deadline, US dollars for money, characters for chunk sizes, megabytes (10^6 bytes) for caps.
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
    """Which model plays a role, where it is, and how much it can read; what is not set comes from the top level."""

    provider: Provider = None
    model: Choice[str | None] = None
    base_url: str | None = None
    key: KeyThere = None
    context_window: Choice[int | None] = Field(default=None, gt=0)


class Bounds(BaseModel, extra="forbid", frozen=True):
    """What one role may spend in a run: US dollars, tokens of prompts and answers together, calls."""

    max_cost: float | None = Field(default=None, ge=0)
    max_tokens: int | None = Field(default=None, ge=0)
    max_calls: int | None = Field(default=None, ge=0)


class ModelsTable(Table):
    """How models are asked, whichever they are."""

    deadline: Choice[float] = Field(default=120.0, gt=0)
    """Seconds for one attempt at a model call."""
    attempts: Choice[int] = Field(default=3, ge=1, le=10)
    """Attempts at a model call that may be tried again; fewer where rules can do the same."""
    concurrency: Choice[int | None] = Field(default=None, ge=1)
    """Calls at once to one server; by default 8, and 1 for Ollama."""
    max_output_tokens: Choice[int] = Field(default=2048, ge=16)
    """Tokens of one answer."""
    prompts: Path | None = None
    """A folder whose templates replace those that ship, by file name."""


class ResearchTable(Table):
    """What is done to find something out."""

    ask: Choice[bool] = False
    """Stop once there is a plan, and go on when you have approved it; a forecast says what it takes."""
    rounds: Choice[int] = Field(default=1, ge=0, le=5)
    """How often the planner may ask again where fewer than two sources were found."""
    max_pages: Choice[int] = Field(default=10, ge=1, le=100)
    """Pages that a report is made from, about."""
    summarise: Choice[bool | None] = None
    """Have the model summarise passages, instead of handing them on as they are; by default with effort `deep`."""
    share_file_text: bool = False
    """Whether the planner sees what your files say when it makes further queries: text of them may then go to a search
    engine."""
    max_dispatches: Choice[int] = Field(default=50, ge=1)
    """Messages that a run may dispatch."""
    agent_deadline: Choice[float] = Field(default=900.0, gt=0)
    """Seconds for one task of one agent; the writing of the report is one."""


class ReportTable(Table):
    """How a report looks, and what becomes of what it cannot show."""

    length: Choice[Length] = "normal"
    """`short`, `normal` or `long`."""
    sections: Choice[Names] = []
    """The report's headings, instead of an outline."""
    outline: Choice[Literal["plan", "ask"]] = "plan"
    """`ask` makes the outline a model call of its own, with the sources in view."""
    policy: Choice[Policy] = "strict"
    """What becomes of a sentence that nothing read supports: `strict` has it written anew once from its evidence, else
    removes and lists it; `mark` marks it; `off` checks nothing."""
    sign: bool = False
    """Whether a report that is written as `.json` is signed by your Ed25519 key, which is made in `data_dir` at the
    first time; needs the extra `sign`."""
    check_pages: Choice[int] = Field(default=200, ge=1, le=1_000)
    """Places (pages and files) cited by somebody else's report that `spyglass check` looks up."""


class RerankTable(Table):
    """How the passages of pages are ranked."""

    method: Choice[Rerank | None] = None
    """By words (`lexical`), or the best of them also by meaning (`dense`, 2 to 4 CPU seconds), by the planner's
    `model`, or by a service (`api`). By default `lexical`; `dense` with effort `deep` and in `web_search`."""
    url: str | None = None
    """The reranking service: the full address of its `/rerank`, as Cohere, Jina and vLLM have it."""
    model: Choice[str | None] = None
    """What the service is to rank with."""
    key: Annotated[Key, Plain(beside=("rerank.url",))] = None
    """The key of the service."""


class BudgetTable(Table):
    """What a run may spend; see [limits](#limits)."""

    max_cost: Annotated[float | None, Plain(unless=("budget.max_cost",))] = Field(default=None, ge=0)
    """What the models, searches and reranking of a run may cost in US dollars."""
    max_tokens: Annotated[int | None, Plain(unless=("budget.max_tokens",))] = Field(default=None, ge=0)
    """Tokens of their prompts and answers."""
    max_calls: Annotated[int | None, Plain(unless=("budget.max_calls",))] = Field(default=None, ge=0)
    """Calls of models."""
    max_searches: Annotated[int | None, Plain(unless=("budget.max_searches",))] = Field(default=None, ge=0)
    """Requests to search engines, cached ones included."""
    max_fetches: Annotated[int | None, Plain(unless=("budget.max_fetches",))] = Field(default=None, ge=0)
    """Pages asked for, cached ones included."""
    max_time: Annotated[Seconds | None, Plain(unless=("budget.max_time",))] = Field(default=None, gt=0)
    """Seconds for a run, or `90s`, `5m`, `1h`."""
    roles: dict[Spender, Bounds] = {}
    """A table: a role (`planner`, `summary`, `reranker`, `writer`, `checker`, `embedder`) and its own `max_cost`,
    `max_tokens`, `max_calls`."""
    writing_share: float = Field(default=0.3, ge=0, lt=1)
    """The share of money, tokens, calls and time that research leaves for writing the report."""
    prices: dict[str, tuple[Annotated[float, Field(ge=0)], Annotated[float, Field(ge=0)]]] = {}
    """A table over the one that ships: `"provider/model"` and US dollars for a million tokens of its prompts and of its
    answers, `[0.5, 1.5]`."""
    call_prices: dict[str, Annotated[float, Field(ge=0)]] = {}
    """A table: a search engine, or `rerank` for the service at `rerank.url`, and the US dollars that one request costs,
    such as `{brave = 0.005, rerank = 0.002}`. An engine that is not named costs nothing, as in a free tier; the service
    must be named where money is bounded."""


class SearchTable(Table):
    """How the web is searched, and what of it counts."""

    engines: Choice[Names | None] = None
    """The search engines, in the order in which they are tried: those [below](#search-engines), or a plugin's."""
    engine_urls: dict[str, str] = {}
    """A table: another base address of an engine."""
    mcp: dict[str, str] = {}
    """A table: a name and the address (streamable HTTP) of an MCP server whose search tool is an engine of that name,
    or the command that starts one, `{papers = "https://example.org/mcp", notes = "notes-mcp --stdio"}`; needs the extra
    `mcp`. A password in the address is sent as bearer token."""
    min_score: Choice[float] = Field(default=0.3, ge=0, le=1)
    """Hits below this score (0 to 1) are dropped."""
    max_queries: Choice[int] = Field(default=3, ge=1, le=10)
    """Queries of one task."""
    max_pages: Choice[int] = Field(default=8, ge=0, le=100)
    """Pages that `web_search` reads; 0 answers from the engines' snippets."""
    tavily_per_minute: Choice[int] = Field(default=100, ge=1)
    """Requests a minute: 100 with a development key, 1000 with a production key."""
    deadline: Choice[float] = Field(default=10.0, gt=0)
    """Seconds for one attempt at a search."""
    attempts: Choice[int] = Field(default=3, ge=1, le=10)
    """Attempts at each engine."""
    time_range: Choice[TimeRange] = "none"
    """`day`, `week`, `month`, `year` or `none`."""
    region: Choice[str] = ""
    """Where and in which language to search, such as `de-de`."""
    safesearch: Choice[SafeSearch] = "moderate"
    """What the engines leave out that is not for everybody: `on` the most, `off` nothing. Tavily, arXiv, OpenAlex and
    PubMed know no such thing; of the engines without a key, one that cannot do it is not asked with `on`."""
    domains: Choice[Names] = []
    """Only pages of these domains and their subdomains."""
    block: Choice[Names] = []
    """No pages of these domains; also as `BLACKLISTED_DOMAINS`."""
    trust: Choice[Names] = []
    """Pages of these domains come sooner; also as `WHITELISTED_DOMAINS`."""
    credibility: Choice[dict[str, Annotated[int, Field(ge=0, le=100)]]] = {}
    """A table: domain and its credibility, 0 to 100, over the lists that ship."""


class FetchTable(Table):
    """How pages are read."""

    page_deadline: Choice[float] = Field(default=20.0, gt=0)
    """Seconds for a page in all."""
    attempts: Choice[int] = Field(default=3, ge=1, le=10)
    """Attempts at a page whose server is in trouble."""
    max_megabytes: float = Field(default=10.0, gt=0)
    """The largest page, decompressed."""
    max_redirects: int = Field(default=5, ge=0, le=20)
    """Redirects that are followed."""
    host_concurrency: int = Field(default=6, ge=1)
    """Pages at once from one host, not counting as many again that hang while later ones are answered."""
    host_pause: float = Field(default=0.0, ge=0)
    """Seconds between two pages of one host."""
    robots: bool = False
    """Whether robots.txt is honoured."""


class NetworkTable(Table):
    """How whatever is asked over the network is reached, and as whom."""

    connect_deadline: Choice[float] = Field(default=5.0, gt=0)
    """Seconds to connect."""
    read_deadline: Choice[float] = Field(default=10.0, gt=0)
    """Seconds between two pieces of an answer."""
    allow_private: Names = []
    """Private addresses that pages may be read from: names, addresses, networks, with or without `:port`."""
    proxy: SecretStr | None = None
    """An HTTP proxy for searches and pages."""
    ca_file: Path | None = None
    """Certificates to trust for searches and pages; by default the system's."""
    user_agent: str = "Mozilla/5.0 (compatible; Spyglass/0.1; research assistant)"
    """What pages are told of who reads them."""


class BrowserTable(Table):
    """What renders pages that need JavaScript; see [rendering](rendering.md)."""

    mode: Literal["auto", "never", "always"] = "auto"
    """Whether pages that need JavaScript are rendered (needs the extra `browser`); `always` renders every page, `never`
    none."""
    renderer: Literal["playwright", "crawl4ai"] | None = None
    """What drives the browser: `playwright`, or `crawl4ai` where that is installed; by default as the agent has it."""
    chromium: Path | None = None
    """The browser to use; by default the one on the path."""


class CacheTable(Table):
    """What runs keep for later ones."""

    megabytes: float = Field(default=200.0, ge=1)
    """Searches are kept for 30 days, pages for a day at least, conversions for 30 days. What was least recently used
    goes first; `spyglass cache` shows it."""
    page_hours: float = Field(default=1.0, ge=0)
    """Hours for which a page that was read is not asked for again; 0 keeps none, and no conversions."""


class CrawlTable(Table):
    """How far a site is read; see [crawling](crawling.md)."""

    depth: int = Field(default=3, ge=0, le=50)
    """Links away from its beginning."""
    pages: int = Field(default=50, ge=1, le=10_000)
    """Pages of a site."""
    time: Seconds = Field(default=300.0, gt=0)
    """Seconds for a site, or `90s`, `5m`, `1h`."""
    pause: float = Field(default=0.2, ge=0)
    """Seconds between two requests to a site, or `fetch.host_pause`, or what its robots.txt asks for, whichever is
    longest."""


class RetrievalTable(Table):
    """How files are cut into passages, and these found."""

    top_k: Choice[int] = Field(default=30, ge=1, le=100)
    """Passages that a report collects from files for each task, to choose from."""
    chunk_target: Choice[int] = Field(default=1000, ge=100)
    """Characters of a passage; above the overlap, and not above the maximum."""
    chunk_max: Choice[int] = Field(default=1500, ge=200)
    """Characters of a passage at most."""
    chunk_overlap: Choice[int] = Field(default=100, ge=0)
    """Characters that two passages share."""
    dense: Choice[bool] = True
    """Whether vectors are made and used."""
    dense_weight: Choice[float | None] = Field(default=None, ge=0)
    """Weight of the dense leg against the lexical leg's 1; by default 2 for English, else 0."""

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


class DocumentsTable(Table):
    """How files are converted to text."""

    max_megabytes: dict[str, float] = {}
    """A table: the largest file of a kind that is read, `{pdf = 50}` say."""
    deadline: float = Field(default=60.0, gt=0)
    """Seconds of processor time for the conversion of one file, its OCR included; ten times that by the clock."""
    memory_megabytes: int = Field(default=1500, ge=256)
    """Memory of the conversion worker."""


class ServeTable(Table):
    """What the [service](serving.md) takes, and from whom."""

    hosts: Names = []
    """Further names by which the service may be called, beside those of the loopback."""
    token: SecretStr | None = Field(default=None, min_length=16)
    """What callers of the service show, 16 signs at least; better in the environment. On another address than those of
    this machine there must be one: this, or those that `spyglass token new` made."""
    runs: int = Field(default=4, ge=1)
    """Searches and reports that the service makes at once."""
    spare: bool = True
    """Whether a process is kept ready, some 150 MB, so that the next report begins a second or two sooner."""
    share: int = Field(default=2, ge=1)
    """How many of them it makes for one client, an address or an IPv6 network of 64 bits."""
    megabytes: float = Field(default=5_000.0, gt=0)
    """What `data_dir` may hold for the service to take a run."""
    connections: int = Field(default=256, ge=2)
    """Connections that the service keeps open; beyond that the oldest one that asks nothing is cut off."""
    deadline: float = Field(default=10.0, gt=0)
    """Seconds that a client of the service has to send a request whole, and to take what is sent to it."""
    upload_megabytes: float = Field(default=50.0, gt=0)
    """The largest document that the service takes into a collection."""
    per_second: float = Field(default=50.0, gt=0)
    """Calls a second that one client may make, on average over ten seconds."""
    sse_limit: int = Field(default=32_768, ge=1_024)
    """Bytes from which the service sends an event in slices."""


class ObserveTable(Table):
    """Who watches; see [observing](observing.md)."""

    log: Path | None = None
    """A file to which the command writes what happens, a line of JSON for each event; `-` is standard error."""
    otel: bool = False
    """Whether a run draws OpenTelemetry spans (needs the extra `otel`)."""
    otel_content: bool = False
    """Whether spans also hold prompts, answers, tasks and queries."""


class WatchTable(Table):
    """Who is told what a [watch](watching.md) has found changed."""

    webhook: SecretStr | None = None
    """An address that is sent it as JSON; its path often is a key, so it is kept as one."""
    atom: Path | None = None
    """A file that holds it as an Atom feed."""
    email_to: Names = []
    """Who gets it by e-mail."""
    email_from: str = ""
    """From whom; by default the first who gets it."""
    smtp: str = "localhost:25"
    """The server that takes the e-mails: a host and perhaps a port. With a password it has to offer STARTTLS."""
    smtp_user: str = ""
    """Who logs in there."""
    smtp_password: SecretStr | None = None
    """With what; better in the environment."""


class RunsTable(Table):
    """How safely and how long runs are kept."""

    durability: Literal["process", "power"] = "process"
    """What a finished call survives: the death of the program (`process`), or a power cut too (`power`, some 3 ms a
    call)."""
    keep_days: float = Field(default=90.0, ge=0)
    """Days after which a run is forgotten, looked at when a report is begun; 0 keeps all."""
    database_wait: float = Field(default=30.0, gt=0)
    """Seconds for which a run waits for a database (`database_url`) that is away, before it ends with what it has."""
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
    """Return whether the value of a setting is never shown, and never kept with a run."""
    return SecretStr in (field.annotation, *get_args(field.annotation))
