"""The tools that an assistant calls. Work that may outlast a call is a run in a separate process."""

import asyncio
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal

from mcp.server.mcpserver import Context, Elicit
from pydantic import BaseModel, Field

from ..kernel.errors import UsageError
from ..kernel.journal import Journal
from ..kernel.one_line import sanitized
from ..kernel.run import Run
from ..kernel.settings import Settings
from ..kernel.term import terms
from ..kernel.thread import in_thread
from ..runs import Account, RunManager, StoredRun
from ..runs.detached import Processes, complaint
from ..runs.plan_edit import EditedTask, PlanEdit
from ..runs.stored import INTERRUPTED, PLANNED, REPORT, RUNNING, rejecting_unfit_values
from .answers import (
    CheckedText,
    FetchedDocument,
    FoundPassage,
    FoundPassages,
    ReportPart,
    ResearchPlan,
    ResearchStatus,
    SearchHit,
    SearchResults,
    Verified,
    bounded,
)

if TYPE_CHECKING:
    from ..report import Report

LONGEST_CALL: Final = 42.0  # seconds that a call may last: clients give up after a minute, and some after 45 s
LONGEST_WAIT: Final = 40.0  # seconds that research_status waits at most
LOOK: Final = 0.3  # seconds between two checks while waiting for a run
MOST_REPORTS: Final = 5  # earlier reports among the results of a search


class PlanApproval(BaseModel):
    """What the user says of a plan, in the form that the assistant shows."""

    tasks: str = Field(
        default="", description="Other things to find out, one per line; leave empty to use those above."
    )


RunId = Annotated[str, Field(description="The id of the run, or its beginning; `last` is the latest run.")]
WaitSeconds = Annotated[
    float, Field(ge=0, le=LONGEST_WAIT, description="How long to wait for the run to end, in seconds.")
]


class Tools:
    """The tools over one data folder and the folders of the settings; callers cannot open others."""

    def __init__(self, settings: Settings, config: Path | None = None) -> None:
        self._settings = settings
        self._manager = RunManager(settings, Processes(settings, config))
        self._store = self._manager.store

    async def start_research(
        self,
        question: Annotated[str, Field(description="What to find out, as a full question.")],
        web: Annotated[
            bool | None, Field(description="Search the web too; the default is the server's setting.")
        ] = None,
        effort: Literal["auto", "quick", "normal", "deep"] = "auto",
        max_cost_usd: Annotated[
            float | None, Field(ge=0, description="The maximum cost; a report is written even if it is reached.")
        ] = None,
        max_minutes: Annotated[float | None, Field(gt=0, le=600)] = None,
        ask: Annotated[
            bool, Field(description="Wait for approval of the plan: see research_plan and approve_plan.")
        ] = False,
    ) -> ResearchStatus:
        """Start research in a separate process, which continues even if this server stops."""
        settings = self._settings.updated(effort=effort, research__ask=ask or self._settings.research.ask)
        settings = settings if web is None else settings.updated(web=web)
        settings = settings if max_cost_usd is None else settings.updated(budget__max_cost=max_cost_usd)
        settings = settings if max_minutes is None else settings.updated(budget__max_time=max_minutes * 60)
        if not settings.db and not settings.searches_web:
            raise UsageError("There is nothing to search", remedy="Set web to true, or start the server with --files.")
        run_id = await in_thread(self._manager.start, question, settings)
        return _started(run_id, question)

    async def research_status(self, run: RunId, ctx: Context, wait_seconds: WaitSeconds = 30) -> ResearchStatus:
        """Return the state of a run; wait for its end, at most `wait_seconds`."""
        deadline, reported = time.monotonic() + wait_seconds, -1
        while True:
            status = await in_thread(lambda: self._status_of(self._store.find(run)))
            if (done := sum(status.done.values())) != reported:
                reported = done
                await ctx.report_progress(
                    done, message=", ".join(f"{count} {kind}" for kind, count in status.done.items())
                )
            if status.state != "running" or time.monotonic() + LOOK > deadline:
                return status
            await asyncio.sleep(LOOK)

    async def research_plan(self, run: RunId) -> ResearchPlan:
        """Return the plan of a run, and a forecast of its calls, tokens, US dollars and seconds."""
        proposal, forecast = await in_thread(self._manager.plan, run)
        tasks = list(dict.fromkeys(task.task for task in proposal.plan.tasks))
        return ResearchPlan(
            run=run, tasks=tasks, agents=proposal.agents, forecast=forecast, next=f'Call approve_plan with run "{run}".'
        )

    async def question_of_plan(
        self, run: str, tasks: Sequence[str] | None, ctx: Context
    ) -> Elicit[PlanApproval] | PlanApproval:
        """Return the question about a plan; an empty approval if tasks are given or the client cannot ask the user."""
        capabilities = ctx.client_capabilities
        if tasks or capabilities is None or capabilities.elicitation is None:
            return PlanApproval()
        return Elicit(await self.plan_shown(run), PlanApproval)

    async def plan_shown(self, run: str) -> str:
        """Return the text that presents a plan to the user."""
        plan = await self.research_plan(run)
        tasks = "\n".join(f"- {task}" for task in plan.tasks)
        return f"To find out:\n{sanitized(tasks)}\nExpected: {plan.forecast}. Approve this plan?"

    async def approve_plan(self, run: str, tasks: Sequence[str] | None, answer: PlanApproval) -> ResearchStatus:
        """Approve the plan of a waiting run, or the tasks in `tasks` or the user's answer instead, and resume it."""
        if answer.tasks.strip():
            tasks = [line.lstrip("- ") for line in answer.tasks.splitlines() if line.strip("- ")]
        edit = PlanEdit(tasks=[EditedTask(task=task) for task in tasks or []])
        stored = await in_thread(self._manager.approve, run, edit)
        return _started(run, stored.question)

    def task(self, run: str) -> ResearchStatus:
        """Return the status of a run of this or an earlier server; a run whose plan was declined is cancelled.

        Blocks. Raises UnknownRunError.
        """
        status = self._status_of(self._manager.status(run))
        declined = status.state == PLANNED and self._store.stop_asked(run)
        return status.model_copy(update={"state": "cancelled"}) if declined else status

    def cancel(self, run: str) -> None:
        """Stop a run, including one that waits for approval. Blocks. Raises UnknownRunError."""
        self._manager.cancel(run)
        self._store.ask_to_stop(run)

    async def get_report(
        self, run: RunId, offset: Annotated[int, Field(ge=0, description="The character at which to continue.")] = 0
    ) -> ReportPart:
        """Return the report of a run that has ended, with the quotes behind its citations."""
        return ReportPart.of(await self._report(run), offset)

    async def verify_report(self, run: RunId) -> Verified:
        """Check a report again, offline: every quote against the stored sources, every verdict against its evidence."""
        from ..verify import verify

        report = await self._report(run)
        return Verified.of(report.run, await in_thread(verify, report))

    async def check_text(
        self,
        text: Annotated[str, Field(max_length=200_000, description="The text, with its citations, as Markdown.")],
        web: Annotated[bool, Field(description="Read the pages that the text cites.")] = False,
    ) -> CheckedText:
        """Mark each sentence of a text: supported, not supported or contradicted by what it cites and by the files."""
        from ..verify import check_text

        if not web and not self._settings.db:
            raise UsageError(
                "There are no sources to check the text against",
                remedy="Set web to true, or start the server with --files.",
            )
        return CheckedText.of(await check_text(text, self._settings, web=web))

    async def find_in_files(
        self, query: str, top: Annotated[int, Field(ge=1, le=20, description="The number of passages.")] = 8
    ) -> FoundPassages:
        """Return the passages of the user's files that match a query best, verbatim."""
        from ..tools import find_in_files

        self._require_files()
        result = await find_in_files(query, self._settings, top)
        return FoundPassages(passages=[FoundPassage.of(hit) for hit in result.hits], notices=result.notices)

    async def search(self, query: str) -> SearchResults:
        """Search the user's files and the reports of earlier runs; `fetch` returns the document of a result's id."""
        passages = (await self.find_in_files(query)).passages if self._settings.db else []
        files = [SearchHit(id=hit.id, title=f"{hit.title} ({hit.path})", url=f"file:{hit.path}") for hit in passages]
        wanted = {*terms(query)}
        earlier = [
            SearchHit(id=f"run:{run.id}", title=run.question, url=f"report://{run.id}")
            for run in await in_thread(self._store.all)
            if run.kind == REPORT and run.outcome in ("complete", "partial") and wanted & {*terms(run.question)}
        ]
        return SearchResults(results=[*files, *earlier[:MOST_REPORTS]])

    async def fetch(
        self,
        id: Annotated[str, Field(description="The id of a result of `search`, or a web address.")],  # noqa: A002
    ) -> FetchedDocument:
        """Return a document: a file of the user from the found passage on, a report, or a web page."""
        kind, _, name = id.partition(":")
        if kind == "run":
            report = await self._report(name)
            return FetchedDocument(
                id=id, title=report.title, text=bounded(report.markdown), url=f"report://{report.run}"
            )
        if kind == "file":
            return await self._file(id, *name.rpartition("@")[::2])
        return await self._web_page(id)

    async def report_markdown(self, run: str) -> str:
        """Return the whole report of a run as Markdown."""
        return (await self._report(run)).markdown

    async def _file(self, document_id: str, path: str, start: str) -> FetchedDocument:
        from ..documents import converter_of
        from ..documents.opening import Beneath
        from ..rag import ingest

        self._require_files()
        async with Run(f"fetch {path}", self._settings, journal=Journal()) as run:
            for folder in dict.fromkeys(self._settings.folders):
                listing = await ingest(run, folder, embed=False)
                if path in listing.paths:
                    base = Path(listing.base)
                    document = await (await converter_of(run, run.settings)).convert(base / path, beneath=Beneath(base))
                    run.conclude(has_result=True)
                    text = bounded(document.text[int(start or 0) :] if start.isdecimal() else document.text)
                    return FetchedDocument(id=document_id, title=document.title or path, text=text, url=f"file:{path}")
        raise UsageError(f'The folders have no file "{path}"', remedy="Use the id of a result of search.")

    async def _web_page(self, url: str) -> FetchedDocument:
        from ..fetch import fetch

        if not url.startswith(("http://", "https://")):
            raise UsageError(
                f'"{url[:80]}" is not the id of a result', remedy="Use an id that search returned, or a web address."
            )
        async with Run(f"fetch {url}", self._settings, journal=Journal()) as run:
            page = await fetch(run, url)
            run.conclude(has_result=True)
        metadata = {"published": page.published, "author": page.author, "retrieved_at": page.retrieved_at}
        known = {name: value for name, value in metadata.items() if value}
        return FetchedDocument(id=url, title=page.title, text=bounded(page.text), url=page.url, metadata=known)

    async def _report(self, run: str) -> "Report":
        stored = await in_thread(self._store.find, run)
        report = (await in_thread(Account.of, stored)).report
        if report is None:
            remedy = self._status_of(stored).next
            raise UsageError(f"The run {stored.id} has no report yet: it is {stored.outcome}", remedy=remedy)
        return report

    def _status_of(self, stored: StoredRun) -> ResearchStatus:
        """Return the status of a run; a run whose process is still starting counts as running. Blocks."""
        problem = stored.problem
        state = stored.outcome
        if state == INTERRUPTED:
            problem = complaint(stored.path)
            state = INTERRUPTED if problem or not _is_recent(stored.path) else RUNNING
        next_step = {
            RUNNING: "Call research_status again.",
            INTERRUPTED: f"Resume it with `spyglass resume {stored.id}`.",
            PLANNED: f'Call research_plan with run "{stored.id}".',
        }.get(state, f'Call get_report with run "{stored.id}".')
        return ResearchStatus(
            run=stored.id,
            question=stored.question,
            state=state,
            began=stored.began,
            done=_done(self._store.fetch(stored)),
            calls=stored.calls,
            cost_usd=stored.cost,
            problem=problem,
            next=next_step,
        )

    def _require_files(self) -> None:
        if not self._settings.db:
            raise UsageError("The server has no files", remedy="Start it with `spyglass mcp --files DIR`.")


def _started(run: str, question: str) -> ResearchStatus:
    return ResearchStatus(run=run, question=question, state="running", next=f'Call research_status with run "{run}".')


def _is_recent(journal: Path) -> bool:
    """Return whether a run was prepared so recently that its process may still be starting."""
    return journal.exists() and time.time() - journal.stat().st_mtime < LONGEST_CALL


def _done(stored: StoredRun) -> dict[str, int]:
    """Return the number of recorded effects (searches, pages, model calls …) of a run, by kind."""
    if stored.problem:
        return {}
    with Journal(stored.path, readonly=True) as journal, rejecting_unfit_values(stored.path):
        return dict(Counter(effect.kind for effect in journal.timed() if effect.kind != "clock"))
