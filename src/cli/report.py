"""`spyglass report`."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ..generate_report import default_agents, research
from ..kernel.errors import PlanWaitsError
from ..kernel.outcome import Outcome
from ..kernel.plan import Plan, Proposal
from ..kernel.run import Run
from ..kernel.settings import Settings
from ..runs import PlanEdit, RunStore, plan_edit
from ..runs.plan_edit import proposal_of
from ..runs.start import missing
from .console import show_markdown, tell
from .loop import OnInterrupt, run_context, run_until_done
from .options import require_keys
from .output import require_writable, written
from .plan import approved_plan
from .progress import TerminalProgress

if TYPE_CHECKING:
    from ..report import Report

REPORTER: Final = "reporter"  # the agent that does no research


def write_report(
    question: str,
    settings: Settings,
    files: Sequence[Path],
    out: Sequence[Path],
    *,
    quiet: bool,
    plan: Path | None = None,
) -> Outcome:
    """Make the report, write it to each file of `out` or to standard output, and return its outcome.

    `files` are the folders that were asked for on the command line; a `plan` is followed instead of one that is made.
    A report that a file does not take goes to
    standard output, and the outcome is then "failed". Raises UsageError before anything is spent when no folder
    exists, when a file cannot be written or would be read as a source, and when a key is missing.
    """
    gone = missing(files, "--files")
    require_writable(out, settings.folders, settings)
    require_keys(settings, web=settings.searches_web)
    if gone and not quiet:
        tell(f"Note: there is no {', no '.join(map(str, gone))}; the rest is researched.")

    edit = None if plan is None else plan_edit(plan)
    if settings.runs.ray:
        from .on_cluster import made_on_cluster

        return made_on_cluster(question, settings, settings.runs.ray, out, asked=edit is not None, quiet=quiet)
    return made(question, settings, out, quiet=quiet, edit=edit)


def made(
    question: str,
    settings: Settings,
    out: Sequence[Path],
    *,
    quiet: bool,
    resume: Path | None = None,
    edit: PlanEdit | None = None,
) -> Outcome:
    """Make a report, or go on with the run that makes it; write it, tell how to go on, and return the outcome.

    An `edit` is the plan that the user has approved. Where the run is to ask for that, it ends with its plan, and is
    gone on with when he does.
    """
    plan = None if edit is None else edit.applied(_proposal(resume, settings))

    async def work(on_interrupt: OnInterrupt) -> "Report":
        starting = begun.on_start(on_interrupt)
        return await research(
            question, settings=settings, on_event=progress, on_start=starting, resume=resume, plan=plan
        )

    with run_context() as begun:
        try:
            with TerminalProgress(quiet=quiet) as progress:
                report = run_until_done(work, settings)
        except PlanWaitsError:
            return _approved(begun.run, out, quiet=quiet)
        whole = written(report, out, settings, quiet=quiet)
        if not whole or not out:
            show_markdown(report.markdown)
    return report.outcome if whole else "failed"


def _approved(run: Run, out: Sequence[Path], *, quiet: bool) -> Outcome:
    """Have the user approve the plan of a run that has ended with it, and go on with that."""
    path = RunStore(run.settings.data_dir).place(run.id)
    plan = approved_plan(run.id, _proposal(path, run.settings), run.settings)
    if plan is None:
        return "planned"
    return made("", run.settings, out, quiet=quiet, resume=path, edit=PlanEdit.of(plan))


def _proposal(journal: Path | None, settings: Settings) -> Proposal:
    """Return the plan of a run as it was made; where none was, there is only who does research."""
    found = None if journal is None else proposal_of(journal)
    agents = [name for name in default_agents(settings) if name != REPORTER]
    return found or Proposal(plan=Plan(tasks=()), by="rules", agents=agents)
