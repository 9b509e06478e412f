"""The tokens that authenticate callers of the service: only hashes are stored, and compared in constant time."""

import hmac
import ipaddress
import re
import secrets
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from ..kernel.database import database_of
from ..kernel.errors import UsageError
from ..kernel.host import write_private
from ..kernel.settings import Settings
from ..kernel.source import digest

if TYPE_CHECKING:
    from ..kernel.database.database import Database

BYTES: Final = 32  # bytes of a token: too many to guess, so a fast hash suffices
GRANTS_FILE: Final = "serve-tokens.json"  # the file of the grants, in the data folder
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
_LASTS: Final = re.compile(r"([1-9][0-9]{0,4})([hdw])")


_ADD: Final = """
INSERT INTO token VALUES (%(name)s, %(hashed)s, %(made)s, %(budget)s, %(runs_a_day)s, %(ends)s)
ON CONFLICT (name) DO NOTHING RETURNING name
"""


class TokenError(UsageError):
    """An invalid token: unknown, revoked or expired."""


class Grant(BaseModel):
    """A token made for a caller, and the caller's limits.

    `hashed` is the SHA-256 of the token in hex, `made` an ISO time in UTC; without `ends` the token is valid until
    revoked. The `budget` in US dollars limits the cost of all runs within 30 days, `runs_a_day` the number of runs
    within 24 hours.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    hashed: str
    made: str
    budget: float | None = Field(default=None, gt=0)
    runs_a_day: int | None = Field(default=None, ge=1)
    ends: AwareDatetime | None = None

    @property
    def expired(self) -> bool:
        """Whether the token is no longer valid."""
        return self.ends is not None and datetime.now(UTC) >= self.ends

    @property
    def is_bounded(self) -> bool:
        """Whether the token has a limit that must be enforced."""
        return bool(self.budget or self.runs_a_day)


class Tokens:
    """The token of the settings, which belongs to the operator of the service, and the tokens made for others.

    Changes made while a service runs take effect from the next call on.
    """

    def __init__(self, settings: Settings) -> None:
        token = settings.serve.token
        self._operator_hash = None if token is None else digest(token.get_secret_value(), size=64)
        self._store: KeptGrants | SharedGrants = KeptGrants(settings.data_dir / GRANTS_FILE)
        if settings.database_url is not None:
            self._store = SharedGrants(database_of(settings))
        self._is_needed = self._operator_hash is not None or bool(self.grants())

    def needed(self) -> bool:
        """Return whether callers need a token; this stays true when the last token is revoked."""
        self._is_needed = self._is_needed or bool(self.grants())
        return self._is_needed

    def admits(self, token: str) -> Grant | None:
        """Return the grant of a token; None for the token of the settings, or if none is needed.

        Blocks. Raises TokenError for a token that is unknown, revoked or expired.
        """
        hashed = digest(token, size=64)
        if not self.needed() or (self._operator_hash is not None and hmac.compare_digest(self._operator_hash, hashed)):
            return None
        grant = next((grant for grant in self.grants() if hmac.compare_digest(grant.hashed, hashed)), None)
        if grant is None:
            raise TokenError("The token is not valid for this service" if token else "This service requires a token")
        if grant.expired:
            raise TokenError(f"The token {grant.name} has expired: it was valid until {grant.ends:%Y-%m-%d %H:%M} UTC")
        return grant

    def grants(self) -> list[Grant]:
        """Return the grants, the oldest first. Blocks. Raises UsageError and DatabaseError."""
        return self._store.all()

    def make(
        self, name: str, budget: float | None = None, runs_a_day: int | None = None, lasts: timedelta | None = None
    ) -> str:
        """Make and return a token; only its hash is stored, so it cannot be shown again. Blocks. Raises UsageError."""
        if not _NAME.fullmatch(name):
            raise UsageError(
                f"{name!r} is not a valid name of a token", remedy="Use letters a-z, digits and -, at most 40."
            )
        token = secrets.token_urlsafe(BYTES)
        now = datetime.now(UTC).replace(microsecond=0)
        ends = None if lasts is None else now + lasts
        hashed, made = digest(token, size=64), now.isoformat()
        grant = Grant(name=name, hashed=hashed, made=made, budget=budget, runs_a_day=runs_a_day, ends=ends)
        if not self._store.add(grant):
            raise UsageError(
                f"The token {name!r} already exists",
                remedy=f"Choose another name, or run: spyglass token revoke {name}",
            )
        return token

    def revoke(self, name: str) -> None:
        """Invalidate the token of that name. Blocks. Raises UsageError if there is none."""
        if not self._store.remove(name):
            raise UsageError(f"There is no token {name!r}", remedy="List the tokens with: spyglass token list")


class KeptGrants:
    """Grants in a file of this machine."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def all(self) -> list[Grant]:
        """Return the grants, the oldest first. Raises UsageError for an unreadable file."""
        try:
            return _GRANTS.validate_json(self._path.read_bytes())
        except FileNotFoundError:
            return []
        except (OSError, ValidationError) as error:
            raise UsageError("The tokens of the service cannot be read", where=str(self._path)) from error

    def add(self, grant: Grant) -> bool:
        """Add a grant; return False if its name is taken."""
        grants = self.all()
        if any(other.name == grant.name for other in grants):
            return False
        self._write([*grants, grant])
        return True

    def remove(self, name: str) -> bool:
        """Remove the grant of that name; return False if there is none."""
        grants = self.all()
        self._write([grant for grant in grants if grant.name != name])
        return any(grant.name == name for grant in grants)

    def _write(self, grants: list[Grant]) -> None:
        write_private(self._path, _GRANTS.dump_json(grants, indent=1))


class SharedGrants:
    """Grants in the database that several services share. Raises DatabaseError."""

    def __init__(self, database: "Database") -> None:
        self._database = database

    def all(self) -> list[Grant]:
        """Return the grants, the oldest first."""
        from psycopg.rows import class_row

        query = "SELECT * FROM token ORDER BY made, name"
        return self._database.use(lambda db: db.cursor(row_factory=class_row(Grant)).execute(query).fetchall())

    def add(self, grant: Grant) -> bool:
        """Add a grant; return False if its name is taken."""
        return bool(self._database.rows(_ADD, grant.model_dump()))

    def remove(self, name: str) -> bool:
        """Remove the grant of that name; return False if there is none."""
        query = "DELETE FROM token WHERE name = %s RETURNING name"
        return self._database.use(lambda db: db.execute(query, (name,)).fetchone()) is not None


def lasting(text: str) -> timedelta:
    """Parse a lifetime such as `12h`, `30d` or `8w`. Raises UsageError."""
    match = _LASTS.fullmatch(text.strip().lower())
    if match is None:
        remedy = "Use hours, days or weeks: 12h, 30d, 8w."
        raise UsageError(f"{text[:40]!r} is not a valid lifetime of a token", where="--expires", remedy=remedy)
    return int(match[1]) * {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}[match[2]]


def require_token(tokens: Tokens, host: str) -> None:
    """Raise UsageError if other machines can call without a token."""
    if not tokens.needed() and not is_loopback(host):
        raise UsageError(
            f"Other machines could call the service at {host or 'every address'} and spend money with your keys: "
            "it needs a token",
            where="--host",
            remedy="Create one with `spyglass token new NAME`, or set SPYGLASS_SERVE__TOKEN.",
        )


def is_loopback(host: str) -> bool:
    """Return whether a service bound to this name or address is reachable only from this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


_GRANTS: Final = TypeAdapter(list[Grant])
