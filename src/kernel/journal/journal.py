"""The journal of a run in SQLite: its external calls, with their requests and answers."""

import json
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from ..bounded_json import LONGEST, MOST_LISTED, MOST_VALUES, read_json
from ..cleanup import transaction
from ..database import database_of
from ..errors import JournalError
from ..events import Event
from ..host import private_file, private_folder
from .effect import Answer, Mark, Timed, canonical, packed, spelt, unpacked_text
from .lease import OWNED, RENEWED, Lease, taken_over
from .tables import Rows, is_ahead, prepare, replace, require_few, require_ours, rows_in

if TYPE_CHECKING:
    from ..settings import Settings


Durability = Literal["process", "power"]

CHECKPOINT = 16_000
"""Pages of 4 kB in the write-ahead log after which SQLite moves them to the file, which is slow."""

UTF8 = "CAST(? AS TEXT)"
"""A parameter bound as UTF-8 bytes: a bound `str` keeps its own UTF-8 copy for as long as it lives."""

LONGEST_LISTED = 5 * LONGEST  # characters of all messages together
LARGEST = 1_000_000_000  # bytes of a journal that is copied into memory
LONGEST_WAIT = 0.2
"""Seconds for which a write waits for another process's write, while the event loop is blocked."""

LONGEST_READ = 5.0
"""Seconds for which a reader waits: an owner that closes the journal locks readers out while it checkpoints the log."""

_REFUSED = "DELETE FROM effect WHERE json_extract(error, '$.type') = 'BudgetError'"
_GATHERED_UNDER_LIMIT = "DELETE FROM effect WHERE kind IN ('gather', 'read') AND json_extract(answer, '$.limit') <> ''"
_GATHERED_IN_VAIN = """
DELETE FROM effect WHERE kind IN ('gather', 'read') AND error IS NULL
AND (json_array_length(answer, '$.pages') = 0 OR COALESCE(json_extract(answer, '$.unanswered'), '{}') <> '{}')
"""
_RETRIEVED_BY_LESS = """
DELETE FROM effect WHERE kind = 'retrieve'
AND EXISTS (SELECT 1 FROM effect WHERE kind IN ('embed', 'rerank') AND error IS NOT NULL)
"""
_FAILED = """
DELETE FROM effect WHERE error IS NOT NULL AND NOT (kind = 'search' AND json_extract(request, '$.query') IN
(SELECT json_extract(request, '$.query') FROM effect WHERE kind = 'search' AND error IS NULL))
"""

_OF_MAKER = "DELETE FROM run WHERE name NOT IN ('format', 'question', 'makes') AND name NOT LIKE 'charge %'"
_OF_FILES = "DELETE FROM effect WHERE kind IN ('filelist', 'ingest', 'fill', 'retrieve', 'openings', 'convert')"


class Journal:
    """The journal of one run, in one SQLite file, or in memory when `path` is None.

    Only the holder of the lease may write. With durability "process" a write survives the death of the process
    (`synchronous=NORMAL`, some 0.03 ms), with "power" that of the machine (`FULL`, some 3.5 ms). `origin` is the file
    that a copy was read from. Raises JournalError, and LeaseError for a write without the lease.
    """

    renewed_after = RENEWED
    """Seconds between renewals of the lease."""

    stop_asked = False
    """Whether another machine has asked the run to stop."""

    def __init__(self, path: Path | None = None, *, durability: Durability = "process", readonly: bool = False) -> None:
        self.path = path
        self.origin = path
        self._readonly = readonly
        self._lock = threading.RLock()
        try:
            self._db = _opened(path, readonly=readonly)
            require_ours(self._db, path)
            if not readonly:
                self._db.execute("PRAGMA journal_mode=WAL")
                self._db.execute(f"PRAGMA wal_autocheckpoint={CHECKPOINT}")
                self._db.execute(f"PRAGMA synchronous={'FULL' if durability == 'power' else 'NORMAL'}")
                prepare(self._db, path)
        except (OSError, sqlite3.Error) as error:
            raise JournalError(
                f"The journal cannot be opened: {error}", where=str(path), remedy="Set data_dir to a writable folder."
            ) from error
        self._lease = Lease(self._db, str(path or "a journal in memory"))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    @classmethod
    def copy_of(cls, path: Path) -> Self:
        """Return a copy in memory without a lease. Raises JournalError when there is no such journal."""
        if path.stat().st_size > LARGEST:
            size = f"{path.stat().st_size / 1_000_000:,.0f} MB"
            raise JournalError(f"The journal has {size}; the limit is {LARGEST // 1_000_000:,} MB", where=str(path))
        copy = cls()
        try:
            with cls(path, readonly=True) as source:
                require_few(source._db, path)
                source._db.backup(copy._db)
            prepare(copy._db, path)
            copy._db.execute("DELETE FROM lease")
        except sqlite3.Error as error:
            raise JournalError(f"The journal cannot be read: {error}", where=str(path)) from error
        copy.origin = path
        return copy

    @property
    def synchronous(self) -> int:
        """When SQLite waits for the disk: 1 at checkpoints (NORMAL), 2 at each write (FULL)."""
        return int(self._read("PRAGMA synchronous")[0][0])

    def write_to(self, path: Path) -> None:
        """Write the whole journal, compacted, to a new file. Raises JournalError if it exists or cannot be written."""
        self._write("VACUUM INTO ?", (str(path),))

    # The lease

    def take(self) -> None:
        """Take the lease, without which nothing is written. Raises LeaseError while its holder is alive."""
        with self._writing():
            self._lease.take()

    async def take_async(self) -> None:
        """Take the lease without blocking the event loop. Raises as `take` does."""
        self.take()

    async def flush(self) -> None:
        """Wait until what was recorded so far is stored durably. Raises JournalError."""

    def renew(self) -> bool:
        """Renew the lease; return False if another process has taken it."""
        with self._writing():
            return self._lease.renew()

    def release(self) -> None:
        """Release the lease, if this process holds it."""
        with self._writing():
            self._lease.release()

    def holder(self) -> int | None:
        """Return the id of the process that holds the lease, None without one. Raises JournalError."""
        has_lease = self._read("SELECT 1 FROM sqlite_master WHERE name = 'lease'")
        with self._reading():
            return self._lease.holder() if has_lease else None

    def publish(self, event: Event) -> None:
        """Publish an event to other machines; does nothing for a run in a file."""

    # Contents

    def get(self, name: str) -> Any:
        """Return a fact about the run itself (its id, its question), or None."""
        rows = self._read("SELECT value FROM run WHERE name = ?", name)
        return self._values([rows[0][0]])[0] if rows else None

    def put(self, name: str, value: Any) -> None:
        """Store a fact about the run itself."""
        self._insert("run (name, value)", (name, packed(canonical(value))), "UPDATE SET value = excluded.value")

    def find(self, key: str) -> Answer | None:
        """Return the recorded answer to a request, or None if there is none."""
        rows = self._read("SELECT answer, error FROM effect WHERE key = ?", key)
        return self._answers(rows)[0] if rows else None

    def record(
        self, key: str, kind: str, request: Any, answer: Answer, *, began: float = 0.0, ended: float = 0.0
    ) -> None:
        """Store the answer to a request, with its begin and end (seconds since 1970); a stored answer is kept."""
        value = None if answer.error is not None else spelt(answer.value)
        error = None if answer.error is None else canonical(answer.error)
        self._insert(
            "effect (key, kind, request, answer, error, began, ended)",
            (key, kind, spelt(request), value, error, began, ended),
            marks=f"?, ?, {UTF8}, {UTF8}, ?, ?, ?",
        )

    @contextmanager
    def together(self) -> Iterator[None]:
        """Record all changes of the block, or none. Raises JournalError."""
        with self._writing(), transaction(self._db):
            yield

    def forget(self, first: int = 0, *, kind: str = "") -> None:
        """Delete the effects from number `first` on with their marks, and all messages; or the effects of a `kind`."""
        self._require_lease()
        if kind:
            self._write("DELETE FROM effect WHERE kind = ?", (kind,))
            return
        self._write("DELETE FROM effect WHERE seq >= ?", (first,))
        self._write("DELETE FROM phase WHERE after >= ?", (first - 1,))
        self._write("DELETE FROM message", ())

    def forget_refused(self) -> None:
        """Delete the calls that a limit of the run prevented, and the results that were gathered without them."""
        self._forget(_REFUSED, _GATHERED_UNDER_LIMIT)

    def forget_failures(self) -> None:
        """Delete the effects that failed, and the gathered and retrieved results that lack their answers.

        A failed search is kept if another engine has answered the same query.
        """
        self._forget(_GATHERED_IN_VAIN, _RETRIEVED_BY_LESS, _FAILED)

    def forget_maker(self) -> None:
        """Delete the settings, the spending, the report and the files of a run; the question stays."""
        self._forget(_OF_MAKER, _OF_FILES)

    def _forget(self, *statements: str) -> None:
        self._require_lease()
        for statement in statements:
            self._write(statement, ())

    def mark(self, name: str, status: str, at: float) -> None:
        """Record a status, for example of a phase, after the effects so far, at a time in seconds since 1970."""
        last = self._read("SELECT COALESCE(MAX(seq), 0) FROM effect")[0][0]
        self._insert("phase (name, status, after, at)", (name, status, last, at))

    def marks(self) -> list[Mark]:
        """Return every mark, in order."""
        return [tuple(row) for row in self._read("SELECT name, status, after, at FROM phase ORDER BY rowid")]

    def effects(self, *kinds: str) -> list[tuple[str, Any, Answer]]:
        """Return every effect, or those of these kinds, as (kind, request, answer), in the order of their answers."""
        rows = self._read(
            "SELECT kind, request, answer, error FROM effect "
            "WHERE ?1 = '[]' OR kind IN (SELECT value FROM json_each(?1)) ORDER BY seq",
            canonical(kinds),
        )
        requests = self._values([request for _, request, _, _ in rows], MOST_LISTED)
        answers = self._answers([row[2:] for row in rows], MOST_LISTED)
        return [(row[0], request, answer) for row, request, answer in zip(rows, requests, answers, strict=True)]

    def requests(self) -> list[tuple[str, str, Any, dict[str, Any] | None]]:
        """Return every effect as (key, kind, request, error), in order, without its answer, which may be long."""
        rows = self._read("SELECT key, kind, request, error FROM effect ORDER BY seq")
        requests = self._values([request for _, _, request, _ in rows], MOST_LISTED)
        errors = self._values([error or "null" for *_, error in rows], MOST_LISTED)
        return [(row[0], row[1], request, error) for row, request, error in zip(rows, requests, errors, strict=True)]

    def charge(self, key: str, prompt_tokens: int, completion_tokens: int, cost: float | None) -> None:
        """Store the tokens and the cost of a model call; a stored charge is kept."""
        value = canonical([prompt_tokens, completion_tokens, cost])
        self._insert("run (name, value)", (f"charge {key}", value))

    def timed(self) -> list[Timed]:
        """Return every effect with its times, in the order of their answers."""
        rows = self._read(
            "SELECT kind, request, json_extract(error, '$.type'), COALESCE(began, 0), COALESCE(ended, 0), "
            "(SELECT value FROM run WHERE name = 'charge ' || key) FROM effect ORDER BY seq"
        )
        requests = self._values([row[1] for row in rows], MOST_LISTED)
        charges = self._values([row[5] or "null" for row in rows], MOST_LISTED)
        return [
            Timed(kind, request, error or "", began, ended, charge and tuple(charge))
            for (kind, _, error, began, ended, _), request, charge in zip(rows, requests, charges, strict=True)
        ]

    def log(self, sender: str, message: Any) -> None:
        """Store a message that the server dispatched."""
        self._insert("message (sender, body)", (sender, packed(json.dumps(message, default=str))))

    def messages(self) -> list[tuple[str, Any]]:
        """Return every dispatched message as (sender, message), in order."""
        rows = self._read("SELECT sender, body FROM message ORDER BY seq")
        texts: list[str] = []
        left = LONGEST_LISTED
        with self._reading():
            for _, body in rows:
                texts.append(unpacked_text(body, left))
                left -= len(texts[-1])
        bodies = self._values(texts, MOST_LISTED)
        return [(sender, body) for (sender, _), body in zip(rows, bodies, strict=True)]

    def keep_snapshot(self, text_hash: str, text: str) -> None:
        """Store the text of a source as it was read."""
        self._insert("snapshot (hash, text)", (text_hash, text.encode()), marks=f"?, {UTF8}")

    def snapshot(self, text_hash: str) -> str | None:
        """Return a stored text, or None."""
        rows = self._read("SELECT text FROM snapshot WHERE hash = ?", text_hash)
        return str(rows[0][0]) if rows else None

    # Copies in other files and databases

    def rows(self) -> Rows:
        """Return all rows, in a consistent state."""
        if self.path is None:
            return rows_in(self._db)
        with self._reading(), closing(_opened(self.path, readonly=True)) as db:  # it does not see uncommitted rows
            db.execute("BEGIN")
            return rows_in(db)

    def replace_rows(self, rows: Rows) -> None:
        """Replace all rows and drop the lease, unless a process holds it or the journal is ahead."""
        with self.together():
            if self.holder() is None and not is_ahead(self._db, rows):
                replace(self._db, rows, str(self.path))
                self._db.execute("DELETE FROM lease")

    def seize(self, rows: Rows) -> bool:
        """Seize the lease, and replace all rows unless the journal is ahead; return whether they were replaced."""
        with self.together():
            if not (ahead := is_ahead(self._db, rows)):
                replace(self._db, rows, str(self.path))
            self._lease.seize()
        return not ahead

    def close(self) -> None:
        """Close the journal, leaving one file without a write-ahead log."""
        if self.path is not None and not self._readonly:
            with suppress(sqlite3.Error):  # a reader has it open: the log is kept until the next close
                self._db.execute("PRAGMA journal_mode=DELETE")
        self._db.close()

    def _read(self, query: str, *values: str) -> list[Any]:
        with self._reading():
            return self._db.execute(query, values).fetchall()

    def _values(self, texts: Sequence[object], most: int = MOST_VALUES) -> list[Any]:
        """Return the values of stored JSON texts. Raises JournalError for too many values, or for invalid JSON."""
        with self._reading():
            return read_json([unpacked_text(text) for text in texts], most)

    def _answers(self, rows: Sequence[Sequence[object]], most: int = MOST_VALUES) -> list[Answer]:
        """Return the answers in rows of (value, error), one of which is NULL."""
        values = self._values([value if error is None else error for value, error in rows], most)
        return [
            Answer(value=value) if row[1] is None else Answer(error=value)
            for row, value in zip(rows, values, strict=True)
        ]

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Turn errors of SQLite, and ValueError for too many or invalid values, into JournalError."""
        try:
            yield
        except (sqlite3.Error, ValueError) as error:
            raise JournalError(f"The journal cannot be read: {error}", where=str(self.origin)) from error

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Turn errors of SQLite into JournalError; a lock keeps other threads out of this thread's transaction."""
        try:
            with self._lock:
                yield
        except sqlite3.Error as error:
            what = f"The journal cannot be written: {error}"
            raise JournalError(what, where=str(self.path), remedy="Check that the disk is not full.") from error

    def _insert(
        self, columns: str, values: tuple[Any, ...], otherwise: str = "NOTHING", *, marks: str = ""
    ) -> int | None:
        """Insert a row and return its number, or None if the row exists; `otherwise` is the action on a conflict.

        In a table without numbers the number is 1. Raises LeaseError without the lease.
        """
        marks = marks or ", ".join("?" * len(values))
        conflict = "(name) DO " if otherwise != "NOTHING" else " DO "
        number = "1" if columns.startswith(("run ", "snapshot ")) else "rowid"
        rows = self._write(
            f"INSERT INTO {columns} SELECT {marks} WHERE {OWNED} ON CONFLICT{conflict}{otherwise} RETURNING {number}",
            (*values, self._lease.owner),
        )
        if not rows:
            self._require_lease()
        return rows[0][0] if rows else None

    def _require_lease(self) -> None:
        rows = self._read("SELECT owner FROM lease")
        if (rows[0][0] if rows else None) != self._lease.owner:
            raise taken_over(self.path)

    def _write(self, statement: str, values: tuple[Any, ...]) -> list[Any]:
        """Execute a statement and return its rows: a cursor's `rowcount` may be that of another thread's statement."""
        with self._writing():
            return self._db.execute(statement, values).fetchall()


def _opened(path: Path | None, *, readonly: bool) -> sqlite3.Connection:
    if path is not None and not readonly:
        private_folder(path.parent)
        private_file(path)
    place = f"{path.absolute().as_uri()}?mode=ro" if path is not None and readonly else path or ":memory:"
    wait = LONGEST_READ if readonly else LONGEST_WAIT
    db = sqlite3.connect(place, isolation_level=None, check_same_thread=False, timeout=wait, uri=readonly)
    db.execute("PRAGMA trusted_schema=OFF")
    db.execute("PRAGMA cell_size_check=ON")
    return db


def journal_at(path: Path, settings: "Settings") -> Journal:
    """Open the journal of a run for writing. Raises JournalError."""
    durability = settings.runs.durability
    if settings.database_url is None:
        return Journal(path, durability=durability)
    database = database_of(settings)
    from .shared import SharedJournal

    return SharedJournal(path, database, durability=durability)
