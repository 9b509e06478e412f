"""Reports that are made the way users get them, over three files about insects."""

import re
from typing import Any

from report.shelf import bees
from spyglass.agent.reporter import Reporter
from spyglass.kernel.journal import Journal
from spyglass.kernel.plan import Plan
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Settings
from spyglass.model.scripted import Scripted
from spyglass.report import Report

QUESTION = "How do bees and wasps live, and how many frames has a hive?"

LIFE = """A honey bee colony holds about 50,000 workers in summer [{bees}]. Foragers show the others where flowers are
by a waggle dance [{bees}]. Why do they dance?

- The queen lays up to 2,000 eggs a day [{bees}].
- Workers live for nine weeks when they forage [{bees}].

### Nests

Wasps chew wood into paper and build their nests from it [{wasps}]. Zebras play chess with astronauts on Mars.

| Hive | Frames |
| --- | --- |
| Langstroth | 10 [{hives}] |
"""
"""What a model writes: supported sentences, a wrong number, one that nothing supports, a question, a table."""


async def written(settings: Settings, text: str = LIFE, **changes: Any) -> Report:
    """Return the report that a model's text becomes, under the policy `mark` unless `changes` say otherwise."""
    own = settings.updated(
        **{"report__policy": "mark", "report__sections": ["Life"], "retrieval__dense": False, **changes}
    )
    async with Run(QUESTION, own, journal=Journal()) as run:
        run.plan = Plan(tasks=(), sections=("Life",))
        reporter = Reporter(Scripted(lambda prompt: text.format_map(_labels(prompt.user))))
        reporter.attach(run)
        await reporter.run(QUESTION, bees(run.journal))
        assert run.report is not None
        return run.report


async def quoted(settings: Settings) -> Report:
    """Return the report without a model."""
    async with Run(QUESTION, settings, journal=Journal()) as run:
        reporter = Reporter(None)
        reporter.attach(run)
        await reporter.run(QUESTION, bees(run.journal))
        assert run.report is not None
        return run.report


def _labels(prompt: str) -> dict[str, str]:
    """Return the label of each file's passage, by the name of the file."""
    blocks = re.findall(r'<source id="([^"]+)"[^>]*>\n(.*?)\n</source>', prompt, re.DOTALL)
    names = {"honey bee": "bees", "wasp": "wasps", "hive": "hives"}
    found = {name: label for label, text in blocks for word, name in names.items() if word in text.lower()[:60]}
    return {"bees": "S1", "wasps": "S2", "hives": "S3", **found}
