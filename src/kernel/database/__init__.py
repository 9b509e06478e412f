"""PostgreSQL, for who has set `database_url`: what several machines share. Nothing of it is imported without."""

from typing import TYPE_CHECKING

from ..errors import UsageError

if TYPE_CHECKING:
    from ..settings import Settings
    from .database import Database


def database_of(settings: "Settings") -> "Database":
    """Return the database that the settings name. Raises DatabaseError for no address, UsageError without the extra."""
    try:
        from .database import database_at
    except ImportError as error:
        raise UsageError(
            f"A database cannot be used: {error}", where="database_url", remedy='pip install "spyglass[cluster]".'
        ) from error
    assert settings.database_url is not None
    database = database_at(settings.database_url.get_secret_value())
    database.patience = settings.runs.database_wait
    return database
