"""The subcommand `watch`: questions that are asked again on a schedule."""

import json
from typing import TYPE_CHECKING, Annotated

import typer

from .options import AsJson, Config, Effort, Files, MaxCost, MaxTime, ModelName, NoModel, Quiet, Urls, Web, settings_of

if TYPE_CHECKING:
    from ..kernel.settings import Settings
    from ..watch import Checked, WatchStore

app = typer.Typer(help="Ask a question again on a schedule, and tell what has changed.", invoke_without_command=True)

Name = Annotated[str, typer.Argument(metavar="WATCH", help="Its id, or the beginning of it.")]


@app.callback()
def stay(context: typer.Context, config: Config = None) -> None:
    """Stay, and check each watch when it is due, until Ctrl-C; `spyglass serve` does so as well."""
    if context.invoked_subcommand is None:
        from ..kernel.pool import Pool
        from ..watch.checking import keep_watch
        from .console import tell
        from .loop import OnInterrupt, run_until_done

        settings = settings_of(config)
        store = _store(settings)

        async def work(_on_interrupt: OnInterrupt) -> None:
            async with Pool() as pool:
                await keep_watch(store, settings, pool, tell)

        tell(f"Watching {len(store.all())} questions (Ctrl-C ends it)")
        run_until_done(work, settings)


@app.command()
def add(
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="What to ask.")],
    every: Annotated[str, typer.Option("--every", metavar="CRON", help="When: '0 8 * * *' is each day at 8.")],
    files: Files = None,
    web: Web = None,
    urls: Urls = None,
    effort: Effort = None,
    max_cost: MaxCost = None,
    max_time: MaxTime = None,
    config: Config = None,
    model: ModelName = None,
    no_model: NoModel = False,
) -> None:
    """Ask a question on a schedule; what it costs each time is bounded as for a report."""
    from .console import tell, write
    from .keys import require_keys

    absolute = [path.resolve() for path in files or []]
    limits = {"budget__max_cost": max_cost, "budget__max_time": max_time}
    settings = settings_of(config, absolute, model, no_model, web=web, urls=urls, effort=effort, **limits)
    require_keys(settings, web=settings.searches_web)
    watch = _store(settings).add(question, every, settings)
    write(f"{watch.id}\n")
    told = settings.watch.webhook or settings.watch.email_to or settings.watch.atom
    tell("`spyglass watch` checks it, or `spyglass serve`, or cron with `spyglass watch check --due`.")
    if not told:
        tell("Nobody is told of changes but who looks: see the settings watch.webhook, watch.email_to, watch.atom.")


@app.command("list")
def list_(config: Config = None, as_json: AsJson = False) -> None:
    """List what is watched: when it was asked, when it will be, and what was found changed."""
    from .console import write

    found = _store(settings_of(config, no_model=True)).all()
    if as_json:
        shown = [watch.model_dump(mode="json", exclude={"settings"}) for watch in found]
        write(json.dumps(shown, indent=2) + "\n")
        return
    for watch in found:
        news = f", last change {watch.news[0].at}" if watch.news else ""
        problem = f", not answered: {watch.problem}" if watch.problem else ""
        write(f"{watch.id}  {watch.every}  {watch.question}\n          next {watch.due}{news}{problem}\n")


@app.command()
def check(
    watch: Annotated[str | None, typer.Argument(metavar="[WATCH]", help="Its id; without one, all of them.")] = None,
    due: Annotated[bool, typer.Option("--due", help="Only those whose time has come.")] = False,
    config: Config = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Ask again now, print what has changed, and tell whoever is to be told; exit code 3 where something failed."""
    from ..kernel.pool import Pool
    from ..watch import check_watch
    from .console import tell, write
    from .loop import OnInterrupt, run_until_done
    from .progress import TerminalProgress

    settings = settings_of(config)
    store = _store(settings)
    names = [store.find(watch).id] if watch else [one.id for one in store.all()]

    async def work(_on_interrupt: OnInterrupt) -> "list[tuple[str, Checked | None]]":
        async with Pool() as pool:
            return [(one, await check_watch(one, store, settings, pool, progress, if_due=due)) for one in names]

    with TerminalProgress(quiet=quiet) as progress:
        found = run_until_done(work, settings)
    done = [(name, checked) for name, checked in found if checked is not None]
    write(_record(done) if as_json else _told(store, done))
    for _, checked in done:
        for problem in checked.problems:
            tell(f"Note: {problem}")
    raise typer.Exit(3 if any(checked.problems for _, checked in done) else 0)


@app.command()
def remove(watch: Name, config: Config = None) -> None:
    """Ask it no more; the runs that it made stay."""
    store = _store(settings_of(config, no_model=True))
    store.remove(store.find(watch))


def _store(settings: "Settings") -> "WatchStore":
    from ..watch import WatchStore

    return WatchStore.of(settings)


def _record(done: "list[tuple[str, Checked]]") -> str:
    records = [
        {"watch": name, "run": one.run, "changes": [change.model_dump(mode="json") for change in one.changes]}
        for name, one in done
    ]
    return json.dumps(records, indent=2) + "\n"


def _told(store: "WatchStore", done: "list[tuple[str, Checked]]") -> str:
    from ..watch.notify import text_of, words_of

    lines = []
    for name, one in done:
        watch = store.find(name)
        lines += [
            text_of(watch, one.changes, "") if one.changes else f"{watch.question}\n\n{words_of(watch).unchanged}",
            "",
        ]
    return "\n".join(lines)
