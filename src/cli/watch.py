"""The subcommand `watch`: manages questions that are researched again on a schedule."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..kernel.outcome import Outcome
from ..kernel.settings import Settings
from .console import tell, write, write_json
from .options import AsJson, Quiet, require_keys, with_settings

if TYPE_CHECKING:
    from ..watch import Checked, WatchStore

app = typer.Typer(help="Ask a question again on a schedule, and report what has changed.", invoke_without_command=True)

Name = Annotated[str, typer.Argument(metavar="WATCH", help="The id of the watch, or its beginning.")]


@app.callback()
@with_settings()
def stay(context: typer.Context, settings: Settings) -> None:  # noqa: ARG001 `with_settings` reads it
    """Check each watch when it is due, until Ctrl-C; `spyglass serve` does so as well."""
    from ..kernel.pool import Pool
    from ..watch import WatchStore, keep_watch
    from .loop import OnInterrupt, run_until_done

    store = WatchStore.of(settings)

    async def work(_on_interrupt: OnInterrupt) -> None:
        async with Pool() as pool:
            await keep_watch(store, settings, pool, tell)

    tell(f"Watching {len(store.all())} questions (Ctrl-C ends it)")
    run_until_done(work, settings)


@app.command()
@with_settings("files", "web", "urls", "effort", "max_cost", "max_time", "model", "no_model")
def add(
    settings: Settings,
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="The question to ask.")],
    every: Annotated[str, typer.Option("--every", metavar="CRON", help="When to ask: '0 8 * * *' is every day at 8.")],
) -> None:
    """Ask a question on a schedule; each check has the limits of a report."""
    from ..watch import WatchStore

    settings = settings.updated(db=[path.resolve() for path in settings.db])
    require_keys(settings, web=settings.searches_web)
    watch = WatchStore.of(settings).add(question, every, settings)
    write(f"{watch.id}\n")
    is_notified = settings.watch.webhook or settings.watch.email_to or settings.watch.atom
    tell("To have it checked, run `spyglass watch` or `spyglass serve`, or `spyglass watch check --due` from cron.")
    if not is_notified:
        tell("No notifications are configured: see the settings watch.webhook, watch.email_to, watch.atom.")


@app.command("list")
@with_settings(no_model=True)
def list_(settings: Settings, as_json: AsJson = False) -> None:
    """List the watches: the last check, the next one, and what had changed."""
    from ..watch import WatchStore

    watches = WatchStore.of(settings).all()
    if as_json:
        write_json([watch.model_dump(mode="json", exclude={"settings"}) for watch in watches])
        return
    for watch in watches:
        news = f", last change {watch.news[0].at}" if watch.news else ""
        problem = f", not answered: {watch.problem}" if watch.problem else ""
        write(f"{watch.id}  {watch.every}  {watch.question}\n          next {watch.due}{news}{problem}\n")


@app.command()
@with_settings()
def check(
    settings: Settings,
    watch: Annotated[str | None, typer.Argument(metavar="[WATCH]", help="The id of the watch; all by default.")] = None,
    due: Annotated[bool, typer.Option("--due", help="Check only the watches that are due.")] = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> Outcome:
    """Check now, print what has changed, and send the notifications; exit code 3 if something failed."""
    from ..kernel.pool import Pool
    from ..watch import WatchStore, check_watch
    from .loop import OnInterrupt, run_until_done
    from .progress import TerminalProgress

    store = WatchStore.of(settings)
    names = [store.find(watch).id] if watch else [entry.id for entry in store.all()]

    async def work(_on_interrupt: OnInterrupt) -> "list[tuple[str, Checked | None]]":
        async with Pool() as pool:
            return [(name, await check_watch(name, store, settings, pool, progress, if_due=due)) for name in names]

    with TerminalProgress(quiet=quiet) as progress:
        results = run_until_done(work, settings)
    checks = [(name, checked) for name, checked in results if checked is not None]
    if as_json:
        write_json([_record(name, checked) for name, checked in checks])
    else:
        write(_text(store, checks))
    for _, checked in checks:
        for problem in checked.problems:
            tell(f"Note: {problem}")
    return "partial" if any(checked.problems for _, checked in checks) else "complete"


@app.command()
@with_settings(no_model=True)
def remove(watch: Name, settings: Settings) -> None:
    """Remove a watch; its runs are kept."""
    from ..watch import WatchStore

    store = WatchStore.of(settings)
    store.remove(store.find(watch))


def _record(name: str, checked: "Checked") -> dict[str, Any]:
    changes = [change.model_dump(mode="json") for change in checked.changes]
    return {"watch": name, "run": checked.run, "changes": changes}


def _text(store: "WatchStore", checks: "list[tuple[str, Checked]]") -> str:
    from ..watch import text_of, words_of

    lines = []
    for name, checked in checks:
        watch = store.find(name)
        unchanged = f"{watch.question}\n\n{words_of(watch).unchanged}"
        lines += [text_of(watch, checked.changes, "") if checked.changes else unchanged, ""]
    return "\n".join(lines)
