"""Asks the user to confirm resuming a run of unknown origin, after showing what that would contact."""

import json
from collections.abc import Iterator
from typing import Final

from ..generate_report import default_agents
from ..kernel.one_line import one_line, shortened
from ..kernel.settings import Settings
from ..model.address import without_secrets
from ..model.providers import models_of
from ..net.session import read_proxy
from ..runs import RunStore, StoredRun
from ..runs.branch import taken_over
from ..runs.recorded_settings import ignored_settings
from ..runs.start import settings_of
from ..runs.stored import REPORT
from ..search.engines import chain_of
from ..tools.recorded_tool import CRAWL
from .console import confirm, tell

LONGEST_SHOWN: Final = 120  # characters of an untrusted value that are shown


def owned(stored: StoredRun, today: Settings, *, yes: bool, quiet: bool) -> StoredRun:
    """Return a run of the user unchanged, or the copy of another, once confirmed; raises as `confirm_shown` does."""
    store = RunStore.of(today)
    if store.keeps(stored.path):
        return stored
    settings = settings_of(stored, today)
    confirm_shown(stored, settings, today, yes=yes, quiet=quiet)
    taken = StoredRun.at(taken_over(stored, store, "", settings))
    if not quiet:
        tell(f"{taken.id} is your copy of the run in {stored.path}.")
    return taken


def confirm_shown(stored: StoredRun, settings: Settings, today: Settings, *, yes: bool, quiet: bool) -> None:
    """Show what resuming a run would contact, and have the user confirm it, unless `yes`.

    Raises UsageError without a terminal, and Abort if the user declines.
    """
    if not (yes and quiet):
        for line in _lines(stored, settings, today):
            tell(shortened(one_line(line), LONGEST_SHOWN))  # it may contain untrusted text
    if not yes:
        problem = "Anybody may have made this run, and there is no terminal to confirm what is shown above"
        confirm("Resume it?", problem, str(stored.path))


def _lines(stored: StoredRun, settings: Settings, today: Settings) -> Iterator[str]:
    yield f"{stored.path} is not one of your runs: anybody may have made it."
    yield "With your current settings, resuming it does the following:"
    yield f"- Research: {stored.question}"
    yield from (f"- {line}" for line in contacts(settings, stored.kind))
    if rejected := ignored_settings(stored.required_settings(), today):
        yield "Not taken from the file:"
        yield from (f"- {name} = {json.dumps(value, ensure_ascii=False)}" for name, value in rejected.items())


def contacts(settings: Settings, kind: str) -> Iterator[str]:
    """Yield a line for each thing that a run of that kind may contact: models, engines, pages, proxies, folders."""
    for address, key in dict.fromkeys((model.place, bool(model.secret)) for model in models_of(settings)):
        yield f"Ask the model {address}{', with your key' if key else ''}"
    if settings.rerank.method == "api":
        yield f"Ask the reranking service {without_secrets(settings.rerank.url or '')}"
    agents = settings.agents or default_agents(settings)
    if settings.agents:
        yield f"Start the agents {', '.join(agents)}"
    if kind == REPORT and "local-retrieval" in agents:
        yield f"Read {', '.join(str(folder.expanduser().absolute()) for folder in settings.folders)}"
    if kind not in (REPORT, CRAWL) or settings.searches_web:
        yield f"Ask {', '.join(f'{engine.name} ({engine.place})' for engine in chain_of(settings))}"
    addresses = [*settings.urls, *settings.sites]
    if kind != REPORT or settings.searches_web or addresses:
        yield f"Read pages that these find or the file names{''.join(f', {url}' for url in addresses)}"
        yield f"Reach these private addresses: {', '.join(settings.network.allow_private) or 'none'}"
    if proxy := read_proxy(settings.network.proxy):
        yield f"Use the proxy {without_secrets(proxy)}"
