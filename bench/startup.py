"""What it costs to import Spyglass and to ask for its help, as a multiple of importing pydantic; and what it weighs."""

import configparser
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement

from table import Row, report

ROUNDS = 9
LIMIT = 3.0
"""Times the cost of `import pydantic; pydantic.BaseModel`."""

DECLARED = Path(__file__).parents[1] / "setup.cfg"

COMMANDS = {
    "import pydantic": ["-c", "import pydantic; pydantic.BaseModel"],
    "import generate_report": ["-c", "from spyglass import generate_report"],
    "spyglass --help": ["-m", "spyglass", "--help"],
}


def seconds(arguments: list[str]) -> float:
    """Return how long a fresh interpreter takes."""
    began = time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


def needed(name: str, seen: dict[str, Distribution]) -> Iterator[Distribution]:
    """Yield a distribution and all that it needs here, each once; extras are followed, `dev` is not asked for."""
    requirement = Requirement(name)
    key = requirement.name.lower().replace("_", "-")
    if key in seen:
        return
    try:
        found = seen[key] = distribution(requirement.name)
    except PackageNotFoundError:
        return
    yield found
    for text in found.requires or []:
        further = Requirement(text)
        extras = requirement.extras or {""}
        if further.marker is None or any(further.marker.evaluate({"extra": extra}) for extra in extras):
            yield from needed(f"{further.name}[{','.join(further.extras)}]" if further.extras else further.name, seen)


def declared() -> list[str]:
    """Return what Spyglass itself asks for, as its setup.cfg says: a checkout may not be installed."""
    config = configparser.ConfigParser()
    config.read(DECLARED, encoding="utf-8")
    return config["options"]["install_requires"].split()


def size(found: Distribution) -> int:
    """Return the bytes of a distribution's files."""
    paths = (found.locate_file(file) for file in found.files or [])
    return sum(path.stat().st_size for path in map(_path, paths) if path.is_file())


def _path(located: object) -> Path:
    return Path(str(located))


def main() -> None:
    """Measure in turns, so that a machine whose speed drifts drifts for all."""
    times: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(ROUNDS):
        for name, arguments in COMMANDS.items():
            times[name].append(seconds(arguments))
    base = times["import pydantic"]
    rows = [Row("import pydantic", statistics.median(base), "s")]
    for name in list(COMMANDS)[1:]:
        ratios = [taken / reference for taken, reference in zip(times[name], base, strict=True)]
        rows += [Row(name, statistics.median(times[name]), "s")]
        rows += [Row(f"{name} / pydantic", statistics.median(ratios), "x", LIMIT)]
    seen: dict[str, Distribution] = {}
    weights = {found.name: size(found) / 1e6 for name in declared() for found in needed(name, seen)}
    rows += [Row(f"installed without extras, {len(weights)} packages", sum(weights.values()), "MB")]
    rows += [Row(f"  of it {name}", weight, "MB") for name, weight in sorted(weights.items(), key=lambda w: -w[1])[:5]]
    report("Start-up and size", rows)


if __name__ == "__main__":
    main()
