"""A certificate of an authority that nobody else knows, for servers on this machine that talk TLS."""

import ssl
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec


def certificate(folder: Path, *names: str, expired: bool = False) -> tuple[Path, ssl.SSLContext]:
    """Make one for these names and addresses; return its authority's PEM file and what a server needs to show it."""
    root, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    named = x509.SubjectAlternativeName([_named(name) for name in names])
    of_root = _made("Loopback's authority", root, root, x509.BasicConstraints(ca=True, path_length=0))
    of_server = _made("Loopback", key, root, named, expired=expired)
    public, shown = folder / "authority.pem", folder / "server.pem"
    public.write_bytes(of_root)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    shown.write_bytes(private + of_server)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(shown)
    return public, context


def _made(
    name: str,
    key: ec.EllipticCurvePrivateKey,
    root: ec.EllipticCurvePrivateKey,
    extension: x509.ExtensionType,
    *,
    expired: bool = False,
) -> bytes:
    """Return a certificate of a key, signed by the authority's, as PEM."""
    today = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)]))
        .issuer_name(x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "Loopback's authority")]))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(today - timedelta(days=9))
        .not_valid_after(today + timedelta(days=-1 if expired else 9))
        .add_extension(extension, critical=False)
        .sign(root, hashes.SHA256())
    )
    return made.public_bytes(serialization.Encoding.PEM)


def _named(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(name))
    except ValueError:
        return x509.DNSName(name)
