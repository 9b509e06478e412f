"""A run that is killed wherever one likes and taken up again: one warm process that forks for each, run as a program.

    python victim.py PLAN FOLDER

PLAN is JSON: `settings`, `tasks` as an agent and its queries by task, and `lives`, each with the name of a run, the
`effect` (its key) at which it is killed, and the `moment`: before the call, between answer and record, or after the
record; an effect of "" lets it live, "fight" has several processes live it. With `port` it has a web there, whose pages
take `seconds`. FOLDER gets, for each life, its journal,
its log of begun calls, and the report in three formats.
"""

import asyncio
import json
import os
import re
import shutil
import signal
import sys
import traceback
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import Any

from runs import pages
from runs.simulated import Simulated
from spyglass import research
from spyglass.agent import Planner, Quick_searcher, RAG_agent, Reporter
from spyglass.kernel.journal import Answer, Journal
from spyglass.kernel.settings import Settings
from spyglass.model.exchange import ModelRequest, Reply
from spyglass.model.model import Hear, Prompt
from spyglass.model.scripted import Scripted
from spyglass.render.html import html
from spyglass.report import Report

QUESTION = "How do bees dance, and how do wasps build their nests, and how is a hive kept?"
SECTIONS = ["How bees dance", "How wasps build", "How a hive is kept"]

JOURNAL = Path("data", "runs", "victim", "journal.sqlite")
"""Where a life has its journal, under its folder."""

THINKS = 0.15
"""Seconds that the model takes to answer."""

FIGHT, FIGHTERS = "fight", 4
"""An effect that is none: so many processes are at the run at the same time."""


class Deadly(Journal):
    """A journal that logs each call as it begins, and ends its process at one of them."""

    def __init__(self, path: Path, log: Path, effect: str = "", moment: str = "") -> None:
        super().__init__(path)
        self._log = log
        self._effect, self._moment = effect, moment

    def find(self, key: str) -> Answer | None:
        answer = super().find(key)
        if answer is None:
            self._die("before", key)
            note(self._log, key)
        return answer

    def record(self, key: str, kind: str, request: Any, answer: Answer, **times: float) -> None:
        self._die("between", key)
        super().record(key, kind, request, answer, **times)
        self._die("after", key)

    def _die(self, moment: str, key: str) -> None:
        if (key, moment) == (self._effect, self._moment):
            os.kill(os.getpid(), signal.SIGKILL)


def note(log: Path, line: str) -> None:
    """Add a line to a file, so that it outlives us."""
    with log.open("a", encoding="utf-8") as file:
        file.write(f"{line}\n")


class Thoughtful(Scripted):
    """A model that takes a moment."""

    async def ask(self, client: None, request: ModelRequest, hear: Hear | None) -> Reply:
        await asyncio.sleep(THINKS)
        return await super().ask(client, request, hear)


def says(prompt: Prompt, planned: dict[str, Any]) -> str:
    """What the model answers: a plan, or each of the passages that it was given, cited."""
    if "JSON Schema" in prompt.user:
        tasks = [{"task": task, "agent": agent, "queries": asked} for task, (agent, asked) in planned.items()]
        return json.dumps({"tasks": tasks, "sections": SECTIONS})
    found = re.findall(r'<source id="(S[\d.]+)"[^>]*>\s*(?:#[^\n]*\n+)?([^.<]{10,300}\.)', prompt.user)
    if not found:
        return re.sub(r"<[^>]+>", " ", prompt.user)[-200:]
    return " ".join(f"{' '.join(text.split())[:-1]} [{label}]." for label, text in found[:6])


async def made(journal: Deadly, calls: Path, settings: Settings, tasks: dict[str, Any]) -> Report:
    """Make the report, or what is left of it to make."""

    def said(prompt: Prompt) -> str:
        note(calls, json.dumps([prompt.system, prompt.user]))
        return says(prompt, tasks)

    model = Thoughtful(said) if settings.web else Scripted(said)
    local = [] if settings.web else [RAG_agent(model)]
    agents = [*local, Quick_searcher(model), Reporter(model)]
    return await research(QUESTION, Planner(model), agents, settings=settings, resume=journal)


def simulated(making: Coroutine[Any, Any, Report], port: int, seconds: Sequence[float]) -> Report:
    """Make a report in a web of this process, whose time is simulated."""

    async def within() -> Report:
        async with pages.serving(port, seconds):
            return await making

    with asyncio.Runner(loop_factory=Simulated) as runner:
        return runner.run(within())


def live(folder: Path, plan: dict[str, Any], effect: str = "", moment: str = "") -> int:
    """Make the report in this process, write it down, and return whether that failed."""
    try:
        journal = Deadly(folder / JOURNAL, folder / "begun", effect, moment)
        settings = Settings(data_dir=folder / "data", **plan["settings"])
        making = made(journal, folder / "prompts", settings, plan["tasks"])
        report = simulated(making, plan["port"], plan["seconds"]) if settings.web else asyncio.run(making)
        (folder / "report.json").write_text(report.model_dump_json(), encoding="utf-8")
        (folder / "report.md").write_text(report.markdown, encoding="utf-8")
        (folder / "report.html").write_text(html(report), encoding="utf-8")
    except BaseException:  # noqa: BLE001 the parent is told, whatever it is
        note(folder / "error", traceback.format_exc())
        return 1
    return 0


def forked(folder: Path, plan: dict[str, Any], effect: str = "", moment: str = "") -> int:
    """Have a child live, and return how it ended."""
    if (child := os.fork()) == 0:
        signal.alarm(60)  # whatever hangs ends, and is seen to have ended so
        os._exit(live(folder, plan, effect, moment))
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def fought(folder: Path, plan: dict[str, Any], fighters: int) -> list[int]:
    """Have so many children live the same run at the same time, and return how each one ended."""
    children = []
    for _ in range(fighters):
        if (child := os.fork()) == 0:
            signal.alarm(60)
            os._exit(live(folder, plan))
        children.append(child)
    return [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]


def bury(folder: Path) -> None:
    """Put away what a life has left when it ended, and make room for the next one."""
    for name in ("begun", "prompts"):
        (folder / name).touch()
        (folder / name).rename(folder / f"{name} before")
        (folder / name).touch()
    for file in (folder / JOURNAL).parent.glob("journal.sqlite*"):
        shutil.copy(file, folder / file.name.replace("journal", "dead"))


def main() -> None:
    """Live every life of the plan, twice where the first one ends early; one that does not warms this process up."""
    plan, folder = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")), Path(sys.argv[2])
    for life in plan["lives"]:
        place = folder / life["name"]
        shutil.copytree(folder / "seed", place)
        if life["effect"] == FIGHT:
            ends = fought(place, plan, FIGHTERS)
        elif not life["effect"]:
            ends = [live(place, plan)]
        else:
            ends = [forked(place, plan, life["effect"], life["moment"])]
            bury(place)
            ends.append(forked(place, plan))
        sys.stdout.write(json.dumps({"name": life["name"], "ends": ends}) + "\n")


if __name__ == "__main__":
    main()
