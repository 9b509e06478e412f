"""The Planner: turns the question into ordered tasks for the other agents, and returns one per call."""

from collections import deque
from collections.abc import Callable, Iterable
from typing import Annotated, Any, Literal

from pydantic import BaseModel, WithJsonSchema, create_model, model_validator

from ..kernel.argument import validated
from ..kernel.errors import DeadlineError, ModelError, PlanWaitsError, StoppedError, UsageError
from ..kernel.events import PhaseChanged, Planned
from ..kernel.journal.approval import approved, propose
from ..kernel.message import Message, terminate
from ..kernel.notice import Notice, NoticeOrText
from ..kernel.plan import AgentCard, Plan, Proposal, Task
from ..kernel.run import Run
from ..kernel.source import digest
from ..model import Model, Prompt
from ..model.structured import structured
from ..prompts import quoted, render
from ..rag.nearness import compares
from ..report.outline import bounded
from ..report.prompt_echo import echoes_prompt
from ..search.expansion import by_rules
from ..search.queries import normalised
from .agent import BuiltIn
from .decompose import further_queries, sub_questions

ENOUGH = 2  # usable sources per sub-question; with fewer the Planner adds further tasks
TRIES = 2  # most attempts at a plan if the model's server fails; then rules make the plan, without waiting
TIME_TO_PLAN = 0.3
"""The share of `research.agent_deadline` that a model has for a plan; then rules make it, which takes no time."""

MOST_TASKS = 12
MOST_QUERIES = 3

LONGEST_BRIEF = 300  # most characters of a file's brief summary in a prompt, and of unknown agent names in a message


class PlannedTask(BaseModel):
    """A task as a model writes it."""

    task: str
    agent: str
    queries: list[str] = []


class PlanAnswer(BaseModel, extra="ignore"):
    """A plan as a model writes it; a bare list is taken for its tasks."""

    tasks: list[PlannedTask]
    sections: list[str] = []

    @model_validator(mode="before")
    @classmethod
    def _bare_list(cls, value: Any) -> Any:
        return {"tasks": value} if isinstance(value, list) else value


def plan_of(agents: Iterable[str]) -> type[PlanAnswer]:
    """Return a plan model whose JSON Schema lists these agents as an enum; validation accepts other names too."""
    agent_name = Annotated[str, WithJsonSchema({"type": "string", "enum": list(agents)})]
    task = create_model("PlannedTask", __base__=PlannedTask, agent=(agent_name, ...))
    return create_model("PlanAnswer", __base__=PlanAnswer, tasks=(list[task], ...))


@validated
class Planner(BuiltIn):
    """Plans with a model, or by rules if `model` is None.

    The first call makes the plan, unless the user has approved one; with the setting `research.ask` it raises
    PlanWaitsError. Each call returns the next task. When none is left and a sub-question has fewer than ENOUGH usable
    sources, the Planner adds another round of tasks (at most `research.rounds`) before the gathering agent, never with
    a query that was tried before; at the end it returns TERMINATE.
    """

    name = "planner"
    description = "Breaks the question into tasks for the other agents."

    def __init__(self, model: Model | None = None) -> None:
        self.model = model
        self.tasks: deque[Task] = deque()
        self._planned = False
        self._rounds = 0

    def attach(self, run: Run) -> None:
        """Attach a new run and clear the plan of the previous one."""
        super().attach(run)
        self.tasks.clear()
        self._planned = False
        self._rounds = 0

    async def run(self, response: str, data: list[Any] | None = None) -> Message:
        """Plan the question `response` on the first call; return the next task, or TERMINATE if there is none."""
        data = data or []
        if not self._planned:
            self._planned = True
            await self._plan(response)
        elif not self.tasks and self._rounds < self.settings.research.rounds and self._report_task(response):
            self._rounds += 1  # the gathering agent starts only after all others have ended
            await self._add_further_tasks(data)
        if not self.tasks:
            return terminate(data)
        task = self.tasks.popleft()
        return {"agent": task.agent, "task": task.task, "data": data}

    async def _plan(self, question: str) -> None:
        self.context.emit(PhaseChanged("PLANNING", "started"))
        by: Literal["rules", "model", "user"] = "user"
        plan = self._approved()
        if plan is None:
            plan = await self._by_model(question)
            by = "rules" if plan is None else "model"
            plan = plan or Plan(tasks=tuple(self._by_rules(question)))
            propose(self.context.journal, Proposal(plan=plan, by=by, agents=[card.name for card in self._researchers]))
            if self.settings.research.ask:
                raise PlanWaitsError(
                    "The plan waits for your approval", where=self.context.id, remedy="Approve or edit it."
                )
        self._adopt(plan.tasks, plan.sections)
        self.tasks.extend(self._report_task(question))
        tasks = [task.model_dump() for task in self.context.plan.tasks]
        self.context.emit(Planned(tasks, list(plan.sections), by))
        self.context.emit(PhaseChanged("PLANNING", "completed"))

    def _approved(self) -> Plan | None:
        """Return the plan that the user has approved, as executable tasks. Raises UsageError if it is invalid."""
        plan = approved(self.context.journal)
        if plan is None:
            return None
        known = [card.name for card in self._researchers]
        if unknown := next((task.agent for task in plan.tasks if task.agent not in known), ""):
            problem = f'There is no research agent called "{unknown[:LONGEST_BRIEF]}"'
            raise UsageError(problem, where="the plan", remedy=f"Research agents: {', '.join(known)}.")
        planned = [PlannedTask(task=task.task, agent=task.agent, queries=list(task.queries)) for task in plan.tasks]
        tasks = tuple(self._merged(filter(None, map(self._task, planned))))
        if not tasks:
            raise UsageError("The plan has no tasks", where="the plan", remedy="Keep at least one.")
        return plan.model_copy(update={"tasks": tasks})

    def _adopt(self, tasks: tuple[Task, ...], sections: tuple[str, ...]) -> None:
        """Queue research tasks and add them to the run's plan, where their agents look up the queries."""
        self.tasks.extend(tasks)
        self.context.plan = Plan(tasks=(*self.context.plan.tasks, *tasks), sections=sections)

    @property
    def _most_queries(self) -> int:
        return min(MOST_QUERIES, self.settings.search.max_queries)

    @property
    def _researchers(self) -> list[AgentCard]:
        return [card for card in self.context.agents.values() if not card.gathers]

    def _report_task(self, question: str) -> list[Task]:
        """Return the last task, for the gathering agent, regardless of the plan; [] without such an agent."""
        return [Task(task=question, agent=card.name) for card in self.context.agents.values() if card.gathers][:1]

    # Planning by rules

    def _by_rules(self, question: str) -> list[Task]:
        return [
            Task(task=part, agent=card.name, queries=self._queries(card, part))
            for part in sub_questions(question)
            for card in self._researchers
        ]

    def _queries(self, card: AgentCard, part: str) -> tuple[str, ...]:
        """Return the queries that rules make for a sub-question; only the first for files also searched by embedding.

        There more queries find no more: for 104 of 111 questions about 19 folders, the first thirty passages contain
        the answer, with or without further queries.
        """
        one_is_enough = card.searches == "files" and compares(self.settings, part)
        return tuple(by_rules(part)[: 1 if one_is_enough else self._most_queries])

    # Planning by a model

    async def _by_model(self, question: str) -> Plan | None:
        """Return the model's plan; None without a model or need for one, and with a notice if the plan is unusable."""
        if self.model is None or not self._researchers or self.settings.effort == "quick":
            return None
        prompt = self._prompt("planner", question=question)
        answer = await self._answer(prompt, Notice("of_planning"))
        if answer is not None and (unknown := self._unknown_agents(answer)):
            answer = await self._repaired(prompt, answer, unknown)
        if answer is None:
            return None
        tasks = self._merged(task for planned in answer.tasks if (task := self._task(planned)))
        if all(_echoes(task, question) for task in tasks):
            self.context.notice(Notice("plan_without_tasks"))
            return None
        sections = tuple(bounded(answer.sections, self.settings.report.length))
        tasks += self._missing_tasks(tasks, question)
        return Plan(tasks=tuple(tasks), sections=sections if len(sections) > 1 else ())  # one would repeat the summary

    def _merged(self, tasks: Iterable[Task]) -> list[Task]:
        """Return the tasks, with equal tasks of an agent merged into one that has the queries of all."""
        merged: dict[tuple[str, str], Task] = {}
        for task in tasks:
            first = merged.setdefault((normalised(task.task), task.agent), task)
            queries = tuple(dict.fromkeys((*first.queries, *task.queries)))[: self._most_queries]
            merged[normalised(task.task), task.agent] = first.model_copy(update={"queries": queries})
        return list(merged.values())[:MOST_TASKS]

    def _missing_tasks(self, tasks: list[Task], question: str) -> list[Task]:
        """Return a task on the whole question for each place (web, files) that the plan leaves out."""
        cards = {card.name: card for card in self._researchers}
        covered = {cards[task.agent].searches for task in tasks}
        first = {card.searches: card for card in reversed(cards.values()) if card.searches}
        missing = [card for place, card in first.items() if place not in covered]
        return [Task(task=question, agent=card.name, queries=self._queries(card, question)) for card in missing]

    async def _answer(self, prompt: Prompt, fallback: NoticeOrText, attempts: int = TRIES) -> PlanAnswer | None:
        """Return the model's answer without text copied from the prompt; it may be empty.

        Returns None if the model failed or took too long; the `fallback` is then reported on the run.
        """
        assert self.model is not None
        nothing, shape = PlanAnswer(tasks=[]), plan_of(self.context.agents)
        try:
            asking = structured(
                self.model, self.context, prompt, shape, role="planner", default=nothing, attempts=attempts
            )
            seconds = TIME_TO_PLAN * self.settings.research.agent_deadline
            late = DeadlineError(Notice("model_too_slow", seconds=seconds))
            answer = await self.context.within(seconds, asking, late, prompt=digest(prompt.system, prompt.user))
        except (DeadlineError, ModelError, StoppedError) as error:
            self.context.fail(self.name, fallback, error.message)
            return None
        return _without_copies(echoes_prompt(self._prompt("planner", question=""), self.context.question), answer)

    def _prompt(self, template: str, **values: str) -> Prompt:
        agents = "\n".join(f"- {card.name}: {card.description}" for card in self.context.agents.values())
        common = {"agents": agents, "today": self.context.today.isoformat(), "language": self.settings.language}
        return render(template, self.settings.models.prompts, **common, **values)

    def _card(self, name: str) -> AgentCard | None:
        """Return the agent of that name, ignoring separators between its words and any text after a colon."""
        wanted = _joined(name.partition(":")[0])
        return next((card for card in self.context.agents.values() if wanted == _joined(card.name)), None)

    def _unknown_agents(self, answer: PlanAnswer) -> list[str]:
        return sorted({task.agent for task in answer.tasks if self._card(task.agent) is None})

    async def _repaired(self, prompt: Prompt, answer: PlanAnswer, unknown: list[str]) -> PlanAnswer | None:
        """Ask the model once to replace unknown agents; return None, and issue a notice, if it does not."""
        known = ", ".join(self.context.agents)
        complaint = (
            f"Your last plan was:\n{answer.model_dump_json()}\n"
            f"It names agents that do not exist: {', '.join(unknown)}. The agents are: {known}. Answer the plan again."
        )
        again = Prompt(prompt.system, f"{prompt.user}\n\n{complaint}")
        repaired = await self._answer(again, Notice("of_mending_plan"))
        if repaired is not None and (unknown := self._unknown_agents(repaired)):
            names = ", ".join(unknown)[:LONGEST_BRIEF]
            self.context.notice(Notice("plan_with_unknown_agents", unknown=names, known=known))
            return None
        return repaired

    def _task(self, planned: PlannedTask, serves: str = "") -> Task | None:
        """Return a planned task as an executable one; None without words or without a research agent."""
        card, words = self._card(planned.agent), planned.task.strip()
        if not words or card is None or card.gathers:
            return None
        taken = {(task.task, task.agent) for task in self.context.plan.tasks}
        name = f"{words} (further)" if (words, card.name) in taken else words
        queries = tuple(dict.fromkeys(query.strip() for query in planned.queries if query.strip()))
        return Task(task=name, agent=card.name, queries=queries[: self._most_queries] or (words,), serves=serves)

    # Further tasks

    async def _add_further_tasks(self, data: list[Any]) -> None:
        """Queue further tasks for the sub-questions with too few sources."""
        thin = self._thin(data)
        if not thin or self.context.stopped:
            return
        tried = {normalised(query) for task in self.context.plan.tasks for query in (task.task, *task.queries)}
        by_model = await self._further_by_model(thin, data)
        further = [
            task.model_copy(update={"queries": fresh[: self._most_queries]})
            for task in by_model or self._further_by_rules(thin, tried)
            if (fresh := tuple(query for query in task.queries if normalised(query) not in tried))
        ]
        self._adopt(tuple(further[:MOST_TASKS]), self.context.plan.sections)

    def _thin(self, data: list[Any]) -> list[Task]:
        """Return the tasks whose sub-question has too few sources from all agents, except tasks that failed."""
        tasks = self.context.plan.tasks
        serves = {task.task: task.sub_question for task in tasks}
        urls: dict[str, set[str]] = {}
        for record in data:
            record_task = str(record.get("task", ""))
            urls.setdefault(serves.get(record_task, record_task), set()).add(str(record.get("url")))
        failed = {(failure.who, failure.what) for failure in self.context.failures}
        return [
            task
            for task in tasks
            if len(urls.get(task.sub_question, ())) < ENOUGH and (task.agent, task.task) not in failed
        ]

    def _further_by_rules(self, thin: list[Task], tried: set[str]) -> list[Task]:
        return [
            Task(
                task=f"{task.task} (further)",
                agent=task.agent,
                queries=tuple(further_queries(task.task, tried)),
                serves=task.sub_question,
            )
            for task in thin
        ]

    async def _further_by_model(self, thin: list[Task], data: list[Any]) -> list[Task]:
        """Return the model's further tasks, one for each thin task; none if the model failed."""
        if self.model is None:
            return []
        tried = "\n".join(f"- {task.agent}: {task.task} (tried: {'; '.join(task.queries)})" for task in thin)
        values = {"thin": tried, "known": self._file_briefs(data)}
        prompt = self._prompt("planner_further", question=self.context.question, **values)
        answer = await self._answer(prompt, Notice("of_asking_once_more"), attempts=1)
        pairs = zip(answer.tasks if answer is not None else [], thin, strict=False)
        return [task for planned, thin_task in pairs if (task := self._task(planned, thin_task.sub_question))]

    def _file_briefs(self, data: list[Any]) -> str:
        """Return brief summaries of the user's files for a prompt, "" unless the user allows file text in queries.

        The text of web pages never enters this prompt.
        """
        if not self.settings.research.share_file_text:
            return ""
        files = [record for record in data if record.get("kind") == "file"][:MOST_TASKS]
        briefs = "\n".join(str(record.get("brief_summary", ""))[:LONGEST_BRIEF] for record in files)
        return f"What the user's files say so far:\n{quoted('files', briefs)}" if briefs.strip() else ""


def _without_copies(is_copied: Callable[[str], bool], answer: PlanAnswer) -> PlanAnswer:
    """Return an answer without the tasks, queries and titles that are copied from the prompt."""
    return PlanAnswer(
        tasks=[
            PlannedTask(
                task=task.task, agent=task.agent, queries=[text for text in task.queries if not is_copied(text)]
            )
            for task in answer.tasks
            if not is_copied(task.task)
        ],
        sections=[title for title in answer.sections if not is_copied(title)],
    )


def _joined(name: str) -> str:
    return normalised(name).replace(" ", "")


def _echoes(task: Task, question: str) -> bool:
    """Return whether a task and its queries only repeat the question."""
    return {normalised(text) for text in (task.task, *task.queries)} == {normalised(question)}
