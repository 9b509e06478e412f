"""How far an ingest by workers is: rows of the database, which any machine reads."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final

from psycopg import Connection

from ..kernel.database.database import Database
from ..kernel.notice import from_kept
from ..rag.walk import WalkedFile

_DONE: Final = """
UPDATE ingest_document AS document SET ended = clock_timestamp(), reason = file.reason,
    state = CASE WHEN file.reason IS NULL THEN 'read' ELSE 'without text' END
FROM ingest JOIN folder USING (key) JOIN file ON file.folder = folder.id
WHERE ingest.id = %(id)s AND document.ingest = ingest.id AND document.path = ANY(%(paths)s)
    AND file.path = document.path
"""

_STATE: Final = """
SELECT count(*), count(document.ended), count(*) FILTER (WHERE state = 'reading'), sum(size)::float8,
    coalesce(sum(size) FILTER (WHERE document.ended IS NOT NULL), 0)::float8,
    extract(epoch FROM coalesce(ingest.ended, clock_timestamp()) - began)::float8, ingest.ended IS NOT NULL
FROM ingest JOIN ingest_document AS document ON document.ingest = ingest.id WHERE key = %s GROUP BY ingest.id
"""


@dataclass(frozen=True, slots=True)
class IngestState:
    """How far the last ingest of a folder is: documents in all, through, and at workers, and how long it took.

    `seconds_left` is there once it can be told, 0 when it `has_ended`. `without_text` are documents with the reason why
    they gave none, `set_aside` those at which workers failed.
    """

    total: int
    done: int
    reading: int
    seconds: float
    seconds_left: float | None
    has_ended: bool
    without_text: list[tuple[str, str]]
    set_aside: list[tuple[str, str]]

    @staticmethod
    def of(database: Database, key: str) -> "IngestState | None":
        """Return the state of the last ingest of a folder; None where there was none."""

        def read(db: Connection[Any]) -> "IngestState | None":
            counted = db.execute(_STATE, (key,)).fetchone()
            if counted is None:
                return None
            total, done, reading, whole, through, seconds, has_ended = counted
            query = (
                "SELECT path, reason FROM ingest_document JOIN ingest ON ingest.id = ingest"
                " WHERE key = %s AND state = %s ORDER BY path"
            )
            told = [
                [(path, str(from_kept(reason.decode()))) for path, reason in db.execute(query, (key, state))]
                for state in ("without text", "set aside")
            ]
            left = 0.0 if has_ended else seconds / through * (whole - through) if through else None
            return IngestState(total, done, reading, seconds, left, has_ended, *told)

        return database.use(read)


class IngestRows:
    """The rows of one ingest, in place of those of the one before it of the same folder. Raises DatabaseError."""

    def __init__(self, database: Database, key: str, files: Sequence[WalkedFile]) -> None:
        self._database = database

        def begin(db: Connection[Any]) -> int:
            db.execute("DELETE FROM ingest WHERE key = %s", (key,))
            [(number,)] = db.execute("INSERT INTO ingest (key) VALUES (%s) RETURNING id", (key,)).fetchall()
            with db.cursor().copy("COPY ingest_document (ingest, path, size) FROM STDIN") as copy:
                for file in files:
                    copy.write_row((number, file.path, file.stamp[0]))
            return int(number)

        self._id = database.use(begin, waits=True)

    def begun(self, paths: Collection[str]) -> None:
        """Note that documents are handed to a worker."""
        self._be("reading", paths)

    def lost(self, paths: Collection[str]) -> None:
        """Note that documents wait again, for their worker's node is gone."""
        self._be("waiting", paths)

    def _be(self, state: str, paths: Collection[str]) -> None:
        query = "UPDATE ingest_document SET state = %s WHERE ingest = %s AND path = ANY(%s)"
        self._database.use(lambda db: db.execute(query, (state, self._id, list(paths))), waits=True)

    def done(self, paths: Collection[str]) -> None:
        """Note that documents are in the index, or that it says why not."""
        self._database.use(lambda db: db.execute(_DONE, {"id": self._id, "paths": list(paths)}), waits=True)

    def failed(self, paths: Collection[str]) -> int:
        """Note that a worker failed at documents; return how often workers failed at that of them with the most."""
        query = (
            "UPDATE ingest_document SET state = 'waiting', tries = tries + 1 WHERE ingest = %s AND path = ANY(%s)"
            " RETURNING tries"
        )
        rows = self._database.use(lambda db: db.execute(query, (self._id, list(paths))).fetchall(), waits=True)
        return max((tries for (tries,) in rows), default=0)

    def set_aside(self, path: str, reason: str) -> None:
        """Note that no worker tries a document again."""
        query = (
            "UPDATE ingest_document SET state = 'set aside', reason = %s, ended = clock_timestamp()"
            " WHERE ingest = %s AND path = %s"
        )
        self._database.use(lambda db: db.execute(query, (reason.encode(), self._id, path)), waits=True)

    def end(self) -> None:
        """Note that it has ended; documents that went from the folder meanwhile no longer count."""

        def end(db: Connection[Any]) -> None:
            db.execute("DELETE FROM ingest_document WHERE ingest = %s AND ended IS NULL", (self._id,))
            db.execute("UPDATE ingest SET ended = clock_timestamp() WHERE id = %s", (self._id,))

        self._database.use(end, waits=True)
