"""The tokens that callers of the service show: only their hashes are kept, and they are compared in constant time."""

import hashlib
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

if TYPE_CHECKING:
    from ..kernel.database.database import Database

BYTES: Final = 32  # of a token: none is guessed, so a plain hash is as good as a slow one
KEPT: Final = "serve-tokens.json"  # the file of the grants, under the data folder
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
_LASTS: Final = re.compile(r"([1-9][0-9]{0,4})([hdw])")


_ADD: Final = """
INSERT INTO token VALUES (%(name)s, %(hashed)s, %(made)s, %(budget)s, %(runs_a_day)s, %(ends)s)
ON CONFLICT (name) DO NOTHING RETURNING name
"""


class TokenError(UsageError):
    """A token that opens nothing: unknown, revoked or expired."""


class Grant(BaseModel):
    """Whom a token was made for, and what that caller may take.

    `hashed` is the SHA-256 of the token in hex, `made` an ISO time in UTC; one that never `ends` can be revoked.
    All runs of 30 days together cost no more than the `budget` in US dollars, and there are no more than `runs_a_day`
    in 24 hours.
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
        """Whether it opens nothing any more."""
        return self.ends is not None and datetime.now(UTC) >= self.ends

    @property
    def is_bounded(self) -> bool:
        """Whether what is taken with the token has to be counted."""
        return bool(self.budget or self.runs_a_day)


class Tokens:
    """The token of the settings, which is that of whoever runs the service, and those that were made for others.

    What is made or revoked while a service runs holds from the next call on.
    """

    def __init__(self, settings: Settings) -> None:
        token = settings.serve.token
        self._own = None if token is None else _hashed(token.get_secret_value())
        self._kept: KeptGrants | SharedGrants = KeptGrants(settings.data_dir / KEPT)
        if settings.database_url is not None:
            self._kept = SharedGrants(database_of(settings))
        self._needed = self._own is not None or bool(self.grants())

    def needed(self) -> bool:
        """Say whether a caller has to show one; it stays so when the last of them is revoked."""
        self._needed = self._needed or bool(self.grants())
        return self._needed

    def admits(self, shown: str) -> Grant | None:
        """Return what the token that is shown was made for; None for that of the settings, or where none is needed.

        Blocks. Raises TokenError for one that is unknown, was revoked or has expired.
        """
        hashed = _hashed(shown)
        if not self.needed() or (self._own is not None and hmac.compare_digest(self._own, hashed)):
            return None
        grant = next((one for one in self.grants() if hmac.compare_digest(one.hashed, hashed)), None)
        if grant is None:
            raise TokenError("That is not the token of this service" if shown else "This service wants a token")
        if grant.expired:
            raise TokenError(f"The token {grant.name} has expired: it held until {grant.ends:%Y-%m-%d %H:%M} UTC")
        return grant

    def grants(self) -> list[Grant]:
        """Return what the tokens were made for, as they were made. Blocks. Raises UsageError and DatabaseError."""
        return self._kept.all()

    def make(
        self, name: str, budget: float | None = None, runs_a_day: int | None = None, lasts: timedelta | None = None
    ) -> str:
        """Return a new token; only its hash is kept, so nobody can say it again. Blocks. Raises UsageError."""
        if not _NAME.fullmatch(name):
            raise UsageError(
                f"No token can have the name {name!r}", remedy="Take letters a-z, digits and -, 40 at most."
            )
        token = secrets.token_urlsafe(BYTES)
        now = datetime.now(UTC).replace(microsecond=0)
        ends = None if lasts is None else now + lasts
        grant = Grant(
            name=name, hashed=_hashed(token), made=now.isoformat(), budget=budget, runs_a_day=runs_a_day, ends=ends
        )
        if not self._kept.add(grant):
            raise UsageError(
                f"There is a token {name!r}", remedy=f"Take another name, or: spyglass token revoke {name}"
            )
        return token

    def revoke(self, name: str) -> None:
        """Have nobody let in any more who shows the token of that name. Blocks. Raises UsageError where none has it."""
        if not self._kept.remove(name):
            raise UsageError(f"There is no token {name!r}", remedy="spyglass token list names them.")


class KeptGrants:
    """What tokens were made for, in a file of this machine."""

    def __init__(self, place: Path) -> None:
        self._place = place

    def all(self) -> list[Grant]:
        """Return them as they were made. Raises UsageError for a file that cannot be read."""
        try:
            return _GRANTS.validate_json(self._place.read_bytes())
        except FileNotFoundError:
            return []
        except (OSError, ValidationError) as error:
            raise UsageError("The tokens of the service cannot be read", where=str(self._place)) from error

    def add(self, grant: Grant) -> bool:
        """Keep one more; False where there is one of its name."""
        grants = self.all()
        if any(one.name == grant.name for one in grants):
            return False
        self._keep([*grants, grant])
        return True

    def remove(self, name: str) -> bool:
        """Forget the one of a name; False where there is none."""
        grants = self.all()
        self._keep([one for one in grants if one.name != name])
        return any(one.name == name for one in grants)

    def _keep(self, grants: list[Grant]) -> None:
        write_private(self._place, _GRANTS.dump_json(grants, indent=1))


class SharedGrants:
    """What tokens were made for, in the database that several services share. Raises DatabaseError."""

    def __init__(self, database: "Database") -> None:
        self._database = database

    def all(self) -> list[Grant]:
        """Return them as they were made."""
        from psycopg.rows import class_row

        query = "SELECT * FROM token ORDER BY made, name"
        return self._database.use(lambda db: db.cursor(row_factory=class_row(Grant)).execute(query).fetchall())

    def add(self, grant: Grant) -> bool:
        """Keep one more; False where there is one of its name."""
        return bool(self._database.rows(_ADD, grant.model_dump()))

    def remove(self, name: str) -> bool:
        """Forget the one of a name; False where there is none."""
        query = "DELETE FROM token WHERE name = %s RETURNING name"
        return self._database.use(lambda db: db.execute(query, (name,)).fetchone()) is not None


def lasting(text: str) -> timedelta:
    """Return how long a token is to hold that is made for `12h`, `30d` or `8w`. Raises UsageError."""
    found = _LASTS.fullmatch(text.strip().lower())
    if found is None:
        remedy = "Give hours, days or weeks: 12h, 30d, 8w."
        raise UsageError(f"No token can hold for {text[:40]!r}", where="--expires", remedy=remedy)
    return int(found[1]) * {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}[found[2]]


def require_token(tokens: Tokens, host: str) -> None:
    """Raise UsageError where others than this machine can call, and need show nothing."""
    if not tokens.needed() and not is_loopback(host):
        raise UsageError(
            f"Others could call the service at {host or 'every address'} and spend what your keys pay for: "
            "it wants a token",
            where="--host",
            remedy="Make one: spyglass token new NAME. Or set SPYGLASS_SERVE__TOKEN.",
        )


def is_loopback(host: str) -> bool:
    """Say whether only this machine reaches a service that is bound to this name or address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _hashed(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


_GRANTS: Final = TypeAdapter(list[Grant])
