"""The processes beneath this one, as Linux lists them, and what they leave."""

import asyncio
import os
from collections import defaultdict
from pathlib import Path


def beneath(ancestor: int | None = None) -> dict[int, str]:
    """Return process ids and command lines of all descendants of a process, by default of this one.

    Those by which the tests themselves start commands, and what these have started, do not count.
    """
    children, lines = defaultdict(list), {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            stat = (folder / "stat").read_text()
            lines[int(folder.name)] = (folder / "cmdline").read_text().replace("\0", " ")
        except OSError:
            continue  # it has ended meanwhile
        children[int(stat.rpartition(")")[2].split()[1])].append(int(folder.name))
    found: dict[int, str] = {}
    waiting = [ancestor or os.getpid()]
    while waiting:
        for child in children[waiting.pop()]:
            if lines[child] and "multiprocessing." not in lines[child]:  # one that has ended has no command line
                found[child] = lines[child]
                waiting.append(child)
    return found


def alive(processes: dict[int, str]) -> list[str]:
    """Return the command lines of those that still run; a process that has ended and is not waited for does not."""
    left = []
    for process, line in processes.items():
        try:
            state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if state not in "ZX":
            left.append(line)
    return left


async def all_ended(processes: dict[int, str], seconds: float = 60.0) -> list[str]:
    """Wait until they have ended, at most so long, and return those that have not."""
    for _ in range(int(seconds / 0.05)):
        if not alive(processes):
            break
        await asyncio.sleep(0.05)
    return alive(processes)


def variables(process: int) -> str:
    """Return the environment that a process was started with; nothing for one that has ended meanwhile."""
    try:
        return Path(f"/proc/{process}/environ").read_text()
    except OSError:
        return ""


def left_in(folder: Path) -> list[str]:
    """Return the names of what is in a folder."""
    return sorted(path.name for path in folder.iterdir())
