"""An MCP server that is a program: started at the first search of a run, and ended with the run."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ..kernel.host import environment
from ..kernel.settings import Settings
from .provider import LARGEST_ANSWER

if TYPE_CHECKING:
    from mcp.client._transport import TransportStreams

    from mcp import Client as Assistant

    from ..net import Client

LEAVE: Final = 1.0
"""Seconds that the program has to end by itself when its input is closed; it is killed then, with what it started."""


class Program:
    """The program of one run, and the session with it, which its searches share.

    It gets our environment without what may be secret, and the filter proxy in the usual variables; it is not confined,
    since it is the user's own program.
    """

    def __init__(self, command: Sequence[str], settings: Settings) -> None:
        self._command = command
        self._settings = settings
        self._end = asyncio.Event()
        self._session: asyncio.Future[Assistant] | None = None
        self._held = set[asyncio.Task[None]]()

    async def session(self, client: "Client") -> "Assistant":
        """Return the session; the first to ask starts the program. Raises OSError when it does not start."""
        if self._session is None:
            self._session = asyncio.get_running_loop().create_future()
            holding = asyncio.create_task(self._hold(client, self._session, self._end))
            self._held.add(holding)
            holding.add_done_callback(self._held.discard)
        return await asyncio.shield(self._session)

    def end(self) -> None:
        """Ask the program to end without waiting; the next `session` starts it anew."""
        self._session = None
        self._end.set()
        self._end = asyncio.Event()

    async def close(self) -> None:
        """End the program, and wait until it has."""
        self.end()
        if self._held:
            await asyncio.wait(self._held)

    async def _hold(self, client: "Client", session: "asyncio.Future[Assistant]", end: asyncio.Event) -> None:
        """Hold the session open until its end, in one task: the SDK wants it closed by the task that opened it."""
        from mcp import Client as Assistant

        try:
            async with client.visit(self._settings) as visit, Assistant(spoken_to(self._command, visit.url)) as server:
                session.set_result(server)
                await end.wait()
        except Exception as error:  # noqa: BLE001 a stranger's edge: what the SDK raises has no common ancestor
            if not session.done():
                session.set_exception(error)
                session.exception()  # retrieved here, in case no caller waits for it


@asynccontextmanager
async def spoken_to(command: Sequence[str], proxy: str) -> "AsyncIterator[TransportStreams]":
    """Start a program, and give the two streams of messages with it; a line of LARGEST_ANSWER bytes is its last."""
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
    write, asked = anyio.create_memory_object_stream[SessionMessage](0)

    async def hear(output: asyncio.StreamReader) -> None:
        with suppress(ValueError, anyio.ClosedResourceError, anyio.BrokenResourceError):  # too long, or nobody listens
            async with answers:
                while line := await output.readline():
                    await answers.send(SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False)))

    async def say(to: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            async with asked:
                async for message in asked:
                    to.write(message.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n")
                    await to.drain()

    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(hear, process.stdout)
            tasks.start_soon(say, process.stdin)
            yield read, write
            tasks.cancel_scope.cancel()
    finally:
        with anyio.CancelScope(shield=True):
            await _ended(process)


_PROXIES: Final = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")


async def _ended(process: asyncio.subprocess.Process) -> None:
    """Close the program's input; kill it and its children when it does not end."""
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
