"""The endpoints for operators: liveness, readiness and metrics."""

import resource
import sys
import time
from collections import Counter
from collections.abc import Iterator
from typing import Final

from fastapi.responses import PlainTextResponse
from starlette.exceptions import HTTPException

from .. import __version__
from ..kernel.errors import DatabaseError
from ..kernel.thread import in_thread
from ..runs import RunStore
from .caller import Calling
from .error_response import AWAY, LATER
from .limits import RunSlots

TEXT: Final = "text/plain; version=0.0.4; charset=utf-8"  # the media type of Prometheus's text format

Metric = tuple[str, str, str, dict[str, float]]  # name, type, help text, and its values by their labels


class Operations:
    """The endpoints for operators; `healthz` and `readyz` need no token."""

    def __init__(self, store: RunStore, slots: RunSlots, answers: Counter[int]) -> None:
        self._store = store
        self._slots = slots
        self._answers = answers

    async def healthz(self) -> dict[str, str]:
        """Return that the process is alive; a process that does not answer should be restarted."""
        return {"status": "ok"}

    async def readyz(self) -> dict[str, str]:
        """Return that the service can take requests; 503 while the database is unreachable."""
        try:
            await in_thread(self._store.counts)
        except DatabaseError as error:
            raise HTTPException(503, AWAY, LATER) from error
        return {"status": "ok"}

    async def metrics(self, caller: Calling) -> PlainTextResponse:
        """Return metrics of this process, and of the runs of all services, in Prometheus's text format."""
        if caller.grant is not None:
            raise HTTPException(403, "Only the operator of the service can read the metrics")
        try:
            began = time.perf_counter()
            runs, took = await in_thread(self._store.counts), time.perf_counter() - began
        except DatabaseError:
            runs, took = None, 0.0
        lines = (line for metric in self._metrics(runs, took) for line in _written(*metric))
        return PlainTextResponse("".join(f"{line}\n" for line in lines), media_type=TEXT)

    def _metrics(self, runs: dict[str, int] | None, took: float) -> Iterator[Metric]:
        used = resource.getrusage(resource.RUSAGE_SELF)
        peak = used.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
        yield "spyglass_info", "gauge", "The version.", {f'version="{__version__}"': 1}
        answers = {f'status="{status}"': float(count) for status, count in sorted(self._answers.items())}
        yield "spyglass_answers_total", "counter", "Calls that were answered, by status.", answers
        yield "spyglass_places", "gauge", "Maximum number of runs in progress at once.", {"": self._slots.most}
        yield "spyglass_places_taken", "gauge", "Runs in progress.", {"": self._slots.in_use}
        yield "process_cpu_seconds_total", "counter", "Processor time.", {"": used.ru_utime + used.ru_stime}
        yield "spyglass_peak_memory_bytes", "gauge", "Peak memory.", {"": peak}
        yield "spyglass_database_up", "gauge", "Whether the runs can be read.", {"": runs is not None}
        if runs is not None:
            states = {f'state="{state}"': float(count) for state, count in runs.items()}
            yield "spyglass_runs", "gauge", "Runs of all services, by state.", states
            yield "spyglass_runs_read_seconds", "gauge", "Time taken to count the runs.", {"": took}


def _written(name: str, kind: str, what: str, values: dict[str, float]) -> Iterator[str]:
    yield f"# HELP {name} {what}"
    yield f"# TYPE {name} {kind}"
    for labels, value in values.items():
        yield f"{name}{{{labels}}} {value:.12g}" if labels else f"{name} {value:.12g}"
