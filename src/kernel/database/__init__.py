"""PostgreSQL, for who has set `database_url`: what several machines share. Nothing of it is imported without."""

from .database import Database, database_at, database_of

__all__ = ["Database", "database_at", "database_of"]
