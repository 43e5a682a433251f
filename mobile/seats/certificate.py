"""The table's own certificate, and the two words by which people know the table.

No authority vouches for a table in a kitchen, so browsers warn once. The certificate is made once a
device and made anew, with the same key, when the table has another address or it is about to
expire. The words follow from the key: they tell this table from another one that somebody joined by
mistake. They do not keep out an attacker who is on the same network: such a page can show any words
(the certificate's fingerprint, which a browser shows on request, cannot be imitated).
"""

from __future__ import annotations

import hashlib
import ipaddress
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from companion.atomic_io import write_private
from companion.errors import CompanionError

KEY_FILE, CERTIFICATE_FILE = "table-key.pem", "table-certificate.pem"
#: Longer ones are not accepted by every phone.
_HOLDS = timedelta(days=800)
_EARLY = timedelta(days=30)
_MOST_BYTES = 100_000
_FIRST = (
    "amber azure brave bright calm clever coral crimson dapper eager early emerald fabled fancy "
    "gentle giant golden grand happy hidden honest humble indigo ivory jolly keen kind lively "
    "lucky lunar mellow merry misty modest noble olive opal patient pearl plucky polar proud quiet "
    "rapid ruby rustic sandy scarlet silent silver sleepy smiling snowy solar spotted steady "
    "stormy sunny swift tidy velvet violet wild windy"
)
_SECOND = (
    "badger beacon beaver bison candle canoe castle comet condor cricket dolphin dragon eagle "
    "falcon feather ferret forest fountain fox garden gecko glacier harbor hedgehog heron island "
    "jaguar kettle kitten lantern leopard lizard magpie maple marble meadow mirror monkey "
    "mountain orchid otter owl panda parrot pebble pelican pepper piano puffin quail rabbit raven "
    "river robin rocket salmon sparrow spider squirrel teapot tiger turtle walrus willow wombat"
)


@dataclass(frozen=True, slots=True)
class Certificate:
    """A certificate that is on the disk."""

    key_path: Path
    path: Path
    words: str


def certificate(folder: Path, addresses: Sequence[str]) -> Certificate:
    """The table's certificate for these addresses; made where there is none that fits.

    Args:
        folder: where it is kept: beside the journal's keys.
        addresses: IP addresses or names by which phones reach the table.

    Raises:
        CompanionError: it cannot be written.
    """
    key_path, path = folder / KEY_FILE, folder / CERTIFICATE_FILE
    key = _kept_key(key_path)
    found = None if key is None else _kept(path, key, addresses)
    if key is None:
        key = ec.generate_private_key(ec.SECP256R1())
        plain, pkcs8 = serialization.NoEncryption(), serialization.PrivateFormat.PKCS8
        pem = key.private_bytes(serialization.Encoding.PEM, pkcs8, plain)
        write_private(key_path, pem, folders=True)
    if found is None:
        found = _made(key, addresses)
        write_private(path, found.public_bytes(serialization.Encoding.PEM))
    return Certificate(key_path, path, words(key.public_key()))


def words(key: ec.EllipticCurvePublicKey) -> str:
    """Two words that follow from a key."""
    plain = key.public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    number = int.from_bytes(hashlib.sha256(plain).digest()[:8], "big")
    first, second = _FIRST.split(), _SECOND.split()
    number, place = divmod(number, len(first))
    return f"{first[place]} {second[number % len(second)]}"


def _kept_key(path: Path) -> ec.EllipticCurvePrivateKey | None:
    with suppress(OSError, ValueError, TypeError):
        key = serialization.load_pem_private_key(_bytes(path), None)
        if isinstance(key, ec.EllipticCurvePrivateKey):
            return key
    return None


def _kept(
    path: Path, key: ec.EllipticCurvePrivateKey, addresses: Sequence[str]
) -> x509.Certificate | None:
    """The certificate on the disk, if it is the key's, fits the addresses and holds on."""
    with suppress(OSError, ValueError, x509.ExtensionNotFound):
        found = x509.load_pem_x509_certificate(_bytes(path))
        named = found.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        if (
            found.public_key() == key.public_key()
            and set(_names(addresses)) <= set(named)
            and found.not_valid_after_utc > datetime.now(UTC) + _EARLY
            and found.not_valid_before_utc <= datetime.now(UTC)
        ):
            return found
    return None


def _bytes(path: Path) -> bytes:
    if not path.is_file() or path.is_symlink() or path.stat().st_size > _MOST_BYTES:
        raise OSError(path)
    return path.read_bytes()


def _names(addresses: Sequence[str]) -> list[x509.GeneralName]:
    names: list[x509.GeneralName] = []
    for address in dict.fromkeys(addresses):
        try:
            names.append(x509.IPAddress(ipaddress.ip_address(address)))
        except ValueError:
            names.append(x509.DNSName(address))
    return names


def _made(key: ec.EllipticCurvePrivateKey, addresses: Sequence[str]) -> x509.Certificate:
    now = datetime.now(UTC)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Tabletop Companion")])
    try:
        named = x509.SubjectAlternativeName(_names(addresses))
    except ValueError as error:
        raise CompanionError(f"No certificate can name {', '.join(addresses)}.") from error
    usage = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH])
    return (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + _HOLDS)
        .add_extension(named, critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(usage, critical=False)
        .sign(key, hashes.SHA256())
    )
