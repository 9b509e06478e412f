"""The options of the subcommands: those that say settings, by the name of the setting, and others that several have."""

import functools
import inspect
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, get_origin

import typer

from ..kernel.errors import SettingsError
from ..kernel.outcome import Outcome
from ..kernel.settings import Role, Settings
from ..render import suffixes

EXIT_CODES: Final[dict[Outcome, int]] = {
    "complete": 0,
    "failed": 1,
    "partial": 3,
    "nothing_found": 4,
    "cancelled": 130,
    "planned": 0,
}
"""By outcome; bad usage is 2, and what SIGTERM ends is 143."""

Config = Annotated[
    Path | None, typer.Option("--config", metavar="FILE", help="A TOML or JSON file with settings; see config/.")
]
Out = Annotated[
    list[Path] | None,
    typer.Option(
        "--out",
        metavar="FILE",
        help=f"Write here, as the suffix says: {', '.join(suffixes())}; may be given several times.",
    ),
]
PlanFile = Annotated[
    Path | None,
    typer.Option(
        "--plan", metavar="FILE", help="Follow this plan, as JSON: what `--ask` prints where there is no terminal."
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", help="Show no progress.")]
AsJson = Annotated[bool, typer.Option("--json", help="Answer in JSON.")]


@dataclass(frozen=True, slots=True)
class _Option:
    """An option that says a setting: what is given for it, or a `value` of its own where it is only given."""

    setting: str
    kind: Any
    flag: str
    metavar: str | None
    help: str
    value: Any = None

    def parameter(self, name: str) -> inspect.Parameter:
        """Return the parameter of a command that typer makes the option of."""
        default = typer.Option(None, self.flag, metavar=self.metavar, help=self.help)
        return _keyword(name, self.kind | None, default)


_SAYS: Final = {
    "files": _Option("db", list[Path], "--files", "DIR", "A folder (or file) to research; may be given several times."),
    "model": _Option(
        "model", str, "--model", "PROVIDER/NAME", "The model that plans and writes, such as ollama/qwen3."
    ),
    "no_model": _Option("no_model", bool, "--no-model", None, "Plan by rules and quote the sources verbatim."),
    "domains": _Option(
        "search.domains", list[str], "--domains", "DOMAIN", "Only pages of this domain; may be repeated."
    ),
    "block": _Option("search.block", list[str], "--block", "DOMAIN", "No page of this domain."),
    "trust": _Option("search.trust", list[str], "--trust", "DOMAIN", "Prefer pages of this domain."),
    "time_range": _Option(
        "search.time_range", str, "--time-range", "day|week|month|year|none", "How recent a page should be."
    ),
    "max_cost": _Option(
        "budget.max_cost", float, "--max-cost", "DOLLARS", "Spend no more on models and searches, in US dollars."
    ),
    "max_time": _Option("budget.max_time", str, "--max-time", "TIME", "Take no longer: 90s, 5m or 1h."),
    "site_time": _Option("crawl.time", str, "--max-time", "TIME", "Take no longer: 90s, 5m or 1h."),
    "language": _Option("language", str, "--language", None, "The report's language, such as German."),
    "length": _Option("report.length", str, "--length", "short|normal|long", "How long."),
    "web": _Option(
        "web", bool, "--web/--no-web", None, "Search the web too, or not; by default only when no folder is given."
    ),
    "urls": _Option(
        "urls", list[str], "--url", "URL", "A page to read besides what is searched; may be given several times."
    ),
    "sites": _Option("sites", list[str], "--site", "URL", "A site to read from there on; may be given several times."),
    "depth": _Option("crawl.depth", int, "--depth", "N", "How many links away from its beginning a site is read."),
    "pages": _Option("crawl.pages", int, "--pages", "N", "How many pages of a site are read at most."),
    "browser": _Option("browser.mode", bool, "--browser", None, "Render every page in a browser.", "always"),
    "effort": _Option("effort", str, "--effort", "auto|quick|normal|deep", "How thorough; auto goes by the question."),
    "policy": _Option(
        "report.policy",
        str,
        "--policy",
        "strict|mark|off",
        "What becomes of a sentence that its sources do not support: it goes, is marked, or is not checked.",
    ),
    "sign": _Option(
        "report.sign", bool, "--sign", None, "Sign the report that is written as .json by your key (extra `sign`)."
    ),
    "ask": _Option(
        "research.ask", bool, "--ask", None, "Show the plan, and what it will take, before anything else is spent."
    ),
    "log": _Option("observe.log", Path, "--log", "FILE", "Write what happens here, a line of JSON each; - is stderr."),
    "otel": _Option(
        "observe.otel", bool, "--otel", None, "Send OpenTelemetry spans where the variables OTEL_* say (extra `otel`)."
    ),
    "ray": _Option(
        "runs.ray", str, "--ray", "ADDRESS", "Have a worker of this Ray cluster make it; auto is this machine's."
    ),
}

Command = Callable[..., Outcome | None]


def with_settings(*said: str, **fixed: Any) -> Callable[[Command], Callable[..., None]]:
    """Give a command the options that say these settings, and hand it the `settings` that they come to.

    It is also handed the options that it has as parameters itself; those that say settings need no type there. An
    outcome that it returns becomes the exit code. One with a `context` is called without a subcommand only.
    """

    def decorated(command: Command) -> Callable[..., None]:
        own = {name: one for name, one in inspect.signature(command).parameters.items() if name != "settings"}
        plain = [name for name, one in own.items() if name in _SAYS and get_origin(one.annotation) is not Annotated]
        told = [one.replace(kind=one.KEYWORD_ONLY) for name, one in own.items() if name not in plain]
        options = [_SAYS[name].parameter(name) for name in dict.fromkeys([*said, *plain])]
        options += [] if "config" in own else [_keyword("config", Config, None)]
        arguments = [one for one in told if one.default is one.empty]
        parameters = [*arguments, *options, *(one for one in told if one.default is not one.empty)]

        @functools.wraps(command)
        def configured(**given: Any) -> None:
            if "context" in own and given["context"].invoked_subcommand is not None:
                return  # whose options count
            chosen = {name: given[name] for name in said if given[name] not in (None, [])}
            values = {_SAYS[name].setting: _SAYS[name].value or value for name, value in chosen.items()}
            settings = _settings_of(given["config"], **fixed, **values)
            outcome = command(**{name: given[name] for name in own}, settings=settings)
            if outcome is not None:
                raise typer.Exit(EXIT_CODES[outcome])

        configured.__dict__["__signature__"] = inspect.Signature(parameters)
        configured.__annotations__ = {one.name: one.annotation for one in parameters}
        return configured

    return decorated


def _keyword(name: str, kind: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=kind, default=default)


def _settings_of(config: Path | None, model: str | None = None, no_model: bool = False, **given: Any) -> Settings:
    return with_choice(loaded(config, **given), model, no_model)


def loaded(config: Path | None, **arguments: Any) -> Settings:
    """Return the settings of every place; tells what of them does not count. Raises SettingsError."""
    from .console import tell

    with warnings.catch_warnings():
        warnings.showwarning = lambda message, *_, **__: tell(f"Note: {message}")
        return Settings.load(config, **arguments)


def with_choice(settings: Settings, model: str | None, no_model: bool) -> Settings:
    """Return settings with the model that was named, or with none. Raises UsageError."""
    from ..model.providers import with_model

    if model is not None and no_model:
        raise SettingsError("--model and --no-model exclude each other")
    if no_model:
        return settings.model_copy(update={"provider": None, "model": None, "planner": Role(), "writer": Role()})
    if model is None:
        return settings
    provider, slash, name = model.partition("/")
    if not slash or not provider or not name:
        raise SettingsError(
            f'"{model}" is not PROVIDER/NAME', where="--model", remedy="For example: --model ollama/qwen3."
        )
    return with_model(settings, provider, name)


def require_keys(settings: Settings, *, web: bool) -> None:
    """Raise SettingsError where a model, or with `web` a search engine, that the settings name lacks its key."""
    from ..model.providers import require_keys as require_model_keys

    require_model_keys(settings)
    if web and settings.search.engines is not None:
        from ..search.engines import require_named

        require_named(settings)
