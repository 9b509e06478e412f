"""Shows the plan of a run with its forecast to the user, who changes and approves it."""

import json
import re
import sys
from typing import Final

from ..kernel.plan import Plan, Proposal
from ..kernel.settings import Settings
from ..runs.forecast import Forecast, forecast
from ..runs.plan_edit import EditedTask, PlanEdit
from .console import tell, write

HELP: Final = "Enter approves; -2 removes task 2; 2 WORDS changes it; + WORDS adds a task; q keeps the plan for later."

_CHANGE: Final = re.compile(r"(\d+)\s+(\S.*)")


def approved_plan(run_id: str, proposal: Proposal, settings: Settings) -> Plan | None:
    """Return the plan that the user approves at the terminal; None if the user postpones it or there is no terminal.

    Without a terminal, the plan is printed as JSON, in the form that `--plan` takes, with the forecast.
    """
    tasks = list(dict.fromkeys(task.task for task in proposal.plan.tasks))
    at_terminal = sys.stdin.isatty() and sys.stderr.isatty()
    while at_terminal:
        edit = PlanEdit(tasks=[EditedTask(task=task) for task in tasks], sections=list(proposal.plan.sections))
        plan = edit.applied(proposal) if tasks != _tasks(proposal.plan) else proposal.plan
        _show(plan, forecast(plan, settings))
        line = input("> ").strip()
        if not line:
            return plan
        if line == "q":
            break
        tasks = _changed(tasks, line)
    if not at_terminal:
        record = {**proposal.plan.model_dump(mode="json"), "forecast": forecast(proposal.plan, settings).model_dump()}
        write(json.dumps(record, ensure_ascii=False, indent=2) + "\n")
    tell(f"The plan is not approved yet. Approve it with: spyglass resume {run_id} --plan FILE (- for no changes)")
    return None


def _tasks(plan: Plan) -> list[str]:
    return list(dict.fromkeys(task.task for task in plan.tasks))


def _changed(tasks: list[str], line: str) -> list[str]:
    """Return the tasks as changed by a line of the user's input; print a hint if the line is not a valid change."""
    if line.startswith("+") and (added := line[1:].strip()):
        return [*tasks, added]
    number = line[1:].strip() if line.startswith("-") else ""
    if number.isdecimal() and 1 <= int(number) <= len(tasks) and len(tasks) > 1:
        return [task for position, task in enumerate(tasks, start=1) if position != int(number)]
    if (change := _CHANGE.fullmatch(line)) and 1 <= int(change[1]) <= len(tasks):
        return [change[2] if position == int(change[1]) else task for position, task in enumerate(tasks, start=1)]
    tell(f"Unknown change. {HELP}")
    return tasks


def _show(plan: Plan, forecast: Forecast) -> None:
    tell("The plan:")
    for position, task in enumerate(_tasks(plan), start=1):
        agents = ", ".join(planned.agent for planned in plan.tasks if planned.task == task)
        tell(f"  {position}. {task}  ({agents})")
    tell(f"Expected: {forecast}.")
    tell(HELP)
