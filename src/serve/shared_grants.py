"""What tokens were made for, in the database that several services share."""

from typing import Final

from psycopg.rows import class_row

from ..kernel.database.database import Database
from .tokens import Grant

_ADD: Final = """
INSERT INTO token VALUES (%(name)s, %(hashed)s, %(made)s, %(budget)s, %(runs_a_day)s, %(ends)s)
ON CONFLICT (name) DO NOTHING RETURNING name
"""


class SharedGrants:
    """They hold for every service from the next call on. Its methods block, and raise DatabaseError."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self) -> list[Grant]:
        """Return them as they were made."""
        query = "SELECT * FROM token ORDER BY made, name"
        return self._database.use(lambda db: db.cursor(row_factory=class_row(Grant)).execute(query).fetchall())

    def add(self, grant: Grant) -> bool:
        """Keep one more; False where there is one of its name."""
        return self._database.use(lambda db: db.execute(_ADD, grant.model_dump()).fetchone()) is not None

    def remove(self, name: str) -> bool:
        """Forget the one of a name; False where there is none."""
        query = "DELETE FROM token WHERE name = %s RETURNING name"
        return self._database.use(lambda db: db.execute(query, (name,)).fetchone()) is not None
