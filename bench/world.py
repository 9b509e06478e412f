"""Reports over local files with a loopback model server: every wire format, every style of answering, faults, and lies.

    python bench/world.py --world DIR [--files FOLDER] [--latency SECONDS]

DIR holds `llm.py`, a server that speaks the OpenAI, Ollama and Gemini formats and whose style of answering
can be changed while it runs (`/_conf?style=`).
"""

import argparse
import asyncio
import re
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from servers import free_port, served
from spyglass import research
from spyglass.kernel.journal import Journal
from spyglass.kernel.settings import Settings
from spyglass.report import Report
from table import Row
from table import report as print_table

FORMATS = {"openai": "/v1", "ollama": "", "gemini": ""}
STYLES = ("plain", "fenced", "prose", "think", "trailing", "single", "cut", "none")
FAULTS = ("500", "429", "reset", "garbage", "empty")
QUESTION = "How did the telescope develop, and how should a lens be cleaned?"
LINK = re.compile(r"https?://[^\s)\]>]+")


@contextmanager
def model_server(world: Path, latency: float, *, lying: bool) -> Iterator[str]:
    """Run the server on a free port; yield its address."""
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        options = ["--port", str(port), "--latency", str(latency), "--log", f"{folder}/log", "--max-seconds", "900"]
        options += ["--fake-cite"] if lying else []
        with served(world / "llm.py", port, options, folder, HANG_SECONDS="30") as address:
            yield address


def configure(address: str, **knobs: str) -> None:
    """Change the server's knobs."""
    query = "&".join(f"{name}={value}" for name, value in knobs.items())
    urllib.request.urlopen(f"{address}/_conf?{query}", timeout=5).close()


async def written(address: str, provider: str, files: Path, data: Path) -> tuple[Report, float]:
    """Return a report by the server's model, and the seconds that it took."""
    settings = Settings(
        provider=provider,
        model="loop-small",
        base_url=address + FORMATS[provider],
        context_window=32_000,
        db=[files],
        data_dir=data,
        retrieval__dense=False,
    )
    began = time.perf_counter()
    report = await research(QUESTION, settings=settings)
    return report, time.perf_counter() - began


def faults_of(report: Report, data: Path) -> int:
    """Count citations whose quote is not verbatim in the stored text, and links that no source has."""
    journal = Journal(data / "runs" / report.run / "journal.sqlite")
    wrong = sum(
        (journal.snapshot(cited.snapshot) or "")[cited.start : cited.end] != cited.quote for cited in report.citations
    )
    journal.close()
    known = {source.url for source in report.sources}
    return wrong + sum(link not in known for link in LINK.findall(report.markdown))


def row(name: str, report: Report, seconds: float, data: Path) -> list[Row]:
    """Return what there is to say of one report."""
    wrong, cited = faults_of(report, data), len(report.citations)
    print(
        f"{name:28} {report.outcome:10} {seconds:5.2f} s  {report.spending.calls:2} calls  {cited:3} citations  "
        f"{report.uncited} uncited  {report.dropped_markers} dropped  writer {report.writer or 'none'}"
    )
    return [Row(f"{name}: citations", cited, "", 1, "least"), Row(f"{name}: invented", wrong, "", 0)]


async def measure(world: Path, files: Path, latency: float) -> list[Row]:
    """Make every report once."""
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        with model_server(world, latency, lying=False) as address:
            for provider in FORMATS:
                for style in STYLES:
                    configure(address, style=style)
                    rows += row(f"{provider} {style}", *await written(address, provider, files, data), data)
            configure(address, style="plain", fail="0.25")
            for fault in FAULTS:
                configure(address, fault=fault)
                rows += row(f"openai 25 % {fault}", *await written(address, "openai", files, data), data)
        with model_server(world, latency, lying=True) as address:
            for provider in FORMATS:
                rows += row(f"{provider} lying", *await written(address, provider, files, data), data)
    return rows


def main() -> None:
    """Read the arguments, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--world", type=Path, required=True)
    parser.add_argument("--files", type=Path, default=Path(__file__).parent.parent / "local_files")
    parser.add_argument("--latency", type=float, default=0.1)
    parser.add_argument("--strict", action="store_true")
    arguments = parser.parse_args()
    print_table("Local reports", asyncio.run(measure(arguments.world, arguments.files, arguments.latency)))


if __name__ == "__main__":
    main()
