"""`spyglass background`: makes the report of a run that another process prepared, and outlives that process."""

import asyncio
import json
import select
import sys
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

from ..generate_report import research
from ..kernel.errors import SpyglassError
from ..kernel.outcome import Outcome
from ..kernel.settings import Settings, layered
from ..model.providers import model_for
from ..runs import RunStore
from ..runs.detached import wanted_run
from ..runs.event_log import EventLog
from ..runs.start import resumable_run
from ..runs.stored import REPORT
from .loop import OnInterrupt, run_until_done

if TYPE_CHECKING:
    from ..kernel.run import Run
    from ..report import Report

FACT: Final = "The harbour was built in 1871."  # the subject of the rehearsal's report


def make_wanted(settings: Settings) -> Outcome | None:
    """Resume the run whose id arrives on standard input, and return its outcome; None if no id arrives.

    The run's events are logged beside its journal. Raises UsageError and LeaseError.
    """
    has_input, _, _ = select.select([sys.stdin], [], [], 0)
    if not has_input:
        with suppress(SpyglassError, OSError):
            rehearse(settings)
    run_id = wanted_run(RunStore(settings.data_dir))
    if not run_id:
        return None
    stored = resumable_run(run_id, settings, REPORT)

    async def work(on_interrupt: OnInterrupt) -> "Report":
        def started(run: "Run") -> None:
            on_interrupt(run.stop)
            if RunStore.of(settings).stop_asked(run_id):  # before this process could receive the request
                run.stop()

        return await research("", settings=settings, on_event=log, on_start=started, resume=stored.path)

    with EventLog(stored.path) as log:
        return run_until_done(work, settings).outcome


def rehearse(settings: Settings) -> None:
    """Make a small report and discard it, so that the modules of a report and the writer's SDK are imported already.

    It reads a temporary folder and a web server in this process; no other server is contacted.
    """
    with TemporaryDirectory() as folder:
        Path(folder, "harbour.md").write_text(f"# The harbour\n\n{FACT}\n", encoding="utf-8")
        asyncio.run(_rehearsed(settings, Path(folder)))


async def _rehearsed(settings: Settings, folder: Path) -> None:
    if (model := model_for(settings, "writer")) is not None:
        async with model.open():
            pass
    async with await asyncio.start_server(_answer, "127.0.0.1", 0) as web:
        port = web.sockets[0].getsockname()[1]
        values: dict[str, Any] = {
            "db": [folder],
            "data_dir": folder / "data",
            "web": True,
            "effort": "quick",
            "searxng_url": f"http://127.0.0.1:{port}",
            "search": {"engines": ["searxng"], "min_score": 0},
            "network": {"allow_private": [f"127.0.0.1:{port}"]},
            "retrieval": {"dense": False},
        }
        isolated = layered(Settings, [values])()  # no model is called, whatever the environment configures
        await research("When was the harbour built?", settings=isolated)


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer one HTTP request of the rehearsal: a search with one result, that page, or 404 for robots.txt."""
    head = await reader.readuntil(b"\r\n\r\n")
    path, host = head.split()[1].decode(), head.lower().partition(b"\nhost:")[2].split()[0].decode()
    results = {"results": [{"url": f"http://{host}/harbour", "title": "The harbour", "content": FACT}]}
    kind, body = "text/html", f"<title>The harbour</title><article><h1>The harbour</h1><p>{FACT}</p></article>" * 9
    if path.startswith("/search"):
        kind, body = "application/json", json.dumps(results)
    status = "404 Not Found" if path == "/robots.txt" else "200 OK"
    writer.write(f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n".encode())
    writer.write(f"Connection: close\r\n\r\n{body}".encode())
    await writer.drain()
    writer.close()
