"""The subcommands for stored runs: list, show, resume, replay, export, share and delete them."""

from pathlib import Path
from typing import Annotated

import typer

from ..kernel.errors import UsageError
from ..kernel.outcome import Outcome
from ..kernel.settings import Settings
from .console import confirm, tell
from .options import AsJson, Config, Out, Output, PlanFile, Quiet, with_settings

RunName = Annotated[
    str,
    typer.Argument(metavar="RUN", help="The id of the run or its beginning, `last`, or the file of an exported run."),
]
Yes = Annotated[
    bool, typer.Option("--yes", help="Resume the run in a FILE, which anybody may have made, without confirmation.")
]


def add_to(app: typer.Typer) -> None:
    """Add the subcommands."""
    for command in (runs, resume, show, replay, export, share, forget):
        app.command()(command)
    app.command(hidden=True)(background)


@with_settings()
def runs(
    settings: Settings,
    most: Annotated[
        int, typer.Option("--most", metavar="N", min=1, help="The maximum number of runs, latest first.")
    ] = 100,
    as_json: AsJson = False,
) -> None:
    """List the stored runs: when they began, how they ended, what they cost, and which can be resumed."""
    from .show import list_runs

    list_runs(settings, most, as_json=as_json)


@with_settings("max_cost", "max_time", "log", "otel")
def resume(
    run: RunName,
    settings: Settings,
    out: Out = None,
    yes: Yes = False,
    plan: PlanFile = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> Outcome:
    """Resume a run (report, search, research, crawl) that was stopped, killed, or is incomplete.

    Recorded answers are reused and not paid for again; failed calls are repeated. The question and the settings stay
    as they were; keys come from the current environment. `replay --from` accepts other settings.

    From a FILE, which anybody may have made, only the question, the form of the answer and the recorded answers are
    used; your current settings decide what is contacted, read and reachable. This is shown first, for confirmation.
    """
    from .resume import resume_run

    return resume_run(run, settings, Output(out or [], as_json, quiet), plan, yes=yes)


@with_settings()
def background(settings: Settings) -> Outcome | None:
    """Make the report of a run whose id another process sends; started by the service and the MCP server."""
    from .background import make_wanted

    return make_wanted(settings)


@with_settings()
def show(
    run: RunName,
    settings: Settings,
    timeline: Annotated[
        bool, typer.Option("--timeline", help="Draw how its time and money were spent: phases, calls, waits.")
    ] = False,
    sources: Annotated[
        bool, typer.Option("--sources", help="List every page and search hit, with its credibility.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show a run: question, outcome, plan, tasks, calls, failures."""
    from .show import show_run

    show_run(run, settings, as_json=as_json, timeline=timeline, sources=sources)


@with_settings("log", "otel")
def replay(
    run: RunName,
    settings: Settings,
    model: str | None,
    no_model: bool | None,
    length: str | None,
    language: str | None,
    policy: str | None,
    step: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="STEP",
            help="Repeat the run from this step on, as a new run with other settings: the number of a call, or a "
            "phase such as writing.",
        ),
    ] = None,
    out: Out = None,
    yes: Yes = False,
    config: Config = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> Outcome:
    """Reproduce the result of a run from its journal, byte for byte, offline and without a key.

    With --from, the run is repeated from a step on: answers that are still valid are reused. A FILE, which anybody may
    have made, is then treated as by `resume`.
    """
    from .resume import Choice, branch_off, replay_run

    changes = {"report__length": length, "language": language, "report__policy": policy}
    choice, output = Choice(model, bool(no_model), config, changes), Output(out or [], as_json, quiet)
    if step is None:
        choice.refuse()
        return replay_run(run, settings, output)
    return branch_off(run, step, choice, settings, output, yes=yes)


@with_settings()
def export(
    run: RunName,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file that does not exist yet, such as run.sqlite.")],
    settings: Settings,
) -> None:
    """Write a run to one file, without secrets, that another machine can show, replay and verify."""
    from ..kernel.journal import Journal
    from ..runs import RunStore

    if file.exists():
        raise UsageError("The file already exists", where=str(file), remedy="Choose a file that does not exist yet.")
    stored = RunStore.of(settings).find(run)
    stored.required_settings()
    with Journal.copy_of(stored.path) as journal:
        journal.write_to(file)
    tell(
        f"Written: {file} ({file.stat().st_size / 1e6:.1f} MB). It contains the question and every text that was read."
    )


@with_settings()
def share(settings: Settings) -> None:
    """Copy the runs of this machine to the database that several machines share; runs already there are kept."""
    from ..kernel.database import database_of
    from ..runs import RunStore
    from ..runs.stored import RUNNING

    database_of(settings)  # raises without one
    shared = RunStore.of(settings)
    shared_ids = {run.id for run in shared.all()}
    unshared = [run for run in RunStore(settings.data_dir).all() if run.id not in shared_ids and run.outcome != RUNNING]
    for run in unshared:
        shared.keep(run.path)
    tell(f"Shared: {len(unshared)} runs ({sum(run.size for run in unshared) / 1e6:.1f} MB).")


@with_settings()
def forget(
    settings: Settings,
    run: Annotated[
        str | None, typer.Argument(metavar="RUN", help="The id of the run or its beginning, or `last`.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Every run that has ended.")] = False,
    folder: Annotated[Path | None, typer.Option("--files", metavar="DIR", help="The index of a folder.")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Delete without confirmation.")] = False,
) -> None:
    """Delete everything stored of a run (question, answers, texts), or the index of a folder."""
    from ..kernel.one_line import one_line
    from ..rag import forget_index
    from ..runs import RunStore
    from ..runs.stored import RUNNING

    if folder is not None:
        _confirm_deletion(f"the index of {folder}", yes=yes)
        forget_index(settings, folder)
        tell(f"Deleted: the index of {folder}.")
        return
    if (run is None) != every:
        raise UsageError("Name one run, or use --all", remedy="`spyglass runs` lists them.")
    store = RunStore.of(settings)
    chosen = [store.find(run)] if run is not None else [stored for stored in store.all() if stored.outcome != RUNNING]
    size = sum(stored.size for stored in chosen) / 1e6
    description = (
        f"{f'{chosen[0].id}, “{one_line(chosen[0].question)}”' if run else f'{len(chosen)} runs'} ({size:.1f} MB)"
    )
    _confirm_deletion(description, yes=yes)
    for stored in chosen:
        store.forget(stored)
    tell(f"Deleted: {description}.")


def _confirm_deletion(description: str, *, yes: bool) -> None:

    if not yes:
        confirm(f"Delete {description}?", f"There is no terminal to confirm the deletion of {description}", "forget")
