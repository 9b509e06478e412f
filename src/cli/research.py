"""`spyglass research`."""

import json
from pathlib import Path

from ..kernel.outcome import Outcome
from ..kernel.settings import Settings
from ..tools import web_research
from ..tools.answers import WebResearch
from .console import show_markdown, write
from .loop import run_context


def research_topic(
    topic: str,
    settings: Settings,
    depth: int = 2,
    max_sources: int = 5,
    *,
    as_json: bool,
    quiet: bool,
    resume: Path | None = None,
) -> Outcome:
    """Print what the web says on a topic, or what the run to `resume` comes to, and return the outcome.

    A Ctrl-C prints what is there by then.
    """
    arguments = {"topic": topic, "depth": depth, "max_sources": max_sources}
    with run_context() as begun:
        found: WebResearch = begun.call(web_research, arguments, settings, quiet, resume)
        show_research(found, as_json=as_json)
        return begun.run.outcome


def show_research(found: WebResearch, *, as_json: bool) -> None:
    """Print what was found."""
    if as_json:
        write(json.dumps(found.to_record(), indent=2) + "\n")
    else:
        show_markdown(found.markdown)
