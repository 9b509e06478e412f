"""The token that callers of the service show: only its hash is kept, and it is compared in constant time."""

import hashlib
import hmac
import ipaddress
import secrets
from pathlib import Path
from typing import Final

from ..kernel.errors import UsageError
from ..kernel.settings import Settings

BYTES: Final = 32
"""Of a token that is made here: none is guessed, so a plain hash is as good as a slow one."""

NAME: Final = "serve-token"
"""The file under the data folder that holds the hash of a token that was made here, in hex."""


class Token:
    """What a caller has to show; knows no more of it than its SHA-256."""

    def __init__(self, hashed: str) -> None:
        self._hashed = hashed

    def fits(self, shown: str) -> bool:
        """Say whether this is the token, in a time that tells nothing about it."""
        return hmac.compare_digest(self._hashed, _hashed(shown))


def token_of(settings: Settings) -> Token | None:
    """Return the token of the settings, else the one that was made here last, None where there is neither.

    Raises UsageError when that cannot be read.
    """
    if settings.serve.token is not None:
        return Token(_hashed(settings.serve.token.get_secret_value()))
    place = _place(settings)
    try:
        return Token(place.read_text(encoding="ascii")) if place.exists() else None
    except OSError as error:
        raise UsageError(f"The token of the service cannot be read: {error.strerror}", where=str(place)) from error


def make_token(settings: Settings) -> str:
    """Return a new token, in place of the one made before; only its hash is kept, so nobody can say it again."""
    token = secrets.token_urlsafe(BYTES)
    place = _place(settings)
    place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    place.unlink(missing_ok=True)
    place.touch(mode=0o600, exist_ok=False)
    place.write_text(_hashed(token), encoding="ascii")
    return token


def require_token(token: Token | None, host: str) -> None:
    """Raise UsageError where others than this machine can call, and need show nothing."""
    if token is None and not is_loopback(host):
        raise UsageError(
            f"Others could call the service at {host or 'every address'} and spend what your keys pay for: "
            "it wants a token",
            where="--host",
            remedy="Make one with --new-token, or set SPYGLASS_SERVE__TOKEN.",
        )


def is_loopback(host: str) -> bool:
    """Say whether only this machine reaches a service that is bound to this name or address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _place(settings: Settings) -> Path:
    return settings.data_dir / NAME


def _hashed(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
