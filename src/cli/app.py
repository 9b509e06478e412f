"""The command `spyglass`: its subcommands, their options, and the one place where an error becomes an exit code."""

import io
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

if TYPE_CHECKING:
    from ..settings import Settings

EXIT_CODES = {"complete": 0, "failed": 1, "partial": 3, "nothing_found": 4, "cancelled": 130}
"""By outcome; bad usage is 2."""

EPILOG = (
    "Exit codes: 0 complete, 1 failed, 2 bad usage, 3 a report from which something is missing (it says what), "
    "4 nothing found, 130 stopped by Ctrl-C (a report of what was there is still written)."
)


class Commands(TyperGroup):
    """The subcommands; a Ctrl-C that nobody below takes is told before typer makes it exit code 130."""

    def invoke(self, ctx: Any) -> Any:
        """Run the subcommand."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            from .console import tell

            tell("spyglass: stopped")
            raise


app = typer.Typer(
    cls=Commands,
    help="Ask a question of the web and of your own files; get a report in which every sentence can be checked.",
    epilog=EPILOG,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

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
Quiet = Annotated[bool, typer.Option("--quiet", help="Show no progress.")]
AsJson = Annotated[bool, typer.Option("--json", help="Answer in JSON.")]


@app.command()
def report(
    question: Annotated[str, typer.Argument(help="What you want to know.")],
    files: Files = None,
    config: Config = None,
    model: ModelName = None,
    no_model: NoModel = False,
    out: Annotated[
        list[Path] | None,
        typer.Option("--out", metavar="FILE", help="Write here; .md or .json; may be given several times."),
    ] = None,
    language: Annotated[str | None, typer.Option("--language", help="The report's language, such as German.")] = None,
    length: Annotated[str | None, typer.Option("--length", metavar="short|normal|long", help="How long.")] = None,
    web: Annotated[
        bool | None,
        typer.Option("--web/--no-web", help="Search the web too, or not; by default only when no folder is given."),
    ] = None,
    url: Annotated[
        list[str] | None,
        typer.Option(
            "--url", metavar="URL", help="A page to read besides what is searched; may be given several times."
        ),
    ] = None,
    domains: Domains = None,
    block: Block = None,
    trust: Trust = None,
    time_range: Time = None,
    effort: Annotated[
        str | None, typer.Option("--effort", metavar="normal|deep", help="How thorough; deep costs more model calls.")
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Research QUESTION in your files, on the web, or both, and write a cited report."""
    from .report import write_report

    chosen = {"urls": url, "domains": domains, "block": block, "trust": trust}
    settings = _settings(
        config,
        files,
        model,
        no_model,
        language=language,
        length=length,
        web=web,
        time_range=time_range,
        effort=effort,
        **{name: value or None for name, value in chosen.items()},
    )
    outcome = write_report(question, settings, files or [], out or [], quiet=quiet)
    raise typer.Exit(EXIT_CODES[outcome])


@app.command()
def ingest(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder to read.")],
    config: Config = None,
    quiet: Quiet = False,
) -> None:
    """Read the files of DIR into its index, with vectors, so that reports need not."""
    from .ingest import ingest_folder

    ingest_folder(folder, _settings(config, [folder], None, False), quiet=quiet)


@app.command()
def find(
    query: Annotated[str, typer.Argument(help="What to look for.")],
    files: Files = None,
    top: Annotated[int, typer.Option("--top", min=1, max=100, metavar="K", help="How many passages.")] = 5,
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """Show the passages of your files that answer QUERY best, with their scores and exact spans."""
    from .find import find_passages

    if not find_passages(query, _settings(config, files, None, False), top, as_json=as_json):
        raise typer.Exit(EXIT_CODES["nothing_found"])


@app.command()
def fetch(
    url: Annotated[str, typer.Argument(help="The address of a page or document.")],
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """Read the page at URL and show its text, what is known of it, and how it was read, or why it was not."""
    from .fetch import show_page

    if not show_page(url, _settings(config, None, None, False), as_json=as_json):
        raise typer.Exit(1)


@app.command()
def research(
    topic: Annotated[str, typer.Argument(help="What to research.")],
    depth: Annotated[int, typer.Option("--depth", metavar="1|2|3", help="1 quick, 2 moderate, 3 thorough.")] = 2,
    max_sources: Annotated[int, typer.Option("--max-sources", metavar="N", help="Pages to read, at most 10.")] = 5,
    config: Config = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Research TOPIC on the web without a model: key findings by source, with a confidence level."""
    from .research import research_topic

    settings = _settings(config, None, None, True)
    outcome = research_topic(topic, settings, depth, max_sources, as_json=as_json, quiet=quiet)
    raise typer.Exit(EXIT_CODES[outcome])


@app.command()
def search(
    query: Annotated[str, typer.Argument(help="What you want to know.")],
    time_range: Time = None,
    domains: Domains = None,
    block: Block = None,
    trust: Trust = None,
    stream: Annotated[bool, typer.Option("--stream", help="Show the answer as it is written.")] = False,
    config: Config = None,
    model: ModelName = None,
    no_model: NoModel = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Answer QUERY from the web, with citations."""
    from .search import answer_query

    lists = {"domains": domains or None, "block": block or None, "trust": trust or None}
    settings = _settings(config, None, model, no_model, time_range=time_range, **lists)
    outcome = answer_query(query, settings, stream=stream, as_json=as_json, quiet=quiet)
    raise typer.Exit(EXIT_CODES[outcome])


@app.command()
def serve(
    host: Annotated[str, typer.Option("--host", help="The address to serve on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65_535, help="The port; 0 takes a free one.")] = 8000,
    config: Config = None,
    model: ModelName = None,
    no_model: NoModel = False,
) -> None:
    """Serve searches and reports over HTTP, as streams of server-sent events."""
    from .serve import serve as serve_on

    serve_on(_settings(config, None, model, no_model), host, port)


@app.command()
def doctor(config: Config = None, model: ModelName = None) -> None:
    """Call each configured part once, show the effective settings, and say how to mend what does not work."""
    from .doctor import examine

    raise typer.Exit(0 if examine(_settings(config, None, model, False)) else 1)


def _settings(
    config: Path | None, files: list[Path] | None, model: str | None, no_model: bool, **given: Any
) -> "Settings":
    from ..errors import SettingsError
    from ..settings import Role, Settings

    provider, name = None, None
    if model is not None:
        provider, slash, name = model.partition("/")
        if not slash or not provider or not name:
            raise SettingsError(
                f'"{model}" is not PROVIDER/NAME', where="--model", remedy="For example: --model ollama/qwen3."
            )
        if no_model:
            raise SettingsError("--model and --no-model exclude each other")
    arguments: dict[str, Any] = {"db": files or None, **given}
    settings = Settings.load(config, **arguments)
    if provider and name:
        from ..model.providers import with_model

        return with_model(settings, provider, name)
    if no_model:
        return settings.model_copy(update={"provider": None, "model": None, "planner": Role(), "writer": Role()})
    return settings


def main() -> NoReturn:
    """Run the command line; an error of the house is told in words, and becomes an exit code."""
    from ..errors import SpyglassError, UsageError

    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal of few letters shows the others by number
    try:
        app()
    except SpyglassError as error:
        from .console import tell

        tell(f"spyglass: {error}")
        sys.exit(2 if isinstance(error, UsageError) else 1)
    raise AssertionError("unreachable: typer exits")
