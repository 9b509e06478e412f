"""`spyglass resume` and `replay`: go on with a run, make it again, or make it anew from a step on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any

from ..generate_report import replay
from ..kernel.errors import UsageError
from ..kernel.outcome import Outcome
from ..kernel.plan import Plan
from ..kernel.settings import Settings, layered, nested, read_config
from ..runs import RunStore, StoredRun
from ..runs.branch import branched, taken_over
from ..runs.kept import unlike
from ..runs.start import found, settings_of
from ..runs.stored import REPORT
from ..tools import crawl_site, web_research
from ..tools.own_run import CRAWL, SEARCH, replayed
from .bounds import bounded
from .console import tell
from .loop import run_until_done
from .options import loaded, with_choice
from .output import deliver, require_writable
from .report import made, planned
from .takeover import confirm_shown, own_of
from .tools import answer_query, call_tool, show_answer


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

    `plan` is the file of an approved plan. A run that is not among the user's own is taken over first, once that is
    confirmed or `yes`. Raises UsageError and LeaseError.
    """
    stored = found(name, settings)
    require_form(stored, out, as_json=as_json)
    approved = None if plan is None else planned(plan, stored.path, settings)
    require_writable(out, settings_of(stored, settings).db, settings)
    stored = own_of(stored, settings, yes=yes, quiet=quiet)
    record = stored.required_settings()
    if not quiet:
        tell(f"Going on with {stored.id}: {stored.question}")
        if others := unlike(record, settings):
            tell(f"Note: as they were when it began, whatever is said today: {', '.join(others)}.")
    return gone_on(stored, settings, out, approved, as_json=as_json, quiet=quiet)


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
    plan: Plan | None = None,
    *,
    as_json: bool,
    quiet: bool,
) -> Outcome:
    """Go on with a run as the command that began it would, and return its outcome."""
    if stored.kind == REPORT:
        return made("", settings, out, quiet=quiet, resume=stored.path, plan=plan)
    if stored.kind == SEARCH:
        return answer_query("", settings, stream=False, as_json=as_json, quiet=quiet, resume=stored.path)
    tool, asks = (crawl_site, "url") if stored.kind == CRAWL else (web_research, "topic")
    return call_tool(tool, {asks: ""}, settings, as_json=as_json, quiet=quiet, resume=stored.path)


@dataclass(frozen=True, slots=True)
class Choice:
    """What is to be otherwise than it was: a model or none, a config file, single settings (None: as it was)."""

    model: str | None
    no_model: bool
    config: Path | None
    given: Mapping[str, Any]

    def refuse(self) -> None:
        """Raise UsageError where anything is to be otherwise."""
        others = {"model": self.model, "no-model": self.no_model or None, **self.given}
        if named := [f"--{name.rpartition('__')[2]}" for name, value in others.items() if value is not None]:
            raise UsageError(f"A replay is the run as it was: {', '.join(named)} needs --from")

    def settings(self, then: Settings, today: Settings) -> Settings:
        """Return the settings of a run with what is to be otherwise. Raises SettingsError."""
        given = {name: value for name, value in self.given.items() if value is not None}
        checked = loaded(self.config, **given)
        said = layered(Settings, [nested(given), read_config(self.config) if self.config else {}])().said
        changed = then.updated(**{name: attrgetter(name)(checked) for name in said}, data_dir=today.data_dir)
        return with_choice(changed, self.model, self.no_model)


def replay_run(name: str, settings: Settings, out: Sequence[Path], *, as_json: bool, quiet: bool) -> Outcome:
    """Make again what a run made, write or print it, and return its outcome. Raises NotRecordedError and UsageError."""
    stored = found(name, settings)
    require_form(stored, out, as_json=as_json)
    require_writable(out, [], settings)
    if stored.kind != REPORT:
        with bounded(name):
            answer, outcome = run_until_done(lambda _: replayed(stored, settings), settings)
        show_answer(answer, as_json=as_json)
        return outcome
    with bounded(name):
        report = run_until_done(lambda _: replay(name, settings=settings), settings)
    return deliver(report, out, settings, quiet=quiet)


def branch_off(
    name: str,
    step: str,
    choice: Choice,
    today: Settings,
    out: Sequence[Path],
    *,
    yes: bool,
    as_json: bool,
    quiet: bool,
) -> Outcome:
    """Make a run anew from a step on, as a run of its own, and return its outcome.

    One that is not among the user's own is taken over as in `resume_run`. Raises UsageError.
    """
    require_writable(out, [], today)
    stored = found(name, today)
    require_form(stored, out, as_json=as_json)
    settings, store = choice.settings(settings_of(stored, today), today), RunStore.of(today)
    if store.keeps(stored.path):
        path = branched(stored, store, step, settings)
    else:
        confirm_shown(stored, settings, today, yes=yes, quiet=quiet)
        path = taken_over(stored, store, step, settings)
    if not quiet:
        tell(f"{path.parent.name} is {stored.id} from {step} on.")
    return gone_on(StoredRun.at(path), settings, out, as_json=as_json, quiet=quiet)
