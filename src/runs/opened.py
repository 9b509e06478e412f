"""A run as every door opens it: checked before anything is asked, kept, and closed."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from ..kernel.pool import Pool
from ..kernel.run import EventSink, Run
from ..kernel.thread import in_thread
from .folders import missing
from .run_store import RunStore
from .start import RunStart, keep_beginning
from .stored import REPORT

if TYPE_CHECKING:
    from ..model.model import Model


@asynccontextmanager
async def opened(
    begun: RunStart,
    models: "Sequence[Model | None]" = (),
    *,
    searches: bool = False,
    on_event: EventSink | None = None,
    on_start: Callable[[Run], None] | None = None,
    pool: Pool | None = None,
) -> AsyncIterator[Run]:
    """Open the run that begins so, and close it; runs that are too old to keep are forgotten before a new one.

    Raises FolderError for a new report where none of its folders exists, UsageError for settings of the web where it
    `searches`, and, where money is bounded, for a model of these, or an embedder, without a known price; LeaseError
    while another process is at the run.
    """
    settings = begun.settings
    if searches:
        from ..search.check import check_settings

        await check_settings(settings)
    if settings.bounds_money:
        from ..model.metering import require_prices
        from ..model.providers import model_for

        used = (*models, model_for(settings, "embedder"))
        await require_prices(settings, [model for model in used if model is not None])
    journal = begun.journal()
    if journal is None:
        missing(settings.db if begun.makes["kind"] == REPORT else (), "db")
        await in_thread(RunStore.of(settings).sweep, settings.runs.keep_days)
    async with Run(begun.question, settings, on_event=on_event, journal=journal, pool=pool) as run:
        keep_beginning(run, begun.makes)
        if on_start is not None:
            on_start(run)
        yield run
