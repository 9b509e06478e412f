"""One report in a process of its own, measured; `bench/web.py` runs it.

    python bench/web_run.py QUESTION OUT [SETTING=VALUE …]

Writes JSON to OUT: the report's Markdown, its wall seconds, what importing took, CPU seconds and peak memory. Imports
are not part of the wall time: what a run imports when it first needs it is imported before the clock starts.
"""

import asyncio
import gc
import importlib
import json
import resource
import sys
import time
from pathlib import Path

LAZY = (
    "aiohttp",
    "anyio._backends._asyncio",
    "encodings.ascii",
    "encodings.utf_8_sig",
    "httpcore2",
    "importlib.resources.readers",
    "jiter",
    "json_repair",
    "openai.resources.chat.completions.completions",
    "selectolax.lexbor",
    "spyglass.agent.effort",
    "spyglass.factory",
    "spyglass.report",
    "spyglass.router",
    "spyglass.kernel.run",
    "spyglass.runs",
    "spyglass.search.check",
)
"""What a run with a model and the web imports when it first needs it."""


def main() -> None:
    """Make the report and write the figures."""
    question, out, *given = sys.argv[1:]
    began = time.perf_counter()
    from spyglass import Settings, research

    for name in LAZY:
        importlib.import_module(name)
    gc.collect()  # or what importing left behind is looked through while the clock runs
    imported, used_to_import = time.perf_counter() - began, time.process_time()

    values = {name: json.loads(value) for name, _, value in (one.partition("=") for one in given)}
    settings = Settings.load(env_file=Path("/dev/null"), **values)
    events: list[dict[str, object]] = []
    began = time.perf_counter()
    report = asyncio.run(
        research(
            question,
            settings=settings,
            on_event=lambda event: events.append({"at": time.perf_counter() - began, **event.to_record()}),
        )
    )
    wall = time.perf_counter() - began
    used = resource.getrusage(resource.RUSAGE_SELF)
    figures = {
        "report": report.markdown,
        "typed": report.model_dump(mode="json"),
        "wall_s": wall,
        "import_s": imported,
        "import_cpu_s": used_to_import,
        "cpu_s": used.ru_utime + used.ru_stime,
        "rss_mb": used.ru_maxrss / 1024,
        "events": events,
        "err": None,
    }
    Path(out).write_text(json.dumps(figures, default=str), encoding="utf-8")


if __name__ == "__main__":
    main()
