"""The folder of a browser: removed with whatever still writes to it."""

import asyncio
import sys
from pathlib import Path

from fetch.processes import all_ended, beneath, left_in
from spyglass.fetch.chromium import remove, temporary_folder

STUBBORN = """
import pathlib, sys
profile = pathlib.Path(sys.argv[1]) / "profile" / "Default"
print("ready", flush=True)
while True:
    profile.mkdir(parents=True, exist_ok=True)
"""


async def test_what_outlives_its_driver_and_goes_on_writing_is_ended_before_its_folder_is_removed(
    folders: Path,
) -> None:
    ours, other = temporary_folder(), temporary_folder()
    start = asyncio.create_subprocess_exec
    writing = [
        await start(sys.executable, "-c", STUBBORN, str(folder), stdout=asyncio.subprocess.PIPE)
        for folder in (ours, other)
    ]
    for process in writing:
        assert process.stdout is not None
        assert await process.stdout.readline() == b"ready\n"
    lines = beneath()
    await remove(ours)
    assert await all_ended({writing[0].pid: lines[writing[0].pid]}) == []
    assert left_in(folders) == [other.name]
    assert writing[1].returncode is None
    await remove(other)
    for process in writing:
        await process.wait()
    assert left_in(folders) == []
