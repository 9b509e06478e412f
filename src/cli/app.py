"""The command `spyglass`: its subcommands, their options, and the one place where an error becomes an exit code."""

import io
import sys
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from ..kernel.errors import SpyglassError, StoppedError, UsageError
from ..kernel.outcome import Outcome
from ..kernel.settings import Settings
from . import cache, run_commands, token, watch
from .console import tell, write
from .options import EXIT_CODES, AsJson, Config, Out, Output, PlanFile, Quiet, require_keys, with_settings

EPILOG = (
    "Exit codes: 0 complete, 1 failed, 2 bad usage, 3 an incomplete report (it says what is missing), "
    "4 nothing found, 130 stopped by Ctrl-C (a report of the results so far is still written; a second Ctrl-C "
    "ends the program at once), 143 ended by SIGTERM."
)


class Commands(TyperGroup):
    """The subcommands; prints a message for a Ctrl-C that none of them handles, before typer exits with code 130."""

    def invoke(self, ctx: Any) -> Any:
        """Run the subcommand."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            tell("spyglass: stopped")
            raise


app = typer.Typer(
    cls=Commands, epilog=EPILOG, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from .. import __version__

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
@with_settings(
    *("files", "model", "no_model", "language", "length", "web", "urls", "sites", "depth", "pages", "domains", "block"),
    *("trust", "time_range", "effort", "max_cost", "max_time", "policy", "sign", "ask", "log", "otel", "ray"),
)
def report(
    question: Annotated[str, typer.Argument(help="What you want to know.")],
    settings: Settings,
    files: list[Path] | None,
    out: Out = None,
    plan: PlanFile = None,
    quiet: Quiet = False,
) -> Outcome:
    """Research QUESTION in your files, on the web, or both, and write a cited report."""
    from .report import write_report

    return write_report(question, settings, files or [], Output(out or [], quiet=quiet), plan)


@app.command()
@with_settings()
def ingest(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder to read.")],
    settings: Settings,
    quiet: Quiet = False,
    ray: Annotated[
        str | None,
        typer.Option(
            "--ray", metavar="ADDRESS", help="Read on the workers of this Ray cluster; auto is that of this machine."
        ),
    ] = None,
    progress: Annotated[bool, typer.Option("--progress", help="Only show the progress of the workers.")] = False,
) -> Outcome:
    """Index the files of DIR, with vectors, so that reports need not read them."""
    from .ingest import ingest_folder, tell_progress

    settings = settings.updated(db=[folder])
    return tell_progress(folder, settings) if progress else ingest_folder(folder, settings, ray, quiet=quiet)


@app.command()
@with_settings("files")
def find(
    query: Annotated[str, typer.Argument(help="What to look for.")],
    settings: Settings,
    top: Annotated[int, typer.Option("--top", min=1, max=100, metavar="K", help="The number of passages.")] = 5,
    as_json: AsJson = False,
) -> Outcome:
    """Show the passages of your files that answer QUERY best, with their scores and exact spans."""
    from .find import find_passages

    return find_passages(query, settings, top, as_json=as_json)


@app.command()
@with_settings()
def fetch(
    url: Annotated[str, typer.Argument(help="The address of a page or document.")],
    settings: Settings,
    as_json: AsJson = False,
) -> Outcome:
    """Read the page at URL; show its text, its metadata and how it was read, or why it could not be read."""
    from .fetch import show_page

    return "complete" if show_page(url, settings, as_json=as_json) else "failed"


@app.command()
@with_settings("depth", "pages", "browser", "site_time", "log", "otel", no_model=True)
def crawl(
    url: Annotated[str, typer.Argument(help="The address to begin at; a final slash limits the crawl to its folder.")],
    settings: Settings,
    question: Annotated[
        str, typer.Option("--for", metavar="QUESTION", help="Read the pages most relevant to it first.")
    ] = "",
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Write each page as Markdown to this new folder.")
    ] = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> Outcome:
    """Read the pages of the site at URL, best first, and list them; with --json their texts and links too.

    robots.txt is honoured, and nothing outside the site is requested.
    """
    from .tools import crawl_to

    return crawl_to(question, settings.updated(sites=[url]), out, Output(as_json=as_json, quiet=quiet))


@app.command()
@with_settings("max_cost", "max_time", "log", "otel", no_model=True)
def research(
    topic: Annotated[str, typer.Argument(help="What to research.")],
    settings: Settings,
    depth: Annotated[int, typer.Option("--depth", metavar="1|2|3", help="1 quick, 2 moderate, 3 thorough.")] = 2,
    max_sources: Annotated[int, typer.Option("--max-sources", metavar="N", help="Pages to read, at most 10.")] = 5,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> Outcome:
    """Research TOPIC on the web without a model: key findings by source, with a confidence level."""
    from ..tools import web_research
    from .tools import call_tool

    require_keys(settings, web=True)
    arguments = {"topic": topic, "depth": depth, "max_sources": max_sources}
    return call_tool(web_research, arguments, settings, Output(as_json=as_json, quiet=quiet))


@app.command()
@with_settings(*("model", "no_model", "time_range", "domains", "block", "trust", "max_cost", "max_time", "log", "otel"))
def search(
    query: Annotated[str, typer.Argument(help="What you want to know.")],
    settings: Settings,
    stream: Annotated[bool, typer.Option("--stream", help="Show the answer as it is written.")] = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> Outcome:
    """Answer QUERY from the web, with citations."""
    from .tools import answer_query

    require_keys(settings, web=True)
    return answer_query(query, settings, Output(as_json=as_json, quiet=quiet), stream=stream)


@app.command()
@with_settings(no_model=True)
def verify(
    report: Annotated[str, typer.Argument(metavar="REPORT.json", help="The JSON file of a report, or a RUN.")],
    settings: Settings,
    run: Annotated[
        str | None,
        typer.Option("--run", metavar="RUN", help="Compare every field with the journal of this run, offline."),
    ] = None,
    shown: Annotated[
        list[Path] | None,
        typer.Option(
            "--shown", metavar="FILE", help="Also check that this file (.md, .html, .docx, …) shows the report."
        ),
    ] = None,
    refetch: Annotated[
        bool, typer.Option("--refetch", help="Read the cited pages and files again, and list those that changed.")
    ] = False,
    folder: Annotated[
        Path | None, typer.Option("--folder", metavar="DIR", help="Read the cited files again, from this folder only.")
    ] = None,
    signer: Annotated[
        str, typer.Option("--signer", metavar="KEY", help="The public key (spyglass key) of the required signature.")
    ] = "",
    as_json: AsJson = False,
) -> Outcome:
    """Check REPORT.json again, offline: hashes, quotes, citations, verdicts; exit code 1 when anything disagrees.

    What a file cannot prove about itself is listed; to check it too, add --run, or give RUN instead of the file.
    With --refetch or --folder, exit code 3 when a quote is no longer in its page or file.
    """
    from .verify import verify_report

    return verify_report(
        report, settings, run=run, renderings=shown or [], again=refetch, folder=folder, signer=signer, as_json=as_json
    )


@app.command()
@with_settings(no_model=True)
def key(settings: Settings) -> None:
    """Print the public key that verifies the reports that you --sign; the key is created if there is none."""
    from ..verify import public_key

    write(f"{public_key(settings.data_dir)}\n")


@app.command()
@with_settings("files", "log", "otel", no_model=True)
def check(
    report: Annotated[Path, typer.Argument(metavar="FILE", help="A report that somebody else wrote.")],
    settings: Settings,
    files: list[Path] | None,
    web: Annotated[bool, typer.Option("--web", help="Read the pages that the report cites.")] = False,
    out: Annotated[
        list[Path] | None,
        typer.Option("--out", metavar="FILE", help="Also write the checked report to this file; may be repeated."),
    ] = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> Outcome:
    """Check each sentence of FILE against the pages that it cites, the files of a folder, or both.

    Exit code 0 when every claim is supported, 3 when some are not.
    """
    from .check import check_report

    return check_report(report, settings, files or [], Output(out or [], as_json, quiet), web=web)


@app.command()
def diff(
    a: Annotated[Path, typer.Argument(metavar="A.json", help="The earlier report, as JSON.")],
    b: Annotated[Path, typer.Argument(metavar="B.json", help="The later report, as JSON.")],
    as_json: AsJson = False,
) -> None:
    """List the claims and sources that B.json adds, drops or changes, compared with A.json; exit code 1 if any."""
    from .diff import compare_reports

    if not compare_reports(a, b, as_json=as_json):
        raise typer.Exit(1)


@app.command()
@with_settings("files", "web", "model", "no_model", "log", "otel", "ray")
def serve(
    settings: Settings,
    host: Annotated[str, typer.Option("--host", help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65_535, help="The port; 0 chooses a free one.")] = 8000,
    config: Config = None,
) -> None:
    """Serve a web page for questions and checks, and searches and reports over HTTP."""
    from .serve import serve as serve_on

    require_keys(settings, web=settings.web is not False)
    serve_on(settings, host, port, config)


@app.command()
@with_settings("files", "model", "no_model", "log", "otel")
def mcp(
    settings: Settings,
    config: Config = None,
    http: Annotated[
        int | None, typer.Option("--http", metavar="PORT", help="Listen on this port of 127.0.0.1.")
    ] = None,
) -> None:
    """Serve research, reports, checks and searches to an assistant as tools (Model Context Protocol)."""
    from .serve import serve_mcp

    serve_mcp(settings, config, http)


@app.command()
@with_settings("model")
def doctor(
    settings: Settings,
    cluster: Annotated[
        bool, typer.Option("--cluster", help="Check what several machines share: the database, runs, Ray nodes.")
    ] = False,
) -> Outcome:
    """Call each configured part once, show the effective settings, and say how to fix what does not work."""
    from .cluster_checks import cluster_checks
    from .doctor import examine, parts

    return "complete" if examine(settings, cluster_checks if cluster else parts) else "failed"


run_commands.add_to(app)
app.add_typer(cache.app, name="cache")
app.add_typer(token.app, name="token")
app.add_typer(watch.app, name="watch")


def main() -> NoReturn:
    """Run the command line; print a SpyglassError as a message and turn it into an exit code."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # escapes what the terminal's encoding lacks
    try:
        app()
    except SpyglassError as error:
        tell(f"spyglass: {error}")
        if type(error) is StoppedError:  # not its subclasses: there a limit stopped the run, not the user
            sys.exit(EXIT_CODES["cancelled"])
        sys.exit(2 if isinstance(error, UsageError) else EXIT_CODES["failed"])
    raise AssertionError("unreachable: typer exits")
