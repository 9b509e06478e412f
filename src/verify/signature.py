"""Signs reports with Ed25519 (RFC 8032) and checks signatures: over the checksum, which covers every field and text.

Needs the extra `sign`, which is imported only to sign a report or to check a signature.
"""

import base64
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pydantic import BaseModel

from ..kernel.errors import SettingsError
from ..kernel.host import write_private_once
from ..report import Report

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

KIND: Final = "ed25519:"
"""Prefix of a public key."""

NAME: Final = "signing.key"
"""File in the data folder with the user's private key, in PEM, readable by the user only."""


class Signature(BaseModel, frozen=True, extra="forbid"):
    """The signer's public key, as text, and the signature, in base64."""

    key: str
    value: str


def signed(content: bytes, report: Report, data_dir: Path) -> bytes:
    """Return a report as JSON with the user's signature as its last field; create the key if there is none.

    Raises SettingsError.
    """
    private = _private(data_dir)
    value = base64.b64encode(private.sign(_message(report))).decode()
    field = Signature(key=_text(private), value=value).model_dump_json()
    return content.rstrip().removesuffix(b"}").rstrip() + f',\n  "signature": {field}\n}}\n'.encode()


def public_key(data_dir: Path) -> str:
    """Return the user's public key; create one if there is none. Raises SettingsError."""
    return _text(_private(data_dir))


def require_key(key: str) -> None:
    """Raise SettingsError unless `key` is a public key."""
    if _bytes(key.removeprefix(KIND), 32) is None or not key.startswith(KIND):
        raise SettingsError(f'"{key}" is not a public key', where="--signer", remedy="`spyglass key` prints your own.")
    _require_library()


def holds(report: Report, signature: Signature) -> bool:
    """Whether a signature is valid for its key and this report. Raises SettingsError without the extra."""
    _require_library()
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    key, value = _bytes(signature.key.removeprefix(KIND), 32), _bytes(signature.value, 64)
    if key is None or value is None or not signature.key.startswith(KIND):
        return False
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(value, _message(report))
    except InvalidSignature:
        return False
    return True


def _message(report: Report) -> bytes:
    return f"spyglass report {report.checksum}".encode()


def _bytes(text: str, length: int) -> bytes | None:
    """Decode base64; None if the text is not canonical base64 of exactly `length` bytes."""
    try:
        data = base64.b64decode(text, validate=True)
    except ValueError:
        return None
    return data if len(data) == length and base64.b64encode(data).decode() == text else None


def _text(private: "Ed25519PrivateKey") -> str:
    return KIND + base64.b64encode(private.public_key().public_bytes_raw()).decode()


def _private(data_dir: Path) -> "Ed25519PrivateKey":
    """Return the user's key; create one if there is none. Two processes that create one at once get the same key."""
    _require_library()
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    path = data_dir / NAME
    try:
        if not path.exists():
            _make(path)
        key = load_pem_private_key(path.read_bytes(), None)
    except (OSError, ValueError, TypeError) as error:
        remedy = "Move the file away to create a new key, and inform those who use the old one."
        raise SettingsError(f"The signing key cannot be used: {error}", where=str(path), remedy=remedy) from error
    if not isinstance(key, Ed25519PrivateKey):
        raise SettingsError("The signing key is not an Ed25519 key", where=str(path))
    return key


def _make(path: Path) -> None:
    """Write a new key atomically, without replacing an existing one."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    pem = Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    write_private_once(path, pem)


def _require_library() -> None:
    try:
        import cryptography  # noqa: F401
    except ImportError as error:
        remedy = 'Install it: pip install "spyglass[sign]".'
        raise SettingsError("The library for signing is not installed", remedy=remedy) from error
