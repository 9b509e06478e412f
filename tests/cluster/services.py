"""Services that are processes of their own, each with a machine's folder."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from fetch.processes import beneath


class Service:
    """A process of `spyglass serve`, and its address."""

    def __init__(self, process: asyncio.subprocess.Process, address: str) -> None:
        self.process = process
        self.address = address

    async def stop(self) -> int:
        """End it as an operator does, and return its exit code."""
        with suppress(ProcessLookupError):
            self.process.terminate()
        return await self.process.wait()

    async def vanish(self) -> None:
        """End it, and then whatever it has begun, as a container that is stopped."""
        begun = beneath(self.process.pid)
        await self.stop()
        for process in begun:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)


@asynccontextmanager
async def served(*arguments: str, **environment: str) -> AsyncIterator[Service]:
    """Run a service on a free port; it and what it has begun end with the block."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "spyglass", "serve", "--port", "0", *arguments),
        env=environment,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stderr is not None
    try:
        async with asyncio.timeout(60):
            told = (await process.stderr.readline()).decode()
        assert told.startswith("Serving on "), told + (await process.stderr.read()).decode()
        service = Service(process, told.split()[2])
        yield service
        await service.vanish()
    finally:
        with suppress(ProcessLookupError):
            process.kill()
