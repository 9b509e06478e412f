"""`spyglass replay`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any

from ..generate_report import replay
from ..kernel.errors import UsageError
from ..kernel.outcome import Outcome
from ..kernel.settings import Settings, layered, nested, read_config
from ..runs import RunStore, StoredRun, branched, found, settings_of, taken_over
from ..runs.stored import REPORT
from ..tools.answers import WebSearch
from ..tools.crawl_site import SiteCrawl
from ..tools.own_run import replayed
from .bounds import bounded
from .console import show_markdown, tell
from .crawl import show_pages
from .loop import run_until_done
from .options import loaded, with_choice
from .output import require_writable, written
from .research import show_research
from .resume import gone_on, require_form
from .search import show_search
from .takeover import confirm_shown


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
        if isinstance(answer, WebSearch):
            show_search(answer, as_json=as_json)
        elif isinstance(answer, SiteCrawl):
            show_pages(answer, as_json=as_json)
        else:
            show_research(answer, as_json=as_json)
        return outcome
    with bounded(name):
        report = run_until_done(lambda _: replay(name, settings=settings), settings)
    whole = written(report, out, settings, quiet=quiet)
    if not whole or not out:
        show_markdown(report.markdown)
    return report.outcome if whole else "failed"


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
