"""Opens a run for a Router or Server that was given none."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING

from ..agent import Agent
from ..agent.effort import fitted
from ..kernel.run import Run
from ..kernel.settings import Settings
from ..model import Model
from ..runs import RunStart
from ..runs.start import opened

if TYPE_CHECKING:
    from ..report import Report


def beginning_of(query: str, agents: Sequence[Agent], settings: Settings | None = None) -> RunStart:
    """Return the start of a run with these settings, else those of an agent, else those of `Settings.load`.

    Raises QuestionError.
    """
    of_agents = (agent.own_settings for agent in agents if agent.own_settings is not None)
    return RunStart.of(query, fitted(settings or next(of_agents, None) or Settings.load(), query), None)


def run_of(agents: Sequence[Agent], start: RunStart) -> AbstractAsyncContextManager[Run]:
    """Open the run of agents, after checking that their models and search engines can be used; see `opened`."""
    models = [model for agent in agents if isinstance(model := getattr(agent, "model", None), Model)]
    searches = any(agent.searches == "web" for agent in agents)
    return opened(start, models, searches=searches)


def kept_report(run: Run, answer: str) -> "Report":
    """Store and return the report of a run: the typed report, or the text that an agent answered."""
    from ..report import Report

    report = run.report or Report.of_text(run, answer)
    if run.stopped:
        report = report.model_copy(update={"outcome": "cancelled"})
    run.journal.put("report", report.model_dump(mode="json", exclude={"snapshots": {"__all__": {"text"}}}))
    run.report, run.outcome = report, report.outcome
    return report
