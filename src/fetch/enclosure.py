"""The isolation of the browser in a network namespace, whose only connection to the outside is a socket of Spyglass."""

import asyncio
import os
import shlex
import socket
import sys
import tempfile
from abc import ABC, abstractmethod
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Final, Self

from ..kernel import host
from ..kernel.cleanup import rollback_on_error, shielded
from ..kernel.settings import Settings
from ..net import FilterProxy

DEADLINE: Final = 10.0  # seconds that making the namespace, and testing it, may each take
PROGRAM: Final = Path(__file__).with_name("netns.py")


class Enclosure:
    """A network namespace that isolates programs. Use it as `async with Enclosure() as enclosure:`.

    `listener` is a socket that listens on the loopback of the namespace and is served from outside. If the system does
    not provide namespaces, `missing` says why, `listener` is None, and programs run without isolation.
    """

    def __init__(self) -> None:
        self.missing = ""
        self.listener: socket.socket | None = None
        self._namespaces: list[int] = []

    async def __aenter__(self) -> Self:
        try:
            with rollback_on_error(self._close):
                await self._make()
                with tempfile.TemporaryDirectory() as folder:
                    await _run(self.entrance("true", Path(folder)))
        except (OSError, TimeoutError) as error:
            self.missing = str(error) or f"the network namespace was not ready within {DEADLINE:g} s"
        return self

    async def __aexit__(self, *_exception: object) -> None:
        self._close()

    def entrance(self, program: str, folder: Path) -> str:
        """Return the path of a script in the folder that runs a program in the namespace, or `program` without one."""
        if self.missing:
            return program
        inside = [f"/proc/{os.getpid()}/fd/{descriptor}" for descriptor in self._namespaces]
        command = [sys.executable, "-I", "-S", str(PROGRAM), "enter", *inside, program]
        script = folder / "enclosed"
        script.write_text(f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n', encoding="utf-8")
        script.chmod(0o700)
        return str(script)

    async def _make(self) -> None:
        if not host.has_namespaces():
            raise OSError("only Linux has network namespaces")
        ours, theirs = socket.socketpair()
        with ours, theirs:
            channel = theirs.fileno()
            await _run(sys.executable, "-I", "-S", str(PROGRAM), "make", str(channel), pass_fds=(channel,))
            ours.setblocking(False)
            _, (listener, *self._namespaces), _, _ = socket.recv_fds(ours, 1, 3, socket.MSG_CMSG_CLOEXEC)
        self.listener = socket.socket(fileno=listener)

    def _close(self) -> None:
        if self.listener is not None:
            self.listener.close()
        for descriptor in self._namespaces:
            os.close(descriptor)
        self.listener, self._namespaces = None, []


async def _run(*command: str, pass_fds: tuple[int, ...] = ()) -> None:
    """Run a command to its end. Raises OSError with its last line of output if it fails, and TimeoutError."""
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        env=host.environment(),
        pass_fds=pass_fds,
    )
    try:
        async with asyncio.timeout(DEADLINE):
            _, stderr = await process.communicate()
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    if process.returncode:
        lines = stderr.decode(errors="replace").strip().splitlines() or [f"setup exit code {process.returncode}"]
        raise OSError(lines[-1])


class Enclosed(ABC):
    """Base class of renderers, with an enclosure and a filtering proxy that start first and are closed last."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._enclosure = Enclosure()
        self._proxy: FilterProxy
        self._exits = AsyncExitStack()

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as exits:
            await exits.enter_async_context(self._enclosure)
            self._proxy = await exits.enter_async_context(FilterProxy(self._enclosure.listener))
            self._exits = exits.pop_all()
        return self

    async def __aexit__(self, *_exception: object) -> None:
        await shielded(self._close_all())

    @property
    def exposed(self) -> str:
        """The reason why only the browser's own flags prevent it from bypassing the proxy; "" if the enclosure does."""
        return self._enclosure.missing

    async def _close_all(self) -> None:
        await self._close()
        await self._exits.aclose()

    @abstractmethod
    async def _close(self) -> None:
        """End the processes."""
