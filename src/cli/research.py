"""`spyglass research`."""

import json
from collections.abc import Callable

from ..errors import StoppedError
from ..run import Run
from ..settings import Settings
from ..tools.research import WebResearch
from ..tools.web_research import web_research
from .console import write
from .loop import run_until_done
from .progress import Progress


def research_topic(topic: str, settings: Settings, depth: int, max_sources: int, *, as_json: bool, quiet: bool) -> str:
    """Print what the web says on a topic and return the outcome; a Ctrl-C prints what is there by then."""
    outcomes: list[str] = []

    async def work(on_interrupt: Callable[[Callable[[], None]], None]) -> WebResearch:
        async with Run(topic, settings, on_event=progress) as run:
            on_interrupt(run.stop)
            arguments = {"topic": topic, "depth": depth, "max_sources": max_sources}
            found: WebResearch = await web_research.call(arguments, run=run)
            run.outcome = "cancelled" if run.stopped else "complete" if found.sources else "nothing_found"
            outcomes.append(run.outcome)
            return found

    with Progress(quiet=quiet) as progress:
        try:
            found = run_until_done(work, settings)
        except StoppedError:
            return "cancelled"
    write(json.dumps(found.to_record(), indent=2) + "\n" if as_json else found.markdown)
    return outcomes[0]
