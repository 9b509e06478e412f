"""The options that several subcommands have, and the settings that they come to."""

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from ..kernel.settings import Settings

Files = Annotated[
    list[Path] | None,
    typer.Option("--files", metavar="DIR", help="A folder (or file) to research; may be given several times."),
]
Config = Annotated[
    Path | None, typer.Option("--config", metavar="FILE", help="A TOML or JSON file with settings; see config/.")
]
ModelName = Annotated[
    str | None,
    typer.Option("--model", metavar="PROVIDER/NAME", help="The model that plans and writes, such as ollama/qwen3."),
]
NoModel = Annotated[bool, typer.Option("--no-model", help="Plan by rules and quote the sources verbatim.")]
Domains = Annotated[
    list[str] | None, typer.Option("--domains", metavar="DOMAIN", help="Only pages of this domain; may be repeated.")
]
Block = Annotated[list[str] | None, typer.Option("--block", metavar="DOMAIN", help="No page of this domain.")]
Trust = Annotated[list[str] | None, typer.Option("--trust", metavar="DOMAIN", help="Prefer pages of this domain.")]
Time = Annotated[
    str | None,
    typer.Option("--time-range", metavar="day|week|month|year|none", help="How recent a page should be."),
]
MaxCost = Annotated[
    float | None,
    typer.Option("--max-cost", metavar="DOLLARS", help="Spend no more on models and searches, in US dollars."),
]
MaxTime = Annotated[str | None, typer.Option("--max-time", metavar="TIME", help="Take no longer: 90s, 5m or 1h.")]
Out = Annotated[
    list[Path] | None,
    typer.Option(
        "--out",
        metavar="FILE",
        help="Write here: .md, .html, .pdf, .docx, .json, .bib or .csl.json; may be given several times.",
    ),
]
Language = Annotated[str | None, typer.Option("--language", help="The report's language, such as German.")]
Length = Annotated[str | None, typer.Option("--length", metavar="short|normal|long", help="How long.")]
Web = Annotated[
    bool | None,
    typer.Option("--web/--no-web", help="Search the web too, or not; by default only when no folder is given."),
]
Urls = Annotated[
    list[str] | None,
    typer.Option("--url", metavar="URL", help="A page to read besides what is searched; may be given several times."),
]
Sites = Annotated[
    list[str] | None,
    typer.Option("--site", metavar="URL", help="A site to read from there on; may be given several times."),
]
Depth = Annotated[
    int | None, typer.Option("--depth", metavar="N", help="How many links away from its beginning a site is read.")
]
Pages = Annotated[int | None, typer.Option("--pages", metavar="N", help="How many pages of a site are read at most.")]
Effort = Annotated[
    str | None,
    typer.Option("--effort", metavar="auto|quick|normal|deep", help="How thorough; auto goes by the question."),
]
Policy = Annotated[
    str | None,
    typer.Option(
        "--policy",
        metavar="strict|mark|off",
        help="What becomes of a sentence that its sources do not support: it goes, is marked, or is not checked.",
    ),
]
Sign = Annotated[
    bool | None, typer.Option("--sign", help="Sign the report that is written as .json by your key (extra `sign`).")
]
Quiet = Annotated[bool, typer.Option("--quiet", help="Show no progress.")]
Log = Annotated[
    Path | None,
    typer.Option("--log", metavar="FILE", help="Write what happens here, a line of JSON each; - is stderr."),
]
Otel = Annotated[
    bool | None, typer.Option("--otel", help="Send OpenTelemetry spans where the variables OTEL_* say (extra `otel`).")
]
Ray = Annotated[
    str | None,
    typer.Option("--ray", metavar="ADDRESS", help="Have a worker of this Ray cluster make it; auto is this machine's."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Answer in JSON.")]


PlanFile = Annotated[
    Path | None,
    typer.Option(
        "--plan", metavar="FILE", help="Follow this plan, as JSON: what `--ask` prints where there is no terminal."
    ),
]


def settings_of(
    config: Path | None,
    files: list[Path] | None = None,
    model: str | None = None,
    no_model: bool = False,
    **given: Any,
) -> "Settings":
    """Return the settings that the options of a command come to. Raises UsageError."""
    arguments: dict[str, Any] = {"db": files or None, **given}
    return with_choice(loaded(config, **arguments), model, no_model)


def loaded(config: Path | None, **arguments: Any) -> "Settings":
    """Return the settings of every place; tells what of them does not count. Raises SettingsError."""
    from ..kernel.settings import Settings
    from .console import tell

    with warnings.catch_warnings():
        warnings.showwarning = lambda message, *_, **__: tell(f"Note: {message}")
        return Settings.load(config, **arguments)


def with_choice(settings: "Settings", model: str | None, no_model: bool) -> "Settings":
    """Return settings with the model that was named, or with none. Raises UsageError."""
    from ..kernel.errors import SettingsError
    from ..kernel.settings import Role
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
