"""The plan of a run and what it will take, shown to the user, who changes and approves it."""

import json
import re
import sys
from typing import Final

from ..kernel.plan import Plan, Proposal
from ..kernel.settings import Settings
from ..runs.forecast import Forecast, forecast
from ..runs.plan_edit import EditedTask, PlanEdit
from .console import tell, write

HELP: Final = "Enter approves; -2 leaves out 2; 2 WORDS changes it; + WORDS adds one; q keeps the plan for later."

_CHANGE: Final = re.compile(r"(\d+)\s+(\S.*)")


def approved_plan(run_id: str, proposal: Proposal, settings: Settings) -> Plan | None:
    """Return the plan as the user approves it at his terminal; None where he leaves it, or there is nobody to ask.

    Then the plan is printed as JSON, in the form that `--plan` takes, with the forecast.
    """
    asked = list(dict.fromkeys(task.task for task in proposal.plan.tasks))
    at_terminal = sys.stdin.isatty() and sys.stderr.isatty()
    while at_terminal:
        edit = PlanEdit(tasks=[EditedTask(task=task) for task in asked], sections=list(proposal.plan.sections))
        plan = edit.applied(proposal) if asked != _tasks(proposal.plan) else proposal.plan
        _show(plan, forecast(plan, settings))
        word = input("> ").strip()
        if not word:
            return plan
        if word == "q":
            break
        asked = _changed(asked, word)
    if not at_terminal:
        told = {**proposal.plan.model_dump(mode="json"), "forecast": forecast(proposal.plan, settings).model_dump()}
        write(json.dumps(told, ensure_ascii=False, indent=2) + "\n")
    tell(f"The plan waits. Approve it with: spyglass resume {run_id} --plan FILE (- for the plan as it is)")
    return None


def _tasks(plan: Plan) -> list[str]:
    return list(dict.fromkeys(task.task for task in plan.tasks))


def _changed(asked: list[str], word: str) -> list[str]:
    """Return the tasks as a line of the user's changes them; one that changes nothing is told."""
    if word.startswith("+") and (added := word[1:].strip()):
        return [*asked, added]
    number = word[1:].strip() if word.startswith("-") else ""
    if number.isdecimal() and 1 <= int(number) <= len(asked) and len(asked) > 1:
        return [task for place, task in enumerate(asked, start=1) if place != int(number)]
    if (found := _CHANGE.fullmatch(word)) and 1 <= int(found[1]) <= len(asked):
        return [found[2] if place == int(found[1]) else task for place, task in enumerate(asked, start=1)]
    tell(f"There is no such change. {HELP}")
    return asked


def _show(plan: Plan, takes: Forecast) -> None:
    tell("The plan:")
    for place, task in enumerate(_tasks(plan), start=1):
        agents = ", ".join(one.agent for one in plan.tasks if one.task == task)
        tell(f"  {place}. {task}  ({agents})")
    tell(f"It takes {takes}.")
    tell(HELP)
