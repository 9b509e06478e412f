"""All attacks that we know of, on this machine alone: `python bench/attack.py [--small] [--strict]`.

Spellings of addresses, pages in a browser, instructions hidden in pages and files for a model that obeys every one,
what the outputs ask for in their viewers, forged reports, and whom a whole run tells. `--only` takes some of the parts;
`--docs DIR` is a folder of documentation whose links must pass. SECURITY.md has the table.
"""

import argparse
import asyncio
import json
import logging
import random
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

import guard
import vectors
from spyglass.fetch.browser import available
from spyglass.kernel.settings import Settings
from spyglass.render.output import render
from spyglass.report import Report
from spyglass.verify.signature import Signature, holds, signed
from spyglass.verify.verification import ON_TRUST
from spyglass.verify.verify import verify
from table import Row, report

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from attack.injections import Injection
from attack.obedient import attack_text
from attack.trial import AT_ONCE, TRAP, WAYS, Trial, World, world
from attack.viewers import asked_for, baits, hostile
from kernel.test_telemetry import on_island
from loopback import island
from report.sample import sample
from verify.forged import forged, whole

SEED = 2024
FEW = 12
"""Injections of the small form, and of the one run whose question holds them."""

REACHED = 0.7
"""Share of the injections that come to a model at least: the others stand where nothing is read."""


async def addresses(small: bool, docs: Path | None) -> list[Row]:
    """Try the spellings of forbidden addresses, directly and by redirects, and legitimate ones."""
    drawn, count = random.Random(SEED), 20 if small else 500
    every = 100 if small else 1
    tried = await guard.forbidden(drawn, count, 1 if small else 5, 100, every=every)
    fine = guard.legitimate(drawn, count)
    rows = [
        Row(
            f"reached of {tried.tried.total():,} forbidden addresses, in every spelling and 8 ways of redirecting",
            tried.passed.total(),
            "",
            0,
        ),
        Row(f"refused of {fine.tried.total():,} legitimate addresses", fine.tried.total() - fine.passed.total(), "", 0),
    ]
    return [*rows, *(guard.check_links(docs) if docs else [])]


async def instructions(small: bool) -> list[Row]:
    """Have a model obey what is hidden in pages and files, and open the reports that come of it."""
    with TemporaryDirectory() as name:
        async with world() as here:
            every = here.injections()
            random.Random(SEED).shuffle(every)
            some, at_once = (every[:FEW], FEW // len(WAYS)) if small else (every, AT_ONCE)
            trials = []
            for number, start in enumerate(range(0, len(some), at_once)):
                batch, way = some[start : start + at_once], WAYS[number % len(WAYS)]
                trials.append(await here.tried(batch, way, Path(name, str(number))))
            control = await here.asked(some[:FEW], WAYS[0], Path(name, "question"))
            return [*_obeyed(some, trials, control), *await _opened(here, trials, some, Path(name))]


def _obeyed(some: Sequence[Injection], trials: Sequence[Trial], control: dict[str, list[str]]) -> list[Row]:
    changes = [f"{what}: {one}" for trial in trials for what, changed in trial.changes.items() for one in changed]
    for change in changes:
        print(f"changed: {change}")
    reached = {number for trial in trials for numbers in trial.obeyed.values() for number in numbers}
    missed = Counter(one.place for one in some if one.number not in reached)
    print(f"came to no model from: {', '.join(f'{place} ({count})' for place, count in missed.items()) or 'nowhere'}")
    return [
        Row("instructions hidden in pages and files", len(some)),
        Row("… that came to a model, which obeyed", len(reached), "", round(REACHED * len(some)), "least"),
        Row("… changes of plan, route, tool, query or address", len(changes), "", 0),
        Row("… of 5, what changes when the question itself holds them", len(control), "", 3, "least"),
        Row("files, logs and journals of these runs with a key in them", sum(len(one.leaks) for one in trials), "", 0),
    ]


async def _opened(here: World, trials: Sequence[Trial], some: Sequence[Injection], folder: Path) -> list[Row]:
    if missing := available(Settings()):
        print(f"not measured, what outputs ask for: {missing}")
        return []
    reports = [*(trial.report for trial in trials), *(hostile(sample(), attack_text(one)) for one in some[:2])]
    paths = [(one, folder / f"{number}{suffix}") for number, one in enumerate(reports) for suffix in VIEWED]
    printed = [(reports[-1], folder / "printed.pdf")]
    outputs = [await _written(one, path) for one, path in (*paths, *printed)]
    lures = baits(folder / "baits", here.web.url("/bait", TRAP))
    here.web.visits.clear()
    asked = await asked_for(outputs)
    for address in asked:
        print(f"asked for: {address}")
    visits = len(here.web.visits)
    return [
        Row("outputs opened, each in its viewer", len(outputs)),
        Row("… requests that they made", max(len(asked), visits), "", 0),
        Row(f"… of {len(lures)} baits, those noticed", len(await asked_for(lures)), "", len(lures), "least"),
    ]


VIEWED = (".md", ".html", ".docx")


async def _written(one: Report, path: Path) -> Path:
    content = await render(one, path, Settings())
    await asyncio.to_thread(path.write_bytes, content)
    return path


async def forgeries(small: bool) -> list[Row]:
    """Change each field of a report alone, and verify what comes of it."""
    with TemporaryDirectory() as name:
        settings = Settings(data_dir=Path(name))
        sound = await whole(settings)
        signature = _signature(sound, settings.data_dir)
    others = list(islice(forged(sound), 0, None, 40 if small else 1))
    named = {field for fields in ON_TRUST.values() for field in fields}
    unseen = {field for field, other in others if verify(other).holds}
    for field in sorted(unseen - named):
        print(f"neither found nor named: {field}")
    return [
        Row("reports with one field forged", len(others)),
        Row("… fields neither found nor named as taken on trust", len(unseen - named), "", 0),
        Row("… of a signed report, not found", sum(holds(other, signature) for _, other in others), "", 0),
    ]


def _signature(sound: Report, data_dir: Path) -> Signature:
    return Signature.model_validate(json.loads(signed(sound.model_dump_json().encode(), sound, data_dir))["signature"])


def islands() -> list[Row]:
    """Count what a browser and a whole run send to whom nobody configured."""
    if missing := island.reason():
        print(f"not measured, which packets are sent: {missing}")
        return []
    with TemporaryDirectory() as folder:
        strangers = island.run(on_island, folder)
    for packet in strangers:
        print(f"sent: {packet}")
    return [*vectors.measured_rows(), Row("packets of a whole run to whom nobody configured", len(strangers), "", 0)]


async def main() -> None:
    """Measure and print."""
    logging.getLogger("aiohttp.server").setLevel(logging.CRITICAL)  # of clients that have read enough
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="a sample of each attack, without those on an island")
    parser.add_argument("--only", nargs="*", help="the parts to measure")
    parser.add_argument("--docs", type=Path, help="a folder whose links must pass")
    parser.add_argument("--strict", action="store_true", help="exit 1 when a limit is missed")
    given = parser.parse_args()
    parts: dict[str, Callable[[], Awaitable[list[Row]]]] = {
        "addresses": lambda: addresses(given.small, given.docs),
        "instructions": lambda: instructions(given.small),
        "forgeries": lambda: forgeries(given.small),
    }
    if not given.small:
        parts["islands"] = lambda: asyncio.to_thread(islands)
    chosen = [part for name, part in parts.items() if name in (given.only or parts)]
    report("Attacks", [row for part in chosen for row in await part()])


if __name__ == "__main__":
    asyncio.run(main())
