"""Reports over a loopback internet: wall time, prompts, faults, and lies.

    python bench/web.py --world DIR [--scenario NAME …] [--repeat N]

DIR holds `search.py`, `web.py`, `llm.py`, `corpus.py` and `questions.json`: servers that stand in for a search engine,
for websites and for a model, slow and faulty as they are told. Each question runs in a process of its own; the figures
of what was asked come from the servers' logs.
"""

import argparse
import json
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from servers import free_port, served
from spyglass.evidence import roots
from spyglass.evidence.statement import decisive
from spyglass.kernel.settings.marks import variable
from spyglass.report import Report
from spyglass.report.duplicates import SAME
from spyglass.verify.verify import verify
from table import Row
from table import report as print_table

SERVERS = ("web", "search", "llm")
STYLES = ("plain", "fenced", "prose", "think", "trailing", "single", "cut", "none")
LINK = re.compile(r"https?://[^\s<>()\[\]\"'`|\\]+")
RUNNER = Path(__file__).parent / "web_run.py"

AWKWARD = [
    "gzip",
    "js",
    "huge",
    "slow",
    "hang",
    "drip",
    "infinite",
    "doc.pdf",
    "pdf-as-html",
    "missing",
    "loop",
    "deflate",
    "badgzip",
    "bomb",
    "latin1",
    "nocharset",
    "wrongtype",
    "flaky",
    "429",
    "503",
    "403",
    "empty",
    "binary",
    "refresh",
    "inject",
    "truncated",
    "redirect",
    "deep-redirect",
    "private-redirect",
    "dup1",
    "dup2",
    "cookie-wall",
]
"""Pages of the host that is there to break a reader, a sound one first."""

SEARCH_FAULTS = ("429", "500", "503", "hang", "reset", "garbage", "empty")

SPEED = {"llm": {"latency": 0.6}, "search": {"latency": 0.3}, "web": {"latency": 0.2}}
"""Seconds that each server takes."""

FAULTS = {
    "llm": {"fail": 0.25, "fault": "500,429,503"},
    "search": {"fail": 0.5, "fault": "429,500,503,reset,garbage,empty"},
    "web": {"fail": 0.7, "fault": "hang,hang,hang,500,503,reset,404"},
}
"""Half of the searches, a quarter of the model calls and 40 % of the pages fail, and 30 % of the pages hang."""


@dataclass(frozen=True, slots=True)
class World:
    """The running servers, by their ports."""

    ports: dict[str, int]

    def ask(self, server: str, path: str, **query: Any) -> Any:
        """Return what a server's control address answers."""
        address = f"http://127.0.0.1:{self.ports[server]}/{path}?{urllib.parse.urlencode(query)}"
        with urllib.request.urlopen(address, timeout=20) as answer:
            return json.load(answer)

    def configure(self, knobs: dict[str, dict[str, Any]]) -> None:
        """Set the servers' knobs; what is not named is without fault."""
        for server in SERVERS:
            self.ask(server, "_conf", **{"fail": 0, "fault": "500", "jitter": 0, **knobs.get(server, {})})

    def settings(self) -> dict[str, Any]:
        """Return the settings with which a run meets this world; all others are the defaults."""
        return {
            "web": True,
            "provider": "openai",
            "model": "loop-small",
            "base_url": f"http://127.0.0.1:{self.ports['llm']}/v1",
            "searxng_url": f"http://127.0.0.1:{self.ports['search']}",
            "network.allow_private": ["127.0.0.0/8"],
        }


@contextmanager
def world_of(folder: Path, options: dict[str, list[str]]) -> Iterator[World]:
    """Run the servers on free ports, from a copy of their folder; `options` are added to a server's command line."""
    with tempfile.TemporaryDirectory() as copy:
        shutil.copytree(folder, copy, dirs_exist_ok=True, ignore=shutil.ignore_patterns("venv", "logs", "__pycache__"))
        ports = {name: free_port() for name in SERVERS}
        names = {f"{name.upper()}_PORT": str(port) for name, port in ports.items()}
        environment = {**os.environ, **names}
        subprocess.run([sys.executable, "corpus.py"], cwd=copy, env=environment, check=True, stdout=subprocess.DEVNULL)
        with ExitStack() as running:
            for name in SERVERS:
                given = ["--max-seconds", "3600", *options.get(name, [])]
                script = Path(copy, f"{name}.py")
                running.enter_context(served(script, ports[name], given, copy, **names, HANG_SECONDS="60"))
            yield World(ports)


@dataclass(frozen=True, slots=True)
class Made:
    """One report, and what the servers saw of it."""

    figures: dict[str, Any]
    calls: list[dict[str, Any]]
    searches: list[dict[str, Any]]
    fetches: list[dict[str, Any]]

    @property
    def wall(self) -> float:
        """Seconds without importing."""
        return float(self.figures["wall_s"])

    @property
    def report(self) -> str:
        """The Markdown."""
        return str(self.figures["report"])

    @property
    def prompts(self) -> int:
        """Characters of all prompts."""
        return sum(int(call.get("prompt_chars", 0)) for call in self.calls)

    @property
    def repeated(self) -> int:
        """Prompts and searches that were sent again although they had been answered."""
        prompts = [call.get("prompt_sha") for call in self.calls if call.get("status") == 200]
        searches = [" ".join(str(one.get("q")).lower().split()) for one in self.searches if one.get("status") == 200]
        return len(prompts) - len(set(prompts)) + len(searches) - len(set(searches))

    @property
    def fetched(self) -> set[str]:
        """Addresses of the pages that were answered."""
        return {_bare(row["url"]) for row in self.fetches if row.get("status") in (200, 304)}

    @property
    def cited(self) -> set[str]:
        """Addresses in the report."""
        return {_bare(link) for link in LINK.findall(self.report)}

    @property
    def cited_in_references(self) -> set[str]:
        """Addresses of the references, without those that the report names as unread."""
        return {_bare(one["url"]) for one in self.figures["typed"]["references"]}

    @property
    def said_twice(self) -> int:
        """Claims that an earlier one makes already: four fifths of their content words, the same numbers and names."""
        told = Report.model_validate(self.figures["typed"]).claims
        claims = [(roots(one.text), decisive(one.text)) for one in told if not one.code and roots(one.text)]
        again = [
            one
            for place, one in enumerate(claims)
            for other in claims[:place]
            if one[1] == other[1] and len(one[0] & other[0]) >= SAME * len(one[0])
        ]
        for one in again:
            print(f"  said twice: {sorted(one[0])}")
        return len(again)

    @property
    def mismatches(self) -> int:
        """What does not agree when the report is verified: quotes that are not verbatim, verdicts, numbers."""
        found = verify(Report.model_validate(self.figures["typed"])).mismatches
        for one in found:
            print(f"  {one.where or one.subject}: {one.what}")
        return len(found)

    def says(self, words: str) -> bool:
        """Say whether the report's sections, what was removed left out, have these words."""
        return any(words in section.text for section in Report.model_validate(self.figures["typed"]).sections)

    @property
    def sources(self) -> int:
        """Sources that the report has of the web."""
        return sum(source["kind"] == "web" for source in self.figures["typed"]["sources"])


def _bare(url: str) -> str:
    return url.rstrip(".;:,").split("#")[0]


def make(world: World, question: str, name: str, settings: dict[str, Any]) -> Made:
    """Make one report in a process of its own, with a data folder of its own."""
    for server in SERVERS:
        world.ask(server, "_mark", run=name)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "out.json")
        given = [f"{key}={json.dumps(value)}" for key, value in {**world.settings(), **settings}.items()]
        environment = {
            **{key: value for key, value in os.environ.items() if not key.startswith("SPYGLASS_")},
            "OPENAI_API_KEY": "sk-loop",
            "SPYGLASS_DATA_DIR": f"{folder}/data",
        }
        command = [sys.executable, str(RUNNER), question, str(out), *given]
        subprocess.run(command, env=environment, check=True, timeout=300)
        figures = json.loads(out.read_text(encoding="utf-8"))
    time.sleep(0.2)
    rows = {server: world.ask(server, "_stats", run=name)["rows"] for server in SERVERS}
    calls = [row for row in rows["llm"] if row.get("kind") != "embed" and "prompt_chars" in row]
    return Made(figures, calls, rows["search"], rows["web"])


def show(name: str, made: Made) -> None:
    """Print one line about a report."""
    print(
        f"{name:22} {made.figures['typed']['outcome']:9} {made.wall:5.2f} s  import {made.figures['import_s']:.2f} s  "
        f"CPU {made.figures['cpu_s']:.2f} s  {made.figures['rss_mb']:.0f} MB  {len(made.calls)} calls "
        f"{made.prompts / 1000:.1f} k  {len(made.searches)} searches  {len(made.fetched)} pages  "
        f"{len(made.report) / 1000:.1f} k report  {len(made.cited)} cited",
        flush=True,
    )


def series(world: World, name: str, questions: Sequence[str], repeat: int, settings: dict[str, Any]) -> list[Made]:
    """Make the report of every question, several times."""
    made = []
    for turn in range(repeat):
        for number, question in enumerate(questions, 1):
            made.append(make(world, question, f"{name}.q{number}.{turn}", settings))
            show(f"{name} q{number}", made[-1])
    return made


def speed(world: World, questions: Sequence[str], repeat: int) -> list[Row]:
    """Ten pages at 0.6 s a model call, 0.3 s a search and 0.2 s a page."""
    world.configure(SPEED)
    made = series(world, "speed", questions, repeat, {})
    by_question = [[one.wall for one in made[number :: len(questions)]] for number in range(len(questions))]
    return [
        Row("speed: median wall", statistics.median(one.wall for one in made), "s", 2.0),
        Row("speed: slowest question (median)", max(map(statistics.median, by_question)), "s", 2.1),
        Row("speed: fewest sources", min(one.sources for one in made), "", 8, "least"),
        Row("speed: prompt characters", max(one.prompts for one in made), "", 60_000),
        Row("speed: repeated prompts and searches", sum(one.repeated for one in made), "", 0),
        Row("speed: cited but not fetched", sum(len(one.cited - one.fetched) for one in made), "", 0),
        Row("speed: mismatches when verified", sum(one.mismatches for one in made), "", 0),
        Row("speed: claims said twice in a report", sum(one.said_twice for one in made), "", 0),
        Row("speed: peak memory", statistics.median(one.figures["rss_mb"] for one in made), "MB", 100),
        Row("speed: CPU with imports", statistics.median(one.figures["cpu_s"] for one in made), "s", 1.0),
    ]


def quoted(world: World, questions: Sequence[str], repeat: int) -> list[Row]:
    """The same without a model: every sentence is a quote."""
    world.configure(SPEED)
    made = series(world, "quoted", questions, repeat, {"provider": None, "model": None, "base_url": None})
    return [
        Row("quoted: fewest sources", min(one.sources for one in made), "", 8, "least"),
        Row("quoted: mismatches when verified", sum(one.mismatches for one in made), "", 0),
        Row("quoted: claims said twice in a report", sum(one.said_twice for one in made), "", 0),
    ]


def tokens(world: World, questions: Sequence[str], repeat: int) -> list[Row]:
    """The same at 10 ms a token."""
    world.configure(SPEED)
    made = series(world, "tokens", questions, repeat, {})
    sizes = [len(one.report) for one in made]
    return [
        Row("10 ms a token: median wall", statistics.median(one.wall for one in made), "s", 10),
        Row("10 ms a token: worst wall", max(one.wall for one in made), "s", 11),
        Row("10 ms a token: mismatches when verified", sum(one.mismatches for one in made), "", 0),
        Row("10 ms a token: report characters", statistics.median(sizes), "", 10_000, "least"),
    ]


def faults(world: World, questions: Sequence[str], repeat: int) -> list[Row]:
    """The same with half of the searches, a quarter of the model calls and most pages failing."""
    world.configure(SPEED)
    sound = statistics.median(one.wall for one in series(world, "sound", questions, 1, {}))
    world.configure({server: {**SPEED[server], **FAULTS[server]} for server in SERVERS})
    made = series(world, "faults", questions, repeat, {})
    world.configure(SPEED)
    return [
        Row("faults: slowest beyond the fault-free median", max(one.wall for one in made) - sound, "s", 4),
        Row("faults: median beyond it", statistics.median(one.wall for one in made) - sound, "s", 4),
        Row("faults: fewest sources", min(one.sources for one in made), "", 6, "least"),
        Row("faults: cited but not fetched", sum(len(one.cited - one.fetched) for one in made), "", 0),
        Row("faults: mismatches when verified", sum(one.mismatches for one in made), "", 0),
    ]


def lies(world: World, questions: Sequence[str], repeat: int) -> list[Row]:  # noqa: ARG001 one of each style will do
    """A model that invents claims, labels and links, in every style of answering."""
    rows = []
    for style in STYLES:
        world.configure({**SPEED, "llm": {"latency": 0.1, "style": style}})
        made = series(world, f"lies {style}", questions[:1], 1, {})
        invented = sum(len(one.cited - one.fetched) for one in made)
        rows.append(Row(f"lies, {style}: invented links", invented, "", 0))
        rows.append(Row(f"lies, {style}: invented claims", sum(one.says("47.3") for one in made), "", 0))
        rows.append(Row(f"lies, {style}: mismatches when verified", sum(one.mismatches for one in made), "", 0))
        rows.append(Row(f"lies, {style}: pages cited", min(len(one.cited) for one in made), "", 1, "least"))
    return rows


def awkward(world: World, questions: Sequence[str], repeat: int) -> list[Row]:  # noqa: ARG001 each once
    """Every awkward page given at once, and every way in which a search can fail, alone and together."""
    world.configure(SPEED)
    pages = [f"http://127.0.0.16:{world.ports['web']}/{path}" for path in AWKWARD]
    made = [make(world, questions[0], "awkward.pages", {"urls": pages, "browser.mode": "never"})]
    show("awkward pages", made[-1])
    for fault in (*SEARCH_FAULTS, ",".join(SEARCH_FAULTS)):
        world.configure({**SPEED, "search": {"latency": 0.3, "fail": 1 if "," not in fault else 0.8, "fault": fault}})
        made.append(make(world, questions[0], f"awkward.{fault}", {"urls": pages[:1], "search.deadline": 3}))
        show(f"search {fault[:14]}", made[-1])
    world.configure(SPEED)
    untold = sum(one.figures["typed"]["outcome"] != "complete" and "##" not in one.report for one in made)
    return [
        Row("awkward: slowest", max(one.wall for one in made), "s", 30),
        Row("awkward: cited but not fetched", sum(len(one.cited_in_references - one.fetched) for one in made), "", 0),
        Row("awkward: nothing said of what failed", untold, "", 0),
    ]


def command(world: World, question: str, source: Path) -> tuple[float, float]:
    """Return the wall and the CPU seconds of `spyglass report`, the whole process, from nothing kept."""
    with tempfile.TemporaryDirectory() as folder:
        settings = {variable(name): value for name, value in world.settings().items()}
        given = {key: value if isinstance(value, str) else json.dumps(value) for key, value in settings.items()}
        kept = {key: value for key, value in os.environ.items() if not key.startswith("SPYGLASS_")}
        data = {"OPENAI_API_KEY": "sk-loop", "SPYGLASS_DATA_DIR": f"{folder}/data"}
        began, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            [sys.executable, "-m", "spyglass", "report", question, "--out", f"{folder}/report.json"],
            cwd=source,
            env={**kept, **given, **data},
            check=False,
            timeout=120,
            capture_output=True,
        )
        wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode not in (0, 3):
            raise RuntimeError(done.stderr.decode())
        return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def cold(world: World, questions: Sequence[str], repeat: int) -> list[Row]:
    """The whole command, in turns with another version: `BEFORE` is a folder with a package `spyglass`."""
    world.configure(SPEED)
    versions = {"cold": Path.cwd(), **({"before": Path(os.environ["BEFORE"])} if "BEFORE" in os.environ else {})}
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in versions}
    for _ in range(repeat):
        for question in questions:
            for name, source in versions.items():
                taken[name].append(command(world, question, source))
                print(f"{name:8} {taken[name][-1][0]:5.2f} s  CPU {taken[name][-1][1]:.2f} s", flush=True)
    return [
        row
        for name, figures in taken.items()
        for row in (
            Row(f"{name}: the whole command, median wall", statistics.median(wall for wall, _ in figures), "s", 3.3),
            Row(f"{name}: the whole command, median CPU", statistics.median(cpu for _, cpu in figures), "s", 3.0),
        )
    ]


SCENARIOS = {
    "awkward": awkward,
    "cold": cold,
    "speed": speed,
    "quoted": quoted,
    "tokens": tokens,
    "faults": faults,
    "lies": lies,
}
OPTIONS = {"tokens": {"llm": ["--per-token", "0.01"]}, "lies": {"llm": ["--fake-cite"]}}


def main() -> None:
    """Read the arguments, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--world", type=Path, required=True)
    parser.add_argument("--scenario", choices=SCENARIOS, nargs="*", default=list(SCENARIOS))
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--strict", action="store_true")
    arguments = parser.parse_args()
    questions = json.loads(Path(arguments.world, "questions.json").read_text(encoding="utf-8"))
    rows: list[Row] = []
    for name in arguments.scenario:
        with world_of(arguments.world, OPTIONS.get(name, {})) as world:
            rows += SCENARIOS[name](world, questions, arguments.repeat)
    print_table("Reports over the web", rows)


if __name__ == "__main__":
    main()
