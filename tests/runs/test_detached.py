"""A run that another process begins."""

import asyncio
from pathlib import Path

from rag.shelf import BEES, TIDES, fill
from spyglass import research
from spyglass.kernel.settings import Settings
from spyglass.runs.detached import prepared

QUESTION = "When did the harbour of Altmere open?"


async def test_it_ends_with_the_report_that_it_has_where_it_was_asked_for_as_quick_as_its_question_is(
    tmp_path: Path,
) -> None:
    harbour = (
        "The harbour of Altmere opened in 1871. {} of its quays were built in 18{}2, and opened to ships then.\n\n"
    )
    files = fill(
        tmp_path / "files",
        {f"{n}.md": f"# Altmere {n}\n\n{harbour.format(n, n)}{BEES}\n\n{TIDES}\n" for n in range(3, 9)},
    )
    settings = Settings(db=[files], data_dir=tmp_path / "data", retrieval__dense=False)
    here = await research(QUESTION, settings=settings)
    run_id = await asyncio.to_thread(prepared, QUESTION, settings)
    there = await research(settings=settings, resume=run_id)
    assert there.markdown == here.markdown
