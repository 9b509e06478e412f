"""What runs in an enclosure reaches one socket of ours and nothing else; where there can be none, that is told."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from cli.command import COMMAND, environment
from loopback import WebServer, island
from spyglass.fetch.enclosure import Enclosure

TRIES = """
import socket, sys
for place in sys.argv[1:]:
    host, port = place.rsplit(":", 1)
    try:
        with socket.create_connection((host, int(port)), 5):
            print("reached")
    except OSError as error:
        print("not reached")
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
    try:
        sender.sendto(b"x", ("192.0.2.1", 9))
        print("sent")
    except OSError:
        print("not sent")
"""

FORBIDDING = (
    "unshare",
    "--user",
    "--map-root-user",
    "sh",
    "-c",
    'echo 0 >/proc/sys/user/max_user_namespaces; exec "$@"',
    "sh",
)
"""Runs a command where no namespace can be made."""


@pytest.mark.skipif(island.reason() != "", reason=f"no network namespace: {island.reason()}")
async def test_a_program_in_an_enclosure_reaches_our_socket_only(tmp_path: Path, web_server: WebServer) -> None:
    async with Enclosure() as enclosure:
        assert enclosure.missing == ""
        assert enclosure.listener is not None
        ours = f"127.0.0.1:{enclosure.listener.getsockname()[1]}"
        ran = await asyncio.to_thread(
            subprocess.run,
            [enclosure.entrance(sys.executable, tmp_path), "-c", TRIES, ours, f"127.0.0.1:{web_server.port}"],
            capture_output=True,
            text=True,
            check=True,
        )
        enclosure.listener.accept()[0].close()
    assert ran.stdout.split("\n") == ["reached", "not reached", "not sent", ""]
    assert web_server.connections() == 0


@pytest.mark.browser
@pytest.mark.slow
async def test_a_browser_without_an_enclosure_is_told_by_doctor_and_with_each_page(
    tmp_path: Path, web_server: WebServer
) -> None:
    forbidding = () if island.reason() else FORBIDDING

    def said(*arguments: str) -> str:
        command = [*forbidding, *COMMAND, *arguments]
        variables = environment(
            tmp_path, SPYGLASS_NETWORK__ALLOW_PRIVATE='["127.0.0.1"]', SPYGLASS_RETRIEVAL__DENSE="false"
        )
        ran = subprocess.run(
            command, cwd=tmp_path, env=variables, capture_output=True, text=True, check=False, timeout=300
        )
        return ran.stdout

    assert ", isolated from the network only by its own flags: " in await asyncio.to_thread(said, "doctor")
    page = await asyncio.to_thread(said, "fetch", web_server.url("/js"))
    assert "said only by JavaScript" in page
    assert "Note: Pages were rendered by a browser whose network access was restricted only by its own flags: " in page
