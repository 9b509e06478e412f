"""`spyglass resume` and `replay`: resume a run, replay it, or repeat it from one of its steps as a new run."""

from collections.abc import Mapping
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
from ..runs.recorded_settings import unlike
from ..runs.start import resumable_run, settings_of
from ..runs.stored import REPORT
from ..tools import crawl_site, web_research
from ..tools.recorded_tool import CRAWL, SEARCH, replayed_answer
from .bounds import bounded
from .console import tell
from .loop import run_until_done
from .options import Output, loaded, with_choice
from .output import deliver, require_writable
from .report import make_report, plan_from_file
from .takeover import confirm_shown, owned
from .tools import answer_query, call_tool, show_answer


def resume_run(name: str, settings: Settings, output: Output, plan: Path | None, *, yes: bool) -> Outcome:
    """Resume a run, print or write its result, and return its outcome.

    `plan` is the file of an approved plan. A run that is not the user's own is first copied to the user's runs, after
    the user's confirmation unless `yes`. Raises UsageError and LeaseError.
    """
    stored = resumable_run(name, settings)
    require_form(stored, output)
    approved = None if plan is None else plan_from_file(plan, stored.path, settings)
    require_writable(output.files, settings_of(stored, settings).db, settings)
    stored = owned(stored, settings, yes=yes, quiet=output.quiet)
    record = stored.required_settings()
    if not output.quiet:
        tell(f"Resuming {stored.id}: {stored.question}")
        if ignored := unlike(record, settings):
            tell(f"Note: new values are ignored, the run keeps its own: {', '.join(ignored)}.")
    return continued(stored, settings, output, approved)


def require_form(stored: StoredRun, output: Output) -> None:
    """Raise UsageError if the result of a run cannot be written in the form of `output`."""
    if stored.kind == REPORT and output.as_json:
        raise UsageError(
            "A report is not printed as JSON", where="--json", remedy="Write it to a file: --out report.json."
        )
    if stored.kind != REPORT and output.files:
        raise UsageError(f"A {stored.kind} is printed, not written to a file", where="--out", remedy="Remove --out.")


def continued(stored: StoredRun, settings: Settings, output: Output, plan: Plan | None = None) -> Outcome:
    """Resume a run as the command that started it would, and return its outcome."""
    if stored.kind == REPORT:
        return make_report("", settings, output, resume=stored.path, plan=plan)
    if stored.kind == SEARCH:
        return answer_query("", settings, output, resume=stored.path)
    tool, argument = (crawl_site, "url") if stored.kind == CRAWL else (web_research, "topic")
    return call_tool(tool, {argument: ""}, settings, output, resume=stored.path)


@dataclass(frozen=True, slots=True)
class Choice:
    """The changes of a branch: a model or none, a config file, single settings (None: unchanged)."""

    model: str | None
    no_model: bool
    config: Path | None
    values: Mapping[str, Any]

    def refuse(self) -> None:
        """Raise UsageError if anything is changed."""
        changes = {"model": self.model, "no-model": self.no_model or None, **self.values}
        if named := [f"--{name.rpartition('__')[2]}" for name, value in changes.items() if value is not None]:
            raise UsageError(f"A replay does not change the run: {', '.join(named)} needs --from")

    def settings(self, original: Settings, today: Settings) -> Settings:
        """Return the settings of a run with the changes. Raises SettingsError."""
        values = {name: value for name, value in self.values.items() if value is not None}
        current = loaded(self.config, **values)
        names = layered(Settings, [nested(values), read_config(self.config) if self.config else {}])().explicit
        settings = original.updated(**{name: attrgetter(name)(current) for name in names}, data_dir=today.data_dir)
        return with_choice(settings, self.model, self.no_model)


def replay_run(name: str, settings: Settings, output: Output) -> Outcome:
    """Replay a run, write or print its result, and return its outcome. Raises NotRecordedError and UsageError."""
    stored = resumable_run(name, settings)
    require_form(stored, output)
    require_writable(output.files, [], settings)
    if stored.kind != REPORT:
        with bounded(name):
            answer, outcome = run_until_done(lambda _: replayed_answer(stored, settings), settings)
        show_answer(answer, as_json=output.as_json)
        return outcome
    with bounded(name):
        report = run_until_done(lambda _: replay(name, settings=settings), settings)
    return deliver(report, output, settings)


def branch_off(name: str, step: str, choice: Choice, today: Settings, output: Output, *, yes: bool) -> Outcome:
    """Repeat a run from a step on, as a new run, and return its outcome.

    A run that is not the user's own is confirmed and copied as in `resume_run`. Raises UsageError.
    """
    require_writable(output.files, [], today)
    stored = resumable_run(name, today)
    require_form(stored, output)
    settings, store = choice.settings(settings_of(stored, today), today), RunStore.of(today)
    if store.keeps(stored.path):
        path = branched(stored, store, step, settings)
    else:
        confirm_shown(stored, settings, today, yes=yes, quiet=output.quiet)
        path = taken_over(stored, store, step, settings)
    if not output.quiet:
        tell(f"{path.parent.name} repeats {stored.id} from {step} on.")
    return continued(StoredRun.at(path), settings, output)
