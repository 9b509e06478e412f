"""What a tool asks the engines."""

from collections.abc import Sequence

from ..errors import BudgetError, NoSearchError
from ..gather.searching import Searching
from ..run import Run
from ..settings import Settings


async def asked(run: Run, queries: Sequence[str], settings: Settings) -> Searching:
    """Return the queries with their answers. Raises NoSearchError when none is answered, BudgetError by a limit."""
    searching = Searching(run, queries, settings)
    try:
        await searching.ask(lambda _: None)
    except NoSearchError:
        if searching.limit:
            raise BudgetError(searching.limit) from None
        raise
    if searching.limit:
        run.fail("web", "further searches", searching.limit)
    return searching
