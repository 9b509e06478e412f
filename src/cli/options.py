"""The options of the subcommands: those that change settings, and others that several subcommands share."""

import functools
import inspect
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, get_origin

import typer

from ..kernel.errors import SettingsError
from ..kernel.outcome import Outcome
from ..kernel.settings import Role, Settings
from ..render import suffixes
from .console import tell

EXIT_CODES: Final[dict[Outcome, int]] = {
    "complete": 0,
    "failed": 1,
    "partial": 3,
    "nothing_found": 4,
    "cancelled": 130,
    "planned": 0,
}
"""Exit codes by outcome; wrong usage is 2, termination by SIGTERM 143."""

Config = Annotated[
    Path | None, typer.Option("--config", metavar="FILE", help="A TOML or JSON file with settings; see config/.")
]
Out = Annotated[
    list[Path] | None,
    typer.Option(
        "--out",
        metavar="FILE",
        help=f"Write to this file, in the format of its suffix: {', '.join(suffixes())}; may be repeated.",
    ),
]
PlanFile = Annotated[
    Path | None,
    typer.Option(
        "--plan", metavar="FILE", help="Follow the plan in this JSON file, as `--ask` prints it without a terminal."
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", help="Show no progress.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


@dataclass(frozen=True, slots=True)
class Output:
    """Where a command writes its result: to `files`, else to standard output, there `as_json` or as text.

    A `quiet` command shows no progress.
    """

    files: Sequence[Path] = ()
    as_json: bool = False
    quiet: bool = False


@dataclass(frozen=True, slots=True)
class _Option:
    """An option that sets a setting to the given value, or, as a flag, to its fixed `value`."""

    setting: str
    kind: Any
    flag: str
    metavar: str | None
    help: str
    value: Any = None

    def parameter(self, name: str) -> inspect.Parameter:
        """Return the parameter of a command from which typer makes the option."""
        default = typer.Option(None, self.flag, metavar=self.metavar, help=self.help)
        return _keyword(name, self.kind | None, default)


_SETTING_OPTIONS: Final = {
    "files": _Option("db", list[Path], "--files", "DIR", "A folder (or file) to research; may be repeated."),
    "model": _Option(
        "model", str, "--model", "PROVIDER/NAME", "The model that plans and writes, such as ollama/qwen3."
    ),
    "no_model": _Option("no_model", bool, "--no-model", None, "Plan by rules and quote the sources verbatim."),
    "domains": _Option(
        "search.domains", list[str], "--domains", "DOMAIN", "Use only pages of this domain; may be repeated."
    ),
    "block": _Option("search.block", list[str], "--block", "DOMAIN", "Use no pages of this domain; may be repeated."),
    "trust": _Option("search.trust", list[str], "--trust", "DOMAIN", "Prefer pages of this domain; may be repeated."),
    "time_range": _Option(
        "search.time_range", str, "--time-range", "day|week|month|year|none", "The maximum age of pages."
    ),
    "max_cost": _Option(
        "budget.max_cost", float, "--max-cost", "DOLLARS", "The maximum cost of models and searches, in US dollars."
    ),
    "max_time": _Option("budget.max_time", str, "--max-time", "TIME", "The time limit, such as 90s, 5m or 1h."),
    "site_time": _Option("crawl.time", str, "--max-time", "TIME", "The time limit, such as 90s, 5m or 1h."),
    "language": _Option("language", str, "--language", None, "The report's language, such as German."),
    "length": _Option("report.length", str, "--length", "short|normal|long", "The length of the report."),
    "web": _Option(
        "web", bool, "--web/--no-web", None, "Search the web too, or not; by default only when no folder is given."
    ),
    "urls": _Option("urls", list[str], "--url", "URL", "A page to read in addition to those found; may be repeated."),
    "sites": _Option("sites", list[str], "--site", "URL", "A site to crawl from this address on; may be repeated."),
    "depth": _Option("crawl.depth", int, "--depth", "N", "The maximum number of links from the start of a site."),
    "pages": _Option("crawl.pages", int, "--pages", "N", "The maximum number of pages to read of a site."),
    "browser": _Option("browser.mode", bool, "--browser", None, "Render every page in a browser.", "always"),
    "effort": _Option(
        "effort", str, "--effort", "auto|quick|normal|deep", "How thorough; auto depends on the question."
    ),
    "policy": _Option(
        "report.policy",
        str,
        "--policy",
        "strict|mark|off",
        "What happens to a sentence that its sources do not support: it is removed, marked, or not checked.",
    ),
    "sign": _Option(
        "report.sign", bool, "--sign", None, "Sign the report written as .json with your key (extra `sign`)."
    ),
    "ask": _Option(
        "research.ask", bool, "--ask", None, "Show the plan and its expected cost for approval before spending more."
    ),
    "log": _Option("observe.log", Path, "--log", "FILE", "Write a log to this file, as lines of JSON; - is stderr."),
    "otel": _Option(
        "observe.otel", bool, "--otel", None, "Send OpenTelemetry spans as the variables OTEL_* specify (extra `otel`)."
    ),
    "ray": _Option(
        "runs.ray", str, "--ray", "ADDRESS", "Make it on a worker of this Ray cluster; auto is that of this machine."
    ),
}

Command = Callable[..., Outcome | None]


def with_settings(*names: str, **fixed: Any) -> Callable[[Command], Callable[..., None]]:
    """Give a command the options of these settings, and pass it the resulting `settings`.

    The command's own parameters are options too; one named like an option of a setting needs no annotation. The outcome
    that the command returns becomes the exit code. A command with a `context` is called only without a subcommand.
    """

    def decorated(command: Command) -> Callable[..., None]:
        parameters = {
            name: param for name, param in inspect.signature(command).parameters.items() if name != "settings"
        }
        plain = [
            name
            for name, param in parameters.items()
            if name in _SETTING_OPTIONS and get_origin(param.annotation) is not Annotated
        ]
        explicit = [param.replace(kind=param.KEYWORD_ONLY) for name, param in parameters.items() if name not in plain]
        options = [_SETTING_OPTIONS[name].parameter(name) for name in dict.fromkeys([*names, *plain])]
        options += [] if "config" in parameters else [_keyword("config", Config, None)]
        required = [param for param in explicit if param.default is param.empty]
        optional = [param for param in explicit if param.default is not param.empty]
        signature = [*required, *options, *optional]

        @functools.wraps(command)
        def configured(**arguments: Any) -> None:
            if "context" in parameters and arguments["context"].invoked_subcommand is not None:
                return  # the subcommand has its own options
            chosen = {name: arguments[name] for name in names if arguments[name] not in (None, [])}
            values = {
                _SETTING_OPTIONS[name].setting: _SETTING_OPTIONS[name].value or value for name, value in chosen.items()
            }
            settings = _settings_of(arguments["config"], **fixed, **values)
            outcome = command(**{name: arguments[name] for name in parameters}, settings=settings)
            if outcome is not None:
                raise typer.Exit(EXIT_CODES[outcome])

        configured.__dict__["__signature__"] = inspect.Signature(signature)
        configured.__annotations__ = {param.name: param.annotation for param in signature}
        return configured

    return decorated


def _keyword(name: str, kind: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=kind, default=default)


def _settings_of(config: Path | None, model: str | None = None, no_model: bool = False, **arguments: Any) -> Settings:
    return with_choice(loaded(config, **arguments), model, no_model)


def loaded(config: Path | None, **arguments: Any) -> Settings:
    """Return the settings merged from all sources; print warnings about ignored ones. Raises SettingsError."""
    with warnings.catch_warnings():
        warnings.showwarning = lambda message, *_, **__: tell(f"Note: {message}")
        return Settings.load(config, **arguments)


def with_choice(settings: Settings, model: str | None, no_model: bool) -> Settings:
    """Return the settings with the named model, or without a model. Raises UsageError."""
    from ..model.providers import with_model

    if model is not None and no_model:
        raise SettingsError("--model and --no-model cannot be used together")
    if no_model:
        return settings.model_copy(update={"provider": None, "model": None, "planner": Role(), "writer": Role()})
    if model is None:
        return settings
    provider, slash, name = model.partition("/")
    if not slash or not provider or not name:
        raise SettingsError(
            f'"{model}" does not have the form PROVIDER/NAME',
            where="--model",
            remedy="Use, for example, --model ollama/qwen3.",
        )
    return with_model(settings, provider, name)


def require_keys(settings: Settings, *, web: bool) -> None:
    """Raise SettingsError if a configured model, or with `web` a configured search engine, lacks its key."""
    from ..model.providers import require_keys as require_model_keys

    require_model_keys(settings)
    if web and settings.search.engines is not None:
        from ..search.engines import require_named

        require_named(settings)
