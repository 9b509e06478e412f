"""What the command reads, and a server that keeps it waiting."""

import threading
from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest

from cli.command import Hanging


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "harbour.md").write_text(
        "# The harbour\n\nThe harbour was built in 1871. It took nine years to build it.\n"
    )
    (folder / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(64))
    return folder


@pytest.fixture
def hanging() -> Iterator[type[Hanging]]:
    """A model server that never answers: its address, and whether it was called."""
    Hanging.called.clear()
    Hanging.ended.clear()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hanging)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    Hanging.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    yield Hanging
    Hanging.ended.set()
    server.shutdown()
    thread.join()
    server.server_close()
