"""A PostgreSQL database that several machines share; imported only if `database_url` is set."""

from typing import TYPE_CHECKING

from ..errors import UsageError

if TYPE_CHECKING:
    from ..settings import Settings
    from .database import Database

__all__ = ["database_of"]


def database_of(settings: "Settings") -> "Database":
    """Return the database at `database_url`. Raises UsageError without URL or extra, DatabaseError for a bad URL."""
    if settings.database_url is None:
        remedy = 'Set it to "postgresql://user:password@host/name".'
        raise UsageError("No shared database is configured", where="database_url", remedy=remedy)
    try:
        from .database import database_at
    except ImportError as error:
        raise UsageError(
            f"A package is missing: {error}", where="database_url", remedy='Run pip install "spyglass[cluster]".'
        ) from error
    database = database_at(settings.database_url.get_secret_value())
    database.patience = settings.runs.database_wait
    return database
