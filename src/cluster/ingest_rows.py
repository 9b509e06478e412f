"""The progress of an ingest on a cluster, in rows of the database that any machine can read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, Self, TypeAlias

from psycopg import Connection

from ..kernel.database.database import Database
from ..kernel.notice import from_column
from ..rag import WalkedFile

Step: TypeAlias = Literal["converting", "embedding"]
"""A worker's step on a document, whose state is "waiting" before "converting" and "converted" before "embedding"."""

_BEFORE: Final[Mapping[Step, str]] = {"converting": "waiting", "embedding": "converted"}

_LEFT: Final = """
SELECT path FROM ingest_document WHERE ingest = %(id)s AND path = ANY(%(paths)s) AND state = %(step)s
"""

_BEGUN: Final = """
UPDATE ingest_document SET state = %(step)s, tries = 1
WHERE ingest = %(id)s AND path = ANY(%(paths)s) AND state = %(before)s RETURNING path
"""

_DONE: Final = """
UPDATE ingest_document AS document SET ended = clock_timestamp(), reason = file.reason,
    state = CASE WHEN file.reason IS NULL THEN 'read' ELSE 'without text' END
FROM ingest JOIN folder USING (key) JOIN file ON file.folder = folder.id
WHERE ingest.id = %s AND document.ingest = ingest.id AND document.path = ANY(%s) AND file.path = document.path
"""

_STATE: Final = """
SELECT count(*), count(document.ended), count(*) FILTER (WHERE document.ended IS NULL AND state <> 'waiting'),
    sum(size)::float8, coalesce(sum(size) FILTER (WHERE document.ended IS NOT NULL), 0)::float8,
    extract(epoch FROM coalesce(ingest.ended, clock_timestamp()) - began)::float8, ingest.ended IS NOT NULL
FROM ingest JOIN ingest_document AS document ON document.ingest = ingest.id WHERE key = %s GROUP BY ingest.id
"""


@dataclass(frozen=True, slots=True)
class IngestState:
    """The progress of the last ingest of a folder: documents in total, done, and being read, and its seconds so far.

    `seconds_left` is None until it can be estimated, and 0 once the ingest `has_ended`. `without_text` lists (path,
    reason) of documents that gave no text, `set_aside` of those on which workers kept failing.
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
        """Return the state of the last ingest of a folder; None if there was none."""

        def read(db: Connection[Any]) -> "IngestState | None":
            row = db.execute(_STATE, (key,)).fetchone()
            if row is None:
                return None
            total, done, reading, total_bytes, done_bytes, seconds, has_ended = row
            query = (
                "SELECT path, reason FROM ingest_document JOIN ingest ON ingest.id = ingest"
                " WHERE key = %s AND state = %s ORDER BY path"
            )
            lists = [
                [(path, str(from_column(reason.decode()))) for path, reason in db.execute(query, (key, state))]
                for state in ("without text", "set aside")
            ]
            seconds_left = (
                0.0 if has_ended else seconds / done_bytes * (total_bytes - done_bytes) if done_bytes else None
            )
            return IngestState(total, done, reading, seconds, seconds_left, has_ended, *lists)

        return database.use(read)


@dataclass(frozen=True, slots=True)
class IngestRows:
    """The rows of the ingest with that number: state and attempts of each document. Raises DatabaseError."""

    database: Database
    number: int

    @classmethod
    def of(cls, database: Database, key: str, files: Sequence[WalkedFile]) -> Self:
        """Start an ingest, replacing the rows of the folder's earlier one."""

        def begin(db: Connection[Any]) -> int:
            db.execute("DELETE FROM ingest WHERE key = %s", (key,))
            [(number,)] = db.execute("INSERT INTO ingest (key) VALUES (%s) RETURNING id", (key,)).fetchall()
            with db.cursor().copy("COPY ingest_document (ingest, path, size) FROM STDIN") as copy:
                for file in files:
                    copy.write_row((number, file.path, file.stamp[0]))
            return int(number)

        return cls(database, database.use(begin, waits=True))

    def begin_step(self, paths: Sequence[str], step: Step) -> tuple[list[str], list[str]]:
        """Start a step for the documents ready for it; return these, and those whose worker died during the step."""
        arguments = {"id": self.number, "paths": paths, "step": step, "before": _BEFORE[step]}

        def begin(db: Connection[Any]) -> tuple[list[str], list[str]]:
            interrupted, fresh = db.execute(_LEFT, arguments).fetchall(), db.execute(_BEGUN, arguments).fetchall()
            return [path for (path,) in fresh], [path for (path,) in interrupted]

        return self.database.use(begin, waits=True)

    def again(self, path: str) -> int:
        """Count another attempt at a document; return the number of attempts so far."""
        query = "UPDATE ingest_document SET tries = tries + 1 WHERE ingest = %s AND path = %s RETURNING tries"
        return max((tries for (tries,) in self.database.rows(query, (self.number, path), waits=True)), default=1)

    def mark_converted(self, paths: Sequence[str]) -> None:
        """Record that the passages of documents are in the index, without vectors so far."""
        query = "UPDATE ingest_document SET state = 'converted' WHERE ingest = %s AND path = ANY(%s)"
        self.database.rows(query, (self.number, paths), waits=True)

    def mark_done(self, paths: Sequence[str]) -> None:
        """Record that documents are in the index, with their text or the reason why there is none."""
        self.database.rows(_DONE, (self.number, paths), waits=True)

    def set_aside(self, path: str, reason: str) -> None:
        """Record that no worker tries a document again."""
        query = (
            "UPDATE ingest_document SET state = 'set aside', reason = %s, ended = clock_timestamp()"
            " WHERE ingest = %s AND path = %s"
        )
        self.database.rows(query, (reason.encode(), self.number, path), waits=True)

    def end(self) -> None:
        """Record the end of the ingest; documents removed from the folder meanwhile no longer count."""

        def end(db: Connection[Any]) -> None:
            db.execute("DELETE FROM ingest_document WHERE ingest = %s AND ended IS NULL", (self.number,))
            db.execute("UPDATE ingest SET ended = clock_timestamp() WHERE id = %s", (self.number,))

        self.database.use(end, waits=True)
