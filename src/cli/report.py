"""`spyglass report`: researches a question and writes a report."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ..generate_report import default_agents, research
from ..kernel.errors import PlanWaitsError, SpyglassError, UsageError
from ..kernel.outcome import Outcome
from ..kernel.plan import Plan, Proposal
from ..kernel.run import Run
from ..kernel.settings import Settings
from ..kernel.thread import in_thread
from ..runs import RunStore
from ..runs.detached import prepared
from ..runs.plan_edit import plan_edit, proposal_of
from ..runs.start import missing
from .console import tell
from .loop import OnInterrupt, RunContext, run_until_done
from .options import Output, require_keys
from .output import deliver, require_writable
from .plan import approved_plan
from .progress import TerminalProgress

if TYPE_CHECKING:
    from ..report import Report

REPORTER: Final = "reporter"  # the only agent that does no research


def write_report(
    question: str, settings: Settings, files: Sequence[Path], output: Output, plan: Path | None
) -> Outcome:
    """Make the report, deliver it, and return its outcome.

    `files` are the folders of the command line; a `plan` replaces the planner's. Raises UsageError before anything is
    spent if no folder exists, if a file of the `output` cannot be written or would be read as a source, or if a key is
    missing.
    """
    missing_folders = missing(files, "--files")
    require_writable(output.files, settings.folders, settings)
    require_keys(settings, web=settings.searches_web)
    if missing_folders and not output.quiet:
        tell(f"Note: not found, so not searched: {', '.join(map(str, missing_folders))}.")

    approved = None if plan is None else plan_from_file(plan, None, settings)
    if settings.runs.ray:
        return report_on_cluster(
            question, settings, settings.runs.ray, output.files, has_plan=approved is not None, quiet=output.quiet
        )
    return make_report(question, settings, output, plan=approved)


def make_report(
    question: str, settings: Settings, output: Output, *, resume: Path | None = None, plan: Plan | None = None
) -> Outcome:
    """Make a report, or resume the run `resume`; deliver it, print how to continue, and return the outcome.

    `plan` is already approved by the user; without it a run with `research.ask` asks for approval.
    """

    async def work(on_interrupt: OnInterrupt) -> "Report":
        starting = context.on_start(on_interrupt)
        return await research(
            question, settings=settings, on_event=progress, on_start=starting, resume=resume, plan=plan
        )

    with RunContext() as context:
        try:
            with TerminalProgress(quiet=output.quiet) as progress:
                report = run_until_done(work, settings)
        except PlanWaitsError:
            return _approved(context.run, output)
        return deliver(report, output, settings)


def _approved(run: Run, output: Output) -> Outcome:
    """Have the user approve the plan of a waiting run, and resume the run."""
    path = RunStore(run.settings.data_dir).journal_path(run.id)
    plan = approved_plan(run.id, _proposal(path, run.settings), run.settings)
    if plan is None:
        return "planned"
    return make_report("", run.settings, output, resume=path, plan=plan)


def plan_from_file(file: Path, journal: Path | None, settings: Settings) -> Plan:
    """Return the plan in a file, for the run of a journal or a new one. Raises UsageError."""
    return plan_edit(file).applied(_proposal(journal, settings))


def _proposal(journal: Path | None, settings: Settings) -> Proposal:
    """Return the proposed plan of a run; without one, an empty plan with the research agents."""
    proposal = None if journal is None else proposal_of(journal)
    agents = [name for name in default_agents(settings) if name != REPORTER]
    return proposal or Proposal(plan=Plan(tasks=()), by="rules", agents=agents)


def report_on_cluster(
    question: str, settings: Settings, address: str, out: Sequence[Path], *, has_plan: bool, quiet: bool
) -> Outcome:
    """Have a worker of a cluster make the report; write it, and return its outcome.

    The first Ctrl-C makes the worker report the results so far, the second stops waiting for it. Raises UsageError
    without a database or a cluster, with a plan (`has_plan`) or one to be approved, and the error of a failed run.
    """
    from ..cluster.connection import Cluster, ended

    if has_plan or settings.research.ask:
        raise UsageError(
            "A worker of a cluster makes its own plan", where="--ray", remedy="Remove --ask and --plan, or --ray."
        )
    settings = settings.with_whole_paths()
    cluster = Cluster(settings, address)
    run_id = prepared(question, settings)
    cluster.start(run_id)
    if not quiet:
        tell(f"The run {run_id} is waiting for a worker (Ctrl-C ends it with a report of the results so far).")

    async def work(on_interrupt: OnInterrupt) -> "Report | SpyglassError":
        stopping: list[asyncio.Task[None]] = []

        def stop() -> None:
            stopping.append(asyncio.create_task(in_thread(cluster.store.ask_to_stop, run_id)))

        on_interrupt(stop)
        return await ended(cluster, run_id)

    report = run_until_done(work, settings)
    if isinstance(report, SpyglassError):
        raise report
    return deliver(report, Output(out, quiet=quiet), settings)
