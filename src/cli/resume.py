"""`spyglass resume`."""

from collections.abc import Sequence
from pathlib import Path

from ..kernel.errors import UsageError
from ..kernel.outcome import Outcome
from ..kernel.settings import Settings
from ..runs import PlanEdit, StoredRun, found, plan_edit, settings_of, unlike
from ..runs.stored import REPORT
from ..tools.own_run import CRAWL, SEARCH
from .console import tell
from .crawl import show_site
from .output import require_writable
from .report import made
from .research import research_topic
from .search import answer_query
from .takeover import own_of


def resume_run(
    name: str,
    settings: Settings,
    out: Sequence[Path],
    plan: Path | None = None,
    *,
    yes: bool,
    as_json: bool,
    quiet: bool,
) -> Outcome:
    """Go on with a run, print or write what it makes, and return its outcome.

    A `plan` is the file of one that the user has approved. A run that is not among the user's own is taken over first,
    when he confirms it or has said `yes`. Raises UsageError and LeaseError.
    """
    stored = found(name, settings)
    require_form(stored, out, as_json=as_json)
    edit = None if plan is None else plan_edit(plan)
    require_writable(out, settings_of(stored, settings).db, settings)
    stored = own_of(stored, settings, yes=yes, quiet=quiet)
    record = stored.required_settings()
    if not quiet:
        tell(f"Going on with {stored.id}: {stored.question}")
        if others := unlike(record, settings):
            tell(f"Note: as they were when it began, whatever is said today: {', '.join(others)}.")
    return gone_on(stored, settings, out, edit, as_json=as_json, quiet=quiet)


def require_form(stored: StoredRun, out: Sequence[Path], *, as_json: bool) -> None:
    """Raise UsageError where a run makes nothing that could be given in that form."""
    if stored.kind == REPORT and as_json:
        raise UsageError("A report is not printed as JSON", where="--json", remedy="Write it: --out report.json.")
    if stored.kind != REPORT and out:
        raise UsageError(f"A {stored.kind} is printed, not written", where="--out", remedy="Leave --out out.")


def gone_on(
    stored: StoredRun,
    settings: Settings,
    out: Sequence[Path],
    edit: PlanEdit | None = None,
    *,
    as_json: bool,
    quiet: bool,
) -> Outcome:
    """Go on with a run as the command that began it would, and return its outcome."""
    if stored.kind == REPORT:
        return made("", settings, out, quiet=quiet, resume=stored.path, edit=edit)
    if stored.kind == SEARCH:
        return answer_query("", settings, stream=False, as_json=as_json, quiet=quiet, resume=stored.path)
    if stored.kind == CRAWL:
        return show_site("", settings, as_json=as_json, quiet=quiet, resume=stored.path)
    return research_topic("", settings, as_json=as_json, quiet=quiet, resume=stored.path)
