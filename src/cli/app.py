"""The command `spyglass`: its subcommands, their options, and the one place where an error becomes an exit code."""

import io
import sys
from pathlib import Path
from typing import Annotated, Any, Final, NoReturn

import typer
from typer.core import TyperGroup

from ..kernel.outcome import Outcome
from . import cache, run_commands, token, watch
from .options import (
    AsJson,
    Block,
    Config,
    Depth,
    Domains,
    Effort,
    Files,
    Language,
    Length,
    Log,
    MaxCost,
    MaxTime,
    ModelName,
    NoModel,
    Otel,
    Out,
    Pages,
    PlanFile,
    Policy,
    Quiet,
    Ray,
    Sign,
    Sites,
    Time,
    Trust,
    Urls,
    Web,
    settings_of,
)

EXIT_CODES: Final[dict[Outcome, int]] = {
    "complete": 0,
    "failed": 1,
    "partial": 3,
    "nothing_found": 4,
    "cancelled": 130,
    "planned": 0,
}
"""By outcome; bad usage is 2, and what SIGTERM ends is 143."""

EPILOG = (
    "Exit codes: 0 complete, 1 failed, 2 bad usage, 3 a report from which something is missing (it says what), "
    "4 nothing found, 130 stopped by Ctrl-C (a report of what was there is still written; a second Ctrl-C ends it "
    "at once), 143 ended by SIGTERM."
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
    epilog=EPILOG,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from .. import __version__
        from .console import write

        write(f"spyglass {__version__}\n")
        raise typer.Exit


@app.callback()
def spyglass(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Ask a question of the web and of your own files; get a report in which every sentence can be checked."""


@app.command()
def report(
    question: Annotated[str, typer.Argument(help="What you want to know.")],
    files: Files = None,
    config: Config = None,
    model: ModelName = None,
    no_model: NoModel = False,
    out: Out = None,
    language: Language = None,
    length: Length = None,
    web: Web = None,
    url: Urls = None,
    site: Sites = None,
    depth: Depth = None,
    pages: Pages = None,
    domains: Domains = None,
    block: Block = None,
    trust: Trust = None,
    time_range: Time = None,
    effort: Effort = None,
    max_cost: MaxCost = None,
    max_time: MaxTime = None,
    policy: Policy = None,
    sign: Sign = None,
    ask: Annotated[
        bool, typer.Option("--ask", help="Show the plan, and what it will take, before anything else is spent.")
    ] = False,
    plan: PlanFile = None,
    log: Log = None,
    otel: Otel = None,
    ray: Ray = None,
    quiet: Quiet = False,
) -> None:
    """Research QUESTION in your files, on the web, or both, and write a cited report."""
    from .report import write_report

    chosen = {"urls": url, "sites": site, "search.domains": domains, "search.block": block, "search.trust": trust}
    settings = settings_of(
        config,
        files,
        model,
        no_model,
        language=language,
        report__length=length,
        web=web,
        search__time_range=time_range,
        effort=effort,
        budget__max_cost=max_cost,
        budget__max_time=max_time,
        report__policy=policy,
        crawl__depth=depth,
        crawl__pages=pages,
        report__sign=sign,
        research__ask=ask or None,
        observe__log=log,
        observe__otel=otel,
        runs__ray=ray,
        **{name: value or None for name, value in chosen.items()},
    )
    outcome = write_report(question, settings, files or [], out or [], quiet=quiet, plan=plan)
    raise typer.Exit(EXIT_CODES[outcome])


@app.command()
def ingest(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder to read.")],
    config: Config = None,
    quiet: Quiet = False,
    ray: Annotated[
        str | None,
        typer.Option(
            "--ray", metavar="ADDRESS", help="Have the workers of this Ray cluster read; auto is this machine's."
        ),
    ] = None,
    progress: Annotated[bool, typer.Option("--progress", help="Only tell how far the workers are.")] = False,
) -> None:
    """Read the files of DIR into its index, with vectors, so that reports need not."""
    from .ingest import ingest_folder, tell_progress

    settings = settings_of(config, [folder])
    outcome = tell_progress(folder, settings) if progress else ingest_folder(folder, settings, ray, quiet=quiet)
    raise typer.Exit(EXIT_CODES[outcome])


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

    raise typer.Exit(EXIT_CODES[find_passages(query, settings_of(config, files), top, as_json=as_json)])


@app.command()
def fetch(
    url: Annotated[str, typer.Argument(help="The address of a page or document.")],
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """Read the page at URL and show its text, what is known of it, and how it was read, or why it was not."""
    from .fetch import show_page

    if not show_page(url, settings_of(config), as_json=as_json):
        raise typer.Exit(EXIT_CODES["failed"])


@app.command()
def crawl(
    url: Annotated[str, typer.Argument(help="Where to begin; one that ends with a slash stands for its folder alone.")],
    question: Annotated[
        str, typer.Option("--for", metavar="QUESTION", help="Read the most promising pages for this first.")
    ] = "",
    depth: Depth = None,
    pages: Pages = None,
    browser: Annotated[bool, typer.Option("--browser", help="Render every page in a browser.")] = False,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Write each page here as Markdown; a new folder.")
    ] = None,
    max_time: MaxTime = None,
    config: Config = None,
    as_json: AsJson = False,
    log: Log = None,
    otel: Otel = None,
    quiet: Quiet = False,
) -> None:
    """Read the pages of the site at URL, best first, and list them; with --json their texts and links too.

    robots.txt is honoured, and nothing outside the site is asked for.
    """
    from .crawl import show_site

    given: dict[str, Any] = {
        "crawl.depth": depth,
        "crawl.pages": pages,
        "crawl.time": max_time,
        "observe.log": log,
        "observe.otel": otel,
    }
    if browser:
        given["browser.mode"] = "always"
    settings = settings_of(config, no_model=True, sites=[url], **given)
    raise typer.Exit(EXIT_CODES[show_site(question, settings, out, as_json=as_json, quiet=quiet)])


@app.command()
def research(
    topic: Annotated[str, typer.Argument(help="What to research.")],
    depth: Annotated[int, typer.Option("--depth", metavar="1|2|3", help="1 quick, 2 moderate, 3 thorough.")] = 2,
    max_sources: Annotated[int, typer.Option("--max-sources", metavar="N", help="Pages to read, at most 10.")] = 5,
    max_cost: MaxCost = None,
    max_time: MaxTime = None,
    config: Config = None,
    as_json: AsJson = False,
    log: Log = None,
    otel: Otel = None,
    quiet: Quiet = False,
) -> None:
    """Research TOPIC on the web without a model: key findings by source, with a confidence level."""
    from .keys import require_keys
    from .research import research_topic

    settings = settings_of(
        config,
        no_model=True,
        budget__max_cost=max_cost,
        budget__max_time=max_time,
        observe__log=log,
        observe__otel=otel,
    )
    require_keys(settings, web=True)
    outcome = research_topic(topic, settings, depth, max_sources, as_json=as_json, quiet=quiet)
    raise typer.Exit(EXIT_CODES[outcome])


@app.command()
def search(
    query: Annotated[str, typer.Argument(help="What you want to know.")],
    time_range: Time = None,
    domains: Domains = None,
    block: Block = None,
    trust: Trust = None,
    max_cost: MaxCost = None,
    max_time: MaxTime = None,
    stream: Annotated[bool, typer.Option("--stream", help="Show the answer as it is written.")] = False,
    config: Config = None,
    model: ModelName = None,
    no_model: NoModel = False,
    as_json: AsJson = False,
    log: Log = None,
    otel: Otel = None,
    quiet: Quiet = False,
) -> None:
    """Answer QUERY from the web, with citations."""
    from .keys import require_keys
    from .search import answer_query

    given: dict[str, Any] = {
        "search.domains": domains or None,
        "search.block": block or None,
        "search.trust": trust or None,
        "search.time_range": time_range,
        "budget.max_cost": max_cost,
        "budget.max_time": max_time,
        "observe.log": log,
        "observe.otel": otel,
    }
    settings = settings_of(config, model=model, no_model=no_model, **given)
    require_keys(settings, web=True)
    outcome = answer_query(query, settings, stream=stream, as_json=as_json, quiet=quiet)
    raise typer.Exit(EXIT_CODES[outcome])


@app.command()
def verify(
    report: Annotated[str, typer.Argument(metavar="REPORT.json", help="A report that was written as JSON, or a RUN.")],
    run: Annotated[
        str | None,
        typer.Option("--run", metavar="RUN", help="Compare all of it with what this run's journal gives, offline."),
    ] = None,
    shown: Annotated[
        list[Path] | None,
        typer.Option("--shown", metavar="FILE", help="Is this file (.md, .html, .docx, …) the same report?"),
    ] = None,
    refetch: Annotated[
        bool, typer.Option("--refetch", help="Read the cited pages and files again, and tell which have changed.")
    ] = False,
    folder: Annotated[
        Path | None, typer.Option("--folder", metavar="DIR", help="Read the cited files again, from this folder only.")
    ] = None,
    signer: Annotated[
        str, typer.Option("--signer", metavar="KEY", help="The public key by which it must be signed (spyglass key).")
    ] = "",
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """Check REPORT.json again, offline: hashes, quotes, citations, verdicts; exit code 1 when anything disagrees.

    What a file cannot prove of itself is told; the journal of the run can: with --run, or RUN in place of the file.
    With --refetch or --folder, 3 when a quote no longer stands in its page or file.
    """
    from .verify import verify_report

    settings = settings_of(config, no_model=True)
    outcome = verify_report(
        report,
        settings,
        run=run,
        shown=shown or [],
        again=refetch,
        folder=folder,
        signer=signer,
        as_json=as_json,
    )
    raise typer.Exit(EXIT_CODES[outcome])


@app.command()
def key(config: Config = None) -> None:
    """Print the public key by which others know the reports that you --sign; the key is made when there is none."""
    from ..verify.signature import public_key
    from .console import write

    write(f"{public_key(settings_of(config, no_model=True).data_dir)}\n")


@app.command()
def check(
    report: Annotated[Path, typer.Argument(metavar="FILE", help="A report that somebody else wrote.")],
    files: Files = None,
    web: Annotated[bool, typer.Option("--web", help="Read the pages that it cites.")] = False,
    out: Annotated[
        list[Path] | None,
        typer.Option("--out", metavar="FILE", help="Write the checked report here too; may be given several times."),
    ] = None,
    config: Config = None,
    as_json: AsJson = False,
    log: Log = None,
    otel: Otel = None,
    quiet: Quiet = False,
) -> None:
    """Check each sentence of FILE against the pages that it cites, the files of a folder, or both.

    Exit code 0 when every claim is supported, 3 when some are not.
    """
    from .check import check_report

    settings = settings_of(config, files, no_model=True, observe__log=log, observe__otel=otel)
    outcome = check_report(report, settings, files or [], out or [], web=web, as_json=as_json, quiet=quiet)
    raise typer.Exit(EXIT_CODES[outcome])


@app.command()
def diff(
    a: Annotated[Path, typer.Argument(metavar="A.json", help="The earlier report, as JSON.")],
    b: Annotated[Path, typer.Argument(metavar="B.json", help="The later one.")],
    as_json: AsJson = False,
) -> None:
    """Tell which claims and sources B.json adds to A.json, drops or changes; exit code 1 when there are any."""
    from .diff import compare_reports

    if not compare_reports(a, b, as_json=as_json):
        raise typer.Exit(1)


@app.command()
def serve(
    host: Annotated[str, typer.Option("--host", help="The address to serve on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65_535, help="The port; 0 takes a free one.")] = 8000,
    files: Files = None,
    web: Web = None,
    config: Config = None,
    model: ModelName = None,
    no_model: NoModel = False,
    log: Log = None,
    otel: Otel = None,
    ray: Ray = None,
) -> None:
    """Serve a page to ask and check on, and searches and reports over HTTP."""
    from .keys import require_keys
    from .serve import serve as serve_on

    given = {"observe__log": log, "observe__otel": otel, "runs__ray": ray}
    settings = settings_of(config, files, model, no_model, web=web, **given)
    require_keys(settings, web=settings.web is not False)
    serve_on(settings, host, port, config)


@app.command()
def mcp(
    files: Files = None,
    config: Config = None,
    model: ModelName = None,
    no_model: NoModel = False,
    http: Annotated[int | None, typer.Option("--http", metavar="PORT", help="Serve on this port of 127.0.0.1.")] = None,
    log: Log = None,
    otel: Otel = None,
) -> None:
    """Serve research, reports, checks and searches to an assistant as tools (Model Context Protocol)."""
    from .mcp import serve_mcp

    serve_mcp(settings_of(config, files, model, no_model, observe__log=log, observe__otel=otel), config, http)


@app.command()
def doctor(
    config: Config = None,
    model: ModelName = None,
    cluster: Annotated[
        bool, typer.Option("--cluster", help="Look at what several machines share: the database, runs, Ray's nodes.")
    ] = False,
) -> None:
    """Call each configured part once, show the effective settings, and say how to mend what does not work."""
    from .cluster_checks import cluster_checks
    from .doctor import examine, parts

    settings = settings_of(config, model=model)
    raise typer.Exit(0 if examine(settings, cluster_checks if cluster else parts) else 1)


run_commands.add_to(app)
app.add_typer(cache.app, name="cache")
app.add_typer(token.app, name="token")
app.add_typer(watch.app, name="watch")


def main() -> NoReturn:
    """Run the command line; an error of the house is told in words, and becomes an exit code."""
    from ..kernel.errors import SpyglassError, StoppedError, UsageError

    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal of few letters shows the others by number
    try:
        app()
    except SpyglassError as error:
        from .console import tell

        tell(f"spyglass: {error}")
        if type(error) is StoppedError:  # unlike what it is the root of: a limit is no wish of the user's
            sys.exit(EXIT_CODES["cancelled"])
        sys.exit(2 if isinstance(error, UsageError) else EXIT_CODES["failed"])
    raise AssertionError("unreachable: typer exits")
