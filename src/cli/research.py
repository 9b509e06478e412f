"""`spyglass research`."""

import json

from ..outcome import Outcome
from ..run import Run
from ..settings import Settings
from ..tools.research import WebResearch
from ..tools.web_research import web_research
from .console import write
from .loop import OnInterrupt, run_until_done
from .progress import Progress


def research_topic(
    topic: str, settings: Settings, depth: int, max_sources: int, *, as_json: bool, quiet: bool
) -> Outcome:
    """Print what the web says on a topic and return the outcome; a Ctrl-C prints what is there by then."""
    outcomes: list[Outcome] = []

    async def work(on_interrupt: OnInterrupt) -> WebResearch:
        async with Run(topic, settings, on_event=progress) as run:
            on_interrupt(run.stop)
            arguments = {"topic": topic, "depth": depth, "max_sources": max_sources}
            found: WebResearch = await web_research.call(arguments, run=run)
            outcomes.append(run.conclude(found=bool(found.sources), failed=bool(found.unanswered)))
            return found

    with Progress(quiet=quiet) as progress:
        found = run_until_done(work, settings)
    write(json.dumps(found.to_record(), indent=2) + "\n" if as_json else found.markdown)
    return outcomes[0]
