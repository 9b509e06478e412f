"""An MCP server as a subprocess, started at the first search of a run and ended with the run."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ..kernel.cleanup import run_in_background
from ..kernel.host import environment
from ..kernel.settings import Settings
from .provider import LARGEST_ANSWER

if TYPE_CHECKING:
    from mcp.client._transport import TransportStreams

    from mcp import Client as Assistant

    from ..net import Client

LEAVE: Final = 1.0
"""Seconds for the program to exit after its input is closed, before it is killed with its children."""


class Program:
    """The subprocess of one run, and the MCP session with it, which the run's searches share.

    It gets our environment without possible secrets, and the filter proxy in the usual variables; it is not sandboxed,
    because it is the user's own program.
    """

    def __init__(self, command: Sequence[str], settings: Settings) -> None:
        self._command = command
        self._settings = settings
        self._end = asyncio.Event()
        self._session: asyncio.Future[Assistant] | None = None
        self._holding = set[asyncio.Task[None]]()

    async def session(self, client: "Client") -> "Assistant":
        """Return the session; the first call starts the program. Raises OSError when it does not start."""
        if self._session is None:
            self._session = asyncio.get_running_loop().create_future()
            run_in_background(self._holding, self._hold(client, self._session, self._end))
        return await asyncio.shield(self._session)

    def end(self) -> None:
        """Tell the program to end, without waiting; the next `session` starts it again."""
        self._session = None
        self._end.set()
        self._end = asyncio.Event()

    async def close(self) -> None:
        """End the program, and wait until it has exited."""
        self.end()
        if self._holding:
            await asyncio.wait(self._holding)

    async def _hold(self, client: "Client", session: "asyncio.Future[Assistant]", end: asyncio.Event) -> None:
        """Keep the session open until `end`, in one task: the SDK requires that the opening task closes it."""
        from mcp import Client as Assistant

        try:
            async with (
                client.visit(self._settings) as visit,
                Assistant(message_streams(self._command, visit.url)) as server,
            ):
                session.set_result(server)
                await end.wait()
        except Exception as error:  # noqa: BLE001 the SDK's exceptions have no common base
            if not session.done():
                session.set_exception(error)
                session.exception()  # retrieved here, in case no caller waits for it


@asynccontextmanager
async def message_streams(command: Sequence[str], proxy: str) -> "AsyncIterator[TransportStreams]":
    """Start a program and yield its two message streams; a line of LARGEST_ANSWER bytes ends them."""
    import anyio
    from mcp.shared.message import SessionMessage
    from mcp_types import jsonrpc_message_adapter

    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        limit=LARGEST_ANSWER,
        env={**environment(), "HOME": str(Path.home()), **dict.fromkeys(_PROXIES, proxy)},
        start_new_session=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    answers, read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    write, requests = anyio.create_memory_object_stream[SessionMessage](0)

    async def receive(output: asyncio.StreamReader) -> None:
        with suppress(ValueError, anyio.ClosedResourceError, anyio.BrokenResourceError):  # too long, or closed
            async with answers:
                while line := await output.readline():
                    await answers.send(SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False)))

    async def send(to: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            async with requests:
                async for message in requests:
                    to.write(message.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n")
                    await to.drain()

    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(receive, process.stdout)
            tasks.start_soon(send, process.stdin)
            yield read, write
            tasks.cancel_scope.cancel()
    finally:
        with anyio.CancelScope(shield=True):
            await _ended(process)


_PROXIES: Final = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")


async def _ended(process: asyncio.subprocess.Process) -> None:
    """Close the program's input; after LEAVE seconds at most, kill what is left of it and its children."""
    assert process.stdin is not None
    process.stdin.close()
    with suppress(TimeoutError):
        async with asyncio.timeout(LEAVE):
            await process.wait()
    with suppress(ProcessLookupError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
    await process.wait()
