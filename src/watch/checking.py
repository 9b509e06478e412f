"""A watch is checked: its sources are read again, its question is asked again, and what changed is told."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from ..generate_report import research
from ..kernel.errors import SpyglassError
from ..kernel.journal import Journal
from ..kernel.pool import Pool
from ..kernel.run import EventSink, Run
from ..kernel.settings import Settings
from ..kernel.thread import in_thread
from ..report import Report
from ..runs.kept import recalled
from ..runs.manager import with_pages
from ..verify import texts_today
from .changes import ValueChange, changes, place_of
from .notify import notify
from .watch_store import MOST_NEWS, News, Watch, WatchStore, next_time, now_in_utc

MOST_PAGES: Final = 20  # pages of the last report that the next one reads, the cited ones first


@dataclass(frozen=True, slots=True)
class Checked:
    """What came of it: what changed, the run whose report says so, and what did not work, telling somebody too."""

    changes: Sequence[ValueChange] = ()
    run: str = ""
    problems: list[str] = field(default_factory=list)


async def check_watch(
    name: str,
    store: WatchStore,
    today: Settings,
    pool: Pool,
    on_event: EventSink | None = None,
    *,
    if_due: bool = False,
) -> Checked | None:
    """Ask the question of the watch of that id again, and notify the channels of what has changed.

    The first check tells nothing. A check without an answer is told once, and the next is compared with the report
    before it. Returns None where another process checks it, or with `if_due` when it is not due. Raises UnknownRunError
    alone: what a run or a channel raises is among the problems.
    """
    watch = await in_thread(store.find, name)
    with ExitStack() as held:
        try:
            await in_thread(held.enter_context, store.held(watch))
        except BlockingIOError:
            return None
        watch = await in_thread(store.find, watch.id)  # another process may just have been at it
        if if_due and not watch.is_due(datetime.now().astimezone()):
            return None
        before = watch.model_copy(deep=True)
        found = await _checked(watch, store, today, pool, on_event)
        watch.problem = found.problems[0] if found.problems else ""
        new_problem = "" if before.problem else watch.problem
        if found.changes:
            news = News(at=now_in_utc(), run=found.run, changes=list(found.changes))
            watch.news = [news, *watch.news][:MOST_NEWS]
        now = datetime.now().astimezone()
        watch.checked, watch.due = now.isoformat(timespec="seconds"), next_time(watch.every, now).isoformat()
        if not await in_thread(store.put, watch, before):  # another checked it while the database was away: that tells
            return None
        untold = await notify(watch, found.changes, new_problem, await in_thread(store.all), today)
    return replace(found, problems=[*found.problems, *untold])


async def _checked(watch: Watch, store: WatchStore, today: Settings, pool: Pool, on_event: EventSink | None) -> Checked:
    old = await in_thread(store.report, watch)
    try:
        settings = recalled(watch.settings, today).updated(cache__page_hours=0.0, research__ask=False)
        now = {} if old is None else await _texts(watch, old, settings, pool)
        reading = with_pages(settings, old, MOST_PAGES) if old else settings  # again, whatever a search finds
        new = await research(watch.question, settings=reading, on_event=on_event, pool=pool)
    except (SpyglassError, OSError) as error:
        return Checked(problems=[str(error)])
    if not new.claims:
        return Checked(run=new.run, problems=[f"The run {new.run} has no answer: {new.outcome}"])
    found = [] if old is None else await in_thread(changes, old, new, now)
    await in_thread(store.put_report, watch, new)
    watch.run = new.run
    return Checked(found, new.run)


async def _texts(watch: Watch, old: Report, settings: Settings, pool: Pool) -> dict[str, str]:
    """Return the texts of today of what the last report cites, by where they are; what cannot be read is not there."""
    async with Run(watch.question, settings, journal=Journal(), pool=pool) as run:
        read = await texts_today(run, old, own=True)
        run.conclude(found=bool(read), failed=False)
    return {place_of(source): text for source, text in read}


async def check_due(store: WatchStore, today: Settings, pool: Pool) -> list[Checked]:
    """Check the watches that are due, one after the other; one that another process checks is left to that."""
    due = [one for one in await in_thread(store.all) if one.is_due(datetime.now().astimezone())]
    found = [await check_watch(one.id, store, today, pool, if_due=True) for one in due]
    return [one for one in found if one is not None]


async def keep_watch(
    store: WatchStore, today: Settings, pool: Pool, tell: Callable[[str], object], pause: float = 30.0
) -> None:
    """Check whatever is due, for ever, with so many seconds between two looks; `tell` takes what did not work."""
    while True:
        try:
            problems = [problem for one in await check_due(store, today, pool) for problem in one.problems]
        except (SpyglassError, OSError) as error:
            problems = [str(error)]
        for problem in problems:
            tell(problem)
        await asyncio.sleep(pause)
