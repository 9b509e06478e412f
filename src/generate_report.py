"""The entry points for reports: assemble the agents and the run, make or replay its report."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from .kernel.notice import Notice

if TYPE_CHECKING:
    from .agent import Agent
    from .kernel.journal import Journal
    from .kernel.plan import Plan
    from .kernel.pool import Pool
    from .kernel.run import EventSink, Run
    from .kernel.settings import Settings
    from .report import Report


async def generate_report(
    query: str,
    planner: "Agent | None" = None,
    agents: "Sequence[Agent] | None" = None,
    *,
    settings: "Settings | None" = None,
) -> str:
    """Research a question and return the report as Markdown; missing arguments are built from the settings.

    Raises UsageError for errors that the caller can fix, and RunError if no report could be made at all.
    """
    return (await research(query, planner, agents, settings=settings)).markdown


async def research(
    query: str = "",
    planner: "Agent | None" = None,
    agents: "Sequence[Agent] | None" = None,
    *,
    settings: "Settings | None" = None,
    on_event: "EventSink | None" = None,
    on_start: "Callable[[Run], None] | None" = None,
    resume: "str | Path | Journal | None" = None,
    pool: "Pool | None" = None,
    plan: "Plan | None" = None,
) -> "Report":
    """Research a question and return the typed report: sections, citations with their spans, sources, failures.

    `on_event` receives every event of the run, `on_start` the run itself (whose `stop` ends it early, with a report of
    the results so far). `resume` continues an earlier run, given by its id or the beginning of it, by `last`, or by its
    journal in the data folder. The run keeps its question and settings, except secrets, limits and settings of the
    machine; recorded calls are not repeated, and the report is the one that the run would have made. A `pool` contains
    what the runs of one event loop share: connections, browser, limits. A `plan` replaces the planner's; with the
    setting `research.ask` and without a plan the run raises PlanWaitsError, to be resumed with a plan. Raises as
    `generate_report` does, LeaseError while another process is making the run, UsageError for a run that is not the
    user's own, and UnknownRunError.
    """
    from .agent.effort import fitted
    from .kernel.argument import require
    from .kernel.journal import Journal
    from .kernel.journal.approval import approve
    from .kernel.plan import Plan
    from .kernel.pool import Pool
    from .kernel.settings import Settings
    from .router import run_of
    from .runs import RunStart

    require("research", query=(query, str), settings=(settings, Settings | None), pool=(pool, Pool | None))
    require("research", resume=(resume, str | Path | Journal | None), plan=(plan, Plan | None))
    _require_parts("research", planner, agents, on_event=on_event, on_start=on_start)
    start = RunStart.of(query, settings or Settings.load(), resume)
    settings = fitted(start.settings, start.question)
    start = replace(start, settings=settings, on_event=on_event, on_start=on_start, pool=pool)
    planner, agents = _team(start.settings, planner, agents)
    async with run_of([planner, *agents], start) as run:
        if plan is not None:
            approve(run.journal, plan)
        return await _run_to_report(run, planner, agents)


async def replay(
    name: "str | Path",
    planner: "Agent | None" = None,
    agents: "Sequence[Agent] | None" = None,
    *,
    settings: "Settings | None" = None,
    on_event: "EventSink | None" = None,
) -> "Report":
    """Return the report of a finished run, made again from its journal alone: the same, byte for byte.

    `name` is as `resume` in `research`, or the file of an exported run. No external call is made, no key is needed, and
    the run's journal is not changed. A run with custom agents needs them here too. Raises UnknownRunError, and
    NotRecordedError, which names the first answer missing in the journal.
    """
    from .kernel.argument import require
    from .kernel.run import Run
    from .kernel.settings import Settings
    from .runs import RunStart
    from .runs.start import require_recorded
    from .runs.stored import REPORT, rejecting_unfit_values

    require("replay", name=(name, str | Path), settings=(settings, Settings | None))
    _require_parts("replay", planner, agents, on_event=on_event)
    start = RunStart.of_copy(name, settings or Settings.load(), REPORT)
    planner, agents = _team(start.settings, planner, agents)
    journal = start.journal()
    with rejecting_unfit_values(name):
        async with Run(start.question, start.settings, on_event=on_event, journal=journal, offline=True) as run:
            report = await _run_to_report(run, planner, agents)
            require_recorded(run, name)
            return report


def _require_parts(function: str, planner: object, agents: object, **sinks: object) -> None:
    """Raise ArgumentError for agents of a wrong type, and for a callback that is not callable."""
    from .agent import Agent
    from .kernel.argument import require

    require(function, planner=(planner, Agent | None), agents=(agents, Sequence[Agent] | None))
    require(function, **{name: (sink, Callable | None) for name, sink in sinks.items()})


async def _run_to_report(run: "Run", planner: "Agent", agents: "Sequence[Agent]") -> "Report":
    """Run the message loop, and store and return its report, or one made without a model if the reporter fails."""
    from .kernel.errors import RunError, SpyglassError
    from .router import Router, Server, kept_report

    server = Server(run)
    for agent in (planner, *agents):
        server.add(Router(agent, run))
    try:
        answer = await server.start(run.question)
    except SpyglassError as error:
        if not server.data:
            raise
        run.fail("reporter", Notice("of_report"), error.message)
        answer = await _last_resort(run, server.data)
    if isinstance(answer, list):
        raise RunError(
            "The agents ended without a report", remedy="The last agent must answer TERMINATE with the report as text."
        )
    return kept_report(run, answer)


def _team(
    settings: "Settings", planner: "Agent | None", agents: "Sequence[Agent] | None"
) -> "tuple[Agent, Sequence[Agent]]":
    """Return the given agents, else those of the settings. Raises MissingAgentError without a reporter."""
    from .agent import Planner
    from .factory import Factory
    from .model.providers import model_for

    if planner is None:
        planner = Planner(model_for(settings, "planner"))
    if agents is None:
        model, names = model_for(settings, "writer"), settings.agents or default_agents(settings)
        agents = [Factory.get_agent(name, model, settings) for name in names if name.strip().lower() != "planner"]
    require_reporter(agents)
    return planner, agents


def default_agents(settings: "Settings") -> "list[str]":
    """Return the names of the agents that the settings need: for folders, for the web, and the reporter."""
    searcher = "search-agent" if settings.effort == "deep" else "quick-searcher"
    web = [searcher] if settings.searches_web or settings.urls or settings.sites else []
    local = ["local-retrieval"] if settings.db or not web else []
    return [*local, *web, "reporter"]


def require_reporter(agents: "Sequence[Agent]") -> None:
    """Raise MissingAgentError unless one of the agents makes the report."""
    from .kernel.errors import MissingAgentError
    from .router import gathers

    if not any(gathers(agent) for agent in agents):
        names = ", ".join(agent.name for agent in agents) or "none"
        raise MissingAgentError(
            f'The agent "reporter" is missing; the agents are: {names}',
            remedy='Add "reporter" to `agents`, or your own agent with `gathers = True`.',
        )


async def _last_resort(run: "Run", data: "list[object]") -> str:
    """Write a report of the gathered records with the extractive writer."""
    from .agent import Reporter

    reporter = Reporter(None)
    reporter.attach(run)
    return str((await reporter.run(run.question, data))["data"])
